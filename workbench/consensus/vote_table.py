"""Everybody's grades of a collection as arrays, and what a rule makes of all pairs at once.

A rule looks at one pair after the other; where it can also be computed of a table, a dozen rules are compared
in the time that one takes otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from workbench.consensus.judgments import grades_by_pair
from workbench.consensus.models.votes import Floats, Numbers, Posterior, Votes
from workbench.consensus.rule import Pair
from workbench.records import Judgment, Scale, sorted_pairs

LEFT = -1
"""In the place of a grade that there is not."""


@dataclass(frozen=True, eq=False)
class VoteTable:
    """The votes on `pairs`, sorted by topic and docno as bytes, of assessors by `names`, for grades `values`.

    `judged` says which pairs have a judgment that counts, and `decided` by row what an adjudicator decided;
    pairs without a grade have no vote. Grades are relevant from `relevant_from` on.
    """

    # No slots: what several rules need is computed once.
    pairs: Sequence[Pair]
    names: tuple[str, ...]
    values: Numbers
    votes: Votes
    judged: NDArray[np.bool_]
    decided: Mapping[int, int]
    relevant_from: int

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
        found = np.full(len(self.pairs), LEFT, np.int64)
        if name in self.names:
            own = self.votes.assessors == self.names.index(name)
            found[self.votes.pairs[own]] = self.votes.grades[own]
        return found

    def share_of(self, places: Numbers) -> Floats:
        """The share of each pair's assessors who gave the grade in this place; 0 where it is LEFT."""
        rows = np.arange(len(places))
        given = np.where(places == LEFT, 0, self.counts[rows, places] if self.counts.size else 0)
        share: Floats = given / np.maximum(self.n, 1)
        return share

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
    number = {name: at for at, name in enumerate(names)}
    place = {grade: at for at, grade in enumerate(values)}
    nobody: dict[str, int] = {}
    each = [by_pair.get(pair, nobody) for pair in pairs]
    who = np.array([number[name] for grades in each for name in grades], np.int64)
    which = np.array([place[grade] for grades in each for grade in grades.values()], np.int64)
    at = np.repeat(np.arange(len(pairs)), np.fromiter(map(len, each), np.int64, len(each)))
    # In the order of their names, so that nothing depends on who judged first.
    order = np.lexsort((who, at))
    return VoteTable(
        pairs,
        names,
        np.array(values, np.int64),
        Votes(at[order], who[order], which[order], len(pairs), len(names), len(values)),
        np.fromiter((pair in by_pair for pair in pairs), np.bool_, len(pairs)),
        {row: decisions[pair] for row, pair in enumerate(pairs) if pair in decisions} if decisions else {},
        relevant_from,
    )


def most_likely_of_table(model: Callable[[Votes], Posterior]) -> Callable[[VoteTable], TableOutcome]:
    """What `votes.most_likely` makes of each pair alone, for all pairs of a table."""

    def settle(table: VoteTable) -> TableOutcome:
        grades, confidence = np.zeros(len(table.pairs), np.int64), np.zeros(len(table.pairs))
        if len(table.votes.pairs):
            there, found = table.n > 0, model(table.graded)
            grades[there], confidence[there] = table.values[found.grades()], found.confidence()
        return TableOutcome(grades, confidence, np.full(len(table.pairs), LEFT))

    return settle
