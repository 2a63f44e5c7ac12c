"""What a record of this program is, unless it says otherwise: a dataclass that is frozen and has slots.

It is made of a row, and gives the JSON that programs get.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar, cast, dataclass_transform

Record = TypeVar("Record")
Form = TypeVar("Form")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen_dataclass(record: type[Record]) -> type[Record]:
    """Make a class such a record.

    >>> @frozen_dataclass
    ... class Pair:
    ...     topic: str
    ...     docno: str
    >>> Pair("1", "d1")
    Pair(topic='1', docno='d1')
    """
    return dataclass(frozen=True, slots=True)(record)


def record_of(kind: Callable[..., Record], row: object, /, **otherwise: Any) -> Record:
    """A record (a dataclass) of a row; `otherwise` has the fields that are called or said otherwise there.

    Raises AttributeError for a field that neither has.
    """
    return kind(**_fields(kind, row, otherwise))


def filled(form: Callable[..., Form], record: object, **otherwise: Any) -> Form:
    """A form (a TypedDict) of a record; `otherwise` has the fields that are called or said otherwise there.

    The TypedDict is that of typing_extensions: typing's, in Python 3.11, does not say enough for a schema.
    Moments become ISO 8601. Raises AttributeError for a field that neither has.
    """
    return cast(Form, {name: _plain(value) for name, value in _fields(form, record, otherwise).items()})


def _fields(kind: Callable[..., object], found: object, otherwise: dict[str, Any]) -> dict[str, Any]:
    names = kind.__annotations__
    return {name: otherwise[name] if name in otherwise else getattr(found, name) for name in names}


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return list(value) if isinstance(value, tuple) else value
