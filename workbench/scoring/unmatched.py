"""Runs that do not belong to the qrels: topics or documents that never match, and what the cause may be."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import islice

import numpy as np

from workbench.figures import counted
from workbench.records import Run
from workbench.scoring.pair_table import ABSENT
from workbench.scoring.relevance import Relevance
from workbench.scoring.run_arrays import RunArrays, documents_of

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
    documents = documents_of(relevance, run)
    for number in dict.fromkeys(documents.numbers.tolist()):
        of_topic = documents.at(np.flatnonzero(documents.numbers == number))
        grades = relevance.grades_in_arrays(of_topic.docnos, of_topic.numbers, of_topic.hashes)
        if (grades != ABSENT).any():
            return True
    return False


def _docnos(run: Run | RunArrays, topic: str) -> Collection[str]:
    if isinstance(run, Run):
        return run.rankings[topic].docnos
    number = run.topics.index(topic)
    docnos = run.docnos[run.starts[number] : run.starts[number + 1]]
    return [docno.decode("utf-8", "surrogateescape") for docno in docnos.tolist()]


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
