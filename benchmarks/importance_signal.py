"""What the tf-idf of ROUGE-K's systems tells them, by its scale: on articles, and on a task that is nothing else.

    python -m benchmarks.importance_signal

The first table is of the articles of SummEval, with the frequencies counted in them, over the tokens of the encoder
that comes with the package, as no BART is at hand. The second trains tiny BARTs of random weights to write the two
important words of eight, in their order. In the task "tf-idf" these have the highest tf-idf, which a model can also
learn by heart; in the task "drawn" the importance is drawn anew for each document, so that only the method can tell
which words are important. At random a quarter of the words is right.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np
import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from benchmarks.prepared import SHARED
from relevance.data.importers import read_documents
from relevance.data.records import Document
from relevance.metrics.keywords.overlap import STOP_WORDS, is_mark
from relevance.metrics.models.files import embedded_model
from relevance.summarizers.methods.base import Batch, Decoding, Network
from relevance.summarizers.methods.importance import Importance, importance_of
from relevance.summarizers.methods.plain import Seq2SeqMethod
from relevance.summarizers.methods.published import Training
from relevance.summarizers.methods.registry import METHODS
from relevance.summarizers.methods.weighted import Weighted
from relevance.summarizers.training.measuring import write_all
from relevance.summarizers.training.run import train
from relevance.summarizers.training.task import Task

WORDS, LENGTH, IMPORTANT = 100, 8, 2
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
NAMES = ("bos_token", "pad_token", "eos_token", "unk_token")
SIZES = {"layers": 2, "attention_heads": 4, "ffn_dim": 128}
TRAINED, HELD_OUT = 20_000, 500
TRAINING = Training(learning_rate=1e-3, batch=64, accumulation=1, epochs=6, clip=1.0, patience=100)
DECODING = Decoding(num_beams=1, max_new_tokens=IMPORTANT + 1, no_repeat_ngram_size=0)
SCALES = (1.0, 10.0)
VARIANTS: Sequence[tuple[str, dict[str, Any]]] = (
    ("plain", {}),
    *(("rwenc", {"layers": (0, 1), "scale": scale}) for scale in SCALES),
    *(("rwgen", {"scale": scale}) for scale in SCALES),
    ("tdmtl", {}),
    *(("tdsum", {"scale": scale}) for scale in SCALES),
    *(("tdsum", {"keys": "tfidf+encoder states", "scale": scale}) for scale in SCALES),
)


class DrawnImportance(Importance):
    """An importance that is drawn for each source: only its words, in their order, decide."""

    def tokens(self, ids: torch.Tensor, special: torch.Tensor) -> torch.Tensor:
        """Draw the weight of each token of each source."""
        rows = []
        for row, marks in zip(ids.tolist(), special.tolist(), strict=True):
            words = [token for token, mark in zip(row, marks, strict=True) if not mark]
            drawn = iter(np.random.default_rng(words).random(len(words)))
            rows.append([0.0 if mark else next(drawn) for mark in marks])
        return self.scale * torch.nn.functional.normalize(torch.tensor(rows), dim=1).float()

    def vocabulary(self, ids: torch.Tensor, special: torch.Tensor) -> torch.Tensor:
        """Return the same by the tokens of the vocabulary; no source has a word twice."""
        return torch.zeros(len(ids), len(self.idf)).scatter_add_(1, ids, self.tokens(ids, special))


def draw(method: Seq2SeqMethod) -> Seq2SeqMethod:
    """Return a method whose importance is drawn."""
    if not isinstance(method, Weighted):
        return method

    class Drawn(type(method)):  # type: ignore[misc]  # a class that is known when it runs
        """The method with another importance."""

        def count(self, network: Network, documents: Sequence[Document]) -> None:
            """Count nothing."""
            self.restore({"idf": torch.ones(network.model.config.vocab_size)})

        def restore(self, counted: Batch) -> None:
            """Draw."""
            self.importance = DrawnImportance(counted["idf"], self.scale)

    drawn: Seq2SeqMethod = Drawn(**method.settings)
    return drawn


def save_tiny_bart(folder: Path) -> Any:
    """Write a BART of random weights that reads words; return its tokenizer."""
    vocabulary = {word: place for place, word in enumerate([*SPECIAL, *(f"w{number}" for number in range(WORDS))])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=SPECIAL[3]))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    names = dict(zip(NAMES, SPECIAL, strict=True))
    names |= {"cls_token": SPECIAL[0], "sep_token": SPECIAL[2]}
    made = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=32, **names)
    sides = {f"{side}_{what}": size for side in ("encoder", "decoder") for what, size in SIZES.items()}
    torch.manual_seed(0)
    config = transformers.BartConfig(
        vocab_size=len(vocabulary), d_model=64, max_position_embeddings=32, dropout=0.0, init_std=0.05, **sides
    )
    config.bos_token_id, config.pad_token_id, config.eos_token_id = 0, 1, 2
    config.decoder_start_token_id, config.forced_eos_token_id = 2, None
    transformers.BartForConditionalGeneration(config).save_pretrained(folder)
    made.save_pretrained(folder)
    return made


def make_documents(tokenizer: Any, importance: Importance | None, count: int, seed: int) -> list[Document]:
    """Make documents of words, of which a few are frequent; without an importance, without a reference."""
    draws = np.random.default_rng(seed)
    shares = 1 / np.arange(1, WORDS + 1)
    documents = []
    for number in range(count):
        words = [f"w{word}" for word in draws.choice(WORDS, LENGTH, replace=False, p=shares / shares.sum())]
        references = (write_important(words, tokenizer, importance),) if importance else ()
        documents.append(Document(f"{seed}-{number}", " ".join(words), references))
    return documents


def write_important(words: Sequence[str], tokenizer: Any, importance: Importance) -> str:
    """Write the important words of a document in their order."""
    ids = torch.tensor([tokenizer.convert_tokens_to_ids(list(words))])
    weights = importance.tokens(ids, torch.zeros_like(ids))[0]
    return " ".join(words[place] for place in sorted(weights.argsort(descending=True)[:IMPORTANT].tolist()))


def compare_methods() -> None:
    """Print how well each method writes the important words."""
    print("| method | settings | tf-idf: words right | both | drawn: words right | both |")
    print("| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tokenizer = save_tiny_bart(folder / "bart")
        sources = [document.source_text for document in make_documents(tokenizer, None, TRAINED, 1)]
        counted = importance_of(sources, tokenizer, len(tokenizer), 32)
        for place, (method, settings) in enumerate(VARIANTS):
            cells = []
            for task, importance in (("tf-idf", counted), ("drawn", DrawnImportance(counted.idf))):
                method_of_try: Seq2SeqMethod = METHODS[method](**settings)  # type: ignore[assignment]
                method_of_try = draw(method_of_try) if task == "drawn" else method_of_try
                learned, held_out = (
                    tuple(make_documents(tokenizer, importance, count, seed))
                    for count, seed in ((TRAINED, 1), (HELD_OUT, 2))
                )
                output = folder / f"{place}-{task}"
                train(Task(method_of_try, folder / "bart", learned, held_out[:100], TRAINING, DECODING), output)
                texts = write_all(method_of_try, method_of_try.load(output), held_out, DECODING)
                pairs = [
                    (text.split(), document.references[0].split())
                    for text, document in zip(texts, held_out, strict=True)
                ]
                right = fmean(len(set(text) & set(wanted)) / IMPORTANT for text, wanted in pairs)
                cells += [f"{100 * right:.1f} %", f"{100 * fmean(text == wanted for text, wanted in pairs):.0f} %"]
            listed = ", ".join(f"{name} {value}" for name, value in settings.items() if name != "layers")
            print(f"| `{method}` | {listed} | {' | '.join(cells)} |", flush=True)


def measure_articles() -> None:
    """Print what T adds on articles, by its scale."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(embedded_model().folder, local_files_only=True)
    sources = list({document.source_text for document, _ in read_documents(SHARED / "summeval.jsonl")})
    importance = importance_of(sources, tokenizer, len(tokenizer), 512)
    largest, middle, empty = [], [], []
    for source in sources:
        read = tokenizer(source, truncation=True, max_length=512, return_tensors="pt", return_special_tokens_mask=True)
        weights = importance.vocabulary(read["input_ids"], read["special_tokens_mask"])[0]
        top = tokenizer.convert_ids_to_tokens(weights.argsort(descending=True)[:10].tolist())
        largest.append(weights.max().item())
        middle.append(weights[weights > 0].median().item())
        empty.append(fmean(token in STOP_WORDS or is_mark(token) for token in top))
    print(f"{len(sources)} articles: of the ten tokens with the largest T, {100 * fmean(empty):.0f} % are stop words")
    print("or marks, as they are counted in each source.\n")
    print("| scale | largest T in an article: median; most | median T: median | `rwgen`, share .3: most |")
    print("| --- | --- | --- | --- |")
    for scale in SCALES:
        most = scale * max(largest)
        row = f"{scale * median(largest):.2f}; {most:.2f} | {scale * median(middle):.3f} | {0.3 * most:.2f} nat"
        print(f"| {scale:g} | {row} |")


if __name__ == "__main__":
    measure_articles()
    print()
    compare_methods()
