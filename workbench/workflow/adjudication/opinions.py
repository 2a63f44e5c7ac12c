"""What the assessors of one pair say, as an adjudicator or a discussion sees it: names shown or hidden."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from workbench.consensus.rule import Pair
from workbench.records import Answer, id_bytes
from workbench.storage.events import DISCUSSION, HOLDING, LATER, WITHDRAWN
from workbench.storage.tables import DocumentRow, JudgmentEventRow
from workbench.workflow.adjudication.decisions import Person
from workbench.workflow.adjudication.rules import AdjudicationRules
from workbench.workflow.judging.annotations import Passage, stored_annotations
from workbench.workflow.judging.desk_view import ShownDocument


@dataclass(frozen=True, slots=True)
class Statement:
    """One answer with what was said for it: a reason, a comment, and the passages marked as evidence.

    The places of the passages belong to the text that was shown then, which may be another one by now.
    """

    answer: Answer
    grade: int | None
    reason: str
    comment: str
    evidence: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Opinion:
    """One assessor of a pair: what holds now and, after a discussion, what held before it.

    `name` is the assessor's, or a letter where names are hidden. `mine` marks the reader's own.
    """

    assessor_id: int
    name: str
    machine: bool
    mine: bool
    event_id: int
    now: Statement
    before: Statement | None

    @property
    def changed(self) -> bool:
        """Whether the discussion changed the answer."""
        was = self.before
        return was is not None and (was.answer, was.grade) != (self.now.answer, self.now.grade)


def opinions_of(
    db: Session,
    campaign_id: int,
    pair: Pair,
    *,
    people: Mapping[int, Person],
    rules: AdjudicationRules,
    account_id: int,
    only: Collection[int] | None = None,
    until: int | None = None,
) -> tuple[Opinion, ...]:
    """The assessors of a pair who have an answer that holds, by name, or in an order drawn for the pair.

    Machines are left out unless the rules give them a voice; `only` names assessors by number. `until` is the
    number of an event: what was said after it is passed over.
    """
    event = JudgmentEventRow
    chosen = select(event).where(*_of_pair(campaign_id, pair))
    if until is not None:
        chosen = chosen.where(event.id <= until)
    history: dict[int, list[JudgmentEventRow]] = {}
    for row in db.scalars(chosen.order_by(event.id)):
        history.setdefault(row.assessor_id, []).append(row)
    opinions = [
        _opinion(number, events, people[number], account_id)
        for number, events in history.items()
        if events[-1].answer not in {WITHDRAWN, LATER}
        and number in people
        and (only is None or number in only)
        and (rules.machines or not people[number].machine)
    ]
    if not rules.names_hidden:
        return tuple(sorted(opinions, key=lambda one: (one.machine, one.name)))
    opinions.sort(key=lambda one: _seeded_order(rules.seed, pair, one.assessor_id))
    return tuple(
        Opinion(one.assessor_id, letter(place), one.machine, one.mine, one.event_id, one.now, one.before)
        for place, one in enumerate(opinions)
    )


def latest_event(db: Session, campaign_id: int, pair: Pair) -> int:
    """The number of the latest event in which an assessor said something of a pair, 0 where there is none."""
    latest = select(func.max(JudgmentEventRow.id)).where(*_of_pair(campaign_id, pair))
    return db.scalar(latest) or 0


def letter(place: int) -> str:
    """A, B, ..., Z, A2, B2 and so on."""
    rounds, at = divmod(place, len(ascii_uppercase))
    return ascii_uppercase[at] + (str(rounds + 1) if rounds else "")


def shown_document(db: Session, campaign_id: int, docno: str) -> ShownDocument:
    """A document as it is shown, also where its text is not loaded."""
    row = db.get(DocumentRow, (campaign_id, docno))
    if row is None:
        return ShownDocument(docno, "", "", None, missing=True)
    return ShownDocument(docno, row.title, row.text, row.sha256, missing=False)


def _of_pair(campaign_id: int, pair: Pair) -> tuple[ColumnElement[bool], ...]:
    event = JudgmentEventRow
    return (
        event.campaign_id == campaign_id,
        event.topic == pair[0],
        event.docno == pair[1],
        event.purpose.in_(HOLDING),
    )


def _opinion(number: int, events: Sequence[JudgmentEventRow], person: Person, account_id: int) -> Opinion:
    before = _before(events)
    return Opinion(
        assessor_id=number,
        name=person.name,
        machine=person.machine,
        mine=person.account_id == account_id,
        event_id=events[-1].id,
        now=_statement(events[-1]),
        before=None if before is None else _statement(before),
    )


def _before(events: Sequence[JudgmentEventRow]) -> JudgmentEventRow | None:
    """What held when the first discussion of the pair began; None without a discussion."""
    held: JudgmentEventRow | None = None
    for event in events:
        if event.purpose == DISCUSSION:
            return held
        held = None if event.answer in {WITHDRAWN, LATER} else event
    return None


def _statement(event: JudgmentEventRow) -> Statement:
    return Statement(
        answer=Answer(event.answer),
        grade=event.grade,
        reason=event.reason,
        comment=event.comment,
        evidence=stored_annotations(event.evidence, None, None).evidence or (),
    )


def _seeded_order(seed: int, pair: Pair, assessor_id: int) -> bytes:
    parts = (str(seed).encode(), id_bytes(pair[0]), id_bytes(pair[1]), str(assessor_id).encode())
    return hashlib.sha256(b"\0".join(parts)).digest()
