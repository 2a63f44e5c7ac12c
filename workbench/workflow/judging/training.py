"""Training before real work: rounds over the pairs with a known answer, and the pass mark.

A round is drawn by a seed of its own, the assignment's plus one for each round before it: the seed that
stands with an event says in which round it was given.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import field
from datetime import datetime
from math import comb
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import NotFound
from workbench.frozen import frozen_dataclass
from workbench.records import id_bytes
from workbench.storage.events import LATER, TRAINING, WITHDRAWN
from workbench.storage.tables import AssignmentRow, CampaignRow, JudgmentEventRow, KnownAnswerRow, PoolRow
from workbench.workflow.clock import utc_now
from workbench.workflow.judging.desk_rules import change_rules

WAIVED = "let_through"
FEWEST_FRESH = 10
"""So many training pairs of a topic are enough for a second round to ask others."""
# By docno and round (from 1): the grade of the first answer, None for an answer without a grade.
GradesByRound = Mapping[str, Mapping[int, int | None]]


@frozen_dataclass
class TrainingRound:
    """One time through training pairs of a topic, the `docnos`; `needed` right answers open the work."""

    number: int
    right: int
    answered: int
    total: int
    needed: int
    docnos: tuple[str, ...] = field(default=(), compare=False)

    @property
    def complete(self) -> bool:
        """Whether every pair has an answer."""
        return self.answered == self.total

    @property
    def passed(self) -> bool:
        """Whether the round opens the work."""
        return self.complete and self.right >= self.needed


@frozen_dataclass
class TrainingGate:
    """What keeps the work of a topic closed: the rounds so far, and the keys of what waits behind."""

    rounds: tuple[TrainingRound, ...]
    withheld: frozenset[str]

    @property
    def now(self) -> TrainingRound:
        """The round that is open."""
        return self.rounds[-1]


@frozen_dataclass
class TrainingAnswer:
    """One answer in training: the number of the event, whose, of what, in which round."""

    event_id: int
    assessor_id: int
    topic: str
    docno: str
    round: int
    grade: int | None


def pass_mark(total: int, least: int | None) -> int:
    """How many of `total` must be right for a share of `least` percent."""
    return -(-total * (least or 0) // 100)


RIGHT = (0.6, 0.8, 0.9)
"""How much an assessor is right by whom the pass mark is explained."""
ASKED = (5, 10, 20, 30)


def chances_to_pass(asked: int, least: int) -> tuple[float, ...]:
    """Of assessors who are right in each of RIGHT of all pairs the share who pass a round at once.

    Source: the binomial distribution.

    >>> [round(chance, 2) for chance in chances_to_pass(5, 80)]
    [0.34, 0.74, 0.92]
    """
    needed = pass_mark(asked, least)
    return tuple(
        sum(comb(asked, right) * p**right * (1 - p) ** (asked - right) for right in range(needed, asked + 1))
        for p in RIGHT
    )


def rounds_of(
    known: Mapping[str, int], trained: GradesByRound, *, least: int | None
) -> tuple[TrainingRound, ...]:
    """The rounds up to the one that opened the work, or to the one that is open now.

    `known` has the right grade of every pair as it is known now. An answer without a grade is not right.
    Where there are enough pairs, a round with a pass mark asks half of them, and the next one others: the key
    of the first was shown.
    """
    rounds: list[TrainingRound] = []
    size = len(known) if least is None or len(known) < FEWEST_FRESH else -(-len(known) // 2)
    while known and (not rounds or (rounds[-1].complete and not rounds[-1].passed)):
        number = len(rounds) + 1
        docnos = _asked(known, trained, number, size)
        answers = {docno: trained[docno][number] for docno in docnos if number in trained.get(docno, {})}
        right = sum(answers[docno] == known[docno] for docno in answers)
        needed = pass_mark(len(docnos), least)
        rounds.append(TrainingRound(number, right, len(answers), len(docnos), needed, docnos))
    return tuple(rounds)


def _asked(known: Mapping[str, int], trained: GradesByRound, number: int, size: int) -> tuple[str, ...]:
    """The pairs of a round: those answered in it, then those that were asked least often before it.

    Among equals the order is a hash of the docno, the same for everybody.
    """

    def least_often(docno: str) -> tuple[bool, int, bytes]:
        rounds = trained.get(docno, {})
        asked = sum(one < number for one in rounds)
        return number not in rounds, asked, hashlib.sha256(id_bytes(docno)).digest()

    answered = sum(number in trained.get(docno, {}) for docno in known)
    return tuple(sorted(known, key=least_often)[: max(size, answered)])


def known_grades(
    db: Session, campaign_id: int, topic: str | None = None
) -> dict[tuple[str, str], dict[str, int]]:
    """The known grades by purpose and topic, then docno; of all topics or one. What has none is empty."""
    known = KnownAnswerRow
    chosen = select(known.purpose, known.topic, known.docno, known.grade).where(
        known.campaign_id == campaign_id
    )
    found: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    for purpose, of, docno, grade in db.execute(
        chosen if topic is None else chosen.where(known.topic == topic)
    ):
        found[purpose, of][docno] = grade
    return found


def training_answers(
    db: Session, campaign_id: int, *, assessor_id: int | None = None, topic: str | None = None
) -> Iterator[TrainingAnswer]:
    """Every answer of training as it was recorded, of all assessors and topics or of one."""
    event = JudgmentEventRow
    asked = (
        select(
            event.id, event.assessor_id, event.topic, event.docno, event.grade, event.seed, AssignmentRow.seed
        )
        .outerjoin(AssignmentRow, AssignmentRow.id == event.assignment_id)
        .where(
            event.campaign_id == campaign_id,
            event.purpose == TRAINING,
            event.answer.not_in([WITHDRAWN, LATER]),
        )
        .order_by(event.id)
    )
    if assessor_id is not None:
        asked = asked.where(event.assessor_id == assessor_id)
    if topic is not None:
        asked = asked.where(event.topic == topic)
    for number, assessor, of, docno, grade, drawn, seed in db.execute(asked):
        yield TrainingAnswer(number, assessor, of, docno, round_of(drawn, seed), grade)


def round_of(drawn: int | None, seed: int | None) -> int:
    """The round of an event by the seed that stands with it and that of its assignment."""
    return 1 if drawn is None or seed is None else max(1, drawn - seed + 1)


def grades_by_round(
    answers: Iterator[TrainingAnswer],
) -> dict[tuple[int, str], dict[str, dict[int, int | None]]]:
    """Answers in training by assessor and topic; of a round the first one counts."""
    found: dict[tuple[int, str], dict[str, dict[int, int | None]]] = defaultdict(lambda: defaultdict(dict))
    for one in answers:
        found[one.assessor_id, one.topic][one.docno].setdefault(one.round, one.grade)
    return found


def is_waived(desk_rules: Mapping[str, Any], assignment_id: int) -> bool:
    """Whether the organiser waived the training of an assignment."""
    return any(one.get("assignment") == assignment_id for one in desk_rules.get(WAIVED, ()))


def waive_training(
    db: Session, campaign_id: int, assignment_id: int, *, by: int | None = None, now: datetime | None = None
) -> None:
    """Waive the training of an assignment; again changes nothing.

    What was answered in training stays. Raises NotFound for an assignment of another campaign.
    """
    row = db.get_one(CampaignRow, campaign_id, with_for_update=True)
    mine = (
        select(AssignmentRow.id)
        .join(PoolRow, PoolRow.id == AssignmentRow.pool_id)
        .where(AssignmentRow.id == assignment_id, PoolRow.campaign_id == campaign_id)
    )
    if db.scalar(mine) is None:
        raise NotFound("this assignment is not in this campaign")
    if is_waived(row.desk_rules, assignment_id):
        return
    added = {"assignment": assignment_id, "by": by, "at": utc_now(now).isoformat()}
    change_rules(db, row, {WAIVED: [*row.desk_rules.get(WAIVED, ()), added]})
