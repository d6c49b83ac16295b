"""The published hyper-parameters of all methods: the defaults of training, and the grids of `--grid`.

Takeshita et al. (2024), ROUGE-K, trained BART-large and their methods with AdamW, weight decay .01, no scheduler,
clipping at .1, one document at a time with accumulated gradients, at most 5 epochs, and wrote at most 64 tokens without
repeated trigrams; the rest was searched by ROUGE-1 on dev, and ten seeds were run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from relevance.metrics.base import check_option
from relevance.summarizers.methods.base import Decoding

SCHEDULERS = ("constant", "constant_with_warmup", "linear", "cosine", "polynomial", "inverse_sqrt")
"""The learning rate over the updates, by the names of transformers."""


@dataclass(frozen=True)
class Training:
    """The settings of training: its optimizer's, and the learning rate over the updates.

    Raises ValueError for an unknown scheduler, and for a warm-up that it would ignore.
    """

    learning_rate: float = 3e-5
    batch: int = 1
    """Documents at a time."""
    accumulation: int = 8
    """Batches whose gradients make one update."""
    epochs: int = 5
    """The most passes over the documents."""
    updates: int | None = None
    """The most updates, instead of `epochs`."""
    weight_decay: float = 0.01
    clip: float = 0.1
    """The largest Euclidean norm of a gradient; 0 for no limit."""
    scheduler: str = "constant"
    """One of `SCHEDULERS`, as in transformers."""
    warmup: int = 0
    """The updates in which the learning rate rises."""
    patience: int = 2
    """The epochs without a better score on dev after which training stops."""

    def __post_init__(self) -> None:
        check_option("scheduler", self.scheduler, SCHEDULERS)
        if self.warmup and self.scheduler == "constant":
            raise ValueError("a constant learning rate has no warm-up: take constant_with_warmup as scheduler")


@dataclass(frozen=True)
class Published:
    """The published settings of a method."""

    training: Training = field(default_factory=Training)
    decoding: Decoding = field(default_factory=Decoding)
    grid: Mapping[str, Sequence[Any]] = field(default_factory=lambda: MappingProxyType({}))
    """The searched grid: fields of `Training`, `Decoding` or the method itself, with their values."""


BART_GRID: Mapping[str, Sequence[Any]] = MappingProxyType(
    {
        "learning_rate": (1e-5, 2e-5, 3e-5),
        "accumulation": (4, 8),
        "num_beams": (2, 3),
        "repetition_penalty": (0.8, 1.0),
    }
)
"""The grid of Takeshita et al. (2024), ROUGE-K, for BART; a penalty of .8 rewards repetition."""

TO_THE_END = 1_000_000
"""The patience of training that dev does not stop; its best epoch is kept all the same."""

GSUM = Training(batch=2, accumulation=16, updates=20_000, scheduler="polynomial", warmup=500, patience=TO_THE_END)
"""From the published code of Dou et al. (2021): batches of at most 2,048 tokens, 16 of them for an update."""

PRESUMM = Training(
    learning_rate=2e-5,
    batch=6,
    accumulation=6,
    updates=50_000,
    weight_decay=0,
    clip=0,
    scheduler="inverse_sqrt",
    warmup=10_000,
    patience=TO_THE_END,
)
"""Liu and Lapata (2019), section 4.1: 2e-3 min(step^-.5, step 10,000^-1.5), which is at most 2e-5; 36 documents per
update correspond to their code's 3,000 tokens on each of three machines, twice."""

LSTM = Training(learning_rate=0.15, batch=16, accumulation=1, epochs=20, weight_decay=0, clip=2, patience=TO_THE_END)
"""See et al. (2017), section 5, with Adagrad, and the epochs of the baseline of Eyal et al. (2019), appendix A; for the
titles of Dobko et al. (2018), who give no settings, all of this is ours."""

APES = replace(LSTM, epochs=5)
"""Eyal et al. (2019), appendix A: after the baseline's training, with the same learning rate."""

POINTER_SEARCH = Decoding(5, 100, 35, 3, 1.0, 0.9)
"""Eyal et al. (2019), appendix A, and their command for the beams and the least length; alpha is the length penalty."""

PUBLISHED: Mapping[str, Published] = MappingProxyType(
    {
        "plain": Published(grid=BART_GRID),
        "rwenc": Published(grid=BART_GRID),
        "rwgen": Published(grid=MappingProxyType({**BART_GRID, "share": (0.3, 0.5)})),
        "mtl": Published(grid=MappingProxyType({**BART_GRID, "share": (0.1, 0.2, 0.3)})),
        "tdmtl": Published(grid=MappingProxyType({**BART_GRID, "share": (0.1, 0.2, 0.3)})),
        "tdsum": Published(grid=MappingProxyType({**BART_GRID, "share": (0.1, 0.2, 0.3)})),
        "gsum": Published(GSUM),
        "presumm": Published(PRESUMM),
        "lstm": Published(LSTM, replace(POINTER_SEARCH, max_new_tokens=30, min_new_tokens=1)),
        "pointer": Published(LSTM, POINTER_SEARCH),
        "pointer-apes": Published(APES, POINTER_SEARCH),
    }
)
"""The published settings by the method's name in `METHODS`."""
