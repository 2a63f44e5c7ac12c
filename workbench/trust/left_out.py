"""Left-out documents: what the runs score, and how they rank, without some of the judged documents."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np

from workbench.agreement.intervals import shares_below
from workbench.errors import WorkbenchError
from workbench.export import Export
from workbench.latex import document, escaped
from workbench.latex import number as number_text
from workbench.scoring.relevance import Floats
from workbench.trust.alternatives import AlternativeQrels, Pair, TopicScores
from workbench.trust.mixtures import in_parts
from workbench.trust.orders import Orders, orders_of, tau_ap, tau_b
from workbench.trust.paper_tables import PaperColumn, Row, Table, bounded, paper_table

WITH, WITHOUT = "with", "without"
ROUNDS = 1000
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class LeftOutDocuments:
    """Which judged documents are left out: `pairs` of the qrels, `relevant` of them, in `topics`.

    The whole qrels have `graded` pairs, of which `all_relevant` are relevant.
    """

    what: str
    pairs: int
    relevant: int
    topics: int
    graded: int
    all_relevant: int


@dataclass(frozen=True, slots=True)
class TauOfOrders:
    """A coefficient of the two rankings with its interval over resampled topics; None where undefined."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class RunLeftOut:
    """A run's mean score and rank with the documents and without; of a tie all have the best rank.

    `low` and `high` are bounds of `change` over resampled topics, None of a single topic.
    """

    run: str
    score: float
    without: float
    low: float | None
    high: float | None
    rank: int
    rank_without: int

    @property
    def change(self) -> float:
        """How much more the run scores with the documents than without."""
        return self.score - self.without

    @property
    def ranks_risen(self) -> int:
        """How many ranks the documents raise the run, negative where they lower it."""
        return self.rank_without - self.rank


@dataclass(frozen=True, slots=True)
class ScoresLeftOut:
    """The runs on the same qrels with some documents and without them, best first with them.

    Means are over the `topics` of the whole qrels. `swapped` of the pairs of runs change places.
    """

    measure: str
    topics: int
    left_out: LeftOutDocuments
    tau_b: TauOfOrders
    tau_ap: TauOfOrders
    swapped: int
    rounds: int
    seed: int
    runs: tuple[RunLeftOut, ...]

    @property
    def run_pairs(self) -> int:
        """How many pairs of runs there are."""
        return len(self.runs) * (len(self.runs) - 1) // 2


def without_pairs(
    qrels: AlternativeQrels, pairs: Collection[Pair], what: str, relevant_from: int
) -> tuple[AlternativeQrels, AlternativeQrels, LeftOutDocuments]:
    """The qrels whole and without these pairs, named `WITH` and `WITHOUT`, with what is left out.

    Raises WorkbenchError where the qrels have none of the pairs, or no others.
    """
    chosen = {pair: grade for pair, grade in qrels.grades.items() if pair in pairs}
    rest = {pair: grade for pair, grade in qrels.grades.items() if pair not in chosen}
    if not chosen:
        raise WorkbenchError(
            f"no document of these qrels is {what}", remedy="judge what was found, or choose another rule"
        )
    if not rest:
        raise WorkbenchError(f"every document of these qrels is {what}", remedy="judge what the runs brought")
    left_out = LeftOutDocuments(
        what=what,
        pairs=len(chosen),
        relevant=sum(grade >= relevant_from for grade in chosen.values()),
        topics=len({topic for topic, _ in chosen}),
        graded=len(qrels.grades),
        all_relevant=sum(grade >= relevant_from for grade in qrels.grades.values()),
    )
    sides = (
        AlternativeQrels(WITH, qrels.grades, qrels.relevant_from),
        AlternativeQrels(WITHOUT, rest, qrels.relevant_from),
    )
    return *sides, left_out


def scores_left_out(scores: TopicScores, left_out: LeftOutDocuments, *, seed: int = 0) -> ScoresLeftOut:
    """Compare the rankings of the runs with the documents and without them.

    `scores` are under the qrels that `without_pairs` gives; a topic of which nothing is left counts as 0.
    Intervals are percentiles over 1,000 resamples of the topics, the same ones on both sides, expanded for
    few topics (Hesterberg 2015). Raises WorkbenchError for fewer than two runs.
    """
    if len(scores.runs) < 2:
        raise WorkbenchError("a ranking needs two runs", remedy="choose at least two")
    sides = scores.values[[scores.qrels.index(WITH), scores.qrels.index(WITHOUT)]]
    topics = sides.shape[1]
    means = sides.mean(axis=1)
    orders = orders_of(means)
    one, other = orders.part(slice(0, 1)), orders.part(slice(1, 2))
    resampled = _Resampled(sides, seed)
    ranks = orders.ranks
    bounds = resampled.changes()
    found = [
        RunLeftOut(
            run=run,
            score=float(means[0, at]),
            without=float(means[1, at]),
            low=bounds[at][0],
            high=bounds[at][1],
            rank=int(ranks[0, at]),
            rank_without=int(ranks[1, at]),
        )
        for at, run in enumerate(scores.runs)
    ]
    return ScoresLeftOut(
        measure=scores.measure,
        topics=topics,
        left_out=left_out,
        tau_b=resampled.coefficient(tau_b, one, other),
        tau_ap=resampled.coefficient(tau_ap, one, other),
        swapped=int((one.signs * other.signs < 0).sum()) // 2,
        rounds=ROUNDS,
        seed=seed,
        runs=tuple(sorted(found, key=lambda line: (line.rank, line.run))),
    )


class _Resampled:
    """Means of every run on both sides over the same resamples of the topics; (2, rounds, runs)."""

    def __init__(self, sides: Floats, seed: int) -> None:
        topics = sides.shape[1]
        self.topics = topics
        drawn = np.random.default_rng(seed).multinomial(topics, np.full(topics, 1 / topics), size=ROUNDS)
        self.means: Floats = drawn @ sides / topics

    def changes(self) -> list[tuple[float | None, float | None]]:
        """The bounds of how much more each run scores with the documents."""
        changes = self.means[0] - self.means[1]
        return [self._bounds(changes[:, run]) for run in range(changes.shape[1])]

    def coefficient(
        self, compute: Callable[[Orders, Orders], Floats], one: Orders, other: Orders
    ) -> TauOfOrders:
        """A coefficient of the rankings; resamples on which it is undefined are left out."""
        value = float(compute(one, other)[0])
        parts = [
            compute(*(orders_of(side[part.start : part.stop]) for side in self.means))
            for part in in_parts(ROUNDS)
        ]
        values = np.concatenate(parts)
        low, high = self._bounds(values[~np.isnan(values)])
        return TauOfOrders(None if np.isnan(value) else value, low, high)

    def _bounds(self, values: Floats) -> tuple[float | None, float | None]:
        if self.topics < 2 or not len(values):
            return None, None
        low, high = np.quantile(values, shares_below(LEVEL, self.topics)).tolist()
        return low, high


def left_out_export(found: ScoresLeftOut) -> Export:
    """The runs for CSV, all of it for JSON, the table for a paper."""
    columns, rows = _runs(found)
    return Export(columns, lambda: rows, partial(_data, found), partial(_latex, found))


def _runs(found: ScoresLeftOut) -> Table:
    rows: list[Row] = [
        (
            *(one.run, one.score, one.without, one.change, one.low, one.high),
            *(one.rank, one.rank_without, one.ranks_risen),
        )
        for one in found.runs
    ]
    names = ("run", "score", "without", "change", "change_low", "change_high")
    return (*names, "rank", "rank_without", "ranks_risen"), rows


def _data(found: ScoresLeftOut) -> dict[str, object]:
    runs = [asdict(one) | {"change": one.change, "ranks_risen": one.ranks_risen} for one in found.runs]
    return asdict(found) | {"runs": runs}


def _latex(found: ScoresLeftOut) -> str:
    columns = (
        PaperColumn("run", "Run"),
        PaperColumn("score", "Score", 4),
        PaperColumn("without", "Without", 4),
        bounded("change", "Change", 4),
        PaperColumn("rank", "Rank"),
        PaperColumn("rank_without", "Rank without"),
    )
    taus = f"$\\tau_b$ = {number_text(found.tau_b.value)}, $\\tau_{{AP}}$ = {number_text(found.tau_ap.value)}"
    caption = (
        f"{escaped(found.measure)} of {len(found.runs)} runs over {found.topics} topics, with and without "
        f"{found.left_out.pairs:,} judged documents {escaped(found.left_out.what)}; {taus}."
    )
    return document(paper_table(_runs(found), columns, caption, "tab:left-out"))
