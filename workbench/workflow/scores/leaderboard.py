"""The leaderboard: runs by measures, each mean with its interval and the documents that lack a judgment; and
all pairs of runs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from typing_extensions import TypedDict

from workbench.consensus.rules import choice_label
from workbench.errors import WorkbenchError
from workbench.frozen import filled, frozen_dataclass
from workbench.scoring.measures import is_mean, parse_measures
from workbench.scoring.pairs_of_runs import ComparedRuns, Comparisons, compare_all, default_comparisons
from workbench.scoring.relevance import Floats
from workbench.scoring.scorer import RunScores, best_first, higher_is_better, topic_scores_of
from workbench.scoring.significance import FEWEST_TOPICS, LEVEL, MeanScore, mean_scores
from workbench.scoring.two_runs import AllPairs, TwoRuns, all_pairs, two_runs
from workbench.tables import Export, between, document, escaped, number, percent, table, table_export
from workbench.workflow.caching import Cache
from workbench.workflow.scores.score_table import ScoreTable

RUN, GROUP = "run", "group"


class MeasureScore(TypedDict):
    """A run by a measure: its mean over topics with a t interval (null for a measure that counts).

    Of the documents that the measure `read`, `unjudged` have no judgment; null for one that reads none.
    """

    value: float
    low: float | None
    high: float | None
    unjudged: int | None
    read: int | None


class ScoreJson(TypedDict):
    """A run with its group, the topics it was scored on, and its measures by name."""

    run: str
    group: str | None
    topics_scored: int
    topics_in_qrels: int
    measures: dict[str, MeasureScore]


@frozen_dataclass
class LeaderCell:
    """A run by a measure. `interval` is None of a measure that counts instead of taking a mean.

    Of the documents that the measure `read`, `unjudged` have no judgment; None of one that reads none.
    """

    value: float
    interval: MeanScore | None
    unjudged: int | None
    read: int | None

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """The ends of the interval, None where there is none."""
        return (self.interval.low, self.interval.high) if self.interval else (None, None)


@frozen_dataclass
class LeaderLine:
    """A run with its cells by measure."""

    scores: RunScores
    group: str
    cells: Mapping[str, LeaderCell]


@dataclass(frozen=True)
class Leaderboard:
    """The lines in the order asked for: `by` a measure or RUN or GROUP.

    `shown` is the measure whose intervals are drawn: the one sorted by, else the first.
    """

    # No slots: the extent of all lines is asked for with each of them.
    table: ScoreTable
    lines: tuple[LeaderLine, ...]
    by: str
    reverse: bool
    shown: str

    def line(self, tag: str) -> LeaderLine:
        """The line of a run that is among them."""
        return next(line for line in self.lines if line.scores.tag == tag)

    def place(self, tag: str) -> int | None:
        """Where a run stands among the lines, from 0; None where it is not among them."""
        return next((place for place, line in enumerate(self.lines) if line.scores.tag == tag), None)

    @property
    def ascending(self) -> bool:
        """Whether the lowest value, or the first name, stands first."""
        rises = self.by in (RUN, GROUP) or not higher_is_better(self.by)
        return rises != self.reverse

    @cached_property
    def extent(self) -> tuple[float, float]:
        """The lowest and the highest number to be drawn."""
        cells = [line.cells[self.shown] for line in self.lines]
        drawn = [one for cell in cells for one in (cell.value, *cell.bounds) if one is not None]
        return min(drawn), max(drawn)


def leaderboard(found: ScoreTable, *, by: str = "", reverse: bool = False) -> Leaderboard:
    """The table sorted by a measure, best first, or by RUN or GROUP; the other way with `reverse`.

    Without `by` it is by the first measure. Raises WorkbenchError for anything else to sort by.
    """
    by = by or found.measures[0]
    if by not in (*found.measures, RUN, GROUP):
        raise WorkbenchError(f"runs cannot be sorted by {by!r}", remedy=f"by {', '.join(found.measures)}")
    counting = frozenset(str(one) for one in parse_measures(found.measures) if not is_mean(one))
    intervals = {
        name: mean_scores(topic_scores_of(found.runs, name)) if found.runs and name not in counting else ()
        for name in found.measures
    }
    lines = [_line(found, place, intervals) for place in range(len(found.runs))]
    if by == RUN:
        lines.sort(key=lambda line: line.scores.tag)
    elif by == GROUP:
        lines.sort(key=lambda line: (not line.group, line.group, line.scores.tag))
    else:
        places = {run.tag: place for place, run in enumerate(best_first(found.runs, by))}
        lines.sort(key=lambda line: places[line.scores.tag])
    if reverse:
        lines.reverse()
    return Leaderboard(found, tuple(lines), by, reverse, by if by in found.measures else found.measures[0])


def leaderboard_export(found: Leaderboard) -> Export:
    """One row a run: every measure with its interval and unjudged documents; as LaTeX what is drawn too."""
    measures = found.table.measures
    columns = [RUN, *measures, "topics_scored", "topics_in_qrels", GROUP]
    for name in measures:
        columns += [f"{name} {part}" for part in ("low", "high", "unjudged", "read")]
    rows = [_row(line, measures) for line in found.lines]
    return Export(tuple(columns), lambda: rows, table_export(columns, rows).data, partial(_latex, found))


def scores_json(found: Leaderboard) -> list[ScoreJson]:
    """The same as plain data: the runs in their order with every measure."""
    return [
        filled(
            ScoreJson,
            line.scores,
            run=line.scores.tag,
            group=line.group or None,
            measures={name: _measure_json(line.cells[name]) for name in found.table.measures},
        )
        for line in found.lines
    ]


def _measure_json(cell: LeaderCell) -> MeasureScore:
    low, high = cell.bounds
    return {
        "value": cell.value,
        "low": low,
        "high": high,
        "unjudged": cell.unjudged,
        "read": cell.read,
    }


def _line(found: ScoreTable, place: int, intervals: Mapping[str, Sequence[MeanScore]]) -> LeaderLine:
    """The line of a run by its place in the table; a measure that counts has no intervals."""
    scores = found.runs[place]
    cells = {
        name: LeaderCell(
            value,
            intervals[name][place] if intervals[name] else None,
            *found.unjudged[scores.tag].get(name, (None, None)),
        )
        for name, value in scores.values.items()
    }
    return LeaderLine(scores, found.groups[scores.tag], cells)


def _row(line: LeaderLine, measures: Sequence[str]) -> tuple[object, ...]:
    scores = line.scores
    row: list[object] = [
        scores.tag, *scores.values.values(), scores.topics_scored, scores.topics_in_qrels, line.group or None
    ]  # fmt: skip
    for name in measures:
        cell = line.cells[name]
        row += (*cell.bounds, cell.unjudged, cell.read)
    return tuple(row)


def _latex(found: Leaderboard) -> str:
    shown, others = found.shown, [name for name in found.table.measures if name != found.shown]
    rows = []
    for line in found.lines:
        cell = line.cells[shown]
        rows.append(
            (
                escaped(line.scores.tag),
                number(cell.value, 4),
                between(*cell.bounds) if cell.interval else "",
                "--" if cell.unjudged is None else f"{cell.unjudged:,} of {cell.read:,}",
                *(number(line.cells[name].value, 4) for name in others),
            )
        )
    qrels = found.table.qrels
    caption = (
        f"{len(rows)} runs over {qrels.summary.topics} topics; qrels: {escaped(choice_label(qrels.choice))}, "
        f"{qrels.summary.settled:,} lines. {percent(LEVEL)} $t$ intervals over topics; unjudged documents "
        "among those that the measure reads."
    )
    heads = ("Run", escaped(shown), "Interval", "Unjudged", *map(escaped, others))
    made = table(f"lrrr{'r' * len(others)}", heads, rows, caption, "tab:scores", size=r"\footnotesize")
    return document(made)


_COMPARED: Cache[tuple[str, Comparisons, int], ComparedRuns] = Cache(
    16, bytes_of=lambda one: 8 * one.first.nbytes
)
"""Every two of the last runs, by the hash of their scores: of 1,000 runs 30 MB."""


def table_two_runs(found: ScoreTable, shown: str, first: str, second: str, *, seed: int = 0) -> TwoRuns:
    """Compare two runs of a table, which must be whole.

    Raises WorkbenchError for a run with itself, and KeyError for a run that is not in the table.
    """
    return two_runs(
        found.run(first), found.run(second), shown, qrels=choice_label(found.qrels.choice), seed=seed
    )


def table_pairs(found: ScoreTable, shown: str, method: Comparisons, *, seed: int = 0) -> AllPairs:
    """Compare every two runs of a table, which must be whole; raises WorkbenchError as `all_pairs` does."""

    def compare(scores: Floats, comparisons: Comparisons, /, *, seed: int) -> ComparedRuns:
        key = scores_hash(scores), comparisons, seed
        return _COMPARED.get(key, lambda: compare_all(scores, comparisons, seed=seed))

    return all_pairs(
        found.runs, shown, method, qrels=choice_label(found.qrels.choice), seed=seed, compare=compare
    )


MOST_MARKED = 200
"""Of more runs the leaderboard does not say which can be told apart from the best: the tests take long."""


def alike_with_best(found: ScoreTable, shown: str) -> frozenset[str] | None:
    """The runs of a whole table that cannot be told apart from its best, of all pairs tested together.

    None where that is not known: fewer than five topics in common, one run, or more than MOST_MARKED.
    """
    if not 1 < len(found.runs) <= MOST_MARKED or found.qrels.summary.topics < FEWEST_TOPICS:
        return None
    try:
        pairs = table_pairs(found, shown, default_comparisons(found.qrels.summary.topics))
    except WorkbenchError:
        return None
    if pairs.compared.topics < FEWEST_TOPICS:
        return None
    best = best_first(found.runs, shown)[0].tag
    tags = np.array([run.tag for run in pairs.ranked])
    first, second = tags[pairs.compared.first], tags[pairs.compared.second]
    apart = pairs.compared.significant & ((first == best) | (second == best))
    return frozenset(tags.tolist()) - {best, *first[apart].tolist(), *second[apart].tolist()}


def scores_hash(scores: Floats) -> str:
    """A hash of scores, the same in every process."""
    return hashlib.sha256(np.ascontiguousarray(scores).tobytes() + repr(scores.shape).encode()).hexdigest()
