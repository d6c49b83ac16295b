"""Token counts without the model's tokenizer: an estimate, and an upper bound."""

from collections.abc import Iterable

from relevance.llm.client import Message

BYTES = 4
"""The approximate bytes of UTF-8 per token: English has 4 to 5 with the tokenizers of today's models, other scripts
fewer."""

AROUND = 16
"""The most tokens that a chat template adds to a message: its role, and marks of beginning and end."""


class EstimatedTokens:
    """A counter of a token for every four bytes of UTF-8: an estimate that needs no file of the model."""

    name = f"bytes/{BYTES}"

    def count(self, text: str) -> int:
        """Estimate the number of tokens of a text."""
        return -(-len(text.encode()) // BYTES)

    def cut(self, text: str, most: int) -> str:
        """Return the beginning of a text with at most about `most` tokens, cut at a space if possible."""
        if self.count(text) <= most:
            return text
        beginning = text.encode()[: most * BYTES].decode(errors="ignore")
        if text[len(beginning)].isspace():
            return beginning
        words, space, _ = beginning.rpartition(" ")
        return words if space else beginning


def most_tokens(messages: Iterable[Message]) -> int:
    """Return an upper bound on the tokens of messages: no tokenizer makes more tokens of a text than it has bytes."""
    return sum(len(message.content.encode()) + AROUND for message in messages)
