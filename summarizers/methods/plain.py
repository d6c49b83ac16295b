"""Plain fine-tuning of BART or any seq2seq model, and what the methods that change it have in common."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from data.records import Document
from metrics.models.encoder import quiet
from metrics.models.files import BadModel, first_line
from summarizers.checkpoints.files import find_safetensors
from summarizers.methods.base import Batch, Decoding, Method, Network, UnsuitableModel, target_of
from summarizers.methods.weights import WEIGHTS, save_weights

if TYPE_CHECKING:
    import torch

COUNTED = "method.safetensors"
"""What a method counted in the documents that it was trained on."""

IGNORED = -100
"""A label that no loss counts."""


@dataclass
class Seq2SeqMethod(Method):
    """A seq2seq model of transformers, trained by cross-entropy on each document's first reference.

    A method that changes it overrides, of the following, what it changes:

    - `model_types`: the kinds of model whose layers it needs; all others are refused by name.
    - `count`: what it counts in the documents to be trained on; where it also writes by that (`counts`), `counted` and
      `restore` keep it beside the weights.
    - `alter`: the modules and hooks that it adds to a model, whether its weights are a checkpoint's or loaded later.
    - `strip`: takes away what only training needs, before the weights are saved.
    - `inputs`: the tensors that it makes of documents beside their token numbers.
    - `given`: hands those to what `alter` added, for as long as the model runs or generates. Beams repeat the
      encoder's output by document (`repeat_interleave`), and so must modules of the decoder with what they are handed.
    - `loss`
    - `processors`: what changes the scores of next tokens at decoding.
    """

    model_types: ClassVar[tuple[str, ...]] = ()
    """Such as `("bart",)`; none stands for any seq2seq model."""
    counts: ClassVar[bool] = False
    """Whether it writes by what it counted."""

    # --- the model

    def start(self, folder: Path | None, documents: Sequence[Document]) -> Network:
        """Open a local checkpoint, count and alter. Raises `UnsuitableModel`."""
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
        """Count what the method needs in the documents that it is trained on."""

    def counted(self) -> Batch:
        """What was counted, as tensors by name."""
        return {}

    def restore(self, counted: Batch) -> None:
        """Take back what `counted` gave."""

    def alter(self, model: Any) -> None:
        """Add modules and hooks to a model."""

    def strip(self, model: Any) -> None:
        """Take away the modules that only training needs."""

    # --- what it reads

    def batch(self, network: Network, documents: Sequence[Document], *, labels: bool) -> Batch:
        """Token numbers (documents, tokens) with their mask, labels, and `inputs`; long sources are cut at the end."""
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
        """The token numbers of each document's first reference, padded with `IGNORED`."""
        read = network.tokenizer(
            text_target=[target_of(document) for document in documents],
            padding=True,
            truncation=True,
            max_length=source_limit(network),
            return_tensors="pt",
        )
        labels: torch.Tensor = read["input_ids"].masked_fill(read["attention_mask"] == 0, IGNORED)
        return labels

    def inputs(self, network: Network, documents: Sequence[Document], read: Any, *, labels: bool) -> Batch:
        """The tensors that the method adds.

        `read` is what the tokenizer made of the sources: `input_ids`, `attention_mask`, `special_tokens_mask`, each of
        shape (documents, tokens), and `offset_mapping`, the characters of each token in `source_text`.
        """
        return {}

    @contextmanager
    def given(self, model: Any, batch: Batch) -> Iterator[None]:
        """Hand `inputs` to what `alter` added while the block runs."""
        yield

    # --- what it learns

    def loss(self, model: Any, batch: Batch) -> torch.Tensor:
        """Mean cross-entropy of the reference's tokens."""
        loss: torch.Tensor = self.run(model, batch).loss
        return loss

    def run(self, model: Any, batch: Batch) -> Any:
        """The model's outputs for a batch with labels: `loss`, `logits`, `encoder_last_hidden_state`."""
        with self.given(model, batch):
            return model(**{name: batch[name] for name in ("input_ids", "attention_mask", "labels")}, use_cache=False)

    # --- what it writes

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
        return [text.replace("\0", "").strip() for text in texts]  # no database takes NUL, which is a byte as others

    def decoding(self, batch: Batch) -> dict[str, Any]:
        """What `generate` is given beside the user's settings, such as a `logits_processor`."""
        return {}

    # --- its files

    def save(self, network: Network, folder: Path, decoding: Decoding) -> None:
        """Write a folder as transformers reads it, and beside it what was counted."""
        from safetensors.torch import save_file

        model, tokenizer = network
        self.strip(model)
        model.config.save_pretrained(folder)
        generation_config(model, decoding).save_pretrained(folder)
        tokenizer.model_max_length = source_limit(network)  # no more is read than in training
        tokenizer.backend_tokenizer.no_truncation()  # or it keeps how it was last called
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
                raise BadModel(f"{folder} has no {COUNTED}, by which {self.name} writes: copy the model anew")
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
    """Open a local seq2seq checkpoint in single precision; nothing is fetched, and no code of its own is run.

    Raises ValueError (`ModelUnavailable`, `BadModel`, `UnsuitableModel`) for a folder that has none with a fast
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
                f"the model in {folder} is no encoder-decoder ({config.model_type}), such as BART and T5 are"
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
        raise UnsuitableModel(f"the model in {folder} has no fast tokenizer, so its tokens' places are not known")
    return Network(model, tokenizer)


def source_limit(network: Network) -> int:
    """The most tokens of a source that a model sees: its positions, or the tokenizer's limit, at most 1,024.

    1,024 are BART's; T5, whose positions are relative, names none, and longer sources would take all memory.
    """
    positions = getattr(network.model.config, "max_position_embeddings", None) or 1024
    return int(min(positions, network.tokenizer.model_max_length, 1024))


def generation_config(model: Any, decoding: Decoding) -> Any:
    """What transformers generates by: the model's own `GenerationConfig` with the settings in it."""
    config = copy.deepcopy(model.generation_config)
    lengths = {"max_length": None, "min_length": None}  # those of the output alone count
    for name, value in {**asdict(decoding), **lengths, "do_sample": False}.items():
        setattr(config, name, value)
    return config
