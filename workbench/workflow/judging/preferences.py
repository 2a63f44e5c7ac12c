"""Preferences between two documents or two runs: recorded once each, and their results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from math import comb
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.errors import Conflict
from workbench.formats.judgment_groups import write_preferences
from workbench.records import Preference, id_bytes
from workbench.storage.tables import AssessorRow, PreferenceEventRow, PreferenceTaskRow
from workbench.workflow.checks import checked_client_id, storable

WITHDRAWN = "withdrawn"
LONGEST_REASON = 2000
LONGEST_ACTIVE_MS = 24 * 3600 * 1000


class PreferenceKind(StrEnum):
    """What stands side by side."""

    DOCUMENTS = "documents"
    RUNS = "runs"


class Choice(StrEnum):
    """Which of two is better, in the order of the task's pair."""

    FIRST = "first"
    SECOND = "second"
    TIE = "tie"
    BOTH_BAD = "both_bad"


@dataclass(frozen=True, slots=True)
class CurrentChoice:
    """The current answer to a pair; `id` is its event's number, which only grows."""

    id: int
    first: str
    second: str
    choice: Choice
    first_was_left: bool
    reason: str
    recorded_at: datetime


def current_choices(
    db: Session, task_ids: Collection[int]
) -> dict[int, dict[tuple[str, str], CurrentChoice]]:
    """The current answers to the pairs of tasks, by task and pair, in the order in which they were given."""
    event = PreferenceEventRow
    newest = (
        select(func.max(event.id).label("id"))
        .where(event.task_id.in_(list(task_ids)))
        .group_by(event.task_id, event.first, event.second)
        .subquery()
    )
    rows = db.scalars(
        select(event)
        .join(newest, event.id == newest.c.id)
        .where(event.choice != WITHDRAWN)
        .order_by(event.id)
    )
    found: dict[int, dict[tuple[str, str], CurrentChoice]] = {}
    for row in rows:
        found.setdefault(row.task_id, {})[row.first, row.second] = CurrentChoice(
            row.id, row.first, row.second, Choice(row.choice), row.first_was_left, row.reason, row.recorded_at
        )
    return found


@dataclass(frozen=True, slots=True)
class SideAnswer:
    """An assessor's choice in the pair with this number (from 1): "left", "right", "tie" or "both_bad"."""

    number: int
    choice: str
    client_id: str
    reason: str = ""
    active_ms: int | None = None


def append_choice(
    db: Session, task_id: int, pair: tuple[str, str], choice: str, answer: SideAnswer, *, first_was_left: bool
) -> bool:
    """Append one answer; the same client id again changes nothing. Returns whether it is new.

    The caller has locked the task's row, so that two at once cannot both be new. Raises Conflict where the
    client id was used for another answer.
    """
    client_id, active_ms = checked_client_id(answer.client_id), answer.active_ms
    known = db.scalar(
        select(PreferenceEventRow).where(
            PreferenceEventRow.task_id == task_id, PreferenceEventRow.client_id == client_id
        )
    )
    if known is not None:
        if (known.first, known.second, known.choice) != (*pair, choice):
            raise Conflict("this page already recorded another answer", remedy="reload the page")
        return False
    db.add(
        PreferenceEventRow(
            task_id=task_id,
            first=pair[0],
            second=pair[1],
            first_was_left=first_was_left,
            choice=choice,
            reason=storable(answer.reason.strip())[:LONGEST_REASON],
            client_id=client_id,
            active_ms=None if active_ms is None else max(0, min(active_ms, LONGEST_ACTIVE_MS)),
            recorded_at=datetime.now(UTC),
        )
    )
    db.flush()
    return True


@dataclass(frozen=True, slots=True)
class RunsCompared:
    """Two runs side by side: how many comparisons each won, and the two-sided sign test without ties.

    `p` is None where neither won any.
    """

    first: str
    second: str
    first_better: int
    second_better: int
    ties: int
    both_bad: int
    p: float | None

    @property
    def comparisons(self) -> int:
        """How many comparisons there are."""
        return self.first_better + self.second_better + self.ties + self.both_bad


def preferences_of(
    db: Session, campaign_id: int, kind: PreferenceKind = PreferenceKind.DOCUMENTS
) -> tuple[Preference, ...]:
    """The current preference of every pair that was compared, by topic, assessor and pair (bytes).

    Answers of tasks that were removed count.
    """
    tasks = db.execute(
        select(PreferenceTaskRow.id, PreferenceTaskRow.topic, AssessorRow.name)
        .join(AssessorRow, AssessorRow.id == PreferenceTaskRow.assessor_id)
        .where(PreferenceTaskRow.campaign_id == campaign_id, PreferenceTaskRow.kind == str(kind))
    ).all()
    about = {number: (topic, name) for number, topic, name in tasks}
    found = [
        Preference(about[task][1], about[task][0], one.first, one.second, str(one.choice))
        for task, choices in current_choices(db, list(about)).items()
        for one in choices.values()
    ]
    return tuple(
        sorted(
            found,
            key=lambda one: tuple(map(id_bytes, (one.topic, one.assessor, one.first, one.second))),
        )
    )


def preference_lines(db: Session, campaign_id: int) -> Iterator[bytes]:
    """The preferences between documents in trec_eval's form."""
    return write_preferences(preferences_of(db, campaign_id))


def runs_compared(db: Session, campaign_id: int) -> tuple[RunsCompared, ...]:
    """The outcome of every two runs that were compared, by their tags."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for one in preferences_of(db, campaign_id, PreferenceKind.RUNS):
        swapped = id_bytes(one.second) < id_bytes(one.first)
        pair = (one.second, one.first) if swapped else (one.first, one.second)
        choice = {"first": "second", "second": "first"}.get(one.choice, one.choice) if swapped else one.choice
        counts.setdefault(pair, Counter())[choice] += 1
    return tuple(
        RunsCompared(
            *pair,
            choices[Choice.FIRST],
            choices[Choice.SECOND],
            choices[Choice.TIE],
            choices[Choice.BOTH_BAD],
            sign_test(choices[Choice.FIRST], choices[Choice.SECOND]),
        )
        for pair, choices in sorted(counts.items(), key=lambda item: tuple(map(id_bytes, item[0])))
    )


def compared_json(one: RunsCompared) -> dict[str, Any]:
    """Two runs that were compared, as plain data."""
    return {
        "first": one.first,
        "second": one.second,
        "first_better": one.first_better,
        "second_better": one.second_better,
        "ties": one.ties,
        "both_bad": one.both_bad,
        "sign_test_p": one.p,
    }


def sign_test(wins: int, losses: int) -> float | None:
    """The two-sided exact sign test (Dixon and Mood 1946); None without a decision."""
    n = wins + losses
    if not n:
        return None
    tail = sum(comb(n, k) for k in range(min(wins, losses) + 1))
    return min(1.0, float(2 * tail / 2**n))
