"""What a record of this program is, unless it says otherwise: a dataclass that is frozen and has slots."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

Record = TypeVar("Record")


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
