"""Tiny models of real architectures with random weights, saved as Hugging Face models are, and texts for them."""

import json
from collections.abc import Callable
from pathlib import Path
from string import ascii_lowercase, punctuation
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from relevance.metrics.apes.base import CandidateAnswer, ReadingTask

LIMIT = 62
"""Tokens that fit into a tiny model: what RoBERTa makes of 64 positions."""

SUMMARY = "Ann Lee praised Bob Roe in New York. Bob thanked her."
WORDS = SUMMARY.lower().replace(".", "").split()
SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
ARCHITECTURES = ["bert", "roberta", "distilbert"]


def task(question: str = "@placeholder praised Bob Roe.", summary: str = SUMMARY, *names: str) -> ReadingTask:
    """A task whose candidates are mentioned wherever their names stand."""
    names = names or ("Ann Lee", "Bob", "New York")
    starts = {name: [i for i in range(len(summary)) if summary.startswith(name, i)] for name in names}
    return ReadingTask(
        summary, question, tuple(CandidateAnswer(n, tuple((i, i + len(n)) for i in starts[n])) for n in names)
    )


TASKS = [
    task(),
    task("Somebody praised @placeholder in New York, it was said on Monday."),
    task("@placeholder", "Ann won.", "Ann"),
    task("She went to @placeholder", f"Later, in New York. {SUMMARY} " * 2),
    task("He lives in @placeholder, they say.", "Ann likes Rome; Bob, Oslo.", "Oslo", "Rome"),
]


def wordpiece() -> Any:
    """BERT's tokenizer, which knows the words of `SUMMARY` and spells all others."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces = [*special, *WORDS, *ascii_lowercase, *(f"##{letter}" for letter in ascii_lowercase), *punctuation]
    return transformers.BertTokenizerFast(vocab={piece: n for n, piece in enumerate(dict.fromkeys(pieces))})


def bytepair() -> Any:
    """RoBERTa's tokenizer, trained on `SUMMARY`: a piece begins with the space before it."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([SUMMARY] * 3, trainer)
    model = json.loads(tokenizer.to_str())["model"]
    return transformers.RobertaTokenizerFast(vocab=model["vocab"], merges=[tuple(pair) for pair in model["merges"]])


def save(
    folder: Path,
    architecture: str,
    head: str,
    change: Callable[[Any], None] = lambda network: None,
    **sizes: int,
) -> Path:
    """Write a model with random weights, which `change` may set by hand; returns its folder.

    `head` is the end of the class's name, such as `ForMaskedLM`.
    """
    tokenizer = bytepair() if architecture == "roberta" else wordpiece()
    name = {"bert": "Bert", "roberta": "Roberta", "distilbert": "DistilBert"}[architecture]
    options: dict[str, Any] = {**SIZES, "vocab_size": len(tokenizer), "max_position_embeddings": LIMIT + 2, **sizes}
    if architecture == "distilbert":
        names = {"hidden_size": "dim", "num_hidden_layers": "n_layers", "intermediate_size": "hidden_dim"}
        names["num_attention_heads"] = "n_heads"
        options = {names.get(option, option): value for option, value in options.items()}
    torch.manual_seed(0)
    # Random weights as small as the usual ones would score all candidates nearly alike.
    config = getattr(transformers, f"{name}Config")(**options, initializer_range=0.5)
    network = getattr(transformers, f"{name}{head}")(config)
    with torch.no_grad():
        change(network)
    network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def without_safetensors(folder: Path) -> None:
    """Put a model's weights into the pickled format of old."""
    from safetensors.torch import load_file

    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
