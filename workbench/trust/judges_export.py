"""The comparison of rankings under other judges as tables, CSV and JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial

from workbench.export import Export
from workbench.trust.judges import OtherJudges
from workbench.trust.mixtures import Percentiles
from workbench.trust.orders import rank_coefficients

COEFFICIENTS = tuple(each.name for each in rank_coefficients())
MIXTURES_ROW, AMONG_ROW = "mixtures", "two mixtures"
_COUNTS = ("swapped", "lost", "inverted", "gained")
_FIGURES = (*COEFFICIENTS, *_COUNTS)
Row = Sequence[object]
Table = tuple[tuple[str, ...], list[Row]]


def judges_export(found: OtherJudges, part: str) -> Export:
    """One table of the comparison for CSV, and all of it for JSON."""
    columns, rows = PARTS[part](found)
    return Export(columns, lambda: rows, partial(asdict, found))


def _qrels(found: OtherJudges) -> Table:
    """Each of the other qrels, then the mixtures with the reference and with each other."""
    bounds = [f"{name}_{bound}" for name in _FIGURES for bound in ("low", "high")]
    rows: list[Row] = [
        [one.name, 1, one.topics, one.graded, *map(one.coefficients.get, COEFFICIENTS)]
        + [getattr(one, name) for name in _COUNTS]
        + [None] * len(bounds)
        for one in found.others
    ]
    mixed = found.mixtures
    if mixed is not None:
        with_reference = [mixed.coefficients[name] for name in COEFFICIENTS]
        with_reference += [getattr(mixed, name) for name in _COUNTS]
        among = [mixed.among[name] for name in COEFFICIENTS]
        for name, figures in ((MIXTURES_ROW, with_reference), (AMONG_ROW, among)):
            nothing = [Percentiles(None, None, None, 0)] * (len(_FIGURES) - len(figures))
            every = [*figures, *nothing]
            ends = [bound for one in every for bound in (one.low, one.high)]
            rows.append([name, figures[0].n, found.topics, None, *(one.mean for one in every), *ends])
    return ("qrels", "n", "topics", "graded", *_FIGURES, *bounds), rows


def _runs(found: OtherJudges) -> Table:
    """Every run: under the reference, over the mixtures, under each of the other qrels."""
    names = [one.name for one in found.others]
    columns = ("run", "rank", "score", "mixtures", "mean", "low", "high", "best_rank", "worst_rank", *names)
    rows: list[Row] = [
        [
            one.run,
            one.rank,
            one.score,
            one.mixed.n,
            one.mixed.mean,
            one.mixed.low,
            one.mixed.high,
            one.best,
            one.worst,
            *map(one.scores.get, names),
        ]
        for one in found.standings
    ]
    return columns, rows


def _pairs(found: OtherJudges) -> Table:
    """The pairs of runs that mixtures change, with the shares of the mixtures."""
    columns = ("ahead", "behind", "gap", "significant", "swapped", "lost", "inverted")
    rows: list[Row] = [
        [
            one.ahead,
            one.behind,
            one.gap,
            "yes" if one.significant else "no",
            one.swapped,
            one.lost,
            one.inverted,
        ]
        for one in found.pairs
    ]
    return columns, rows


def _between(found: OtherJudges) -> Table:
    """The coefficients between every two qrels."""
    rows: list[Row] = [
        [one.first, one.second, one.topics, *map(one.coefficients.get, COEFFICIENTS)] for one in found.between
    ]
    return ("first", "second", "topics", *COEFFICIENTS), rows


PARTS: dict[str, Callable[[OtherJudges], Table]] = {
    "qrels": _qrels,
    "runs": _runs,
    "pairs": _pairs,
    "between": _between,
}
"""The tables by name: columns and rows."""
