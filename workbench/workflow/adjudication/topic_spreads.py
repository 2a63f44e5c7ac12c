"""How far apart the answers about each document of a topic are, and which are disputed, as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from workbench.consensus.disputes import Difference, DisputeRule, Spread
from workbench.records import Judgment, Scale
from workbench.workflow.adjudication.opinions import Person
from workbench.workflow.judging.current_judgments import NOT_GRADES
from workbench.workflow.log import TopicAnswers

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]
_BEYOND = 2**31


@dataclass(frozen=True, eq=False)
class TopicSpreads:
    """The spread of each document that has an answer, as `Spread`, in the order of `TopicAnswers.docnos`.

    `disputed` are the places of the disputed ones, ascending, and `docnos` their names.
    """

    distance: Numbers
    mean: NDArray[np.float64]
    crosses: Flags
    graded: Numbers
    answers: Numbers
    disputed: Numbers
    docnos: tuple[str, ...]

    def spread(self, place: int) -> Spread:
        """That of the document at a place."""
        columns = self.distance, self.mean, self.crosses, self.graded, self.answers
        return Spread(*(column[place].item() for column in columns))

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """The number of each disputed document among these, by its name."""
        return {docno: row for row, docno in enumerate(self.docnos)}


def topic_spreads(
    answers: TopicAnswers, *, machines: frozenset[int], rule: DisputeRule, scale: Scale
) -> TopicSpreads:
    """The spreads of a topic without the answers of these machines, made once for the same answers.

    Raises WorkbenchError for a grade outside the scale.
    """
    return answers.keep(("spreads", machines, rule, scale), partial(_spreads, machines, rule, scale))


def judgments_at(
    answers: TopicAnswers, place: int, docno: str, people: Mapping[int, Person], machines: frozenset[int]
) -> tuple[Judgment, ...]:
    """The judgments of one document, sorted by assessor, without those of these machines."""
    begin, end = np.searchsorted(answers.places, (place, place + 1)).tolist()
    rows = zip(answers.assessors[begin:end].tolist(), answers.codes[begin:end].tolist(), strict=True)
    found = [
        Judgment(people[who].name, answers.topic, docno, code)
        if code >= 0
        else Judgment(people[who].name, answers.topic, docno, None, NOT_GRADES[code])
        for who, code in rows
        if who not in machines
    ]
    return tuple(sorted(found, key=lambda one: one.assessor))


def _spreads(
    machines: frozenset[int], rule: DisputeRule, scale: Scale, answers: TopicAnswers
) -> TopicSpreads:
    counted = answers.of_people(machines)
    places, codes = answers.places[counted].astype(np.int64), answers.codes[counted]
    number = answers.documents
    answered = np.bincount(places, minlength=number)
    steps = _steps(codes, answered[places] > 1, scale)
    # What is no grade stands behind the grades of its document.
    order = np.lexsort((steps, places))
    places, steps = places[order], steps[order]
    grades = steps < _BEYOND
    graded = np.bincount(places[grades], minlength=number)
    starts = np.cumsum(answered) - answered
    # Of n steps ascending, the k-th (from 0) is 2 k - n + 1 times in the sum of all differences of two.
    weights = 2 * (np.arange(len(places)) - starts[places]) - graded[places] + 1
    apart = np.bincount(places, np.where(grades, weights * steps, 0), number)
    threshold = next(place for place, one in enumerate(scale.grades) if one.value == scale.relevant_from)
    relevant = np.bincount(places[grades & (steps >= threshold)], minlength=number)
    distance = np.zeros(number, dtype=np.int64)
    some = graded > 0
    last = starts[some] + graded[some] - 1
    distance[some] = steps[last] - steps[starts[some]]
    pairs = graded * (graded - 1) // 2
    mean = apart / np.maximum(pairs, 1)
    crosses = (relevant > 0) & (relevant < graded)
    disputed = np.flatnonzero(_disputed(rule, distance, crosses, graded, answered))
    every = answers.docnos if len(disputed) else ()
    docnos = tuple(every[place] for place in disputed.tolist())
    return TopicSpreads(
        distance,
        mean,
        crosses,
        graded,
        answered,
        disputed,
        docnos,
    )


def _disputed(
    rule: DisputeRule, distance: Numbers, crosses: Flags, graded: Numbers, answered: Numbers
) -> Flags:
    """As `DisputeRule.disputes`, of every document that has two answers."""
    if rule.difference is Difference.LINE:
        found = crosses.copy()
    else:
        found = distance >= (rule.steps if rule.difference is Difference.DISTANCE else 1)
    if rule.beside_grades:
        found |= (graded > 0) & (answered > graded)
    return found & (answered > 1)


def _steps(codes: Numbers, several: Flags, scale: Scale) -> Numbers:
    """The step on the scale of every answer, _BEYOND where it is no grade."""
    values = np.array([grade.value for grade in scale.grades])
    order = np.argsort(values)
    at = np.minimum(np.searchsorted(values, codes, sorter=order), len(values) - 1)
    known = values[order[at]] == codes
    grades = codes >= 0
    for code in codes[grades & ~known & several][:1].tolist():
        scale.grade(code)
    return np.where(grades & known, order[at], _BEYOND)
