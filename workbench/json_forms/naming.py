"""The JSON of results by name: which there are, and one of them as a table."""

from __future__ import annotations

from typing import Any

from typing_extensions import TypedDict


class ResultOptionJson(TypedDict):
    """An option of a result: what it chooses, its values (any if none), and whether it may be repeated."""

    name: str
    meaning: str
    values: list[str]
    several: bool


class NamedResultJson(TypedDict):
    """A result of a campaign: its title, what a row is, its options, and its formats, the usual one first."""

    name: str
    title: str
    row: str
    options: list[ResultOptionJson]
    formats: list[str]


class NamedResultsJson(TypedDict):
    """The results that are open to you, in the order of the pages."""

    results: list[NamedResultJson]


class ColumnJson(TypedDict):
    """A column; `meaning` and `unit` are null where its name says all, such as the tag of a run."""

    name: str
    meaning: str | None
    unit: str | None


class ResultTableJson(TypedDict):
    """A result as a table: rows of the columns, and what no figure stands without.

    `about` has counts, coverage, levels and seeds by name, `options` those that were given. `data` is null
    unless it was asked for.
    """

    name: str
    title: str
    row: str
    options: dict[str, list[str]]
    columns: list[ColumnJson]
    rows: list[list[str | float | bool | None]]
    about: dict[str, Any]
    data: Any


class ResultProgressJson(TypedDict):
    """How far a result is that is being computed: `done` of `total`, and of what."""

    name: str
    step: str
    done: int
    total: int
