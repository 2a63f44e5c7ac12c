"""Lists of results as data frames, where pandas or polars is installed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

LIBRARIES = ("polars", "pandas")


def to_frame(rows: Iterable[Mapping[str, Any]], library: str | None = None) -> Any:
    """The rows as a data frame, a column for each field: of polars if it is installed, else of pandas.

    `library` names one of the two. Raises ImportError where it is not installed.
    """
    chosen = library or next((name for name in LIBRARIES if find_spec(name)), None)
    if chosen not in LIBRARIES or find_spec(chosen) is None:
        raise ImportError(f"data frames need {' or '.join(LIBRARIES)}: pip install pandas")
    return import_module(chosen).DataFrame([dict(row) for row in rows])
