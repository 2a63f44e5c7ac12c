"""A report as it is taken along, in the forms that other programs read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Taken:
    """A table with its columns, plain data for JSON, and LaTeX, each made when it is called for."""

    columns: tuple[str, ...]
    rows: Callable[[], Iterable[Sequence[object]]]
    data: Callable[[], Mapping[str, object]]
    latex: Callable[[], str]
