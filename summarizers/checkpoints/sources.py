"""What a model reads of a document: its tokens in a prompt, cut to what the model takes."""

import hashlib
from typing import Any, NamedTuple

from metrics.models.encoder import whole_characters
from summarizers.checkpoints.options import DOCUMENT

TLDR = "{document}\nTL;DR:"
"""The prompt of language models that know no chat (Radford et al. 2019, section 3.6)."""

INSTRUCTION = "Write a short summary of the following document.\n\n{document}"
"""The prompt of language models that do."""


class Source(NamedTuple):
    """What a model reads of one document."""

    text: str
    """The document, as far as it is read."""
    ids: tuple[int, ...]
    """The tokens of the whole prompt, special ones included."""
    cut: bool
    """Whether the end of the document is not read."""


class Prompt:
    """A template into which documents are put, in the words of a tokenizer.

    With `chat` it is what the user says in the tokenizer's chat template, and the model is to answer.
    """

    def __init__(self, tokenizer: Any, template: str, *, chat: bool) -> None:
        self.tokenizer = tokenizer
        self.template = template
        self.chat = chat

    @property
    def signature(self) -> str:
        """Eight digits that tell templates apart."""
        return hashlib.sha256(self.template.encode()).hexdigest()[:8]

    def tokens(self, document: str) -> list[int]:
        """The tokens of the prompt with a document in it."""
        text = self.template.replace(DOCUMENT, document)
        if not self.chat:
            return list(self.tokenizer(text, verbose=False).input_ids)
        return chat_tokens(self.tokenizer, [{"role": "user", "content": text}])

    def read(self, document: str, limit: int) -> Source:
        """Read as much of a document as fits into so many tokens with the prompt around it.

        Raises ValueError where the prompt alone does not fit.
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
            kept -= len(ids) - limit  # where the text ends, it may be cut into tokens in another way
        raise ValueError(f"the prompt alone has more than the {limit} tokens that the model can read beside its output")


PLACES = {"add_special_tokens": False, "return_offsets_mapping": True, "verbose": False}
"""How a tokenizer is asked for the places of the tokens of a text alone."""


def chat_tokens(tokenizer: Any, messages: list[dict[str, str]]) -> list[int]:
    """The tokens of a chat to which the model is to answer, by the tokenizer's chat template."""
    return list(tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=True)["input_ids"])


def make_prompt(tokenizer: Any, template: str | None, *, encoder_decoder: bool) -> Prompt:
    """The prompt of a template; without one, the document alone, or what language models are asked by default."""
    chat = not encoder_decoder and tokenizer.chat_template is not None
    default = DOCUMENT if encoder_decoder else INSTRUCTION if chat else TLDR
    return Prompt(tokenizer, default if template is None else template, chat=chat)
