"""Runs as arrays, judged: the documents of one run or of several in the order in which scores read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from workbench.docnos import Docnos, Words
from workbench.ranking import arranged, array_order, score_order, ties_ordered
from workbench.records import TieRule
from workbench.scoring.judged_run import JudgedRun
from workbench.scoring.relevance import Floats, Positions, Relevance
from workbench.scoring.subtopics import SubtopicRelevance


class RunArrays(Protocol):
    """A run as arrays: of topic number i the documents `starts[i]` to `starts[i + 1]`, in file order."""

    @property
    def tag(self) -> str: ...
    @property
    def topics(self) -> tuple[str, ...]: ...
    @property
    def starts(self) -> Positions: ...
    @property
    def docnos(self) -> Docnos: ...
    @property
    def scores(self) -> Floats: ...
    @property
    def hashes(self) -> Words | None: ...


@dataclass(frozen=True, slots=True, eq=False)
class Documents:
    """Documents with their scores, the hashes of their docnos, and their topics' numbers in the qrels."""

    docnos: Docnos
    scores: Floats
    hashes: Words | None
    numbers: Positions

    @classmethod
    def of(cls, several: Sequence[Documents]) -> Documents:
        """All of several."""
        hashed = [one.hashes for one in several if one.hashes is not None]
        return cls(
            np.concatenate([one.docnos for one in several]),
            np.concatenate([one.scores for one in several]),
            np.concatenate(hashed) if len(hashed) == len(several) else None,
            np.concatenate([one.numbers for one in several]),
        )

    def at(self, places: Positions) -> Documents:
        """These of the documents."""
        hashed = None if self.hashes is None else self.hashes[places]
        return Documents(self.docnos[places], self.scores[places], hashed, self.numbers[places])


@dataclass(frozen=True, slots=True, eq=False)
class JudgedRows:
    """Runs judged at once: the `rows` of `judged` that have documents, run after run, by topic.

    Row number r is that of topic r % topics of the run r // topics, both counted from 0. In the rows
    `near_tied` doubles and single precision order the documents differently.
    """

    judged: JudgedRun
    rows: Positions
    near_tied: Positions


def documents_of(relevance: Relevance, run: RunArrays) -> Documents:
    """What a run has of the topics of the qrels."""
    sizes = np.diff(run.starts)
    known = [relevance.numbers.get(topic, -1) for topic in run.topics]
    numbers = np.repeat(np.array(known, dtype=np.intp), sizes)
    found = Documents(run.docnos, run.scores, run.hashes, numbers)
    return found.at(np.flatnonzero(numbers >= 0)) if -1 in known else found


def judged_rows(
    relevance: Relevance, documents: Documents, rows: Positions, *, ties: TieRule, double_precision: bool
) -> tuple[JudgedRows, Floats]:
    """Documents by their `rows`, of which there is one for each topic of each run; shape (documents,).

    With them the scores that were compared, in the order in which the documents were given.
    """
    docnos, numbers = documents.docnos, documents.numbers
    # Found in the order of the file, since docnos are longer to move than what is found.
    grades = relevance.grades_in_arrays(docnos, numbers, documents.hashes)
    pairs = relevance.pairs_in_arrays(docnos, numbers) if isinstance(relevance, SubtopicRelevance) else None
    order, read, near_tied = _by_score(docnos, documents.scores, rows, ties, double_precision)
    # Tied documents with the same grade, as most that are not judged, need no order among themselves.
    kinds = grades if pairs is None else pairs
    order = ties_ordered(order, docnos, read, rows, ties, kinds=kinds)
    in_order = arranged(rows, order)
    changes = np.flatnonzero(in_order[1:] != in_order[:-1]) + 1
    starts = np.append(np.zeros(min(1, len(rows)), dtype=np.intp), changes)
    judged = JudgedRun(
        relevance,
        arranged(numbers, order)[starts],
        np.append(starts, len(rows)),
        arranged(grades, order),
        None if pairs is None else arranged(pairs, order),
        lambda: arranged(read, order),
    )
    return JudgedRows(judged, in_order[starts], near_tied), read


def read_together(relevance: Relevance, runs: Sequence[RunArrays]) -> JudgedRows:
    """Several runs, one or more, each in the order in which `Scorer.score` reads it."""
    several = [documents_of(relevance, run) for run in runs]
    topics = len(relevance.topics)
    rows = np.concatenate([one.numbers + number * topics for number, one in enumerate(several)])
    found, _ = judged_rows(
        relevance, Documents.of(several), rows, ties=TieRule.TREC_EVAL, double_precision=False
    )
    return found


def _by_score(
    docnos: Docnos, scores: Floats, numbers: Positions, ties: TieRule, double_precision: bool
) -> tuple[Positions | None, Floats, Positions]:
    """The order of a run but for ties, the scores that are compared, and which topics have near ties.

    The order is None where it is that of the file.
    """
    order = score_order(scores, numbers)
    with np.errstate(over="ignore"):
        singles = scores.astype(np.float32)
    in_order, merged, topics = arranged(scores, order), arranged(singles, order), arranged(numbers, order)
    same = (merged[1:] == merged[:-1]) & (topics[1:] == topics[:-1])
    near = same & (in_order[1:] != in_order[:-1])
    if not near.any():
        return order, scores, np.empty(0, dtype=np.intp)
    read = singles.astype(np.float64)
    # Documents have the same number where single precision ties them; few are nearly tied, and only those are
    # put into both orders.
    levels = np.empty(len(scores), dtype=np.intp)
    levels[slice(None) if order is None else order] = in_levels = np.cumsum(np.append(False, ~same))
    nearly = np.zeros(in_levels[-1] + 1, dtype=np.bool_)
    nearly[in_levels[1:][near]] = True
    at = np.flatnonzero(nearly[levels])
    docnos, own = docnos[at], array_order(docnos[at], scores[at], levels[at], ties)
    differ = own != array_order(docnos, read[at], levels[at], ties)
    near_tied = np.unique(numbers[at[own[differ]]])
    if double_precision:
        return order, scores, near_tied
    # Ties are ordered by docno from any order, but in a file's order only from that.
    return score_order(read, numbers) if ties is TieRule.FILE else order, read, near_tied
