"""What the influence of disputed pairs is computed from: the present grade of every document."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from workbench.docnos import Docnos
from workbench.records import Scale, id_bytes
from workbench.workflow.adjudication.queue_table import QueueTable
from workbench.workflow.adjudication.topic_spreads import Numbers, TopicSpreads
from workbench.workflow.log import TopicAnswers


@dataclass(frozen=True, eq=False)
class TopicGrades:
    """The documents of a topic that have a grade, the grade, and which are disputed.

    `disputed` are places among the `docnos`, and `outcomes` the different grades, ascending, that each of
    these could get: those given, or each of the scale where fewer than two were.
    """

    topic: str
    docnos: Docnos
    grades: Numbers
    disputed: Numbers
    outcomes: tuple[tuple[int, ...], ...]

    @cached_property
    def digest(self) -> str:
        """A hash of all of it but the topic."""
        sha = hashlib.sha256(repr((self.docnos.dtype.str, self.outcomes)).encode())
        for part in (self.docnos, self.grades, self.disputed):
            sha.update(part.tobytes())
        return sha.hexdigest()


def topic_grades(table: QueueTable) -> dict[str, TopicGrades]:
    """Every topic with a grade, decided or else the lower median of the grades of a document, by topic."""
    decided: dict[str, dict[str, int]] = {}
    for one in table.decisions.values():
        if one.grade is not None:
            decided.setdefault(one.topic, {})[one.docno] = one.grade
    source, found = table.source, {}
    for topic, answers in source.answers.items():
        make = partial(_graded, source.machines, source.scale, source.spreads_of(answers))
        graded = answers.keep(("graded", source.machines, source.rules.disputed, source.scale), make)
        if len(graded.docnos):
            found[topic] = graded
    for topic, grades in decided.items():
        found[topic] = _with_decisions(found.get(topic, _nothing(topic)), grades)
    return found


def _nothing(topic: str) -> TopicGrades:
    nothing = np.empty(0, dtype=np.int64)
    return TopicGrades(topic, np.empty(0, dtype="S1"), nothing, nothing, ())


def _graded(
    machines: frozenset[int], scale: Scale, spreads: TopicSpreads, answers: TopicAnswers
) -> TopicGrades:
    counted = answers.of_people(machines) & (answers.codes >= 0)
    places, codes = answers.places[counted].astype(np.int64), answers.codes[counted]
    order = np.lexsort((codes, places))
    places, codes = places[order], codes[order]
    begins = np.flatnonzero(np.diff(places, prepend=-1))
    numbers = np.diff(np.append(begins, len(places)))
    graded = places[begins]
    docnos = answers.joined.split(b"\n") if answers.documents else []
    disputed = np.searchsorted(graded, spreads.disputed)
    every = tuple(sorted(grade.value for grade in scale.grades))
    outcomes = []
    for at in disputed.tolist():
        given = tuple(sorted(set(codes[begins[at] : begins[at] + numbers[at]].tolist())))
        outcomes.append(given if len(given) > 1 else every)
    chosen = [docnos[place] for place in graded.tolist()]
    medians = codes[begins + (numbers - 1) // 2]
    return TopicGrades(answers.topic, np.array(chosen, dtype=np.bytes_), medians, disputed, tuple(outcomes))


def _with_decisions(topic: TopicGrades, decided: Mapping[str, int]) -> TopicGrades:
    """The same with what was decided; documents that nobody graded stand at the end."""
    given = {id_bytes(docno): grade for docno, grade in decided.items()}
    grades = topic.grades.copy()
    # One step for each decided document among the sorted ones.
    names = np.array(list(given), dtype=np.bytes_)
    at = np.minimum(np.searchsorted(topic.docnos, names), max(len(topic.docnos) - 1, 0))
    known = topic.docnos[at] == names if len(topic.docnos) else np.zeros(len(names), dtype=np.bool_)
    values = np.array(list(given.values()), dtype=np.int64)
    grades[at[known]] = values[known]
    return replace(
        topic,
        docnos=np.concatenate([topic.docnos, names[~known]]),
        grades=np.concatenate([grades, values[~known]]),
    )
