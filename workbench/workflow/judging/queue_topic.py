"""A topic of a queue in matrices: a row for each of its pairs, a column for each person of the campaign."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.ratings import UNSURE
from workbench.workflow.log import PUT_OFF

Numbers = NDArray[np.int64]
Marks = NDArray[np.bool_]
NO_ENTRY = -(2**62)
"""The code of a pair of which somebody has said nothing."""


class Hold(NamedTuple):
    """A pair that an assessor was handed and has not given back; `since` is when last."""

    docno: str
    assessor_id: int
    since: datetime


class Shares(NamedTuple):
    """Of some assessors, each: how many documents they have, have answered, can be handed, may ever get."""

    has: Numbers
    answered: Numbers
    left: Numbers
    may_come: Numbers


class QueueTopic:
    """The pairs of a topic: what people said of them, and who has what, in the order of handing out.

    A queue asks for `per_pair` grades of each pair. A pair's places belong to the people who graded it,
    wherever they did, and to those who have it and have not answered. Who is unsure or cannot judge takes no
    place: a colleague gets the pair, so that the grades come in the end. Grades are read from the judgments
    themselves, so finished work can never look abandoned; `handed_out` says only who was handed what.

    `codes` has (docno, assessor, code) of the current answers, those put off with the code PUT_OFF; what is
    said by others than the `people`, machines, takes no place of anybody.

    Of the matrices `out` marks what is handed out, not answered and still asked for; `has` what is answered
    or out; `room` where there is a place for somebody, who may have it already; `free` what each can be
    handed now. Of the pairs `graders` and `takers` count people, and `waiting` marks those with a place left.
    """

    def __init__(
        self,
        per_pair: int,
        docnos: Sequence[str],
        people: Numbers,
        codes: Iterable[tuple[str, int, int]],
        handed_out: Iterable[Hold],
    ) -> None:
        self.per_pair, self.docnos, self.people = per_pair, docnos, people
        self.row = {docno: number for number, docno in enumerate(docnos)}
        self._column = {who: number for number, who in enumerate(people.tolist())}
        self.handed_out = [
            one for one in handed_out if one.docno in self.row and one.assessor_id in self._column
        ]
        self.codes = np.full((len(docnos), len(people)), NO_ENTRY, np.int64)
        for docno, who, code in codes:
            if docno in self.row and who in self._column:
                self.codes[self.row[docno], self._column[who]] = code
        self.handed, self.entered = self.marked(self.handed_out), self.codes != NO_ENTRY
        self.graded = self.codes >= 0
        self.answered = self.codes > PUT_OFF
        takes = self.graded | (self.handed & ~self.answered)
        self.graders, self.takers = self.graded.sum(axis=1), takes.sum(axis=1)
        self._besides = self.takers[:, None] - takes
        self.room = self._besides < per_pair
        # Colleagues may have graded elsewhere what is out: then it is not asked for any more.
        self.out = self.handed & ~self.answered & (self.graders[:, None] - self.graded < per_pair)
        self.has = self.answered | self.out
        self.free: Marks = self.room & ~self.has
        self.waiting: Marks = self.takers < per_pair

    def column(self, assessor_id: int) -> int:
        """The column of one of the people; raises KeyError for a machine."""
        return self._column[assessor_id]

    def columns(self, assessors: Numbers) -> Numbers:
        """The columns of those who are among the people."""
        return np.searchsorted(self.people, assessors[np.isin(assessors, self.people)])

    def marked(self, handed_out: Iterable[Hold]) -> Marks:
        """These holds as a matrix."""
        found = np.zeros((len(self.docnos), len(self.people)), bool)
        for one in handed_out:
            found[self.row[one.docno], self._column[one.assessor_id]] = True
        return found

    def docnos_of(self, assessor_id: int) -> list[str]:
        """What an assessor has, answered or not, in the order of the pairs."""
        if assessor_id not in self._column:
            return []
        return [self.docnos[row] for row in np.flatnonzero(self.has[:, self.column(assessor_id)]).tolist()]

    @property
    def open(self) -> list[Hold]:
        """What is out: handed out, not answered, still asked for."""
        return [
            one for one in self.handed_out if self.out[self.row[one.docno], self._column[one.assessor_id]]
        ]

    def abandoned(self, until: datetime, able: Collection[int], active: Collection[int]) -> list[Hold]:
        """What is out with who is not able to judge now, or has had it since before `until`, not `active`."""
        return [
            one
            for one in self.open
            if one.assessor_id not in able or (one.since < until and one.assessor_id not in active)
        ]

    def recoverable(self, abandoned: Iterable[Hold]) -> Marks:
        """The pairs that each could get instead of those who have abandoned them."""
        theirs = self.marked(abandoned).any(axis=1, keepdims=True)
        could: Marks = theirs & ~self.has & ~self.room & (self._besides <= self.per_pair)
        return could

    def shares(self, assessors: Numbers, abandoned: Iterable[Hold], *, closed: bool) -> Shares:
        """What these assessors have and can get; a machine has nothing."""
        left = self.free | self.recoverable(abandoned)
        may_come = (self.graders < self.per_pair)[:, None] & ~self.has
        if closed:
            left = may_come = np.zeros_like(self.has)
        rows = np.array([one.sum(axis=0) for one in (self.has, self.answered, left, may_come)], np.int64)
        found = np.zeros((4, len(assessors)), np.int64)
        found[:, np.isin(assessors, self.people)] = rows[:, self.columns(assessors)]
        return Shares(*found)

    def counts(self, assessor_id: int) -> tuple[int, int]:
        """How many pairs an assessor graded, and of how many was unsure."""
        mine = self.codes[:, self.column(assessor_id)]
        return int((mine >= 0).sum()), int((mine == UNSURE).sum())

    @property
    def needed(self) -> int:
        """How many grades the topic asks for."""
        return self.per_pair * len(self.docnos)

    @property
    def given(self) -> int:
        """How many of the grades needed are given."""
        return int(np.minimum(self.graders, self.per_pair).sum())

    def stuck(self, given: Numbers) -> int:
        """How many of the waiting pairs none of the assessors to whom the topic is given can take."""
        had = (self.entered | self.handed)[:, self.columns(given)]
        return int((self.waiting & had.all(axis=1)).sum())
