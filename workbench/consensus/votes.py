"""Votes: who gave which grade to which pair, latest, as numbers; and the rules that make one grade of them.

A `Rule` says what it knows of the pairs, its parameters and what becomes of each pair. A model takes `Votes`
and returns a `Posterior`; `most_likely` makes it a rule of a `VoteTable`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.errors import Conflict, WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.records import Answer, Judgment, Scale, id_bytes, pair_of, places_of, sorted_pairs

Pair = tuple[str, str]
"""A topic and a docno."""
Grades = Mapping[str, int]
"""The grades of one pair by assessor."""

LARGEST = 100_000
"""The highest grade that scorers accept, and so the highest relevance threshold."""


@frozen_dataclass
class RuleParameter:
    """A parameter of a rule: its choices where they are few, its default where it has one.

    `choices` pair each value with its meaning. A `number` is a whole one of at least 1; without choices and
    number the value is the name of an assessor. Without a default it must be given, unless `optional`.
    """

    name: str
    label: str
    help: str
    choices: tuple[tuple[str, str], ...] = ()
    default: str | None = None
    number: bool = False
    optional: bool = False

    def accept(self, value: str) -> str:
        """The value if it is valid; raises WorkbenchError."""
        values = [choice for choice, _ in self.choices]
        if values and value not in values:
            raise WorkbenchError(
                f'{self.name} cannot be "{value}"', remedy=f"choose one of {', '.join(values)}"
            )
        if self.number and not (value.isascii() and value.isdecimal() and 1 <= int(value) <= LARGEST):
            raise WorkbenchError(f'{self.name} cannot be "{value}"', remedy="use a whole number of 1 or more")
        return value


@frozen_dataclass
class Rule:
    """A rule as the registry, the forms and the help know it.

    `settle` takes the grades of one pair and the parameters by keyword and returns a grade, or None, which
    `unsettled` explains. A rule that needs all pairs at once, or is to be fast, has `settle_table` instead:
    it takes a `votes.VoteTable` and says in arrays what becomes of its pairs. `soft` rules make no whole
    grades, and so no qrels; `slow` ones take seconds on a large collection; `adjudicated` ones use the
    adjudicators' decisions themselves. A rule with a `threshold` has a scale of its own: it takes the lowest
    relevant grade of an assessor and the parameters, and returns the lowest relevant grade of the rule.
    """

    name: str
    label: str
    help: str
    source: str
    settle: Callable[..., int | None] | None = None
    unsettled: str = ""
    parameters: tuple[RuleParameter, ...] = ()
    soft: bool = False
    slow: bool = False
    adjudicated: bool = False
    threshold: Callable[[int, Mapping[str, str]], int] | None = None
    settle_table: Callable[..., TableOutcome] | None = None

    @property
    def for_the_rest(self) -> bool:
        """Whether it can settle the pairs that no adjudicator decided: whole grades of the scale itself."""
        return not (self.soft or self.own_scale or self.adjudicated)

    @property
    def own_scale(self) -> bool:
        """Whether its grades are on another scale than the assessors'."""
        return self.threshold is not None

    def relevant_from(self, of_assessors: int, values: Mapping[str, str]) -> int:
        """The lowest relevant grade of what the rule gives, from that of the assessors and its parameters."""
        return of_assessors if self.threshold is None else self.threshold(of_assessors, values)


def share_of(grade: int, grades: Grades) -> float:
    """The share of the assessors, one or more, who gave this grade."""
    return sum(given == grade for given in grades.values()) / len(grades)


@frozen_dataclass
class LatestJudgments:
    """The latest judgment of every assessor on every pair, in the order in which they were first judged.

    `repeated` counts those with an earlier one, `contradicted` those of them whose answers differ.
    """

    judgments: tuple[Judgment, ...]
    events: int
    repeated: int
    contradicted: int


def latest_judgments(judgments: Iterable[Judgment]) -> LatestJudgments:
    """The current judgments of all that were made, in the order in which they were made.

    >>> latest_judgments([Judgment("ann", "1", "d", 1), Judgment("ann", "1", "d", 0)]).contradicted
    1
    """
    current: dict[tuple[str, str, str], Judgment] = {}
    answers: dict[tuple[str, str, str], set[tuple[Answer, int | None]]] = {}
    repeated: set[tuple[str, str, str]] = set()
    events = 0
    for judgment in judgments:
        key = (judgment.assessor, judgment.topic, judgment.docno)
        if key in current:
            repeated.add(key)
        current[key] = judgment
        answers.setdefault(key, set()).add((judgment.answer, judgment.grade))
        events += 1
    contradicted = sum(len(answers[key]) > 1 for key in repeated)
    return LatestJudgments(tuple(current.values()), events, len(repeated), contradicted)


def grades_by_pair(judgments: Iterable[Judgment], scale: Scale | None) -> dict[Pair, dict[str, int]]:
    """The grades of every judged pair by assessor; empty where all answers are no grades.

    Raises WorkbenchError for a grade outside the scale, or below 0 without one, and Conflict where an
    assessor judged a pair twice.
    """
    by_pair: dict[Pair, dict[str, int]] = {}
    seen: set[tuple[str, str, str]] = set()
    # What need not be asked of the scale again, one judgment after the other.
    known = {grade.value for grade in scale.grades} if scale is not None else set[int]()
    for judgment in judgments:
        key = (judgment.assessor, judgment.topic, judgment.docno)
        if key in seen:
            raise Conflict(
                f"{judgment.assessor} judged document {judgment.docno} of topic {judgment.topic} twice",
                remedy="give only the current judgment of each assessor",
            )
        seen.add(key)
        grades = by_pair.setdefault(pair_of(judgment), {})
        grade = judgment.grade
        if grade not in known or judgment.answer is not Answer.GRADE:
            grade = _grade(judgment, scale)
        if grade is not None:
            grades[judgment.assessor] = grade
    return by_pair


def _grade(judgment: Judgment, scale: Scale | None) -> int | None:
    if judgment.answer is not Answer.GRADE or judgment.grade is None:
        return None
    if scale is None and judgment.grade < 0:
        raise WorkbenchError(
            f"the grade {judgment.grade} of document {judgment.docno} for topic {judgment.topic} is negative",
            remedy="name the codes that mean 'cannot judge', or remove these judgments",
        )
    return judgment.grade if scale is None else scale.grade(judgment.grade).value


Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

# A probability of exactly 0 could never be raised again by anybody.
LEAST = 1e-10


@dataclass(frozen=True, eq=False)
class Votes:
    """One place in each array a vote: the pair's number, the assessor's and the grade's, each from 0.

    The same assessor may have voted several times on a pair.
    """

    # No slots: the matrices are made once, and multiplied with in every round of a model.
    pairs: Numbers
    assessors: Numbers
    grades: Numbers
    n_pairs: int
    n_assessors: int
    n_grades: int

    def shares(self) -> Floats:
        """The share of every grade among a pair's votes; shape (pairs, grades)."""
        cells = self.grades * self.n_pairs + self.pairs
        counts = np.bincount(cells, minlength=self.n_pairs * self.n_grades)
        rows = counts.reshape(self.n_grades, self.n_pairs).astype(np.float64)
        rows /= np.maximum(rows.sum(axis=0), 1.0)
        return rows.T

    def alike(self) -> tuple[Votes, Numbers, Numbers]:
        """One pair of each kind, which kind each pair is of, and how many are of each.

        Pairs are of one kind where the same assessors voted the same: no model can tell them apart.
        """
        columns = (self.assessors * self.n_grades + self.grades).astype(np.int32)
        order = np.lexsort((columns, self.pairs))
        at, n = self.pairs[order], np.bincount(self.pairs, minlength=self.n_pairs)
        cells = np.full((self.n_pairs, int(n.max(initial=0))), -1, np.int32)
        cells[at, np.arange(len(at)) - (np.cumsum(n) - n)[at]] = columns[order]
        kinds, of_pair, times = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
        rows, places = np.nonzero(kinds >= 0)
        assessors, grades = np.divmod(kinds[rows, places].astype(np.int64), self.n_grades)
        one_each = replace(self, pairs=rows, assessors=assessors, grades=grades, n_pairs=len(kinds))
        return one_each, of_pair.ravel(), times

    @cached_property
    def by_pair(self) -> tuple[Any, Any]:
        """How often each assessor gave each grade to each pair; a sparse matrix (pairs, assessors x grades).

        Times a figure by assessor and grade it gives the sums over each pair's votes. Beside it stands the
        same transposed: times a figure by pair it gives the sums over what each assessor gave.
        """
        # Imported here: whoever asks for another rule must not wait for scipy. A product takes half the time
        # of `take` and `bincount`.
        from scipy.sparse import csr_array

        columns = self.assessors * self.n_grades + self.grades
        shape = self.n_pairs, self.n_assessors * self.n_grades
        matrix = csr_array((np.ones(len(columns)), (self.pairs, columns)), shape=shape)
        return matrix, matrix.T


def normalised(logs: Floats) -> Floats:
    """Probabilities (pairs, grades) from logarithms up to a constant of each pair (grades, pairs)."""
    # They stay in memory grade by grade: few long rows are compared and added faster than many short ones.
    rows: Floats = np.exp(logs - logs.max(axis=0))
    rows /= rows.sum(axis=0)
    return rows.T


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """How likely every grade is for every pair, shape (pairs, grades), and how reliable every assessor.

    `reliability` is the model's chance that an assessor is right, by assessor; `rounds` were needed, and
    `settled` is false where they were not enough.
    """

    probabilities: Floats
    reliability: Floats
    rounds: int
    settled: bool

    def grades(self) -> Numbers:
        """The number of the most likely grade of every pair; of equally likely ones the lower."""
        likeliest: Numbers = self.probabilities.argmax(axis=1)
        return likeliest

    def confidence(self) -> Floats:
        """The probability of that grade."""
        highest: Floats = self.probabilities.max(axis=1)
        return highest


LEFT = -1
"""In the place of a grade that there is not."""


@dataclass(frozen=True, eq=False)
class VoteTable:
    """The votes on pairs, sorted by topic and docno as bytes, of assessors by `names`, for grades `values`.

    A pair is of the topic whose place among the `topics` is in `numbers`. `judged` says which pairs have a
    judgment that counts, and `decided` by row what an adjudicator decided; pairs without a grade have no
    vote. Grades are relevant from `relevant_from` on.
    """

    # No slots: what several rules need is computed once.
    topics: tuple[str, ...]
    numbers: Numbers
    docnos: Sequence[bytes]
    names: tuple[str, ...]
    values: Numbers
    votes: Votes
    judged: NDArray[np.bool_]
    decided: Mapping[int, int]
    relevant_from: int

    def __len__(self) -> int:
        return self.votes.n_pairs

    def pair(self, row: int) -> Pair:
        """The topic and docno of a pair."""
        return self.topics[self.numbers[row]], self.docnos[row].decode("utf-8", "surrogateescape")

    @cached_property
    def counts(self) -> Numbers:
        """How many assessors gave each grade; shape (pairs, grades)."""
        votes = self.votes
        cells = votes.pairs * votes.n_grades + votes.grades
        size = votes.n_pairs * votes.n_grades
        return np.bincount(cells, minlength=size).reshape(votes.n_pairs, votes.n_grades)

    @cached_property
    def n(self) -> Numbers:
        """How many assessors gave a grade; shape (pairs,)."""
        return np.bincount(self.votes.pairs, minlength=self.votes.n_pairs)

    @cached_property
    def most(self) -> int:
        """How many grades a pair has at most."""
        return int(self.n.max(initial=0))

    @cached_property
    def graded(self) -> Votes:
        """The votes with the pairs that have one numbered anew, as models need them."""
        there = self.n > 0
        if there.all():
            return self.votes
        return replace(
            self.votes, pairs=(np.cumsum(there) - 1)[self.votes.pairs], n_pairs=int(np.count_nonzero(there))
        )

    def given_by(self, name: str) -> Numbers:
        """The place of the grade that one assessor gave to each pair, LEFT where there is none."""
        found = np.full(len(self), LEFT, np.int64)
        if name in self.names:
            own = self.votes.assessors == self.names.index(name)
            found[self.votes.pairs[own]] = self.votes.grades[own]
        return found

    def share_of(self, places: Numbers) -> Floats:
        """The share of each pair's assessors who gave the grade in this place; 0 where it is LEFT."""
        rows = np.arange(len(places))
        given = np.where(places == LEFT, 0, self.counts[rows, places] if self.counts.size else 0)
        return given / np.maximum(self.n, 1)

    def outcome(self, places: Numbers, unsettled: str = "") -> TableOutcome:
        """The grade in each of these places, with the share of the assessors who gave it."""
        grades = self.values[places] if len(self.values) else places
        return TableOutcome(grades, self.share_of(places), np.where(places == LEFT, 0, LEFT), (unsettled,))


@dataclass(frozen=True, slots=True, eq=False)
class TableOutcome:
    """What a rule gives to each pair of a table: a grade with its confidence, or a reason for none.

    `reasons[i]` is the place among `words` of why pair number i has no grade, LEFT where it has one. What is
    said of pairs without a vote does not count, unless they are `adjudicated`, which are rows.
    """

    grades: Numbers
    confidence: Floats
    reasons: Numbers
    words: tuple[str, ...] = ()
    adjudicated: tuple[int, ...] = ()

    def with_decisions(self, table: VoteTable, rows: Collection[int]) -> TableOutcome:
        """The same with what the adjudicator decided of some rows."""
        grades, confidence, reasons = self.grades.copy(), self.confidence.copy(), self.reasons.copy()
        for row in rows:
            grade = table.decided[row]
            here = np.flatnonzero(table.values == grade)
            given = int(table.counts[row, here[0]]) if len(here) else 0
            grades[row], reasons[row] = grade, LEFT
            confidence[row] = given / table.n[row] if table.n[row] else 0.0
        return replace(
            self, grades=grades, confidence=confidence, reasons=reasons, adjudicated=tuple(sorted(rows))
        )


def vote_table(
    judgments: Iterable[Judgment],
    *,
    scale: Scale | None = None,
    relevant_from: int = 1,
    decided: Mapping[Pair, int] | None = None,
) -> VoteTable:
    """The table of current judgments and an adjudicator's decisions; raises as `grades_by_pair` does."""
    by_pair, decisions = grades_by_pair(judgments, scale), decided or {}
    pairs = tuple(sorted_pairs({**by_pair, **dict.fromkeys(decisions)}))
    names = tuple(sorted({name for grades in by_pair.values() for name in grades}))
    values = sorted({grade for grades in by_pair.values() for grade in grades.values()})
    number = places_of(names)
    place = places_of(values)
    nobody: dict[str, int] = {}
    each = [by_pair.get(pair, nobody) for pair in pairs]
    who = np.array([number[name] for grades in each for name in grades], np.int64)
    which = np.array([place[grade] for grades in each for grade in grades.values()], np.int64)
    at = np.repeat(np.arange(len(pairs)), np.fromiter(map(len, each), np.int64, len(each)))
    # In the order of their names, so that nothing depends on who judged first.
    order = np.lexsort((who, at))
    topics = places_of(tuple(dict.fromkeys(topic for topic, _ in pairs)))
    return VoteTable(
        tuple(topics),
        np.array([topics[topic] for topic, _ in pairs], np.int64),
        [id_bytes(docno) for _, docno in pairs],
        names,
        np.array(values, np.int64),
        Votes(at[order], who[order], which[order], len(pairs), len(names), len(values)),
        np.fromiter((pair in by_pair for pair in pairs), np.bool_, len(pairs)),
        {row: decisions[pair] for row, pair in enumerate(pairs) if pair in decisions} if decisions else {},
        relevant_from,
    )


def most_likely(model: Callable[[Votes], Posterior]) -> Callable[[VoteTable], TableOutcome]:
    """The rule that gives every pair its most likely grade under a model, with its probability."""

    def settle(table: VoteTable) -> TableOutcome:
        grades, confidence = np.zeros(len(table), np.int64), np.zeros(len(table))
        if len(table.votes.pairs):
            there, found = table.n > 0, model(table.graded)
            grades[there], confidence[there] = table.values[found.grades()], found.confidence()
        return TableOutcome(grades, confidence, np.full(len(table), LEFT))

    return settle


def pair_by_pair(table: VoteTable, settle: Callable[[Grades], int | None], unsettled: str) -> TableOutcome:
    """What a rule that looks at the grades of one pair after the other makes of a table."""
    votes, graded = table.votes, dict[int, dict[str, int]]()
    for row, who, place in zip(
        votes.pairs.tolist(), votes.assessors.tolist(), votes.grades.tolist(), strict=True
    ):
        graded.setdefault(row, {})[table.names[who]] = int(table.values[place])
    size = len(table)
    found = TableOutcome(np.zeros(size, np.int64), np.zeros(size), np.zeros(size, np.int64), (unsettled,))
    for row, grades in graded.items():
        if (grade := settle(grades)) is not None:
            found.grades[row], found.confidence[row] = grade, share_of(grade, grades)
            found.reasons[row] = LEFT
    return found
