"""How far the people of a campaign agree, summed over what is kept of topics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from math import fsum

import numpy as np
from sqlalchemy.orm import Session

from workbench.agreement.bands import Band, verdict
from workbench.agreement.coefficients import coefficients_on
from workbench.agreement.coefficients.coefficient import value_of
from workbench.agreement.estimates import Estimate, interval_of
from workbench.agreement.jackknife import LeftOut
from workbench.agreement.options import AgreementOptions
from workbench.agreement.pairwise import MOST_PAIRED, AssessorPair, pairs_of_tables
from workbench.agreement.ratings_by_topic import TablesOfTwo
from workbench.agreement.topic_sums import TopicSums, by_topic, topic_sums
from workbench.agreement.weights import Weights, nominal
from workbench.workflow.agreement.selection import ComparedGrades, compared_grades, nothing_discussed
from workbench.workflow.judging.current_judgments import recorded_version
from workbench.workflow.pools.current_answers import answers_by_topic
from workbench.workflow.pools.topic_answers import TopicAnswers


@dataclass(frozen=True, slots=True)
class People:
    """How far people alone agree: the pooled kappa of all `together`, every two of them, and their mean.

    `together` is the figure of the agreement page, with its interval and the number of its pairs; the values
    of every two have no interval, and the mean is None where they are undefined.
    """

    names: tuple[str, ...]
    together: Estimate
    pairs: tuple[AssessorPair, ...]
    mean: float | None

    @property
    def band(self) -> Band | None:
        """The verdict on the mean, None where there is none."""
        return verdict(self.mean, enough=self.together.enough)

    @property
    def defined(self) -> int:
        """For how many of the pairs the kappa is defined."""
        return sum(two.estimate("pooled").value is not None for two in self.pairs)

    @property
    def undefined(self) -> str:
        """Why there is no mean."""
        reasons = {two.estimate("pooled").found.undefined for two in self.pairs}
        return reasons.pop() if len(reasons) == 1 else "kappa is undefined for every two of them"

    def mean_of(self, number: int) -> float | None:
        """The mean pooled kappa of one of them with the others."""
        return mean_of_pairs(tuple(two for two in self.pairs if number in (two.first, two.second)))


def people_by_topic(db: Session, campaign_id: int) -> People | None:
    """How far people agree, with the default options, from the sums of topics.

    None where that says less: pairs were discussed, so that not the current answers count, fewer than three
    people gave grades, or a grade is not on the scale.
    """
    if not nothing_discussed(db, campaign_id):
        return None
    options = AgreementOptions()
    grades = compared_grades(db, campaign_id, relevant_from=options.relevant_from, graded=options.graded)
    people = [
        (number, name) for number, name, machine in recorded_version(db, campaign_id).assessors if not machine
    ]
    numbers, weights = frozenset(number for number, _ in people), nominal(len(grades.categories))
    make, key = partial(_sums, numbers, grades, weights), ("people", numbers, grades)
    found = [one.keep(key, make) for one in answers_by_topic(db, campaign_id).values()]
    sums = [one for one in found if one is not None and one.graded]
    graded = frozenset(number for one in sums for number in one.graded)
    if len(graded) < 3 or None in found:
        return None
    names = [(number, name) for number, name in people if number in graded]
    pairs = _pairs(sums, [number for number, _ in names], grades.categories, options)
    together = _together(sums, weights, grades.categories, options)
    return People(tuple(name for _, name in names), together, pairs, mean_of_pairs(pairs))


def mean_of_pairs(pairs: Sequence[AssessorPair]) -> float | None:
    """The mean of the pooled kappas that are defined, None without any."""
    values = [value for two in pairs if (value := two.estimate("pooled").value) is not None]
    return fsum(values) / len(values) if values else None


def _sums(
    people: frozenset[int], grades: ComparedGrades, weights: Weights, answers: TopicAnswers
) -> TopicSums | None:
    who = np.isin(answers.assessors, np.fromiter(people, np.int64, len(people))) & (answers.codes >= 0)
    given = answers.codes[who]
    if not np.isin(given, grades.scale).all():
        return None
    place = {grade: grades.categories.index(grades.category(grade)) for grade in grades.scale}
    codes = np.fromiter((place[grade] for grade in given.tolist()), np.int64, len(given))
    places = answers.places[who].astype(np.int64)
    return topic_sums(places, answers.assessors[who], codes, categories=grades.categories, weights=weights)


def _together(
    sums: list[TopicSums], weights: Weights, categories: tuple[int, ...], options: AgreementOptions
) -> Estimate:
    """The pooled kappa of all, with the interval over topics."""
    rows = by_topic(sums)
    of_scale = coefficients_on(categories, weights=options.weights_name, level=options.level)
    coefficient = next(one for one in of_scale if one.name == "pooled")
    found = value_of(coefficient, rows.total(), weights)
    left = LeftOut(rows.grouped(), options.confidence)
    return Estimate(coefficient, found, interval_of(coefficient, found, left, weights))


def _pairs(
    sums: list[TopicSums], numbers: list[int], categories: tuple[int, ...], options: AgreementOptions
) -> tuple[AssessorPair, ...]:
    """Every two of the people who graded most of what others graded, too."""
    shared: Counter[int] = Counter()
    for one in sums:
        shared.update(one.shared)
    # Of as many the first, in their own order.
    busiest = sorted(range(len(numbers)), key=lambda place: -shared[numbers[place]])[:MOST_PAIRED]

    def tables(first: int, second: int) -> TablesOfTwo:
        mine, theirs = numbers[first], numbers[second]
        key = min(mine, theirs), max(mine, theirs)
        there = [topic for topic, one in enumerate(sums) if key in one.tables]
        found = np.array([sums[topic].tables[key] for topic in there], np.float64)
        shape = len(there), len(categories), len(categories)
        found = found.reshape(shape)
        return TablesOfTwo(np.array(there, np.int64), found if mine < theirs else found.swapaxes(1, 2))

    several = list(combinations(sorted(busiest), 2))
    return tuple(pairs_of_tables(several, tables, len(sums), categories, options))
