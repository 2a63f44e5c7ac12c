"""JSON objects, one a line, as text fields: what topics and documents in JSON lines have in common."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

from workbench.formats.error_collector import ErrorCollector, shown

Record = Mapping[str, Any]


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=_no_number)
_OPENING = re.compile(r"\s*\[\s*(\]?)\s*")
_GAP = re.compile(r"\s*([,\]])\s*")


def parsed(line: int, text: str, errors: ErrorCollector) -> Any:
    """The JSON value of a line, numbers as they are written; None and an error where it is none.

    Numbers stay text, since ids are strings: 1e3 is another topic than 1000.
    """
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        errors.add(line, "json", _complaint(error), "write one whole JSON object on one line")
        return None


def array_items(text: str, errors: ErrorCollector) -> Iterator[tuple[int, Any]]:
    """The items of a text that is one JSON array, each with its line; the reading ends at the first error."""
    line, at = 1, 0
    gap = _OPENING.match(text)
    while gap and gap[1] != "]":
        line += text.count("\n", at, gap.end())
        at = gap.end()
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            line = error.lineno if isinstance(error, json.JSONDecodeError) else line
            errors.add(line, "json", _complaint(error), "fix the array there")
            return
        yield line, value
        line += text.count("\n", at, end)
        at = end
        gap = _GAP.match(text, at)
    if not gap or gap.end() != len(text):
        errors.add(
            line, "json", "the array is not closed, or something follows it", "separate objects by commas"
        )


def as_record(line: int, value: Any, errors: ErrorCollector) -> Record | None:
    """The value if it is a JSON object; otherwise None and an error."""
    if isinstance(value, dict):
        return value
    if value is not None:
        errors.add(line, "json", "this is not a JSON object", 'write one object per line: {"id": ..., ...}')
    return None


def first_of(line: int, record: Record, names: Sequence[str], errors: ErrorCollector) -> str | None:
    """The text under the first of these names that holds something; "" for one that is there but empty.

    None where no name is there. A number becomes the text it is written with; null is empty; true, false,
    lists and objects are errors.
    """
    found: str | None = None
    for name in names:
        if name not in record:
            continue
        value = record[name]
        if isinstance(value, str) and value:
            return value
        if value is not None and not isinstance(value, str):
            errors.add(line, "type", f"{shown(name)} is not text", "write a string in double quotes")
        found = ""
    return found


def key_of(record: Record, names: Sequence[str]) -> str | None:
    """Which of these names `first_of` takes the text from; None where none of them holds any."""
    return next((name for name in names if isinstance(record.get(name), str) and record[name]), None)


def as_text(value: Any, deepest: int = 20) -> str:
    """Any value of a record as text: lists and objects by their items, one nested too deeply as a mark."""
    if isinstance(value, str):
        return value
    if value is None or value in ([], {}):
        return ""
    if not isinstance(value, list | dict):
        return str(value).lower()
    if not deepest:
        return "…"
    if isinstance(value, list):
        return "; ".join(filter(None, (as_text(one, deepest - 1) for one in value)))
    return "; ".join(f"{name}: {text}" for name, one in value.items() if (text := as_text(one, deepest - 1)))


def unknown_keys(record: Record, known: Iterable[str]) -> str:
    """The names of a record that nobody asked for, to be told in an error."""
    return ", ".join(shown(name) for name in sorted(set(record) - set(known))[:5]) or "no others"


def _complaint(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"this is not JSON: {error.msg} at character {error.colno}"
    return (
        "this JSON is nested too deeply"
        if isinstance(error, RecursionError)
        else f"this is not JSON: {error}"
    )
