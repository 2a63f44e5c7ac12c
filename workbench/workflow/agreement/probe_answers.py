"""Answers to repeats, planted pairs and training, with the earlier or known answer they are compared with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.formats.graded_pairs import ProbeLine
from workbench.storage.events import CURRENT_PURPOSES, LATER, WITHDRAWN
from workbench.storage.tables import KnownAnswerRow
from workbench.workflow.agreement.own_events import Pair, RecordedEvent, own_events


class Against(StrEnum):
    """What an assessor's answers are compared with."""

    REPEAT = "repeat"
    PLANTED = "planted"
    TRAINING = "training"


@dataclass(frozen=True, slots=True)
class ProbeAnswer:
    """The answer to a probe that counts; `first` is the current answer just before a repeat.

    `changed` says that another answer to the repeat came later, which does not count. `round` counts how
    often the training was gone through. `judged` says that a planted pair stands in a pool and was judged as
    every other: its answer is current.
    """

    against: Against
    event: RecordedEvent
    first: RecordedEvent | None
    known: int | None
    round: int = 1
    judged: bool = False
    changed: bool = False

    @property
    def stood(self) -> int | None:
        """The grade with which the answer is compared."""
        if self.against is Against.REPEAT:
            return self.first.grade if self.first is not None else None
        return self.known


def known_answers(db: Session, campaign_id: int) -> dict[tuple[str, Pair], int]:
    """The known grades of a campaign by purpose and pair."""
    known = KnownAnswerRow
    return {
        (purpose, (topic, docno)): grade
        for topic, docno, purpose, grade in db.execute(
            select(known.topic, known.docno, known.purpose, known.grade).where(
                known.campaign_id == campaign_id
            )
        )
    }


def answers_to_probes(
    events: Sequence[RecordedEvent], known: Mapping[tuple[str, Pair], int]
) -> list[ProbeAnswer]:
    """One assessor's answers to probes, in the order recorded; of pairs without a probe nothing is needed.

    Of a planted pair that was changed or undone at the desk only the last answer counts. Of a repeat, and in
    a round of training, the first one counts, whatever became of it. A planted pair that was judged among
    the others comes with its current answer, after the rest.
    """
    current: dict[Pair, RecordedEvent] = {}
    probes: dict[object, ProbeAnswer] = {}
    for at, one in enumerate(events):
        if one.purpose in CURRENT_PURPOSES:
            if one.answer != LATER:
                current[one.pair] = one
            continue
        against, number = Against(one.purpose), one.round
        # From elsewhere every one stands for itself.
        place = (against, one.pair, number, one.assignment if one.assignment is not None else -1 - at)
        if against is not Against.PLANTED and place in probes:
            given = probes[place]
            if one.answer != LATER and (one.answer, one.grade) != (given.event.answer, given.event.grade):
                probes[place] = replace(given, changed=True)
            continue
        probes.pop(place, None)
        if one.answer in (WITHDRAWN, LATER):
            continue
        first = current.get(one.pair) if against is Against.REPEAT else None
        first = None if first is not None and first.answer == WITHDRAWN else first
        probes[place] = ProbeAnswer(against, one, first, known.get((against, one.pair)), number)
    planted = [
        ProbeAnswer(Against.PLANTED, one, None, known[Against.PLANTED, pair], judged=True)
        for pair, one in current.items()
        if (Against.PLANTED, pair) in known and one.answer != WITHDRAWN
    ]
    return [*probes.values(), *planted]


def probe_lines(db: Session, campaign_id: int) -> Iterator[ProbeLine]:
    """Every answer to a repeat, a planted pair or a training pair, by assessor, in the order recorded."""
    known = known_answers(db, campaign_id)
    for assessor in own_events(db, campaign_id):
        found = answers_to_probes(assessor.probed, known)
        for one in sorted(found, key=lambda one: one.event.number):
            first = one.first
            yield ProbeLine(
                topic=one.event.pair[0],
                docno=one.event.pair[1],
                assessor=assessor.name,
                machine=assessor.machine,
                purpose=str(one.against),
                round=one.round if one.against is Against.TRAINING else None,
                judged=one.judged,
                first=None if first is None else (first.answer, first.grade, first.when),
                given=(one.event.answer, one.event.grade, one.event.when),
                known=one.known,
            )


def probe_json(line: ProbeLine) -> dict[str, Any]:
    """A line as one JSON object of a file."""
    first = line.first
    return {
        "topic": line.topic,
        "docno": line.docno,
        "assessor": line.assessor,
        "machine": line.machine,
        "purpose": line.purpose,
        "round": line.round,
        "judged": line.judged,
        "first": None if first is None else _json(*first),
        "said": _json(*line.given),
        "known_grade": line.known,
    }


def _json(answer: str, grade: int | None, when: datetime) -> dict[str, Any]:
    return {"answer": answer, "grade": grade, "recorded_at": when.isoformat()}
