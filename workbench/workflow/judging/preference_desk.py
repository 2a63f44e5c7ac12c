"""An assessor side by side: two documents, or two runs' first ten, with nothing that tells whose they are."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import NotFound, WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.ranking import ordered
from workbench.records import Topic
from workbench.storage.tables import (
    AssessorRow,
    CampaignRow,
    PreferenceEventRow,
    PreferenceTaskRow,
    TopicRow,
)
from workbench.workflow.campaigns.collection import as_topic
from workbench.workflow.campaigns.originals import NO_FORM
from workbench.workflow.judging.desk_view import ShownDocument, shown_by_docno
from workbench.workflow.judging.preference_tasks import shown_left
from workbench.workflow.judging.preferences import (
    WITHDRAWN,
    Choice,
    PreferenceKind,
    SideAnswer,
    append_choice,
    current_choices,
)
from workbench.workflow.runs.packed_store import run_for_use

TOP = 10
LONGEST_OPENING = 300


@frozen_dataclass
class SideBySide:
    """Two sides before their assessor; without sides where all is answered. `number` counts from 1.

    `answer` is "left", "right", "tie", "both_bad" or empty. A side holds one document, or a run's first ten.
    `answered` has every pair with an answer, by number, in the order in which they were given.
    """

    task_id: int
    kind: PreferenceKind
    topic: Topic
    guidelines: str
    number: int
    pairs: int
    left: tuple[ShownDocument, ...]
    right: tuple[ShownDocument, ...]
    answer: str
    reason: str
    answered: tuple[tuple[int, str], ...]

    @property
    def done(self) -> int:
        """How many pairs have an answer."""
        return len(self.answered)

    @property
    def finished(self) -> bool:
        """Whether there is nothing on the desk."""
        return self.number == 0


def side_by_side(db: Session, task_id: int, account_id: int, *, number: int | None = None) -> SideBySide:
    """The pair to compare now: that with this number, else the first without an answer.

    Raises NotFound where the task is not this account's, was removed, or has no such pair.
    """
    task = _own(db, task_id, account_id)
    choices = current_choices(db, [task.id]).get(task.id, {})
    pairs = [(first, second) for first, second in task.pairs]
    if number is None:
        number = next((at for at, pair in enumerate(pairs, 1) if pair not in choices), 0)
    if number and not 1 <= number <= len(pairs):
        raise NotFound("this task has no such pair", remedy="open it again")
    numbers = {pair: at for at, pair in enumerate(pairs, 1)}
    row = db.get_one(TopicRow, (task.campaign_id, task.topic))
    sides: tuple[tuple[ShownDocument, ...], ...] = ((), ())
    answer, reason = "", ""
    if number:
        pair = pairs[number - 1]
        shown = pair if shown_left(task.seed, pair) else pair[::-1]
        sides = tuple(_side(db, task, one) for one in shown)
        if pair in choices:
            answer, reason = _as_shown(choices[pair], shown_left(task.seed, pair)), choices[pair].reason
    return SideBySide(
        task_id=task.id,
        kind=PreferenceKind(task.kind),
        topic=as_topic(row),
        guidelines=db.get_one(CampaignRow, task.campaign_id).guidelines,
        number=number,
        pairs=len(pairs),
        left=sides[0],
        right=sides[1],
        answer=answer,
        reason=reason,
        answered=tuple(
            (numbers[pair], _as_shown(one, shown_left(task.seed, pair)))
            for pair, one in choices.items()
            if pair in numbers
        ),
    )


def choose(db: Session, task_id: int, account_id: int, answer: SideAnswer) -> bool:
    """Record which side is better; returns whether it is new.

    The same client id again changes nothing. Raises NotFound for a pair that is not this account's, Conflict
    for a client id that was used for another answer, WorkbenchError for an unknown answer.
    """
    return record_choice(db, _own(db, task_id, account_id, writing=True), answer)


def record_choice(db: Session, task: PreferenceTaskRow, answer: SideAnswer) -> bool:
    """Append an answer to a locked task, or withdraw the answer to its pair; raises as `choose`."""
    if not 1 <= answer.number <= len(task.pairs):
        raise NotFound("this task has no such pair", remedy="open it again")
    first, second = task.pairs[answer.number - 1]
    left = shown_left(task.seed, (first, second))
    choice = {
        "left": Choice.FIRST if left else Choice.SECOND,
        "right": Choice.SECOND if left else Choice.FIRST,
        "tie": Choice.TIE,
        "both_bad": Choice.BOTH_BAD,
        WITHDRAWN: WITHDRAWN,
    }.get(answer.choice)
    if choice is None:
        raise WorkbenchError(
            f"unknown answer: {answer.choice[:20]!r}", remedy="use left, right, tie or both_bad"
        )
    return append_choice(db, task.id, (first, second), choice, answer, first_was_left=left)


def undo_choice(db: Session, task_id: int, account_id: int, *, client_id: str) -> int | None:
    """Withdraw the latest answer of a task and give its pair's number, if there is one.

    The withdrawn event stays in the history.
    """
    task = _own(db, task_id, account_id, writing=True)
    choices = current_choices(db, [task.id]).get(task.id, {})
    if not choices:
        return None
    pair, last = max(choices.items(), key=lambda item: item[1].id)
    number = [tuple(one) for one in task.pairs].index(pair) + 1
    answer = SideAnswer(number, WITHDRAWN, client_id)
    append_choice(db, task.id, pair, WITHDRAWN, answer, first_was_left=last.first_was_left)
    return number


def task_of_account(
    db: Session, task_id: int, account_id: int, *, writing: bool = False
) -> PreferenceTaskRow | None:
    """A task that is or was an account's, None for any other; `writing` locks it."""
    found = (
        select(PreferenceTaskRow)
        .join(AssessorRow, AssessorRow.id == PreferenceTaskRow.assessor_id)
        .where(PreferenceTaskRow.id == task_id, AssessorRow.account_id == account_id)
    )
    if writing:
        found = found.with_for_update(of=PreferenceTaskRow).execution_options(populate_existing=True)
    return db.scalar(found)


def _own(db: Session, task_id: int, account_id: int, *, writing: bool = False) -> PreferenceTaskRow:
    task = task_of_account(db, task_id, account_id, writing=writing)
    if task is None or task.revoked_at is not None:
        raise NotFound("this is not (or no longer) assigned to you", remedy="see the list of your topics")
    return task


def _side(db: Session, task: PreferenceTaskRow, shown: str) -> tuple[ShownDocument, ...]:
    """A document, or the openings of those that come first in a run."""
    if task.kind == PreferenceKind.DOCUMENTS:
        return tuple(shown_by_docno(db, task.campaign_id, [shown]).values())
    ranking = run_for_use(db, task.campaign_id, shown).rankings.get(task.topic)
    first = shown_by_docno(db, task.campaign_id, ordered(ranking)[:TOP] if ranking else ())
    return tuple(replace(one, text=_opening(one.text), form=NO_FORM) for one in first.values())


def _opening(text: str) -> str:
    words = " ".join(text[: 4 * LONGEST_OPENING].split())
    if len(words) <= LONGEST_OPENING:
        return words
    return words[:LONGEST_OPENING].rsplit(" ", 1)[0] + " …"


def _as_shown(current: PreferenceEventRow, left: bool) -> str:
    if current.choice in {Choice.TIE, Choice.BOTH_BAD}:
        return current.choice
    return "left" if (current.choice == Choice.FIRST) == left else "right"
