"""The description of a network before it is loaded, and the part of a training method in loading it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from relevance.data.one_line import first_line
from relevance.data.records import Document
from relevance.metrics.models.files import BadModel, ModelUnavailable
from relevance.summarizers.checkpoints.files import CheckpointFiles
from relevance.summarizers.checkpoints.sources import Source


class WritingMethod(Protocol):
    """The part of a training method that loads its networks, and takes part when they write."""

    @property
    def reads_references(self) -> bool:
        """Whether the references of a document are read to write its summary."""

    def gives_nothing(self, document: Document) -> bool:
        """Tell whether references are read, and those of a document have nothing to give."""

    def load(self, model: Model) -> Any:
        """Load the network with its weights, on the CPU. Raises `BadModel`."""

    def steer(
        self, network: Any, tokenizer: Any, sources: Sequence[Source], inputs: Mapping[str, Any]
    ) -> AbstractContextManager[Mapping[str, Any]]:
        """Pass a batch to the modules that the method added to the network, while it writes.

        `inputs` are the tensors `input_ids` and `attention_mask`, with a row for each source. Gives further arguments
        of `generate`, such as a `logits_processor`.
        """


@dataclass(eq=False)
class Model:
    """The description of a network before it is loaded."""

    files: CheckpointFiles
    config: Any
    """The network's config, as transformers reads it."""
    generation: Any
    """The network's own `GenerationConfig`."""
    dtype: str
    device: str
    """The device on which it runs, such as `cpu` or `cuda`."""
    method: WritingMethod

    @property
    def encoder_decoder(self) -> bool:
        """Whether it is an encoder-decoder, not a language model."""
        return bool(self.config.is_encoder_decoder)

    @property
    def text_config(self) -> Any:
        """The config of the part that reads texts: the encoder, if there is one."""
        if self.config.model_type == "encoder-decoder":  # two models put together, each with its config
            return self.config.encoder
        return self.config.get_text_config(encoder=True) if self.encoder_decoder else self.config.get_text_config()


def origin(files: CheckpointFiles) -> dict[str, Any]:
    """Return the arguments that tell transformers where to load from, without downloads or foreign code."""
    place = {"pretrained_model_name_or_path": files.folder, "local_files_only": True, "trust_remote_code": False}
    return place | ({"gguf_file": files.path.name} if files.kind == "gguf" else {})


@contextmanager
def refuse_bad_checkpoint(files: CheckpointFiles) -> Iterator[None]:
    """Turn any error into a `BadModel` that names the checkpoint, because libraries raise a dozen kinds."""
    try:
        yield
    except ModelUnavailable:
        raise
    except Exception as error:
        if "trust_remote_code" in str(error):
            raise BadModel(
                f"{files.path} needs code of its own, which is not run: use a model that transformers itself knows"
            ) from error
        raise BadModel(f"the model in {files.path} cannot be loaded: {first_line(error)}") from error
