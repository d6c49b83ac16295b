"""How many tokens a text has where the model's tokenizer is not at hand: an estimate, and a bound."""

from collections.abc import Iterable

from llm.client import Message

BYTES = 4
"""Bytes of UTF-8 a token, about: English has 4 to 5 with the tokenizers of today's models, and other scripts fewer."""

AROUND = 16
"""Tokens that a chat template adds to a message, at most: its role, and marks of beginning and end."""


class EstimatedTokens:
    """A token for each four bytes of UTF-8: an estimate, which needs no file of the model's."""

    name = f"bytes/{BYTES}"

    def count(self, text: str) -> int:
        """About how many tokens a text has."""
        return -(-len(text.encode()) // BYTES)

    def cut(self, text: str, most: int) -> str:
        """Return the beginning of a text that has about so many tokens at most, up to the end of a word if it has one."""
        if self.count(text) <= most:
            return text
        beginning = text.encode()[: most * BYTES].decode(errors="ignore")
        if text[len(beginning)].isspace():
            return beginning
        words, space, _ = beginning.rpartition(" ")
        return words if space else beginning


def most_tokens(messages: Iterable[Message]) -> int:
    """Return a number of tokens that messages do not exceed: no tokenizer makes more tokens of a text than it has bytes."""
    return sum(len(message.content.encode()) + AROUND for message in messages)
