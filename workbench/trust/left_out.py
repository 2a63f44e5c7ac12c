"""Left-out documents: what the runs score, and how they rank, without some of the judged documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import asdict, replace
from operator import attrgetter

import numpy as np

from workbench.agreement.intervals import Interval
from workbench.agreement.jackknife import over_groups
from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.pooling.pool import Pair
from workbench.scoring.relevance import Floats
from workbench.tables import Export, Table, result_export
from workbench.trust.alternatives import AlternativeQrels, TopicScores
from workbench.trust.orders import orders_of, tau_ap, tau_b

WITH, WITHOUT = "with", "without"
DRAWS = 50
"""How often as many judged documents are left out at random: what chance alone does to the ranking."""


@frozen_dataclass
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


@frozen_dataclass
class TauOfOrders:
    """A coefficient of the two rankings, None where undefined, and those of chance: middle and bounds.

    `low` to `high` hold 95 of 100 draws of as many judged documents of the same topics, left out at random.
    """

    value: float | None
    chance: float | None
    low: float | None
    high: float | None

    @property
    def in_words(self) -> str:
        """What leaving out these documents does beyond chance; nothing where there is nothing to compare."""
        if self.value is None or self.low is None:
            return ""
        if self.value < self.low:
            return "the ranking changes more than by leaving out as many documents at random"
        return "the ranking changes no more than by leaving out as many documents at random"


@frozen_dataclass
class RunLeftOut:
    """A run's mean score and rank with the documents and without; of a tie all have the best rank.

    `interval` is that of `change` over topics. The documents raise the run by `ranks_risen`, negative where
    they lower it.
    """

    run: str
    score: float
    without: float
    interval: Interval
    rank: int
    rank_without: int
    change: float
    ranks_risen: int


@frozen_dataclass
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
    draws: int
    seed: int
    runs: tuple[RunLeftOut, ...]

    @property
    def run_pairs(self) -> int:
        """How many pairs of runs there are."""
        return len(self.runs) * (len(self.runs) - 1) // 2


def without_pairs(
    qrels: AlternativeQrels, pairs: Collection[Pair], what: str, relevant_from: int, *, seed: int = 0
) -> tuple[list[AlternativeQrels], LeftOutDocuments]:
    """The qrels whole, without these pairs and, DRAWS times, without as many of each topic drawn at random.

    They are named `WITH`, `WITHOUT` and by number. Raises WorkbenchError where the qrels have none of the
    pairs, or no others.
    """
    chosen = {pair: grade for pair, grade in qrels.grades.items() if pair in pairs}
    rest = {pair: grade for pair, grade in qrels.grades.items() if pair not in chosen}
    if not chosen:
        raise WorkbenchError(
            f"no document of these qrels is {what}", remedy="judge what was found, or choose another rule"
        )
    if not rest:
        raise WorkbenchError(
            f"every document of these qrels is {what}", remedy="judge what the runs contributed"
        )
    left_out = LeftOutDocuments(
        what=what,
        pairs=len(chosen),
        relevant=sum(grade >= relevant_from for grade in chosen.values()),
        topics=len({topic for topic, _ in chosen}),
        graded=len(qrels.grades),
        all_relevant=sum(grade >= relevant_from for grade in qrels.grades.values()),
    )
    by_topic: dict[str, list[Pair]] = {}
    for pair in sorted(qrels.grades):  # so that a seed draws the same, whatever the order of the file
        by_topic.setdefault(pair[0], []).append(pair)
    sizes = Counter(topic for topic, _ in sorted(chosen))
    generator = np.random.default_rng(seed)
    sides = [qrels.grades, rest]
    for _ in range(DRAWS):
        drawn = {
            by_topic[topic][place]
            for topic, size in sizes.items()
            for place in generator.choice(len(by_topic[topic]), size, replace=False).tolist()
        }
        sides.append({pair: grade for pair, grade in qrels.grades.items() if pair not in drawn})
    names = [WITH, WITHOUT, *map(str, range(DRAWS))]
    return [replace(qrels, name=name, grades=of) for name, of in zip(names, sides, strict=True)], left_out


def scores_left_out(scores: TopicScores, left_out: LeftOutDocuments, *, seed: int = 0) -> ScoresLeftOut:
    """Compare the rankings of the runs with the documents and without them, and with what chance does.

    `scores` are under the qrels that `without_pairs` gives; a topic of which nothing is left counts as 0.
    Raises WorkbenchError for fewer than two runs.
    """
    if len(scores.runs) < 2:
        raise WorkbenchError("a ranking needs two runs", remedy="choose at least two")
    sides = scores.values
    means = sides.mean(axis=1)
    orders = orders_of(means)
    one, others = orders.part(slice(0, 1)), orders.part(slice(1, None))
    changes = sides[0] - sides[1]
    scored = zip(scores.runs, means.T[:, :2].tolist(), changes.T, orders.ranks.T[:, :2].tolist(), strict=True)
    found = []
    for run, (score, less), change, (rank, lower) in scored:
        interval = over_groups(change, np.arange(len(change)), unit="topic")
        found.append(RunLeftOut(run, score, less, interval, rank, lower, score - less, lower - rank))
    return ScoresLeftOut(
        measure=scores.measure,
        topics=sides.shape[1],
        left_out=left_out,
        tau_b=_tau(tau_b(one, others)),
        tau_ap=_tau(tau_ap(one, others)),
        swapped=int((one.signs[0] * others.signs[0] < 0).sum()) // 2,
        draws=len(means) - 2,
        seed=seed,
        runs=tuple(sorted(found, key=attrgetter("rank", "run"))),
    )


def _tau(values: Floats) -> TauOfOrders:
    """Of what the orders have with the whole one: the first without these documents, the rest by chance."""
    value, drawn = float(values[0]), values[1:][~np.isnan(values[1:])]
    if np.isnan(value) or not len(drawn):
        return TauOfOrders(None if np.isnan(value) else value, None, None, None)
    low, middle, high = np.quantile(drawn, (0.025, 0.5, 0.975)).tolist()
    return TauOfOrders(value, middle, low, high)


def left_out_export(found: ScoresLeftOut) -> Export:
    """The runs for CSV, all of it for JSON."""
    return result_export(found, _runs(found), asdict)


def _runs(found: ScoresLeftOut) -> Table:
    figures = attrgetter(
        "run", "score", "without", "change", "interval.low", "interval.high", "rank", "rank_without",
        "ranks_risen",
    )  # fmt: skip
    names = ("run", "score", "without", "change", "change_low", "change_high")
    return (*names, "rank", "rank_without", "ranks_risen"), list(map(figures, found.runs))
