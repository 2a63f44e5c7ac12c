"""What assessors preferred: for the scorer, and between two runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from math import comb
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.formats.preferences import write_preferences
from workbench.records import Preference, id_bytes
from workbench.storage.tables import AssessorRow, PreferenceTaskRow
from workbench.workflow.judging.preference_events import Choice, held_choices
from workbench.workflow.judging.preference_tasks import Kind


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


def preferences_of(db: Session, campaign_id: int, kind: Kind = Kind.DOCUMENTS) -> tuple[Preference, ...]:
    """What holds of every pair that was compared, by topic, assessor and pair (bytes).

    Tasks that were taken back count: what was said was said.
    """
    tasks = db.execute(
        select(PreferenceTaskRow.id, PreferenceTaskRow.topic, AssessorRow.name)
        .join(AssessorRow, AssessorRow.id == PreferenceTaskRow.assessor_id)
        .where(PreferenceTaskRow.campaign_id == campaign_id, PreferenceTaskRow.kind == str(kind))
    ).all()
    about = {number: (topic, name) for number, topic, name in tasks}
    found = [
        Preference(about[task][1], about[task][0], one.first, one.second, str(one.choice))
        for task, held in held_choices(db, list(about)).items()
        for one in held.values()
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
    for one in preferences_of(db, campaign_id, Kind.RUNS):
        swapped = id_bytes(one.second) < id_bytes(one.first)
        pair = (one.second, one.first) if swapped else (one.first, one.second)
        choice = {"first": "second", "second": "first"}.get(one.choice, one.choice) if swapped else one.choice
        counts.setdefault(pair, Counter())[choice] += 1
    return tuple(
        RunsCompared(
            *pair,
            said[Choice.FIRST],
            said[Choice.SECOND],
            said[Choice.TIE],
            said[Choice.BOTH_BAD],
            sign_test(said[Choice.FIRST], said[Choice.SECOND]),
        )
        for pair, said in sorted(counts.items(), key=lambda item: tuple(map(id_bytes, item[0])))
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
