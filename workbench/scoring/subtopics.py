"""Qrels with subtopics as scoring reads them, and which subtopics the documents of a run are relevant to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count

import numpy as np

from workbench.docnos import Docnos
from workbench.errors import WorkbenchError
from workbench.records import Qrel, pair_of, sorted_ids
from workbench.scoring.judged_run import JudgedRun
from workbench.scoring.relevance import (
    ABSENT,
    Floats,
    Grades,
    PairTable,
    Positions,
    Relevance,
    pairs_of,
    places_from,
)


@dataclass(frozen=True, slots=True, eq=False)
class SubtopicHits:
    """Each subtopic that each retrieved document is relevant to: topic after topic, document by document.

    `rows` are the topics, `ranks` those of the documents, from 1; `subtopics` are numbered over all topics,
    and `nth` says the how many-th document relevant to its subtopic each is, from 1; all of shape (hits,).
    """

    rows: Positions
    ranks: Positions
    subtopics: Positions
    nth: Positions

    def within(self, cutoff: int | None) -> SubtopicHits:
        """The hits down to a rank; all where it is None."""
        if cutoff is None:
            return self
        kept = self.ranks <= cutoff
        return SubtopicHits(self.rows[kept], self.ranks[kept], self.subtopics[kept], self.nth[kept])


class SubtopicRelevance(Relevance):
    """Qrels of which the second column names subtopics; the grade of a document is its highest.

    The pairs of topic and document are numbered topic after topic, within a topic in the order of the bytes
    of their docnos; subtopics are numbered over all topics.
    Raises WorkbenchError as `Relevance` does, and where no topic has two subtopics.
    """

    def __init__(self, qrels: Iterable[Qrel]) -> None:
        self.lines = tuple(qrels)
        super().__init__(_highest(self.lines))
        subtopics: dict[tuple[str, str], int] = {}
        for line in self.lines:
            subtopics.setdefault((line.topic, line.iteration), len(subtopics))
        self._topics = np.array([self.numbers[topic] for topic, _ in subtopics], dtype=np.intp)
        if np.bincount(self._topics).max() < 2:
            raise WorkbenchError(
                "the qrels have no subtopics: the second column has one value in every topic",
                remedy="use qrels with the columns topic subtopic docno grade for diversity measures",
            )
        pairs = count()
        self._pairs = {
            topic: {docno: next(pairs) for docno in sorted_ids(grades)}
            for topic, grades in self.grades.items()
        }
        self._starts = np.cumsum([0, *map(len, self._pairs.values())])
        judged = np.array(
            [
                (self._pairs[line.topic][line.docno], subtopics[line.topic, line.iteration], line.grade)
                for line in self.lines
            ],
            dtype=np.int64,
        )
        self._judged = judged[np.lexsort((judged[:, 1], judged[:, 0]))]
        self._covered: dict[int, tuple[Positions, Positions]] = {}
        self._gains: dict[tuple[int, float, int | None], list[Floats]] = {}

    def second_subtopic(self) -> Qrel | None:
        """The first line that grades a document for another subtopic; None where no document has two."""
        pairs: set[tuple[str, str]] = set()
        for line in self.lines:
            if pair_of(line) in pairs:
                return line
            pairs.add(pair_of(line))
        return None

    def pairs_of(self, topic: str, docnos: Sequence[str]) -> list[int]:
        """The number of each document's pair, or ABSENT."""
        pairs = self._pairs[topic]
        return [pairs.get(docno, ABSENT) for docno in docnos]

    def pairs_in_arrays(self, docnos: Docnos, numbers: Positions) -> Grades:
        """The number of each document's pair, or ABSENT, given its docno and the number of its topic."""
        return self._pair_table.find(pairs_of(docnos, numbers))

    @cached_property
    def _pair_table(self) -> PairTable:
        return self.table([self._pairs[topic][docno] for topic, of in self.grades.items() for docno in of])

    def hits(self, run: JudgedRun, rel: int) -> SubtopicHits:
        """The subtopics that the documents of a run are relevant to, from the grade `rel` on."""
        if run.pairs is None:
            raise ValueError("the run was not judged against these qrels")
        starts, covered = self._relevant(rel)
        at = np.flatnonzero(run.pairs != ABSENT)
        firsts = starts[run.pairs[at]]
        sizes = starts[run.pairs[at] + 1] - firsts
        subtopics = covered[places_from(firsts, sizes)]
        documents = np.repeat(at, sizes)
        return SubtopicHits(run.rows[documents], run.ranks[documents], subtopics, _counted(subtopics))

    def subtopics(self, rel: int) -> Positions:
        """How many subtopics of each topic have a relevant document; shape (topics,).

        As in ndeval, a subtopic for which nothing relevant is known is no subtopic.
        """
        return np.bincount(self._topics[self.documents(rel) > 0], minlength=len(self.topics))

    def documents(self, rel: int) -> Positions:
        """How many documents are relevant to each subtopic; shape (subtopics,)."""
        return np.bincount(self._relevant(rel)[1], minlength=len(self._topics))

    def ideal_gains(self, rel: int, alpha: float, depth: int | None) -> list[Floats]:
        """The gains of the ideal ranking of each topic, by rank, down to a depth.

        The best ranking is NP-hard to find; as in Clarke et al. 2008 and ndeval each rank gets the document
        that gains most after those above it, and of several the one whose docno comes last.
        """
        key = rel, alpha, depth
        if key not in self._gains:
            starts, covered = self._relevant(rel)
            self._gains[key] = [
                _greedy(starts[begin : end + 1], covered, alpha, depth)
                for begin, end in zip(self._starts[:-1].tolist(), self._starts[1:].tolist(), strict=True)
            ]
        return self._gains[key]

    def _relevant(self, rel: int) -> tuple[Positions, Positions]:
        """Where the subtopics begin that every pair is relevant to, shape (pairs + 1,), and these."""
        if rel not in self._covered:
            pairs, subtopics, _ = self._judged[self._judged[:, 2] >= rel].T
            sizes = np.bincount(pairs, minlength=int(self._starts[-1]))
            self._covered[rel] = np.append(0, np.cumsum(sizes)), subtopics
        return self._covered[rel]


def _highest(lines: Sequence[Qrel]) -> Iterable[Qrel]:
    """One line a pair, with its highest grade; raises WorkbenchError for two grades for one subtopic."""
    first: dict[tuple[str, str], Qrel] = {}
    seen: set[tuple[str, str, str]] = set()
    for line in lines:
        if (line.topic, line.docno, line.iteration) in seen:
            raise WorkbenchError(
                f"document {line.docno} has two grades for subtopic {line.iteration} of topic {line.topic}",
                remedy="keep one grade for each subtopic that a document is judged for",
            )
        seen.add((line.topic, line.docno, line.iteration))
        best = first.setdefault(pair_of(line), line)
        if line.grade > best.grade:
            first[pair_of(line)] = replace(best, grade=line.grade)
    return first.values()


def _counted(subtopics: Positions) -> Positions:
    """The how many-th of its number each is, from 1."""
    order = np.argsort(subtopics, kind="stable")
    grouped = subtopics[order]
    nth = np.empty(len(subtopics), dtype=np.intp)
    nth[order] = np.arange(1, len(subtopics) + 1) - np.searchsorted(grouped, grouped)
    return nth


def _greedy(starts: Positions, subtopics: Positions, alpha: float, depth: int | None) -> Floats:
    """The gains of the ranking of one topic that takes the document of the highest gain at each rank."""
    subtopics = subtopics[starts[0] : starts[-1]]
    of_topic, numbers = np.unique(subtopics, return_inverse=True)
    documents = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    worth = np.ones(len(of_topic))
    placed = np.zeros(len(starts) - 1, dtype=bool)
    gains: list[float] = []
    while depth is None or len(gains) < depth:
        offered = np.bincount(documents, weights=worth[numbers], minlength=len(placed))
        offered[placed] = 0.0
        best = len(offered) - 1 - int(np.argmax(offered[::-1]))
        if offered[best] <= 0:
            break
        gains.append(float(offered[best]))
        placed[best] = True
        worth[numbers[documents == best]] *= 1.0 - alpha
    return np.array(gains)
