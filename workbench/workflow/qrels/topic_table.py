"""The vote table of one topic, or of several, made of current answers as arrays: what a rule settles."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

from workbench.consensus.rule import Pair
from workbench.consensus.votes import Numbers, Votes, VoteTable
from workbench.records import Scale, sorted_ids
from workbench.workflow.log import TopicAnswers, no_answers
from workbench.workflow.qrels.judged_docnos import AnsweredRows, JudgedDocnos

Assessors = tuple[tuple[int, str, bool], ...]
"""The assessors of a campaign: id, name, whether a machine."""


@dataclass(frozen=True, slots=True, eq=False)
class JudgedTopics:
    """The current answers of a campaign by topic, and its assessors."""

    answers: Mapping[str, TopicAnswers]
    assessors: Assessors


class TopicPairs(Sequence[Pair]):
    """The documents of one topic as pairs; they are decoded when one is asked for."""

    def __init__(self, documents: JudgedDocnos) -> None:
        self._documents = documents

    def __len__(self) -> int:
        return self._documents.count

    @overload
    def __getitem__(self, place: int) -> Pair: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Pair]: ...
    def __getitem__(self, place: int | slice) -> Pair | Sequence[Pair]:
        if isinstance(place, slice):
            return tuple((self._documents.topic, docno) for docno in self._docnos[place])
        return self._documents.topic, self._docnos[place]

    @cached_property
    def _docnos(self) -> list[str]:
        return self._documents.docnos


@dataclass(frozen=True, slots=True, eq=False)
class CountedAssessors:
    """Whose answers count: their ids, ascending, and where each stands among their sorted `names`."""

    ids: Numbers
    places: Numbers
    names: tuple[str, ...]

    @classmethod
    def of(cls, assessors: Assessors, counted: Collection[str]) -> CountedAssessors:
        """Those of the assessors who are counted."""
        chosen = sorted((number, name) for number, name, _ in assessors if name in counted)
        names = tuple(sorted(name for _, name in chosen))
        place = {name: at for at, name in enumerate(names)}
        ids = np.array([number for number, _ in chosen], np.int64)
        places = np.array([place[name] for _, name in chosen], np.int64)
        return cls(ids, places, names)

    def find(self, assessors: NDArray[np.int64]) -> tuple[NDArray[np.bool_], Numbers]:
        """Which of these ids count, and where those that do stand among the names."""
        if not len(self.ids):
            return np.zeros(len(assessors), np.bool_), np.zeros(0, np.int64)
        at = np.minimum(np.searchsorted(self.ids, assessors), len(self.ids) - 1)
        there = self.ids[at] == assessors
        return there, self.places[at[there]]


def topic_table(answers: TopicAnswers, rows: AnsweredRows, who: CountedAssessors, scale: Scale) -> VoteTable:
    """The table of the votes on a topic's documents with an answer, or decided.

    It is what `vote_table` makes of the judgments, but with every grade of the scale and every counted
    assessor, whether they occur or not, and with the documents that only others judged. Raises WorkbenchError
    for a grade outside the scale.
    """
    count, places = rows.documents.count, rows.of_answers(answers)
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
    return VoteTable(
        TopicPairs(rows.documents),
        who.names,
        values,
        Votes(places, assessors, grades, count, len(who.names), len(values)),
        judged,
        rows.decided,
        scale.relevant_from,
    )


def judged_table(
    judged: JudgedTopics, scale: Scale, decided: Mapping[Pair, int], counted: Collection[str]
) -> VoteTable:
    """The table of the counted assessors' judgments of all topics, as `vote_table` makes it of them."""
    who = CountedAssessors.of(judged.assessors, counted)
    of_topics: dict[str, dict[str, int]] = {}
    for (topic, docno), grade in sorted(decided.items()):
        of_topics.setdefault(topic, {})[docno] = grade
    tables = []
    for topic in sorted_ids({*judged.answers, *of_topics}):
        answers = judged.answers.get(topic) or no_answers(topic)
        rows = AnsweredRows.of(answers, of_topics.get(topic, {}))
        tables.append(topic_table(answers, rows, who, scale))
    return joined_tables(tables, scale, who.names)


def joined_tables(tables: Sequence[VoteTable], scale: Scale, names: Sequence[str]) -> VoteTable:
    """The table of several topics, in the order of bytes.

    They are made by `topic_table` with one scale and the same assessors, whose sorted names are given.
    """
    pairs: list[Pair] = []
    decided: dict[int, int] = {}
    columns: list[tuple[Numbers, Numbers, Numbers, NDArray[np.bool_]]] = []
    for table in tables:
        kept = table.judged.copy()
        kept[list(table.decided)] = True
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
