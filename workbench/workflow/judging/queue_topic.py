"""A topic of a queue in matrices: a row for each of its pairs, a column for each person who had one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.ratings import CANNOT_JUDGE, UNSURE
from workbench.workflow.log import PUT_OFF

Numbers = NDArray[np.int64]
Marks = NDArray[np.bool_]
NO_ENTRY, LATER, NO_GRADE, NOT_SURE, GRADED = range(5)
_STATES = {PUT_OFF: LATER, CANNOT_JUDGE: NO_GRADE, UNSURE: NOT_SURE}
_NOBODY = 0


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

    `codes` has (docno, assessor, code) of the current answers of people, those put off with the code PUT_OFF.
    Machines take no place of anybody, and are left out.

    Of the matrices `out` marks what is handed out, not answered and still asked for; `has` what is answered
    or out; `room` where there is a place for somebody, who may have it already; `free` what each can be
    handed now. Of the pairs `graders` and `takers` count people, and `waiting` marks those with a place left.
    The first column is that of somebody who has had nothing.
    """

    def __init__(
        self,
        per_pair: int,
        docnos: Sequence[str],
        codes: Iterable[tuple[str, int, int]],
        handed_out: Iterable[Hold],
    ) -> None:
        self.per_pair, self.docnos = per_pair, docnos
        self.row = {docno: number for number, docno in enumerate(docnos)}
        self.handed_out = [one for one in handed_out if one.docno in self.row]
        entries = [one for one in codes if one[0] in self.row]
        people = {who for _, who, _ in entries} | {one.assessor_id for one in self.handed_out}
        self._column = {who: number for number, who in enumerate(sorted(people), start=_NOBODY + 1)}
        self.states = np.zeros((len(docnos), len(people) + 1), np.uint8)
        for docno, who, code in entries:
            self.states[self.row[docno], self._column[who]] = GRADED if code >= 0 else _STATES[code]
        self.handed, self.entered = self.marked(self.handed_out), self.states != NO_ENTRY
        self.graded, self.answered = self.states == GRADED, self.states > LATER
        takes = self.graded | (self.handed & ~self.answered)
        self.graders, self.takers = self.graded.sum(axis=1), takes.sum(axis=1)
        besides = self.takers[:, None] - takes
        self.room = besides < per_pair
        self._last: Marks = besides == per_pair
        # Colleagues may have graded elsewhere what is out: then it is not asked for any more.
        self.out = self.handed & ~self.answered & (self.graders[:, None] - self.graded < per_pair)
        self.has: Marks = self.answered | self.out
        self.free: Marks = self.room & ~self.has
        self.waiting: Marks = self.takers < per_pair

    def column(self, assessor_id: int) -> int:
        """The column of an assessor."""
        return self._column.get(assessor_id, _NOBODY)

    def columns(self, assessors: Numbers) -> list[int]:
        """The columns of assessors."""
        return [self.column(one) for one in assessors.tolist()]

    def marked(self, handed_out: Iterable[Hold]) -> Marks:
        """These holds as a matrix."""
        found = np.zeros(self.states.shape, bool)
        for one in handed_out:
            found[self.row[one.docno], self._column[one.assessor_id]] = True
        return found

    def docnos_of(self, assessor_id: int) -> list[str]:
        """What an assessor has, answered or not, in the order of the pairs."""
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
        return self.marked(abandoned).any(axis=1, keepdims=True) & ~self.has & self._last

    def shares(self, assessors: Numbers, abandoned: Iterable[Hold], *, closed: bool) -> Shares:
        """What these assessors have and can get."""
        left = self.free | self.recoverable(abandoned)
        may_come = (self.graders < self.per_pair)[:, None] & ~self.has
        if closed:
            left = may_come = np.zeros_like(self.has)
        columns = self.columns(assessors)
        sums = (one.sum(axis=0)[columns] for one in (self.has, self.answered, left, may_come))
        return Shares(*sums)

    def counts(self, assessor_id: int) -> tuple[int, int]:
        """How many pairs an assessor graded, and of how many was unsure."""
        mine = self.states[:, self.column(assessor_id)]
        return int((mine == GRADED).sum()), int((mine == NOT_SURE).sum())

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
