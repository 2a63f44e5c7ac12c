"""Runs as arrays, judged: the documents of one run or of several in the order in which scores read them.

`unmatched` finds runs that do not belong to the qrels, by topics or documents that never match, and says what
the cause may be.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

import numpy as np

from workbench.docnos import Docnos, Words
from workbench.figures import counted
from workbench.ranking import arranged, array_order, score_order, ties_ordered
from workbench.records import Run, TieRule, id_text
from workbench.scoring.judged_run import JudgedRun
from workbench.scoring.relevance import ABSENT, Floats, Positions, Relevance
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


TOGETHER = 2**18
"""From so many documents on, so many are judged at a time: their arrays stay in a processor's cache."""


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
) -> JudgedRows:
    """Documents by their `rows`, of which there is one for each topic of each run; shape (documents,)."""
    if len(rows) <= TOGETHER:
        return _judged_rows(relevance, documents, rows, ties, double_precision)
    begins = np.flatnonzero(np.append(True, rows[1:] != rows[:-1]))
    sizes, order = np.diff(np.append(begins, len(rows))), np.argsort(rows[begins], kind="stable")
    ends = np.cumsum(sizes[order])
    # The documents of a row must not be torn apart, whatever their order in the file.
    torn = np.flatnonzero(np.diff(rows[begins[order]]) == 0)
    edges = np.setdiff1d(np.unique(np.searchsorted(ends, np.arange(0, len(rows), TOGETHER)))[1:], torn + 1)
    parts = (_places(begins[some], sizes[some]) for some in np.split(order, edges))
    found = (
        _judged_rows(relevance, documents.at(part), rows[part], ties, double_precision) for part in parts
    )
    return _one_after_the_other(relevance, found, len(rows))


def _places(begins: Positions, sizes: Positions) -> Positions:
    """The numbers from each beginning, as many as its size says, one after the other."""
    ends = np.cumsum(sizes)
    return np.repeat(begins - ends + sizes, sizes) + np.arange(ends[-1])


def _one_after_the_other(relevance: Relevance, found: Iterable[JudgedRows], documents: int) -> JudgedRows:
    grades = np.empty(documents, dtype=np.int64)
    topics, starts, rows, near_tied, pairs, scores = [], [np.zeros(1, np.intp)], [], [], [], []
    for one in found:
        before = int(starts[-1][-1])
        starts.append(one.judged.starts[1:] + before)
        grades[before : starts[-1][-1]] = one.judged.grades
        topics.append(one.judged.topics)
        rows.append(one.rows)
        near_tied.append(one.near_tied)
        pairs.append(one.judged.pairs)
        scores.append(one.judged.scores)
    several = [one for one in pairs if one is not None]
    judged = JudgedRun(
        relevance,
        np.concatenate(topics),
        np.concatenate(starts),
        grades,
        np.concatenate(several) if several else None,
        lambda: np.concatenate([given() for given in scores if given is not None]),
    )
    return JudgedRows(judged, np.concatenate(rows), np.concatenate(near_tied))


def _judged_rows(
    relevance: Relevance, documents: Documents, rows: Positions, ties: TieRule, double_precision: bool
) -> JudgedRows:
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
    return JudgedRows(judged, in_order[starts], near_tied)


def read_together(relevance: Relevance, runs: Sequence[RunArrays]) -> JudgedRows:
    """Several runs, one or more, each in the order in which `Scorer.score` reads it."""
    several = [documents_of(relevance, run) for run in runs]
    topics = len(relevance.topics)
    rows = np.concatenate([one.numbers + number * topics for number, one in enumerate(several)])
    return judged_rows(relevance, Documents.of(several), rows, ties=TieRule.TREC_EVAL, double_precision=False)


def in_single_precision(scores: Floats) -> Floats:
    """The scores as trec_eval compares them."""
    with np.errstate(over="ignore"):
        return scores.astype(np.float32).astype(np.float64)


def _by_score(
    docnos: Docnos, scores: Floats, numbers: Positions, ties: TieRule, double_precision: bool
) -> tuple[Positions | None, Floats, Positions]:
    """The order of a run but for ties, the scores that are compared, and which topics have near ties.

    The order is None where it is that of the file.
    """
    order, singles = score_order(scores, numbers), in_single_precision(scores)
    in_order, merged, topics = arranged(scores, order), arranged(singles, order), arranged(numbers, order)
    same = (merged[1:] == merged[:-1]) & (topics[1:] == topics[:-1])
    near = same & (in_order[1:] != in_order[:-1])
    if not near.any():
        return order, scores, np.empty(0, dtype=np.intp)
    # Documents have the same number where single precision ties them; few are nearly tied, and only those are
    # put into both orders.
    levels = np.empty(len(scores), dtype=np.intp)
    levels[slice(None) if order is None else order] = in_levels = np.cumsum(np.append(False, ~same))
    nearly = np.zeros(in_levels[-1] + 1, dtype=np.bool_)
    nearly[in_levels[1:][near]] = True
    at = np.flatnonzero(nearly[levels])
    docnos, own = docnos[at], array_order(docnos[at], scores[at], levels[at], ties)
    differ = own != array_order(docnos, singles[at], levels[at], ties)
    near_tied = np.unique(numbers[at[own[differ]]])
    if double_precision:
        return order, scores, near_tied
    # Ties are ordered by docno from any order, but in a file's order only from that.
    return score_order(singles, numbers) if ties is TieRule.FILE else order, singles, near_tied


_COMPARED = 10_000
"""Ids of each side that a guess reads: enough to see how they are written."""


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


_CAUSES: Mapping[str, Callable[[str], str]] = {
    "in their Unicode form (composed or decomposed)": _composed,
    "in upper and lower case": str.casefold,
    "by leading zeros": lambda text: text.lstrip("0"),
    "by a folder or the ending of a file": lambda text: re.sub(r"^.*/|\.[A-Za-z]{2,5}$", "", text),
    "by what stands before the number": lambda text: re.sub(r"^[^0-9]*0*(?=[0-9])", "", text),
}


def unmatched(relevance: Relevance, run: Run | RunArrays) -> str:
    """What a scorer must be told of a run that matches nothing of the qrels, or misses documents by a hair.

    Empty where there is nothing to say.
    """
    topics = run.rankings.keys() if isinstance(run, Run) else run.topics
    if relevance.numbers.keys().isdisjoint(topics):
        return f'run "{run.tag}" has no topic of the qrels: {likely_cause(topics, relevance.topics)}'
    if not _any_judged(relevance, run):
        shared = [topic for topic in topics if topic in relevance.numbers]
        judged = (docno for topic in shared for docno in relevance.grades[topic])
        cause = likely_cause((docno for topic in shared for docno in _docnos(run, topic)), judged)
        return f'no document of run "{run.tag}" is judged: {cause}'
    return _of_another_form(relevance, run)


def likely_cause(given: Iterable[str], known: Iterable[str]) -> str:
    """In what ids that are never equal seem to differ, with an example of each side."""
    ours, theirs = list(islice(given, _COMPARED)), list(islice(known, _COMPARED))
    if not ours or not theirs:
        return "it is empty"
    for difference, written in _CAUSES.items():
        by_form = {written(one): one for one in theirs}
        pair = next(((one, by_form[form]) for one in ours if (form := written(one)) in by_form), None)
        if pair is not None:
            return f'ids seem to differ {difference}, as "{pair[0]}" and "{pair[1]}"'
    return f'"{ours[0]}" and "{theirs[0]}" may be of different collections'


def _any_judged(relevance: Relevance, run: Run | RunArrays) -> bool:
    """Topic by topic, since the first one settles it of nearly every run."""
    if isinstance(run, Run):
        return any(
            grade != ABSENT
            for topic, ranking in run.rankings.items()
            if topic in relevance.numbers
            for grade in relevance.grades_of(topic, ranking.docnos)
        )
    for topic, begin, end in zip(run.topics, run.starts, run.starts[1:], strict=False):
        if (number := relevance.numbers.get(topic)) is None:
            continue
        hashed = None if run.hashes is None else run.hashes[begin:end]
        grades = relevance.grades_in_arrays(
            run.docnos[begin:end], np.full(end - begin, number, dtype=np.intp), hashed
        )
        if (grades != ABSENT).any():
            return True
    return False


def _docnos(run: Run | RunArrays, topic: str) -> Collection[str]:
    if isinstance(run, Run):
        return run.rankings[topic].docnos
    number = run.topics.index(topic)
    docnos = run.docnos[run.starts[number] : run.starts[number + 1]]
    return list(map(id_text, docnos.tolist()))


def _of_another_form(relevance: Relevance, run: Run | RunArrays) -> str:
    """Documents that would be judged if their docnos were in the same Unicode form as the qrels'."""
    if not isinstance(run, Run) and not (run.docnos.view(np.uint8) > 127).any():
        return ""
    found: list[tuple[str, str]] = []
    topics = run.rankings.keys() if isinstance(run, Run) else run.topics
    for topic in topics:
        if topic not in relevance.numbers:
            continue
        other = [docno for docno in _docnos(run, topic) if not docno.isascii()]
        if other:
            grades = relevance.grades[topic]
            forms = {_composed(docno): docno for docno in grades if not docno.isascii()}
            found += [
                (docno, forms[_composed(docno)])
                for docno in other
                if docno not in grades and _composed(docno) in forms
            ]
    if not found:
        return ""
    one, same = found[0]
    return (
        f'{counted(len(found), "document")} of run "{run.tag}" would be judged if docnos had one Unicode '
        f"form: {one!a} in the run, {same!a} in the qrels"
    )
