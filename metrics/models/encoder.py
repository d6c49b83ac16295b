"""The encoder that all model-based metrics share; it returns contextual token vectors with their places."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from relevance.data.one_line import first_line
from relevance.metrics.base import check_option
from relevance.metrics.composing import compose
from relevance.metrics.models.files import EMBEDDED, BadModel, Model, ModelUnavailable, check_hashes, device, find_model
from relevance.metrics.text import Span

if TYPE_CHECKING:
    import torch


BATCH_TOKENS = 2048
"""The number of tokens that go through the encoder at once; larger batches leave the processor's cache and are
slower."""

KEPT_BYTES = 192 * 2**20
"""The bytes of token vectors that an encoder keeps for the next metric; the oldest texts are dropped first."""

CHARACTERS = 400_000
"""The characters of texts that a metric has encoded at once: 150 MB of vectors of the embedded encoder, for one
layer."""

DTYPES = ("float32", "bfloat16")

UNLIMITED = 1 << 30
"""The limit of encoders that have none, such as T5."""

FINAL_NORMS = ("final_layer_norm", "final_norm", "layer_norm", "LayerNorm")
"""The names of the normalisation after the last layer, in networks that normalise before each layer, such as T5."""

# Tokenizers refuse half a character, as a text that was cut apart in UTF-16 may have.
HALF_CHARACTERS = re.compile("[\ud800-\udfff]")

T = TypeVar("T")


class Encoded(NamedTuple):
    """A text's tokens with their vectors, special tokens included."""

    vectors: Mapping[int, torch.Tensor]
    """float32 vectors of shape (tokens, width) by hidden layer; layer 0 is the embeddings."""
    ids: tuple[int, ...]
    """The tokens' numbers in the vocabulary."""
    spans: tuple[Span, ...]
    """The span of each token in the text; special tokens have (0, 0)."""
    special: tuple[bool, ...]
    """True for the tokens that the encoder added itself."""
    truncated: bool
    """True if the text is longer than the encoder's limit and its end was not seen."""

    @property
    def nbytes(self) -> int:
        """The memory of the vectors."""
        return sum(layer.nbytes for layer in self.vectors.values())


class Encoder:
    """A Hugging Face encoder, loaded on first use; see `shared_encoder` for the one that metrics share.

    `model` is `embedded`, a folder or a name (`relevance.metrics.models.files`); `dtype` is the precision of its
    computation, while its vectors are always float32. A text is not encoded again while it is among the last
    `KEPT_BYTES`, however many metrics and references need it, so memory does not grow with the number of documents.
    """

    def __init__(
        self,
        model: str = EMBEDDED,
        *,
        dtype: str = "float32",
        batch_tokens: int = BATCH_TOKENS,
        download: bool = False,
    ) -> None:
        check_option("dtype", dtype, DTYPES)
        if batch_tokens < 1:
            raise ValueError(f"batch_tokens must be at least 1, not {batch_tokens}")
        self.name = model
        self.dtype = dtype
        self.batch_tokens = batch_tokens
        self.download = download
        self.network: Any = None
        self.layers = -1
        self.wanted: set[int] = set()
        self.kept: OrderedDict[str, Encoded] = OrderedDict()
        self.kept_bytes = 0
        self.encoded = 0
        """The number of texts that went through the network so far."""
        self.tokens = 0
        """The number of their tokens."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the settings alone: another process loads the model itself."""
        settings = self.name, self.dtype, self.batch_tokens, self.download
        return restore_encoder, (*settings, tuple(sorted(self.wanted)))

    @property
    def model(self) -> Model:
        """The model's files. Raises `ModelUnavailable`."""
        return find_model(self.name, download=self.download)

    @property
    def signature(self) -> str:
        """The name in signatures; it says so if the model is unavailable."""
        try:
            model = self.model.signature
        except ModelUnavailable:
            model = f"{self.name.replace('|', '_')}@unavailable"
        return model if self.dtype == "float32" else f"{model}@{self.dtype}"

    def want(self, layers: Iterable[int]) -> None:
        """Register layers that will be needed, so that one pass computes all of them."""
        self.wanted |= set(layers)

    def encode(self, texts: Sequence[str], layers: Sequence[int]) -> list[Encoded]:
        """Encode texts, each distinct one once; return them in order, with at least these hidden layers.

        Raises `ModelUnavailable`, ValueError for a layer that the model does not have.
        """
        wanted = set(layers)
        result = {text: self.kept[text] for text in texts if text in self.kept}
        lacking = [
            text for text in dict.fromkeys(texts) if text not in result or not wanted <= result[text].vectors.keys()
        ]
        if lacking:
            self.load(min(wanted) if min(wanted) < 0 else max(wanted | self.wanted))  # refuses layers that do not exist
        for text, encoded in self.run(lacking, wanted | self.wanted):
            result[text] = encoded
            self.keep(text, encoded)
        for text in result:
            if text in self.kept:
                self.kept.move_to_end(text)
        return [result[text] for text in texts]

    def keep(self, text: str, encoded: Encoded) -> None:
        """Cache a text's vectors for the next metric, and evict the oldest."""
        if old := self.kept.pop(text, None):
            self.kept_bytes -= old.nbytes
        self.kept[text] = encoded
        self.kept_bytes += encoded.nbytes
        while self.kept_bytes > KEPT_BYTES:
            _, old = self.kept.popitem(last=False)
            self.kept_bytes -= old.nbytes

    def forget(self) -> None:
        """Clear the cache of vectors."""
        self.kept.clear()
        self.kept_bytes = 0

    def run(self, texts: Sequence[str], layers: Iterable[int]) -> Iterator[tuple[str, Encoded]]:
        """Encode texts in batches of similar length, and yield each with its vectors."""
        import torch

        if not texts:
            return
        composed = [compose(text) for text in texts]
        tokenized = self.tokenizer(
            [whole_characters(text.text) for text in composed],
            add_special_tokens=True,
            return_offsets_mapping=True,
            return_special_tokens_mask=True,
            truncation=True,
            max_length=self.limit,
            padding=False,
            return_token_type_ids=False,
            verbose=False,
        )
        # The tokenizer marks the texts that it cut; the length alone does not tell a text of exactly the limit.
        cut = [bool(encoding.overflowing) for encoding in tokenized.encodings]
        ids = tokenized["input_ids"]
        # Neighbours in a batch change a vector's last digits: they must not depend on the order of the texts.
        order = sorted(range(len(texts)), key=lambda index: (-len(ids[index]), texts[index]))
        for batch in make_batches(order, [len(row) for row in ids], self.batch_tokens):
            with torch.inference_mode():
                hidden = self.forward([ids[index] for index in batch], layers)
            for row, index in enumerate(batch):
                size = len(ids[index])
                yield (
                    texts[index],
                    Encoded(
                        # clone: a view would keep the whole batch, padding included, in memory
                        {layer: vectors[row, :size].clone() for layer, vectors in hidden.items()},
                        tuple(ids[index]),
                        tuple(
                            composed[index].span(start, end) if end > start else (start, end)
                            for start, end in tokenized["offset_mapping"][index]
                        ),
                        tuple(map(bool, tokenized["special_tokens_mask"][index])),
                        cut[index],
                    ),
                )
            self.encoded += len(batch)
            self.tokens += sum(len(ids[index]) for index in batch)

    def forward(self, rows: Sequence[Sequence[int]], layers: Iterable[int]) -> dict[int, torch.Tensor]:
        """Return the hidden layers of one batch of token numbers, float32 on the processor, padded at the end."""
        import torch

        size = max(map(len, rows))
        padding = self.tokenizer.pad_token_id or 0
        ids = torch.tensor([[*row, *[padding] * (size - len(row))] for row in rows], device=self.where)
        mask = torch.tensor([[1] * len(row) + [0] * (size - len(row)) for row in rows], device=self.where)
        hidden = self.network(input_ids=ids, attention_mask=mask, output_hidden_states=True).hidden_states
        # The last layer of a cut network is normalised; normalising the layers below it, too, makes vectors independent
        # of how many layers were loaded.
        last = len(hidden) - 1
        return {layer: (hidden[layer] if layer == last else self.norm(hidden[layer])).float().cpu() for layer in layers}

    def load(self, layer: int) -> None:
        """Load the tokenizer and the layers up to a given one, unless they are loaded. Raises `ModelUnavailable`."""
        if 0 <= layer <= self.layers:
            return
        model = self.model
        if self.name == EMBEDDED:
            check_hashes(model.folder)
        self.tokenizer, self.network, self.where = load_network(model, layer, self.dtype)
        self.norm = final_norm(self.network)
        self.limit = limit(self.tokenizer, self.network)
        self.layers = layer


def load_network(model: Model, layer: int, dtype: str) -> tuple[Any, Any, str]:
    """Return a model's fast tokenizer, its network up to a hidden layer, and the device that it is on.

    Code that comes with a model is not run. Raises `ModelUnavailable`, ValueError for a layer that the model does not
    have.
    """
    import torch
    import transformers

    quiet(transformers)
    where = device()
    local = {"local_files_only": True, "trust_remote_code": False}
    with refuse_bad_model(model):
        config = transformers.AutoConfig.from_pretrained(model.folder, **local)
    config = getattr(config, "get_text_config", lambda: config)()
    if not 0 <= layer <= config.num_hidden_layers:
        raise ValueError(f"{model.name} has the hidden layers 0 to {config.num_hidden_layers}, no layer {layer}")
    config.num_hidden_layers = max(layer, 1)  # with no layer at all the library returns no hidden state either
    with refuse_bad_model(model):
        tokenizer = transformers.AutoTokenizer.from_pretrained(model.folder, **local)
    # Without its files the library invents a tokenizer that knows no word.
    if not any((model.folder / file).is_file() for file in tokenizer.vocab_files_names.values()):
        raise ModelUnavailable(f"{model.folder} has no tokenizer: copy the files of the model's tokenizer there too")
    if not tokenizer.is_fast:
        raise ModelUnavailable(f"{model.name} has no fast tokenizer, so its tokens' places are not known")
    with refuse_bad_model(model):
        network, report = transformers.AutoModel.from_pretrained(
            model.folder,
            config=config,
            use_safetensors=True,
            dtype=getattr(torch, dtype),
            output_loading_info=True,
            **local,
        )
        if config.is_encoder_decoder:
            network = network.get_encoder()
    # The library fills in random numbers for weights that it does not find; only unused parts may lack weights.
    if lacking := sorted(
        key for key in report["missing_keys"] if "pooler" not in key and not key.startswith("decoder")
    ):
        raise BadModel(f"{model.folder} has no weights for {lacking[0]}: is its config.json of another model?")
    return tokenizer, network.eval().to(where), where


@contextmanager
def refuse_bad_model(model: Model) -> Iterator[None]:
    """Turn any error of loading a model, of which libraries raise a dozen kinds, into `BadModel` with its name."""
    try:
        yield
    except Exception as error:
        raise BadModel(f"the model in {model.folder} cannot be loaded: {first_line(error)}") from error


def quiet(transformers: Any) -> None:
    """Silence the library's progress bars and warnings."""
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()


def limit(tokenizer: Any, network: Any) -> int:
    """Return the maximum number of a model's tokens, special tokens included."""
    positions = getattr(network.config, "max_position_embeddings", None) or UNLIMITED
    if positions < 0:  # XLNet has no limit
        positions = UNLIMITED
    table = getattr(getattr(network, "embeddings", None), "position_embeddings", None)
    padding = getattr(table, "padding_idx", None)
    if padding is not None:  # RoBERTa's positions begin after that of padding
        positions -= padding + 1
    return int(min(tokenizer.model_max_length, positions, UNLIMITED))


def final_norm(network: Any) -> Any:
    """Return the normalisation after a network's last layer, or the identity if it has none."""
    norms = (getattr(network, name, None) for name in FINAL_NORMS)
    return next((norm for norm in norms if norm is not None), lambda vectors: vectors)


def cut_into_parts(items: Iterable[T], texts: Callable[[T], Iterable[str]]) -> Iterator[list[T]]:
    """Cut items into parts whose distinct texts have at most `CHARACTERS`; a larger item is a part of its own."""
    part: list[T] = []
    seen: set[str] = set()
    characters = 0
    for item in items:
        new = {*texts(item)} - seen
        if part and characters + sum(map(len, new)) > CHARACTERS:
            yield part
            part, seen, characters = [], set(), 0
            new = {*texts(item)}
        part.append(item)
        seen |= new
        characters += sum(map(len, new))
    if part:
        yield part


def whole_characters(text: str) -> str:
    """Return a text of the same length that tokenizers accept."""
    return HALF_CHARACTERS.sub("\N{REPLACEMENT CHARACTER}", text)


def make_batches(order: Sequence[int], lengths: Sequence[int], tokens: int) -> Iterator[list[int]]:
    """Cut texts, longest first, into batches whose padded size is at most `tokens`."""
    batch: list[int] = []
    for index in order:
        if batch and (len(batch) + 1) * lengths[batch[0]] > tokens:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def shared_encoder(
    model: str = EMBEDDED, *, dtype: str = "float32", batch_tokens: int = BATCH_TOKENS, download: bool = False
) -> Encoder:
    """Return the process's only encoder of a model with these settings, so that metrics share encoded texts."""
    return make_encoder(model, dtype, batch_tokens, download and model != EMBEDDED)


SHARED: list[Encoder] = []
"""The encoders of this process."""


@cache
def make_encoder(model: str, dtype: str, batch_tokens: int, download: bool) -> Encoder:
    """Return the encoder of these settings; arguments are positional, so that equal settings share one cache entry."""
    encoder = Encoder(model, dtype=dtype, batch_tokens=batch_tokens, download=download)
    SHARED.append(encoder)
    return encoder


def forget_texts() -> None:
    """Clear the cache of every shared encoder, so that what follows does not depend on what came before.

    Neighbours in a batch change a text's last digits, and cached texts change the batches.
    """
    for encoder in SHARED:
        encoder.forget()


def restore_encoder(model: str, dtype: str, batch_tokens: int, download: bool, wanted: tuple[int, ...]) -> Encoder:
    """Return this process's encoder with the settings of one that another process sent."""
    encoder = make_encoder(model, dtype, batch_tokens, download)
    encoder.want(wanted)
    return encoder
