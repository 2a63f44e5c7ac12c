"""Effectiveness against cost: which runs no other beats in both; as CSV, JSON and LaTeX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from workbench.export import Export, table_export
from workbench.latex import between, document, escaped, number, percent, table
from workbench.scoring.kernels.registry import kernel_of
from workbench.scoring.means import MeanScore, mean_score
from workbench.scoring.measures import parse_measures
from workbench.scoring.scorer import RunScores
from workbench.scoring.significance import LEVEL

COSTS = {"seconds_per_query": "Seconds a query", "index_bytes": "Index size in bytes"}
"""What a run may cost, as its group says."""


@dataclass(frozen=True, slots=True)
class CostPoint:
    """A run by its mean score and its cost; `on_front` if no other run is as good and as cheap, or better."""

    tag: str
    score: MeanScore
    cost: float
    on_front: bool


@dataclass(frozen=True, slots=True)
class ScoresByCost:
    """Runs by the measure `shown` on qrels that `qrels` names, and by the cost `by`, one of COSTS.

    The `points` are sorted by cost, then by tag; `without` names the runs whose cost is not given.
    """

    qrels: str
    shown: str
    by: str
    points: tuple[CostPoint, ...]
    without: tuple[str, ...]

    @property
    def front(self) -> int:
        """How many runs are on the Pareto front."""
        return sum(point.on_front for point in self.points)


def scores_by_cost(
    runs: Sequence[RunScores], shown: str, costs: Mapping[str, float], *, by: str, qrels: str
) -> ScoresByCost:
    """The runs with a cost, by tag in `costs`, and which of them are on the Pareto front.

    A run is on the front unless another one scores at least as well and costs at most as much, and is better
    in one of the two.
    """
    kernel = kernel_of(parse_measures(shown)[0])
    sign = -1.0 if kernel is not None and not kernel.descending else 1.0
    known = sorted((run for run in runs if run.tag in costs), key=lambda run: (costs[run.tag], run.tag))
    values = {run.tag: sign * run.values[shown] for run in known}

    def beaten(tag: str) -> bool:
        return any(
            costs[other] <= costs[tag]
            and values[other] >= values[tag]
            and (costs[other], values[other]) != (costs[tag], values[tag])
            for other in values
        )

    points = tuple(
        CostPoint(run.tag, mean_score(run.row(shown)), costs[run.tag], not beaten(run.tag)) for run in known
    )
    return ScoresByCost(qrels, shown, by, points, tuple(sorted({run.tag for run in runs} - values.keys())))


def scores_by_cost_export(found: ScoresByCost) -> Export:
    """One row for each run with a cost, the cheapest first."""
    columns = ("run", found.by, found.shown, "low", "high", "topics", "pareto_front")
    rows = [
        (one.tag, one.cost, one.score.mean, one.score.low, one.score.high, one.score.topics, one.on_front)
        for one in found.points
    ]
    return Export(columns, lambda: rows, table_export(columns, rows).data, partial(_latex, found))


def _latex(found: ScoresByCost) -> str:
    rows = [
        (
            escaped(one.tag),
            f"{one.cost:,.0f}" if found.by == "index_bytes" else f"{one.cost:.4g}",
            number(one.score.mean, 4),
            between(one.score.low, one.score.high),
            "yes" if one.on_front else "",
        )
        for one in found.points
    ]
    topics = found.points[0].score.topics if found.points else 0
    caption = (
        f"{escaped(found.shown)} and cost of {len(rows)} runs over {topics} topics, with {percent(LEVEL)} "
        f"$t$ intervals; costs as the groups say. On the front no other run is as good and as cheap. Qrels: "
        f"{escaped(found.qrels)}."
    )
    heads = ("Run", COSTS[found.by], escaped(found.shown), "Interval", "Pareto front")
    return document(table("lrrrl", heads, rows, caption, "tab:costs", size=r"\footnotesize"))
