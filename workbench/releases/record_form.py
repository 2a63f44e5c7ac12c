"""Records as JSON objects and back: a release comes from strangers, so every value is checked for its type.

One pair of functions for all records, since each of them is both written and read: a field that were added to
the one and forgotten in the other would make a release that cannot be read.
"""

from __future__ import annotations

import json
import re
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import UTC, datetime
from functools import cache
from math import isfinite
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from workbench.errors import Finding, InvalidInput, WorkbenchError
from workbench.outside import parsed_json

Record = TypeVar("Record")
# What no database stores: NUL and lone surrogates, and numbers of more than 64 bits.
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_LARGEST = 2**63


def json_bytes(value: Any, *, indent: int | None = None) -> bytes:
    """A value as JSON in UTF-8, keys in the order given, ended by a line end.

    Raises WorkbenchError for bytes of an id that are not UTF-8.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    try:
        return f"{text}\n".encode()
    except UnicodeEncodeError as error:
        raise WorkbenchError(
            f"{text[max(0, error.start - 20) : error.end]!a} is not UTF-8", remedy="convert the file to UTF-8"
        ) from None


def written_records(records: Iterable[Any]) -> Iterator[bytes]:
    """Records as JSON lines, one object a record; fields that have their default are left out."""
    return (json_bytes(as_object(one)) for one in records)


def read_records(content: bytes, kind: type[Record], *, source: str) -> tuple[Record, ...]:
    """The records of JSON lines; raises InvalidInput with every line that is no such record."""
    found: list[Record] = []
    findings: list[Finding] = []
    for number, line in enumerate(content.splitlines(), 1):
        try:
            found.append(from_object(kind, parsed_json(line)))
        except (ValueError, WorkbenchError) as error:
            findings.append(Finding(source, number, "record", str(error), "download the release again"))
    if findings:
        raise InvalidInput(findings)
    return tuple(found)


def record_lines(
    lines: Iterable[bytes], kind: type[Record], chosen: Callable[[Mapping[str, Any]], bool], *, source: str
) -> Iterator[Record]:
    """The records of JSON lines one by one, of the objects that are `chosen`.

    Making a record takes most of the time. Raises InvalidInput at the first line that is no object, and the
    first one chosen that is no such record.
    """
    for number, line in enumerate(lines, 1):
        try:
            found = parsed_json(line)
            if not isinstance(found, dict) or chosen(found):
                yield from_object(kind, found)
        except (ValueError, WorkbenchError) as error:
            finding = Finding(source, number, "record", str(error), "download the release again")
            raise InvalidInput([finding]) from None


def as_object(record: Any) -> dict[str, Any]:
    """A record as a JSON object, its fields in their order, without those that have their default."""
    return dict(_shown_fields(record))


def from_object(kind: type[Record], given: object) -> Record:
    """The record of a JSON object; raises ValueError, naming the field, for a wrong or missing value."""
    if not isinstance(given, dict):
        raise ValueError(f"{_short(given)} is not an object")
    hints = _hints(kind)  # type: ignore[arg-type]  # a class is hashable
    strange = given.keys() - hints.keys()
    if strange:
        raise ValueError(f"there is no field {_short(min(strange))}")
    values = {}
    for one in fields(kind):  # type: ignore[arg-type]  # only dataclasses are given
        if one.name in given:
            try:
                values[one.name] = _value(hints[one.name], given[one.name])
            except ValueError as error:
                raise ValueError(f"{one.name}: {error}") from None
        elif one.default is MISSING and one.default_factory is MISSING:
            raise ValueError(f"{one.name} is missing")
    return kind(**values)


def moment(value: datetime) -> str:
    """A time in UTC as text, the same on every machine."""
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _shown_fields(record: Any) -> Iterator[tuple[str, Any]]:
    for one in fields(record):
        value = getattr(record, one.name)
        default = one.default_factory() if one.default_factory is not MISSING else one.default
        # By type as well: 0 and False are equal, and only one of them may be the default.
        if value != default or type(value) is not type(default):
            yield one.name, _plain(value)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return moment(value)
    if is_dataclass(value):
        return as_object(value)
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {key: _plain(value[key]) for key in sorted(value)}
    return value


def _value(hint: Any, given: Any) -> Any:
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        if given is None and type(None) in parts:
            return None
        (hint,) = (part for part in parts if part is not type(None))
        return _value(hint, given)
    if origin is tuple:
        if not isinstance(given, list):
            raise ValueError(f"{_short(given)} is not a list")
        if parts[-1] is ...:
            return tuple(_value(parts[0], one) for one in given)
        if len(parts) != len(given):
            raise ValueError(f"expected {len(parts)} values, found {len(given)}")
        return tuple(map(_value, parts, given))
    if origin is dict or hint is dict:
        if not isinstance(given, dict):
            raise ValueError(f"{_short(given)} is not an object")
        return {key: _value(parts[1], one) for key, one in given.items()}
    if is_dataclass(hint):
        return from_object(hint, given)  # type: ignore[arg-type]  # is_dataclass narrows to instances too
    if hint is datetime:
        return _moment(given)
    if hint is float and type(given) is int:
        return float(given)
    if hint is not Any and type(given) is not hint:
        raise ValueError(f"{_short(given)} is not {hint.__name__}")
    if isinstance(given, str) and _UNSTORABLE.search(given):
        raise ValueError(f"{_short(given)} has an invalid character")
    if (isinstance(given, int) and abs(given) >= _LARGEST) or (
        isinstance(given, float) and not isfinite(given)
    ):
        raise ValueError(f"{_short(given)} is too large")
    return given


def _moment(given: Any) -> datetime:
    try:
        found = datetime.fromisoformat(given)
    except (TypeError, ValueError):
        raise ValueError(f"{_short(given)} is not a time") from None
    if found.tzinfo is None:
        raise ValueError(f"{_short(given)} has no time zone")
    return found.astimezone(UTC)


@cache
def _hints(kind: type[Any]) -> dict[str, Any]:
    return get_type_hints(kind)


def _short(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


T = TypeVar("T", str, bytes, tuple[str, int])


class SharedValues:
    """The first of equal values for all of them: a million answers have few topics and documents."""

    def __init__(self) -> None:
        self._known: dict[Any, Any] = {}

    def __call__(self, value: T) -> T:
        """A value equal to this one."""
        found: T = self._known.setdefault(value, value)
        return found

    def number(self, value: int | None) -> int | None:
        """The same for a whole number that may be missing."""
        return None if value is None else self._known.setdefault((value,), value)

    def text(self, value: str | None) -> str | None:
        """The same for a text that may be missing."""
        return None if value is None else self(value)
