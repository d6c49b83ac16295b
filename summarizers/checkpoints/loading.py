"""Opening of checkpoints, here and nowhere else.

Nothing is downloaded or unpickled, and no code that comes with a checkpoint is run: models that transformers itself
does not know are refused.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, redirect_stderr
from functools import lru_cache
from typing import Any

from relevance.data.records import Document
from relevance.metrics.models.encoder import quiet
from relevance.metrics.models.files import BadModel, ModelUnavailable, device
from relevance.summarizers.checkpoints.files import CheckpointFiles
from relevance.summarizers.checkpoints.model import Model, WritingMethod, origin, refuse_bad_checkpoint
from relevance.summarizers.checkpoints.sources import Source


def open_model(files: CheckpointFiles, dtype: str, wanted: str | None = None) -> Model:
    """Read a checkpoint's description of its network, to run on the wanted device, or the default one of `device`.

    Raises `ModelUnavailable`, `BadModel` for damaged or wrong files.
    """
    import transformers

    quiet(transformers)
    with refuse_bad_checkpoint(files):
        config = transformers.AutoConfig.from_pretrained(**origin(files))
    check_kind(files, config)
    with refuse_bad_checkpoint(files):
        if files.kind != "gguf" and (files.folder / "generation_config.json").is_file():
            generation = transformers.GenerationConfig.from_pretrained(files.folder, local_files_only=True)
        else:
            generation = transformers.GenerationConfig.from_model_config(config)
    return Model(files, config, generation, dtype, device(wanted), find_method(files))


def find_method(files: CheckpointFiles) -> WritingMethod:
    """Find the method that a network was trained by. Raises `BadModel` for one that cannot be opened."""
    from relevance.summarizers.methods.plain import Plain, Seq2SeqMethod
    from relevance.summarizers.methods.registry import RECORD, read_method
    from relevance.summarizers.methods.writing import TrainedNetwork

    if files.kind == "gguf" or not (files.folder / RECORD).is_file():
        return PlainNetwork()
    method = read_method(files.folder)
    if not isinstance(method, Seq2SeqMethod):
        raise BadModel(f"{files.path} was trained by the method {method.name!r}, which is not a {files.kind}")
    return PlainNetwork() if isinstance(method, Plain) else TrainedNetwork(method)


class PlainNetwork:
    """A network of transformers, without additions."""

    reads_references = False

    def gives_nothing(self, document: Document) -> bool:
        """Return False: it is given the document alone."""
        return False

    def load(self, model: Model) -> Any:
        """Load the network. Raises `BadModel`."""
        import torch
        import transformers

        kind = "AutoModelForSeq2SeqLM" if model.encoder_decoder else "AutoModelForCausalLM"
        # The library draws its own progress bar over ours while it reads GGUF.
        with redirect_stderr(io.StringIO()):
            network, info = getattr(transformers, kind).from_pretrained(
                config=model.config,
                use_safetensors=True,
                dtype=getattr(torch, model.dtype),
                output_loading_info=True,
                **origin(model.files),
            )
        # The library fills in random numbers for missing weights.
        if lacking := sorted(info["missing_keys"]):
            raise BadModel(f"{model.files.path} has no weights for {lacking[0]}: is its config of another model?")
        return network

    def steer(
        self, network: Any, tokenizer: Any, sources: Sequence[Source], inputs: Mapping[str, Any]
    ) -> AbstractContextManager[Mapping[str, Any]]:
        """Add nothing."""
        return nullcontext({})


@lru_cache(maxsize=1)
def load_network(model: Model) -> Any:
    """Load a model's network onto its device; one network is in memory at a time. Raises `BadModel`."""
    load_network.cache_clear()  # frees the previous network first
    with refuse_bad_checkpoint(model.files):
        return model.method.load(model).eval().to(model.device)


def check_kind(files: CheckpointFiles, config: Any) -> None:
    """Raise `BadModel` for a folder of the other kind."""
    if files.kind == "seq2seq" and not config.is_encoder_decoder:
        raise BadModel(
            f"{files.path} is not an encoder-decoder ({config.model_type}): ask for causal:{files.path} if it is a "
            "language model"
        )
    if files.kind == "causal" and config.is_encoder_decoder:
        raise BadModel(f"{files.path} is an encoder-decoder ({config.model_type}): ask for seq2seq:{files.path}")


def load_tokenizer(files: CheckpointFiles) -> Any:
    """Load a checkpoint's fast tokenizer. Raises `BadModel`, `ModelUnavailable` if it has none."""
    import transformers

    with refuse_bad_checkpoint(files):
        tokenizer = transformers.AutoTokenizer.from_pretrained(**origin(files))
    names = [*tokenizer.vocab_files_names.values(), "tokenizer.json"]
    # Without its files the library makes a tokenizer that knows no word.
    if files.kind != "gguf" and not any((files.folder / name).is_file() for name in names):
        raise ModelUnavailable(f"{files.path} has no tokenizer: copy the files of the model's tokenizer there too")
    if not tokenizer.is_fast:
        raise ModelUnavailable(f"{files.path} has no fast tokenizer, which is needed to cut long texts")
    return tokenizer
