"""Systems that are folders of our own networks, such as `pointer:DIR`."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from relevance.data.one_line import first_line
from relevance.data.records import Document, Summary
from relevance.data.signatures import signature
from relevance.data.training_history import TrainingEntry, history_in
from relevance.metrics.models.files import BadModel, ModelUnavailable, device, safe, weights_sha256
from relevance.summarizers.base import VERSION, name_of, remarks_of
from relevance.summarizers.checkpoints.files import CONFIG, TOKENIZER, hash_files
from relevance.summarizers.checkpoints.options import WritingOptions
from relevance.summarizers.methods.base import Network
from relevance.summarizers.methods.own_network import VOCABULARY, Input, OwnNetwork
from relevance.summarizers.training_documents import TRAINING_DOCUMENTS, TrainingDocuments

FIELDS = {
    "beams": "num_beams",
    "max_tokens": "max_new_tokens",
    "min_tokens": "min_new_tokens",
    "no_repeat": "no_repeat_ngram_size",
    "length_penalty": "length_penalty",
}
"""The writing options that our searches support, with their fields of `Decoding`."""


class OwnNetworkSummarizer:
    """A system that is a folder of such a network, opened on first use.

    A document without a word has no summary. Raises `ModelUnavailable`, `BadModel` for a folder of another kind,
    ValueError for options that it does not support.
    """

    def __init__(self, kind: str, folder: Path, options: WritingOptions | None = None, name: str | None = None) -> None:
        from relevance.summarizers.methods.registry import read_decoding, read_method

        self.folder = folder
        method = read_method(folder)  # first, as an unfinished run has neither
        self.weights = weights_sha256(folder)
        if not isinstance(method, OwnNetwork) or method.kind != kind:
            raise BadModel(f"{folder} was trained by the method {method.name!r}, which is not a {kind}")
        self.method = method
        self.options = options or WritingOptions()
        self.decoding = replace(read_decoding(folder), **self.settings)
        self.input = Input(self.options.source_tokens, self.options.gold_entities)
        self.name = name_of(folder.resolve().name, name, reads_references=self.input.gold_entities)

    @property
    def settings(self) -> dict[str, Any]:
        """The fields of `Decoding` that were set. Raises ValueError for options that the method does not support."""
        usual = asdict(WritingOptions())
        given = {name: value for name, value in asdict(self.options).items() if value != usual[name]}
        known = {"device"}
        if self.method.searches:
            known |= {*FIELDS, "source_tokens"}
        if self.method.finds_entities:
            known.add("gold_entities")
        if unknown := [name for name in given if name not in known]:
            raise ValueError(
                f"{self.method.name} has no option {unknown[0]}; of those of checkpoints it has "
                f"{', '.join(sorted(known))}"
            )
        return {field: given[name] for name, field in FIELDS.items() if name in given}

    @cached_property
    def network(self) -> Network:
        """The network, on its device. Raises `BadModel` if its files are damaged."""
        try:
            return self.method.load(self.folder).on(self.device)
        except ModelUnavailable:
            raise
        except Exception as error:  # libraries raise a dozen kinds
            raise BadModel(f"the model in {self.folder} cannot be loaded: {first_line(error)}") from error

    @cached_property
    def device(self) -> str:
        """The device on which it runs. Raises `ModelUnavailable`."""
        return device(None if self.options.device == "auto" else self.options.device)

    @cached_property
    def training_documents(self) -> TrainingDocuments:
        """The documents that it was trained on. Raises `BadRecord`."""
        return TrainingDocuments.read(self.folder / TRAINING_DOCUMENTS)

    @cached_property
    def history(self) -> list[TrainingEntry]:
        """The history of its training, if its folder has one. Raises `BadRecord`."""
        return history_in(self.folder)

    @cached_property
    def signature(self) -> str:
        """Everything that its output depends on."""
        files = (self.folder / name for name in (*CONFIG, *TOKENIZER, VOCABULARY))
        read: dict[str, object] = {name: value for name, value in self.input._asdict().items() if value}
        if self.input.gold_entities:
            read["finder"] = self.method.finder
        return signature(
            self.method.kind,
            VERSION,
            model=f"{safe(self.folder.resolve().name)}@{self.weights[:8]}",
            config=hash_files(files)[:8],
            **(asdict(self.decoding) if self.method.searches else {}),
            **read,
            device=self.device.partition(":")[0],
        )

    def plan(self, documents: Sequence[Document]) -> list[list[Document]]:
        """Divide documents into batches of similar length; those without a word are left out."""
        with_words = [document for document in documents if document.source_text.strip()]
        with_words.sort(key=lambda document: -len(document.source_text))
        size = self.method.at_once
        return [with_words[start : start + size] for start in range(0, len(with_words), size)]

    def summarize(self, documents: Sequence[Document]) -> list[Summary]:
        """Write one summary per document, all in one batch."""
        with_words = [document for document in documents if document.source_text.strip()]
        if not with_words:
            return []
        outputs = self.method.outputs(self.network, with_words, self.decoding, self.input)
        return [
            Summary(
                document.id,
                self.name,
                output.text,
                remarks=remarks_of(
                    source_cut=output.source_cut, output_cut=output.output_cut, nothing_given=output.nothing_given
                ),
            )
            for document, output in zip(with_words, outputs, strict=True)
        ]
