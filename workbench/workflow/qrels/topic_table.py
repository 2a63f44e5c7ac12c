"""The vote table of one topic, or of several, made of current answers as arrays: what a rule settles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

from workbench.consensus.models.votes import Numbers, Votes
from workbench.consensus.rule import Pair
from workbench.consensus.vote_table import VoteTable
from workbench.records import Scale, id_bytes
from workbench.workflow.pools.topic_answers import TopicAnswers

Assessors = tuple[tuple[int, str, bool], ...]
"""The assessors of a campaign: id, name, whether a machine."""


class TopicPairs(Sequence[Pair]):
    """The pairs of one topic; the docnos, `joined` by line feeds, are decoded when one is asked for."""

    def __init__(self, topic: str, joined: bytes, count: int) -> None:
        self.topic, self.joined, self._count = topic, joined, count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> Pair: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Pair]: ...
    def __getitem__(self, place: int | slice) -> Pair | Sequence[Pair]:
        if isinstance(place, slice):
            return tuple((self.topic, docno) for docno in self._docnos[place])
        return self.topic, self._docnos[place]

    @cached_property
    def _docnos(self) -> list[str]:
        return self.joined.decode("utf-8", "surrogateescape").split("\n")[: self._count]


@dataclass(frozen=True, slots=True, eq=False)
class CountedAssessors:
    """Whose answers count: their ids, ascending, and where each stands among their sorted `names`."""

    ids: Numbers
    places: Numbers
    names: tuple[str, ...]

    @classmethod
    def of(cls, assessors: Assessors, counted: frozenset[str]) -> CountedAssessors:
        """Those of the assessors who are counted."""
        chosen = sorted((number, name) for number, name, _ in assessors if name in counted)
        names = tuple(sorted(name for _, name in chosen))
        place = {name: at for at, name in enumerate(names)}
        ids = np.array([number for number, _ in chosen], np.int64)
        return cls(ids, np.array([place[name] for _, name in chosen], np.int64), names)

    def find(self, assessors: NDArray[np.int64]) -> tuple[NDArray[np.bool_], Numbers]:
        """Which of these ids count, and where those that do stand among the names."""
        if not len(self.ids):
            return np.zeros(len(assessors), np.bool_), np.zeros(0, np.int64)
        at = np.minimum(np.searchsorted(self.ids, assessors), len(self.ids) - 1)
        there = self.ids[at] == assessors
        return there, self.places[at[there]]


def topic_table(
    answers: TopicAnswers, who: CountedAssessors, scale: Scale, decided: Mapping[str, int]
) -> tuple[bytes, VoteTable]:
    """A topic's documents with an answer, or decided, joined by line feeds, and the table of their votes.

    `decided` has grades by docno. The table is what `vote_table` makes of the judgments, but with every grade
    of the scale and every counted assessor, whether they occur or not, and with the documents that only
    others judged. Raises WorkbenchError for a grade outside the scale.
    """
    joined, count, rows, places = documents_of(answers, decided)
    there, assessors = who.find(answers.assessors)
    places, codes = places[there], answers.codes[there]
    judged = np.zeros(count, np.bool_)
    judged[places] = True
    graded = codes >= 0
    places, assessors, codes = places[graded], assessors[graded], codes[graded]
    values = np.array(sorted(grade.value for grade in scale.grades), np.int64)
    grades = np.minimum(np.searchsorted(values, codes), len(values) - 1)
    outside = values[grades] != codes
    if outside.any():
        first = np.lexsort((assessors[outside], places[outside]))[0]
        scale.grade(int(codes[outside][first]))
    return joined, VoteTable(
        TopicPairs(answers.topic, joined, count),
        who.names,
        values,
        Votes(places, assessors, grades, count, len(who.names), len(values)),
        judged,
        rows,
        scale.relevant_from,
    )


def documents_of(
    answers: TopicAnswers, decided: Mapping[str, int]
) -> tuple[bytes, int, dict[int, int], NDArray[np.int64]]:
    """The documents that anybody answered or that were decided: joined, and how many they are.

    With them the decisions by row, and the row of each answer's document.
    """
    joined, count, places = answers.joined, answers.documents, answers.places.astype(np.int64)
    if not decided:
        return joined, count, {}, places
    own = joined.split(b"\n")[:count]
    grades = {id_bytes(docno): grade for docno, grade in decided.items()}
    every = sorted({*own, *grades})
    row = {docno: at for at, docno in enumerate(every)}
    if len(every) > count:
        places = np.array([row[docno] for docno in own], np.int64)[places]
        joined, count = b"\n".join(every), len(every)
    return joined, count, dict(sorted((row[docno], grade) for docno, grade in grades.items())), places


def joined_tables(
    tables: Sequence[VoteTable], scale: Scale, names: Sequence[str], *, every: bool = False
) -> VoteTable:
    """The table of several topics, in the order of bytes, exactly as `vote_table` makes it of the judgments.

    They are made by `topic_table` with one scale and the same assessors, whose sorted names are given. With
    `every` document of theirs there is a row also for those that only others judged.
    """
    pairs: list[Pair] = []
    decided: dict[int, int] = {}
    columns: list[tuple[Numbers, Numbers, Numbers, NDArray[np.bool_]]] = []
    for table in tables:
        kept = table.judged.copy()
        kept[slice(None) if every else list(table.decided)] = True
        rows = np.cumsum(kept) - 1 + len(pairs)
        decided |= {int(rows[row]): grade for row, grade in table.decided.items()}
        pairs.extend(pair for pair, chosen in zip(table.pairs[:], kept.tolist(), strict=True) if chosen)
        votes = table.votes
        columns.append((rows[votes.pairs], votes.assessors, votes.grades, table.judged[kept]))
    none = np.zeros(0, np.int64)
    at, who, which = (np.concatenate([none, *(one[column] for one in columns)]) for column in range(3))
    judged = np.concatenate([none.astype(np.bool_), *(one[3] for one in columns)])
    # The answers to a document stand by the ids of assessors, and here by their names.
    places = at * len(names) + who
    if (np.diff(places) < 0).any():
        order = np.argsort(places, kind="stable")
        at, who, which = at[order], who[order], which[order]
    values = np.array(sorted(grade.value for grade in scale.grades), np.int64)
    graders, who = _occurring(who, len(names))
    given, which = _occurring(which, len(values))
    return VoteTable(
        tuple(pairs),
        tuple(names[at] for at in graders.tolist()),
        values[given],
        Votes(at, who, which, len(pairs), len(graders), len(given)),
        judged,
        decided,
        scale.relevant_from,
    )


def _occurring(places: Numbers, size: int) -> tuple[Numbers, Numbers]:
    """Which of so many places occur, and each numbered among these."""
    there = np.bincount(places, minlength=size) > 0
    return np.flatnonzero(there), (np.cumsum(there) - 1)[places]
