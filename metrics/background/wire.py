"""Records as JSON and back, rebuilt by their type hints."""

import base64
import dataclasses
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np


def encode(value: Any) -> Any:
    """Turn a record into JSON values, its fields in order. Raises TypeError if `decode_record` could not undo it."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, tuple):  # named ones too
        return [encode(item) for item in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [encode(getattr(value, field.name)) for field in dataclasses.fields(value)]
    if isinstance(value, np.ndarray):
        # As base64: as decimal numbers a matrix of similarities has four times the size, and takes long.
        whole = np.ascontiguousarray(value, dtype=value.dtype.newbyteorder("<"))
        return [list(value.shape), base64.b64encode(whole.tobytes()).decode("ascii")]
    raise TypeError(f"a {type(value).__name__} cannot be sent to another process")


def decode_record(hint: Any, data: Any) -> Any:
    """Build a value of a type from the result of `encode`."""
    origin, inner = get_origin(hint), get_args(hint)
    if type(None) in inner:  # X | None
        (choice,) = (choice for choice in inner if choice is not type(None))
        return None if data is None else decode_record(choice, data)
    if origin is np.ndarray:
        (dtype,) = get_args(inner[1])
        shape, letters = data
        return np.frombuffer(bytearray(base64.b64decode(letters)), np.dtype(dtype).newbyteorder("<")).reshape(shape)
    if origin is tuple:
        parts = [inner[0]] * len(data) if inner[1:] == (...,) else inner
        return tuple(decode_record(part, item) for part, item in zip(parts, data, strict=True))
    if fields := field_types(hint):
        return hint(*(decode_record(part, item) for part, item in zip(fields, data, strict=True)))
    if not isinstance(data, hint):
        raise TypeError(f"{data!r} is not a {hint.__name__}")
    return data


@cache
def field_types(record: type) -> tuple[Any, ...]:
    """Return the types of a record's fields in order; none if the type is not a record."""
    names = getattr(record, "_fields", None) or tuple(getattr(record, "__dataclass_fields__", ()))
    hints = get_type_hints(record) if names else {}
    return tuple(hints[name] for name in names)
