"""The qrels that assessors' judgments could have become: their own, those of each rule, and mixtures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from workbench.consensus.judgments import latest_judgments
from workbench.consensus.rules import RULES, RuleChoice, choice_name
from workbench.consensus.settle import consensus
from workbench.consensus.simple import ASSESSOR
from workbench.errors import WorkbenchError
from workbench.records import Judgment, sorted_ids
from workbench.scoring.relevance import Floats
from workbench.trust.alternatives import AlternativeQrels, TopicScores
from workbench.trust.orders import orders_of, rank_coefficients
from workbench.trust.reference import RankingChange, ReferenceRanking, means_of

REFERENCE = "lower-median"
"""The rule whose qrels are the reference unless others are named: it settles every pair that was graded."""


def rules_to_compare() -> tuple[str, ...]:
    """The rules that make qrels of grades alone, within a second; union and intersection are any and all."""
    return tuple(
        rule.name
        for rule in RULES.values()
        if not (rule.soft or rule.slow or rule.adjudicated or ASSESSOR in rule.parameters)
    )


def qrels_of_assessors(judgments: Iterable[Judgment], *, relevant_from: int = 1) -> list[AlternativeQrels]:
    """The grades of each assessor, by name (bytes); of repeated judgments the latest, and grades alone.

    An assessor who gave no grade is left out. Raises WorkbenchError for a negative grade.
    """
    grades: dict[str, dict[tuple[str, str], int]] = {}
    for one in latest_judgments(judgments).judgments:
        if one.grade is not None:
            if one.grade < 0:
                raise WorkbenchError(
                    f"{one.assessor} gave document {one.docno} of topic {one.topic} the grade {one.grade}",
                    remedy="name the codes that mean cannot judge, or remove these judgments",
                )
            grades.setdefault(one.assessor, {})[one.topic, one.docno] = one.grade
    return [AlternativeQrels(name, grades[name], relevant_from) for name in sorted_ids(grades)]


def qrels_of_rules(
    judgments: Iterable[Judgment], choices: Sequence[RuleChoice], *, relevant_from: int = 1
) -> list[AlternativeQrels]:
    """The grades that each rule makes of the latest judgments; a rule that settles nothing is left out.

    Raises WorkbenchError as `consensus.settle.consensus`.
    """
    latest = latest_judgments(judgments).judgments
    found = []
    for choice in choices:
        settled = consensus(
            latest,
            rule=choice.rule,
            scale=None,
            relevant_from=relevant_from,
            decided=None,
            **choice.parameters(),
        )
        grades = {(one.topic, one.docno): one.grade for one in settled.qrels}
        if grades:
            found.append(AlternativeQrels(choice_name(choice), grades, settled.relevant_from))
    return found


def filled(qrels: Sequence[AlternativeQrels], reference: AlternativeQrels) -> list[AlternativeQrels]:
    """The same qrels, with the reference's grade of the pairs that they lack of topics that they have.

    What an assessor did not see counts as not relevant otherwise, which is a judgment that nobody made.
    Raises WorkbenchError where one is relevant from another grade on.
    """
    found = []
    for one in qrels:
        if one.relevant_from != reference.relevant_from:
            raise WorkbenchError(
                f"{one.name} cannot be filled from {reference.name}, whose grades are of another scale",
                remedy=f"leave {one.name} out",
            )
        own = {topic for topic, _ in one.grades}
        rest = {pair: grade for pair, grade in reference.grades.items() if pair[0] in own}
        found.append(AlternativeQrels(one.name, {**rest, **one.grades}, one.relevant_from))
    return found


_BOUNDS = (0.025, 0.975)
AT_ONCE = 50
"""How many mixtures are computed together: their pairs of 143 runs fit a processor's cache."""


def draw(scores: TopicScores, assessors: Sequence[str], *, count: int, seed: int) -> NDArray[np.intp]:
    """For each mixture and topic one of the assessors who judged the topic, as a place in `scores.qrels`.

    Shape (count, topics), -1 for a topic that none of them judged. All are equally likely, topic by topic,
    as in Voorhees 2000: an assessor judges a topic as a whole.
    """
    if count < 1:
        raise WorkbenchError(f"{count} mixtures cannot be drawn", remedy="draw at least one")
    places = np.array([scores.qrels.index(name) for name in assessors], dtype=np.intp)
    generator = np.random.default_rng(seed)
    drawn = np.full((count, len(scores.topics)), -1, dtype=np.intp)
    for topic in range(len(scores.topics)):
        who = places[scores.covered[places, topic]]
        if len(who):
            drawn[:, topic] = who[generator.integers(0, len(who), size=count)]
    return drawn


def mixed_scores(scores: TopicScores, drawn: NDArray[np.intp]) -> Floats:
    """The scores of the runs under mixtures; shape (mixtures, topics, runs), without topics of nobody."""
    judged = np.flatnonzero((drawn >= 0).all(axis=0))
    mixed: Floats = scores.values[drawn[:, judged], judged]
    return mixed


def in_parts(count: int) -> list[range]:
    """The mixtures, some at a time."""
    return [range(begin, min(begin + AT_ONCE, count)) for begin in range(0, count, AT_ONCE)]


def halves(count: int) -> Iterator[slice]:
    """The mixtures at even and at odd places: as many pairs of mixtures, none in two of them."""
    whole = count - count % 2
    yield slice(0, whole, 2)
    yield slice(1, whole, 2)


@dataclass(frozen=True, slots=True)
class Percentiles:
    """The mean of a figure over `n` mixtures on which it is defined, and its 2.5th and 97.5th percentile."""

    mean: float | None
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True, slots=True)
class MixedQrels:
    """The same over random mixtures of assessors; `among` are coefficients between two mixtures.

    `tied` counts the pairs of runs that a mixture ties.

    A mixture is in one of these pairs at most, so that their `n` is half the number `drawn`.
    """

    drawn: int
    coefficients: Mapping[str, Percentiles]
    among: Mapping[str, Percentiles]
    swapped: Percentiles
    tied: Percentiles
    lost: Percentiles
    inverted: Percentiles
    gained: Percentiles


@dataclass(frozen=True, slots=True)
class PairOfRuns:
    """Two runs, the first `gap` ahead under the reference, and what the mixtures make of them, as shares.

    `swapped` is the share of the mixtures that have the second ahead. `significant` says whether the
    reference has them significantly apart; in shares `lost` and `inverted` of the mixtures it is so no more,
    or the other way round.
    """

    ahead: str
    behind: str
    gap: float
    significant: bool
    swapped: float
    lost: float
    inverted: float


@dataclass(slots=True)
class MixedRankings:
    """What is gathered over the mixtures, part by part."""

    one: ReferenceRanking
    values: dict[str, list[Floats]] = field(default_factory=dict)
    among: dict[str, list[Floats]] = field(default_factory=dict)
    means: list[Floats] = field(default_factory=list)
    ranks: list[NDArray[np.intp]] = field(default_factory=list)
    counts: dict[str, NDArray[np.intp]] = field(default_factory=dict)
    drawn: int = 0

    def add(self, values: Floats) -> None:
        """Take in mixtures: scores of shape (mixtures, topics, runs)."""
        orders = orders_of(means_of(values))
        change = RankingChange.between(self.one, orders, self.one.tests.significant(values))
        even, odd = (orders.part(half) for half in halves(len(values)))
        for each in rank_coefficients(self.one.options.persistence):
            self.values.setdefault(each.name, []).append(each.compute(self.one.orders, orders))
            self.among.setdefault(each.name, []).append(each.compute(even, odd))
        for name in ("swapped", "lost", "inverted", "gained"):
            marks = getattr(change, name)
            self.values.setdefault(name, []).append(marks.sum(axis=1).astype(np.float64))
            self.counts[name] = self.counts.get(name, np.zeros(marks.shape[1], np.intp)) + marks.sum(axis=0)
        self.values.setdefault("tied", []).append(orders.tied.astype(np.float64))
        self.means.append(orders.means)
        self.ranks.append(orders.ranks)
        self.drawn += len(values)

    def summary(self) -> MixedQrels:
        """The figures of all mixtures that were taken in."""
        names = [each.name for each in rank_coefficients()]
        return MixedQrels(
            drawn=self.drawn,
            coefficients={name: percentiles_of(np.concatenate(self.values[name])) for name in names},
            among={name: percentiles_of(np.concatenate(self.among[name])) for name in names},
            swapped=percentiles_of(np.concatenate(self.values["swapped"])),
            tied=percentiles_of(np.concatenate(self.values["tied"])),
            lost=percentiles_of(np.concatenate(self.values["lost"])),
            inverted=percentiles_of(np.concatenate(self.values["inverted"])),
            gained=percentiles_of(np.concatenate(self.values["gained"])),
        )

    def pairs(self, runs: Sequence[str]) -> tuple[PairOfRuns, ...]:
        """The pairs of runs that any mixture changes."""
        changed = self.counts["swapped"] + self.counts["lost"] + self.counts["inverted"] > 0
        signs, means = self.one.signs(self.one.orders)[0], self.one.orders.means[0]
        found = []
        for at in np.flatnonzero(changed & (signs != 0)).tolist():
            first, second = (int(side[at]) for side in self.one.upper)
            ahead, behind = (first, second) if signs[at] > 0 else (second, first)
            shares = {name: float(self.counts[name][at] / self.drawn) for name in self.counts}
            found.append(
                PairOfRuns(
                    ahead=runs[ahead],
                    behind=runs[behind],
                    gap=float(means[ahead] - means[behind]),
                    significant=bool(self.one.significant[0, at]),
                    swapped=shares["swapped"],
                    lost=shares["lost"],
                    inverted=shares["inverted"],
                )
            )
        return tuple(sorted(found, key=lambda pair: (-pair.swapped, -pair.gap, pair.ahead, pair.behind)))


def percentiles_of(values: Floats) -> Percentiles:
    """The mean and the percentiles of a figure over mixtures, shape (mixtures,); NaN stands for undefined."""
    known = values[~np.isnan(values)]
    if not len(known):
        return Percentiles(None, None, None, 0)
    low, high = np.quantile(known, _BOUNDS).tolist()
    return Percentiles(float(known.mean()), low, high, len(known))
