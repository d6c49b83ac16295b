"""Summaries by prompting a language model."""

from collections.abc import Iterable, Sequence

from relevance.data.model_answers import read_summary
from relevance.data.records import Document, Summary
from relevance.data.signatures import signature
from relevance.llm.asking import Caller, Plan
from relevance.llm.client import Completion, Problem, Request, Settings, check_identity
from relevance.llm.prompts import SENTENCES, SOURCE_TOKENS, Prompt, check_template
from relevance.summarizers.base import VERSION, remarks_of, system_name
from relevance.summarizers.sentences import keep_sentences
from relevance.summarizers.training_documents import TrainingDocuments

BATCHES = 4
"""Documents in a batch for each concurrent call: with fewer, more calls would wait for the end of a batch."""


class LanguageModel:
    """A system that asks a language model for each summary, `llm:MODEL`.

    The defaults are those of the ROUGE-K paper (Takeshita et al. 2024, Table 10): its prompt, 512 tokens of the
    document, 128 of the answer, and the first sentence of it. The paper does not name its chat template and sampling;
    here the prompt is one turn of the user, and the likeliest tokens are taken. Reasoning and announcements such as
    "Here is a summary:" are left out first (`relevance.data.model_answers`). A document has no summary if it has no
    source, if its request failed, or if the model refused or only announced one: `failures` has the reason.

    Args:
        caller: asks the model, and records each call.
        prompt: template and examples.
        settings: the model's settings.
        source_tokens: the most tokens of a document that are sent, as the client counts them.
        sentences: the most sentences of the answer that are kept; None keeps all of it.
        name: the system's name, by default `llm:` and the model's.
        examples: documents of the prompt's examples, which it must not summarize.

    Raises:
        ValueError: for invalid settings.

    """

    def __init__(
        self,
        caller: Caller,
        prompt: Prompt | None = None,
        settings: Settings | None = None,
        *,
        source_tokens: int = SOURCE_TOKENS,
        sentences: int | None = SENTENCES,
        name: str | None = None,
        examples: Iterable[Document] = (),
    ) -> None:
        if source_tokens < 1 or (sentences is not None and sentences < 1):
            raise ValueError("a document has at least 1 token, and a summary at least 1 sentence")
        self.caller, self.prompt, self.settings = caller, prompt or Prompt(), settings or Settings()
        check_template(self.prompt.template)
        self.source_tokens, self.sentences = source_tokens, sentences
        self.name = system_name(name or f"llm:{caller.client.model}")
        self.training_documents = TrainingDocuments.of(examples)
        self.failures: dict[str, str] = {}
        """The reasons why documents have no summary, by their ids."""
        self.answered_by: set[str] = set()
        """The models that answered, by their own names: a server may give a name to another model."""
        check_identity(caller.client)

    @property
    def signature(self) -> str:
        """Everything that its output depends on; the server may answer differently all the same."""
        return signature(
            "llm",
            VERSION,
            **self.caller.client.identity,
            prompt=self.prompt.hash,
            source=self.source_tokens,
            counted=self.caller.client.tokens.name,
            **self.settings.given,
            sentences=self.sentences or "all",
        )

    def plan(self, documents: Sequence[Document]) -> list[list[Document]]:
        """Divide documents into batches in order, each with some documents for every concurrent call."""
        able = [document for document in documents if document.source_text.strip()]
        size = BATCHES * self.caller.limits.at_once
        return [able[start : start + size] for start in range(0, len(able), size)]

    def estimate(self, documents: Sequence[Document]) -> Plan:
        """Estimate the calls for summaries of documents, without calling."""
        return self.caller.plan(
            [self.request(document) for batch in self.plan(documents) for document in batch], lack_of_summary
        )

    def summarize(self, documents: Sequence[Document]) -> list[Summary]:
        """Write one summary per document, in order, without those that failed. Raises `UnusableRecord`."""
        answers = self.caller.ask([self.request(document) for document in documents], lack_of_summary)
        summaries = []
        for document, answer in zip(documents, answers, strict=True):
            if answer.completion is None:
                self.failures[document.id] = answer.reason or ""
            else:
                self.answered_by.add(answer.completion.model)
                summaries.append(self.summary(document, answer.completion))
        return summaries

    def request(self, document: Document) -> Request:
        """Make the request for a document."""
        return Request(self.prompt.messages(self.seen(document)), self.settings)

    def seen(self, document: Document) -> str:
        """Return the part of a document that the model sees."""
        return self.caller.client.tokens.cut(document.source_text, self.source_tokens)

    def summary(self, document: Document, completion: Completion) -> Summary:
        """Make the summary from an answer."""
        source_cut = self.seen(document) != document.source_text
        read = read_summary(completion.text)
        text, cut = keep_sentences(read.text, self.sentences, cut=completion.finish_reason == "length")
        return Summary(document.id, self.name, text, remarks=remarks_of(source_cut=source_cut, output_cut=cut))


def lack_of_summary(completion: Completion) -> Problem | None:
    """Tell why an answer has no summary; None if it has one."""
    read = read_summary(completion.text)
    return Problem(read.reason, read.alike) if read.reason else None
