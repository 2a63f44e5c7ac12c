"""From a row to its record: a dataclass takes what the row has under the names of its fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Record = TypeVar("Record")


def record_of(kind: Callable[..., Record], row: object, /, **otherwise: Any) -> Record:
    """A record (a dataclass) of a row; `otherwise` has the fields that are called or said otherwise there.

    Raises AttributeError for a field that neither has.
    """
    names = kind.__annotations__
    return kind(**{name: otherwise[name] if name in otherwise else getattr(row, name) for name in names})
