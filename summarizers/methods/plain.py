"""Plain fine-tuning of BART or any seq2seq model, and the base class of the methods that change it."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from relevance.data.one_line import first_line
from relevance.data.records import Document
from relevance.metrics.models.encoder import quiet
from relevance.metrics.models.files import BadModel
from relevance.summarizers.checkpoints.files import find_safetensors
from relevance.summarizers.methods.base import Batch, Decoding, Method, Network, UnsuitableModel, target_of
from relevance.summarizers.methods.weights import WEIGHTS, save_weights

if TYPE_CHECKING:
    import torch

COUNTED = "method.safetensors"
"""The file of a method's counts in the documents that it was trained on."""

IGNORED = -100
"""A label that no loss counts."""


@dataclass
class Seq2SeqMethod(Method):
    """A seq2seq model of transformers, trained by cross-entropy on each document's first reference.

    A method that changes it overrides some of the following:

    - `model_types`: the kinds of model whose layers it needs; others are refused.
    - `count`: counts in the documents to be trained on; if it also writes by the counts (`counts`), `counted` and
      `restore` store them beside the weights.
    - `alter`: adds modules and hooks to a model, whether its weights are a checkpoint's or loaded later.
    - `strip`: removes parts that only training needs, before the weights are saved.
    - `inputs`: makes further tensors from documents.
    - `given`: passes these to the modules of `alter` while the model runs or generates. Beams repeat the encoder's
      output by document (`repeat_interleave`), and the decoder's modules must do the same with their tensors.
    - `loss`
    - `decoding`: further arguments of `generate`, such as processors of the next token's scores.
    """

    model_types: ClassVar[tuple[str, ...]] = ()
    """The supported kinds of model, such as `("bart",)`; empty: any seq2seq model."""
    counts: ClassVar[bool] = False
    """Whether it writes by its counts."""

    # --- the model

    def start_files(self, folder: Path) -> list[Path]:
        """List the weights of a checkpoint."""
        return find_safetensors(folder)

    def start(self, folder: Path | None, documents: Sequence[Document]) -> Network:
        """Open a local checkpoint, count in the documents and alter the model. Raises `UnsuitableModel`."""
        if folder is None:
            raise UnsuitableModel(f"{self.name} starts from a checkpoint: name its folder with --model")
        network = open_seq2seq(folder)
        self.check(network.model)
        self.count(network, documents)
        self.alter(network.model)
        return network

    def check(self, model: Any) -> None:
        """Raise `UnsuitableModel` for a model whose layers the method does not know."""
        kind = model.config.model_type
        if self.model_types and kind not in self.model_types:
            raise UnsuitableModel(
                f"{self.name} changes layers of {' or '.join(self.model_types)}, and this model is {kind}; plain, "
                "rwgen, mtl and tdmtl train any seq2seq model"
            )

    def count(self, network: Network, documents: Sequence[Document]) -> None:
        """Count in the documents that it is trained on."""

    def counted(self) -> Batch:
        """Return the counts, as tensors by name."""
        return {}

    def restore(self, counted: Batch) -> None:
        """Take back the counts of `counted`."""

    def alter(self, model: Any) -> None:
        """Add modules and hooks to a model."""

    def strip(self, model: Any) -> None:
        """Remove the modules that only training needs."""

    # --- inputs

    def batch(self, network: Network, documents: Sequence[Document], *, labels: bool) -> Batch:
        """Make token numbers (documents, tokens), their mask, labels, and `inputs`; long sources are cut at the end."""
        texts = [document.source_text for document in documents]
        read = network.tokenizer(
            texts,
            padding=True,
            truncation=True,
            max_length=source_limit(network),
            return_tensors="pt",
            return_offsets_mapping=True,
            return_special_tokens_mask=True,
        )
        batch: Batch = {"input_ids": read["input_ids"], "attention_mask": read["attention_mask"]}
        if labels:
            batch["labels"] = self.labels(network, documents)
        return batch | self.inputs(network, documents, read, labels=labels)

    def labels(self, network: Network, documents: Sequence[Document]) -> torch.Tensor:
        """Return the token numbers of each document's first reference, padded with `IGNORED`."""
        read = network.tokenizer(
            text_target=[target_of(document) for document in documents],
            padding=True,
            truncation=True,
            max_length=source_limit(network),
            return_tensors="pt",
        )
        labels: torch.Tensor = read["input_ids"].masked_fill(read["attention_mask"] == 0, IGNORED)
        return labels

    def gives_nothing(self, document: Document) -> bool:
        """Tell whether it reads the references to write, and those of a document have nothing for it."""
        return False

    def inputs(self, network: Network, documents: Sequence[Document], read: Any, *, labels: bool) -> Batch:
        """Make the tensors that the method adds.

        `read` is the tokenizer's output for the sources: `input_ids`, `attention_mask`, `special_tokens_mask`, each of
        shape (documents, tokens), and `offset_mapping`, the characters of each token in `source_text`.
        """
        return {}

    @contextmanager
    def given(self, model: Any, batch: Batch) -> Iterator[None]:
        """Pass `inputs` to the modules of `alter` while the block runs."""
        yield

    # --- training

    def loss(self, model: Any, batch: Batch) -> torch.Tensor:
        """Compute the mean cross-entropy of the reference's tokens."""
        loss: torch.Tensor = self.run(model, batch).loss
        return loss

    def run(self, model: Any, batch: Batch) -> Any:
        """Return the model's outputs for a batch with labels: `loss`, `logits`, `encoder_last_hidden_state`."""
        with self.given(model, batch):
            return model(**{name: batch[name] for name in ("input_ids", "attention_mask", "labels")}, use_cache=False)

    # --- writing

    def write(self, network: Network, documents: Sequence[Document], decoding: Decoding) -> list[str]:
        """Write a summary of each document, all in one batch."""
        import torch

        model, tokenizer = network
        made = self.batch(network, documents, labels=False)
        batch = {name: tensor.to(model.device) for name, tensor in made.items()}
        with torch.inference_mode(), self.given(model, batch):
            written = model.generate(
                input_ids=batch["input_ids"],
                attention_mask=batch["attention_mask"],
                generation_config=generation_config(model, decoding),
                **self.decoding(batch),
            )
        texts = tokenizer.batch_decode(written, skip_special_tokens=True)
        return [text.replace("\0", "").strip() for text in texts]  # no database accepts NUL, which byte models write

    def decoding(self, batch: Batch) -> dict[str, Any]:
        """Return arguments of `generate` besides the user's settings, such as a `logits_processor`."""
        return {}

    # --- files

    def save(self, network: Network, folder: Path, decoding: Decoding) -> None:
        """Write a folder that transformers can read, with the method's counts."""
        from safetensors.torch import save_file

        model, tokenizer = network
        self.strip(model)
        model.config.save_pretrained(folder)
        generation_config(model, decoding).save_pretrained(folder)
        tokenizer.model_max_length = source_limit(network)  # read no more than in training
        tokenizer.backend_tokenizer.no_truncation()  # otherwise it keeps the settings of its last call
        tokenizer.backend_tokenizer.no_padding()
        tokenizer.save_pretrained(folder)
        save_weights(model, folder / WEIGHTS)
        if self.counts:
            save_file(self.counted(), folder / COUNTED)

    def load(self, folder: Path) -> Network:
        """Load such a folder."""
        import transformers
        from safetensors.torch import load_file, load_model

        if self.counts:
            if not (folder / COUNTED).is_file():
                raise BadModel(f"{folder} has no {COUNTED}, which {self.name} needs to write: copy the model again")
            self.restore(load_file(folder / COUNTED))
        local = {"local_files_only": True, "trust_remote_code": False}
        config = transformers.AutoConfig.from_pretrained(folder, **local)
        model = transformers.AutoModelForSeq2SeqLM.from_config(config)  # type: ignore[no-untyped-call]
        model.generation_config = transformers.GenerationConfig.from_pretrained(folder, local_files_only=True)
        self.alter(model)
        self.strip(model)
        load_model(model, str(folder / WEIGHTS))
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **local)
        return Network(model.eval(), tokenizer)


@dataclass
class Plain(Seq2SeqMethod):
    """Fine-tune BART, or any seq2seq model, as it is.

    Source: Lewis et al. (2020), BART; the settings are those of Takeshita et al. (2024), ROUGE-K.
    """

    name = "plain"


def open_seq2seq(folder: Path) -> Network:
    """Open a local seq2seq checkpoint in single precision; nothing is downloaded, and none of its code is run.

    Raises ValueError (`ModelUnavailable`, `BadModel`, `UnsuitableModel`) for a folder without such a model and a fast
    tokenizer, and for pickled weights.
    """
    import transformers

    find_safetensors(folder)
    quiet(transformers)
    local = {"local_files_only": True, "trust_remote_code": False}
    try:
        config = transformers.AutoConfig.from_pretrained(folder, **local)
        if not config.is_encoder_decoder:
            raise UnsuitableModel(
                f"the model in {folder} is not an encoder-decoder ({config.model_type}), such as BART and T5 are"
            )
        model = transformers.AutoModelForSeq2SeqLM.from_pretrained(
            folder, use_safetensors=True, dtype="float32", **local
        )
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **local)
    except UnsuitableModel:
        raise
    except Exception as error:  # libraries raise a dozen kinds
        raise BadModel(f"{folder} holds no seq2seq model with its tokenizer: {first_line(error)}") from error
    if not tokenizer.is_fast:
        raise UnsuitableModel(f"the model in {folder} has no fast tokenizer, so the positions of tokens are unknown")
    return Network(model, tokenizer)


def source_limit(network: Network) -> int:
    """Return the most tokens of a source that a model sees: its positions, or the tokenizer's limit, at most 1,024.

    1,024 is BART's limit; T5, whose positions are relative, has none, and longer sources would take all memory.
    """
    positions = getattr(network.model.config, "max_position_embeddings", None) or 1024
    return int(min(positions, network.tokenizer.model_max_length, 1024))


def generation_config(model: Any, decoding: Decoding) -> Any:
    """Make the config for transformers' `generate`: the model's own `GenerationConfig` with the settings in it."""
    config = copy.deepcopy(model.generation_config)
    lengths = {"max_length": None, "min_length": None}  # only lengths of the output count
    for name, value in {**asdict(decoding), **lengths, "do_sample": False}.items():
        setattr(config, name, value)
    return config
