"""The training methods: one file each; `METHODS` lists them all.

SeqGAN (Yu et al. 2017), which Dobko et al. (2018) tried, is not offered: their published code generates texts from
noise alone and reads no document, and they report that it failed to write summaries.
"""

from pathlib import Path

from relevance.data.one_line import first_line
from relevance.metrics.models.files import BadModel, ModelUnavailable, read_object
from relevance.summarizers.methods.base import Decoding, Method
from relevance.summarizers.methods.gsum import GSum
from relevance.summarizers.methods.mtl import MTL
from relevance.summarizers.methods.plain import Plain
from relevance.summarizers.methods.presumm import PreSumm
from relevance.summarizers.methods.rwenc import RwEnc
from relevance.summarizers.methods.rwgen import RwGen
from relevance.summarizers.methods.tdmtl import TDMTL
from relevance.summarizers.methods.tdsum import TDSum
from relevance.summarizers.pointer.method import ApesPointer, Lstm, Pointer

METHODS: dict[str, type[Method]] = {
    "plain": Plain,
    "rwenc": RwEnc,
    "rwgen": RwGen,
    "mtl": MTL,
    "tdmtl": TDMTL,
    "tdsum": TDSum,
    "gsum": GSum,
    "presumm": PreSumm,
    "lstm": Lstm,
    "pointer": Pointer,
    "pointer-apes": ApesPointer,
}
"""The methods by their names in commands and in `method.json`."""

RECORD = "method.json"
"""The file in a trained folder that says how it was trained."""


def read_method(folder: Path) -> Method:
    """Read the method that a folder was trained by, with its settings. Raises `ModelUnavailable`, `BadModel`."""
    record = folder / RECORD
    if not record.is_file():
        raise ModelUnavailable(f"{folder} has no {RECORD}, which `relevance train` writes when it has finished")
    settings_read = read_object(record)
    name = settings_read.get("method")
    if not isinstance(name, str):
        raise BadModel(f"{record} does not say by which method the model was trained")
    method = METHODS.get(name)
    if method is None:
        raise BadModel(f"{folder} was trained by the method {name!r}, which is not known here")
    try:
        settings = settings_read["settings"].items()
        return method(**{name: tuple(value) if isinstance(value, list) else value for name, value in settings})
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise BadModel(f"{record} does not say with which settings it was trained: {first_line(error)}") from error


def read_decoding(folder: Path) -> Decoding:
    """Read a folder's default settings for writing. Raises `BadModel`."""
    record = folder / RECORD
    try:
        return Decoding(**read_object(record)["decoding"])
    except (KeyError, TypeError) as error:
        raise BadModel(f"{record} does not say how the model writes") from error
