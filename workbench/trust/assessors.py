"""The qrels that assessors' judgments could have become: their own, those of each rule, and mixtures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.consensus.rules import ASSESSOR, RULES, RuleChoice, choice_name
from workbench.consensus.settle import consensus
from workbench.consensus.votes import latest_judgments
from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.records import Judgment, pair_of, sorted_ids
from workbench.scoring.relevance import Floats
from workbench.trust.alternatives import AlternativeQrels, TopicScores
from workbench.trust.orders import (
    Percentiles,
    ReferenceRanking,
    changed_pairs,
    means_of,
    orders_of,
    percentiles_of,
    rank_coefficients,
)

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
            grades.setdefault(one.assessor, {})[pair_of(one)] = one.grade
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
        grades = {pair_of(one): one.grade for one in settled.qrels}
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
    return scores.values[drawn[:, judged], judged]


@frozen_dataclass
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


@frozen_dataclass
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


@dataclass(frozen=True, slots=True, eq=False)
class MixedRankings:
    """What mixtures make of the ranking: the means and ranks of runs have the shape (mixtures, runs)."""

    summary: MixedQrels
    pairs: tuple[PairOfRuns, ...]
    means: Floats
    ranks: NDArray[np.intp]


def mixed_rankings(one: ReferenceRanking, runs: Sequence[str], parts: Iterable[Floats]) -> MixedRankings:
    """Compare the mixtures, given in parts of shape (mixtures, topics, runs), with the reference."""
    values: dict[str, list[Floats]] = defaultdict(list)
    among: dict[str, list[Floats]] = defaultdict(list)
    counts: dict[str, list[NDArray[np.intp]]] = defaultdict(list)
    means, ranks = [], []
    for part in parts:
        orders = orders_of(means_of(part))
        # As many pairs of mixtures as there are, none in two of them.
        whole = len(part) - len(part) % 2
        even, odd = (orders.part(slice(first, whole, 2)) for first in (0, 1))
        for each in rank_coefficients(one.options.persistence):
            values[each.name].append(each.compute(one.orders, orders))
            among[each.name].append(each.compute(even, odd))
        for name, marks in changed_pairs(one, orders, one.tests.significant(part)).items():
            values[name].append(marks.sum(axis=1).astype(np.float64))
            counts[name].append(marks.sum(axis=0))
        values["tied"].append(orders.tied.astype(np.float64))
        means.append(orders.means)
        ranks.append(orders.ranks)
    figures = {name: percentiles_of(np.concatenate(found)) for name, found in values.items()}
    summary = MixedQrels(
        drawn=sum(map(len, means)),
        coefficients={name: figures.pop(name) for name in among},
        among={name: percentiles_of(np.concatenate(found)) for name, found in among.items()},
        **figures,
    )
    shares = {name: np.sum(found, axis=0) / summary.drawn for name, found in counts.items()}
    return MixedRankings(
        summary, tuple(_pairs(one, runs, shares)), np.concatenate(means), np.concatenate(ranks)
    )


def _pairs(one: ReferenceRanking, runs: Sequence[str], shares: Mapping[str, Floats]) -> list[PairOfRuns]:
    """The pairs of runs that any mixture changes, by what share of the mixtures change each."""
    changed = shares["swapped"] + shares["lost"] + shares["inverted"] > 0
    signs, means = one.signs(one.orders)[0], one.orders.means[0]
    found = []
    for at in np.flatnonzero(changed & (signs != 0)).tolist():
        ahead, behind = (int(side[at]) for side in one.upper[:: signs[at]])
        gap, significant = float(means[ahead] - means[behind]), bool(one.significant[0, at])
        of_pair = (float(shares[name][at]) for name in ("swapped", "lost", "inverted"))
        found.append(PairOfRuns(runs[ahead], runs[behind], gap, significant, *of_pair))
    return sorted(found, key=lambda pair: (-pair.swapped, -pair.gap, pair.ahead, pair.behind))
