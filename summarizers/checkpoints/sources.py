"""The part of a document that a model reads: its tokens in a prompt, cut to the model's limit."""

import hashlib
from typing import Any, NamedTuple

from relevance.data.records import Document
from relevance.llm.prompts import ROUGE_K_PAPER
from relevance.metrics.models.encoder import whole_characters
from relevance.summarizers.checkpoints.options import DOCUMENT


class Source(NamedTuple):
    """The input of a model for one document."""

    text: str
    """The part of the document that is read."""
    ids: tuple[int, ...]
    """The tokens of the whole prompt, including special ones."""
    cut: bool
    """Whether the end of the document is left out."""
    document: Document | None = None
    """The document, for a system that reads more of it than the text."""


class Prompt:
    """A template for documents, with a tokenizer.

    With `chat`, it is a user's message in the tokenizer's chat template, which the model answers.
    """

    def __init__(self, tokenizer: Any, template: str, *, chat: bool) -> None:
        self.tokenizer = tokenizer
        self.template = template
        self.chat = chat

    @property
    def signature(self) -> str:
        """Eight digits that identify the template."""
        return hashlib.sha256(self.template.encode()).hexdigest()[:8]

    def tokens(self, document: str) -> list[int]:
        """Return the tokens of the prompt with a document in it."""
        text = self.template.replace(DOCUMENT, document)
        if not self.chat:
            return list(self.tokenizer(text, verbose=False).input_ids)
        return chat_tokens(self.tokenizer, [{"role": "user", "content": text}])

    def read(self, document: str, limit: int) -> Source:
        """Read as much of a document as fits into `limit` tokens together with the prompt.

        Raises ValueError if the prompt alone does not fit.
        """
        text = whole_characters(document)
        ids = self.tokens(text)
        if len(ids) <= limit:
            return Source(text, tuple(ids), cut=False)
        ends = [end for _, end in self.tokenizer(text, **PLACES).offset_mapping]
        kept = len(ends) - (len(ids) - limit)
        while kept > 0:
            part = text[: ends[kept - 1]]
            if len(ids := self.tokens(part)) <= limit:
                return Source(part, tuple(ids), cut=True)
            kept -= len(ids) - limit  # the end of the cut text may be tokenized differently
        raise ValueError(f"the prompt alone has more than the {limit} tokens that the model can read beside its output")


PLACES = {"add_special_tokens": False, "return_offsets_mapping": True, "verbose": False}
"""The options with which a tokenizer gives the positions of tokens, without special ones."""


def chat_tokens(tokenizer: Any, messages: list[dict[str, str]]) -> list[int]:
    """Return the tokens of a chat for the model to answer, by the tokenizer's chat template."""
    return list(tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=True)["input_ids"])


def make_prompt(tokenizer: Any, template: str | None, *, encoder_decoder: bool) -> Prompt:
    """Make the prompt of a template.

    By default, encoder-decoders read the document alone, and language models the ROUGE-K paper's prompt (Takeshita et
    al. 2024, Table 10), as a user's message if the tokenizer has a chat template.
    """
    chat = not encoder_decoder and tokenizer.chat_template is not None
    default = DOCUMENT if encoder_decoder else ROUGE_K_PAPER
    return Prompt(tokenizer, default if template is None else template, chat=chat)
