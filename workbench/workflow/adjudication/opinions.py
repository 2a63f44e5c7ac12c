"""The opinions of the assessors of one pair, as an adjudicator or a discussion sees them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from string import ascii_uppercase

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.consensus.votes import Pair
from workbench.frozen import frozen_dataclass
from workbench.records import Answer, Judgment, id_bytes
from workbench.storage.events import CURRENT_PURPOSES, DISCUSSION, LATER, WITHDRAWN
from workbench.storage.tables import (
    AdjudicationEventRow,
    AssessorRow,
    JudgmentEventRow,
)
from workbench.workflow.adjudication.rules import AdjudicationRules
from workbench.workflow.judging.desk_view import ShownDocument, shown_by_docno
from workbench.workflow.judging.submission import Passage, stored_annotations
from workbench.workflow.people.membership import able_ids


@frozen_dataclass
class Statement:
    """One answer with its reason, its comment, and the passages that were marked as evidence.

    The offsets of the passages are in the text that was shown then, which may have been replaced since.
    """

    answer: Answer
    grade: int | None
    reason: str
    comment: str
    evidence: tuple[Passage, ...]


@frozen_dataclass
class Opinion:
    """One assessor's current answer on a pair and, after a discussion, the answer before it.

    `name` is the assessor's, or a letter where names are hidden. `mine` marks the reader's own. `earlier` are
    the comments of earlier rounds of discussion, the first first.
    """

    assessor_id: int
    name: str
    machine: bool
    mine: bool
    event_id: int
    now: Statement
    before: Statement | None
    earlier: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether the discussion changed the answer."""
        was = self.before
        return was is not None and (was.answer, was.grade) != (self.now.answer, self.now.grade)


@frozen_dataclass
class OpinionReader:
    """Who looks at the opinions of a pair: an account, in a campaign with these assessors and rules."""

    account_id: int
    people: Mapping[int, Person]
    rules: AdjudicationRules

    def may_send_back(self, opinions: Iterable[Opinion]) -> bool:
        """Whether any assessor of the pair has an account that would see it."""
        return any(self.people[one.assessor_id].reachable for one in opinions)

    def judgments(self, opinions: Iterable[Opinion], pair: Pair) -> list[Judgment]:
        """The current opinions as judgments by the assessors' true names."""
        return [
            Judgment(self.people[one.assessor_id].name, *pair, one.now.grade, one.now.answer)
            for one in opinions
        ]


def opinions_of(
    db: Session,
    campaign_id: int,
    pair: Pair,
    reader: OpinionReader,
    until: Mapping[int, int | None] | None = None,
) -> tuple[Opinion, ...]:
    """The assessors of a pair who have a current answer, by name, or in an order drawn for the pair.

    Machines are left out unless the rules count them. `until` has those who are asked for by number, each
    with the number of an event after which answers are ignored, or None.
    """
    people, rules = reader.people, reader.rules
    event = JudgmentEventRow
    chosen = select(event).where(
        event.campaign_id == campaign_id,
        event.topic == pair[0],
        event.docno == pair[1],
        event.purpose.in_(CURRENT_PURPOSES),
    )
    history: dict[int, list[JudgmentEventRow]] = {}
    for row in db.scalars(chosen.order_by(event.id)):
        who = row.assessor_id
        if until is None or (who in until and ((last := until[who]) is None or row.id <= last)):
            history.setdefault(who, []).append(row)
    opinions = [
        _opinion(number, events, people[number], reader.account_id)
        for number, events in history.items()
        if events[-1].answer not in {WITHDRAWN, LATER}
        and number in people
        and (rules.machines or not people[number].machine)
    ]
    if not rules.names_hidden:
        return tuple(sorted(opinions, key=lambda one: (one.machine, one.name)))
    opinions.sort(key=lambda one: _seeded_order(rules.seed, pair, one.assessor_id))
    return tuple(replace(one, name=letter(place)) for place, one in enumerate(opinions))


def letter(place: int) -> str:
    """A, B, ..., Z, A2, B2 and so on."""
    rounds, at = divmod(place, len(ascii_uppercase))
    return ascii_uppercase[at] + (str(rounds + 1) if rounds else "")


def shown_document(db: Session, campaign_id: int, docno: str) -> ShownDocument:
    """A document as it is shown, also where its text is not loaded."""
    return shown_by_docno(db, campaign_id, [docno])[docno]


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
        earlier=tuple(
            dict.fromkeys(
                event.comment
                for event in events[:-1]
                if event.purpose == DISCUSSION and event.comment not in {"", events[-1].comment}
            )
        ),
    )


def _before(events: Sequence[JudgmentEventRow]) -> JudgmentEventRow | None:
    """The answer when the first discussion of the pair began; None without a discussion."""
    current: JudgmentEventRow | None = None
    for event in events:
        if event.purpose == DISCUSSION:
            return current
        current = None if event.answer in {WITHDRAWN, LATER} else event
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


@frozen_dataclass
class Person:
    """An assessor by number: the name, whether it is a machine, and whether a pair can be sent back there.

    That needs an account that is an assessor here now.
    """

    name: str
    machine: bool
    account_id: int | None
    reachable: bool


def people_of(db: Session, campaign_id: int) -> dict[int, Person]:
    """The assessors of a campaign by number."""
    assessor, able = AssessorRow, able_ids(db, campaign_id)
    rows = db.execute(
        select(assessor.id, assessor.name, assessor.machine, assessor.account_id).where(
            assessor.campaign_id == campaign_id
        )
    )
    return {
        number: Person(name, machine, account, number in able and not machine)
        for number, name, machine, account in rows
    }


def changed_since(
    row: AdjudicationEventRow, judgments: Iterable[Judgment], people: Mapping[int, Person]
) -> bool:
    """Whether assessors have changed their answers since the adjudicator saw them.

    Only people, and those machines that counted then and count now: to count machines, or no longer to count
    them, changes no answer.
    """
    before = {people[who].name: (answer, grade) for _, who, answer, grade in row.seen if who in people}
    now = {one.assessor: (str(one.answer), one.grade) for one in judgments}
    machines = {person.name for person in people.values() if person.machine}
    compared = {name for name in before.keys() | now.keys() if name not in machines}
    compared |= machines & before.keys() & now.keys()
    return any(before.get(name) != now.get(name) for name in compared)
