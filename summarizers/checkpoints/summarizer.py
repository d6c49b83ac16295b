"""Systems that are checkpoints."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from relevance.data.model_answers import read_summary
from relevance.data.records import Document, Summary
from relevance.data.signatures import signature
from relevance.data.training_history import TrainingEntry, history_in
from relevance.llm.prompts import SENTENCES, SOURCE_TOKENS
from relevance.summarizers.base import VERSION, BatchSummarizer, name_of, remarks_of
from relevance.summarizers.checkpoints.checkpoint import Checkpoint, open_checkpoint
from relevance.summarizers.checkpoints.files import KINDS, CheckpointFiles
from relevance.summarizers.checkpoints.loading import find_method
from relevance.summarizers.checkpoints.options import WritingOptions
from relevance.summarizers.checkpoints.own_network import OwnNetworkSummarizer
from relevance.summarizers.sentences import keep_sentences
from relevance.summarizers.training_documents import TrainingDocuments


class CheckpointSummarizer:
    """A system that is a checkpoint in a local folder or file, opened on first use.

    A document without a word has no summary. Remarks say whether the model did not see the end of the document
    (`SOURCE_CUT`), and whether the length limit ended the summary (`OUTPUT_CUT`).

    A language model writes as in the ROUGE-K paper unless the options say otherwise (Takeshita et al. 2024, Table 10):
    its prompt, 512 tokens of input, 128 of output, of which the first sentence is kept.
    """

    def __init__(self, kind: str, path: Path, options: WritingOptions | None = None, name: str | None = None) -> None:
        self.files = CheckpointFiles(kind, path)
        self.options = options or WritingOptions()
        if self.options.gold_entities:
            raise ValueError(f"{kind}:{path} has no option gold_entities, which is one of systems that find entities")
        self.method = find_method(self.files)
        self.name = name_of(self.files.name, name, reads_references=self.method.reads_references)
        self.failures: dict[str, str] = {}
        """The reasons why a language model wrote no summary of a document, by the documents' ids."""

    @cached_property
    def checkpoint(self) -> Checkpoint:
        """The checkpoint. Raises what `open_checkpoint` does."""
        checkpoint = open_checkpoint(self.files, self.options)
        if checkpoint.model.encoder_decoder or self.options.source_tokens is not None:
            return checkpoint
        return replace(checkpoint, options=replace(self.options, source_tokens=SOURCE_TOKENS))

    @property
    def sentences(self) -> int | None:
        """The most sentences of an output that are kept; None keeps all."""
        usual = None if self.checkpoint.model.encoder_decoder else SENTENCES
        return usual if self.options.sentences is None else self.options.sentences or None

    @cached_property
    def training_documents(self) -> TrainingDocuments:
        """The documents that it was trained on, if its folder has a list. Raises `BadRecord`."""
        return TrainingDocuments.in_folder(None if self.files.kind == "gguf" else self.files.folder)

    @cached_property
    def history(self) -> list[TrainingEntry]:
        """The history of its training, if its folder has one. Raises `BadRecord`."""
        return [] if self.files.kind == "gguf" else history_in(self.files.folder)

    @cached_property
    def signature(self) -> str:
        """Everything that its output depends on."""
        kept = {} if self.sentences is None else {"sentences": self.sentences}
        return signature(self.files.kind, VERSION, **self.checkpoint.settings, **kept)

    def plan(self, documents: Sequence[Document]) -> list[list[Document]]:
        """Divide documents into batches of similar length; those without a word are left out."""
        with_words = [document for document in documents if document.source_text.strip()]
        batches = self.checkpoint.batches(document.source_text for document in with_words)
        return [[with_words[place] for place in batch] for batch in batches]

    def summarize(self, documents: Sequence[Document]) -> list[Summary]:
        """Write one summary per document, all in one batch; a language model may write none (`read_summary`)."""
        with_words = [document for document in documents if document.source_text.strip()]
        sources = [self.checkpoint.read(document.source_text)._replace(document=document) for document in with_words]
        if not sources:
            return []
        summaries = []
        for document, source, output in zip(with_words, sources, self.checkpoint.write(sources), strict=True):
            written = output.text
            if not self.checkpoint.model.encoder_decoder:  # a language model, which talks
                written, reason, _ = read_summary(output.text)
                if reason:
                    self.failures[document.id] = reason
                    continue
            text, cut = keep_sentences(written, self.sentences, cut=output.cut)
            remarks = remarks_of(
                source_cut=source.cut, output_cut=cut, nothing_given=self.method.gives_nothing(document)
            )
            summaries.append(Summary(document.id, self.name, text, remarks=remarks))
        return summaries


OPENED: dict[str, Callable[[str, Path, WritingOptions | None, str | None], BatchSummarizer]] = {
    **dict.fromkeys(KINDS, CheckpointSummarizer),
    "pointer": OwnNetworkSummarizer,
    "presumm": OwnNetworkSummarizer,
}
"""The functions that open a system, by the prefix before the folder or file in its name."""


def is_checkpoint(name: str) -> bool:
    """Tell whether the name of a system is that of a checkpoint, such as `seq2seq:models/bart`."""
    return name.partition(":")[0] in OPENED and ":" in name


def checkpoint_summarizer(
    name: str, options: WritingOptions | None = None, *, system: str | None = None
) -> BatchSummarizer:
    """Make a summarizer from a name such as `seq2seq:models/bart`, named `system` or like its folder or file.

    Raises what `CheckpointFiles` and `OwnNetworkSummarizer` do, and ValueError for a bad name.
    """
    kind, _, path = name.partition(":")
    return OPENED[kind](kind, Path(path), options, system)
