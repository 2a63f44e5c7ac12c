"""Results as bytes and back: compressed JSON, read by the types that their dataclasses declare.

Nothing but the declared classes is ever made of what is read, unlike with pickle, and numbers come back to
the last bit.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from functools import cache
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

Value = TypeVar("Value")
PLAIN = frozenset({str, int, float, bool})
FASTEST = 1
"""The level of compression: what repeats most are the names of topics, which every level finds."""


def result_bytes(result: object) -> bytes:
    """A dataclass of numbers, texts, enums, moments, arrays, tuples, mappings by text of these, as bytes."""
    return zlib.compress(json.dumps(_packed(result), separators=(",", ":")).encode("ascii"), FASTEST)


def result_from(kind: type[Value], content: bytes) -> Value:
    """The result of a kind that these bytes are; raises ValueError for any others."""
    try:
        found: Value = _unpacked(kind, json.loads(zlib.decompress(content)))
    except (zlib.error, TypeError, AttributeError) as error:
        raise ValueError(f"this is no {kind.__name__}: {error}") from error
    return found


def _packed(value: Any) -> Any:
    # Most are numbers and dataclasses of numbers.
    kind: Any = type(value)
    if value is None or kind in PLAIN:
        return value
    names = _names_of(kind)
    if names is not None:
        return [_packed(getattr(value, name)) for name in names]
    if isinstance(value, np.ndarray):
        content = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode("ascii")
        return [value.dtype.str, list(value.shape), content]
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {key: _packed(one) for key, one in value.items()}
    if isinstance(value, tuple):
        return [_packed(one) for one in value]
    return value


def _unpacked(kind: Any, value: Any) -> Any:
    if kind in PLAIN or value is None:
        return value
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        (only,) = (one for one in inner if one is not type(None))
        return _unpacked(only, value)
    if origin is np.ndarray:
        dtype, shape, content = value
        return np.frombuffer(base64.b64decode(content), dtype).reshape(shape)
    if origin is tuple:
        return _tuple(inner, value)
    if origin is not None and issubclass(origin, Mapping):
        of = inner[1]
        return value if of in PLAIN else {key: _unpacked(of, one) for key, one in value.items()}
    if isinstance(kind, type) and is_dataclass(kind):
        types = _types_of(kind)
        return kind(*(_unpacked(of, one) for of, one in zip(types, value, strict=True)))
    # A moment is a day, too, but reads itself.
    return kind.fromisoformat(value) if kind in (date, datetime) else kind(value)


def _tuple(inner: Sequence[Any], value: Sequence[Any]) -> tuple[Any, ...]:
    if inner[-1] is Ellipsis:
        return tuple(value) if inner[0] in PLAIN else tuple(_unpacked(inner[0], one) for one in value)
    return tuple(_unpacked(of, one) for of, one in zip(inner, value, strict=True))


@cache
def _names_of(kind: type) -> tuple[str, ...] | None:
    """The names of the fields of a dataclass, None for any other type."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else None


@cache
def _types_of(kind: type) -> tuple[Any, ...]:
    hints = get_type_hints(kind)
    return tuple(hints[field.name] for field in fields(kind))
