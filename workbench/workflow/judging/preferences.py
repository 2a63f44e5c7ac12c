"""Preferences between two documents or two runs: recorded once each, and what came of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.agreement.preferences import (
    AssessorsCompared,
    RunsCompared,
    TopicRanking,
    assessors_compared,
    rankings,
    runs_compared,
)
from workbench.errors import Conflict
from workbench.formats.identifiers import storable
from workbench.formats.judgments import write_preferences
from workbench.frozen import frozen_dataclass
from workbench.records import Preference, id_bytes
from workbench.storage.tables import AssessorRow, PreferenceEventRow, PreferenceTaskRow
from workbench.tables import Export, table_export
from workbench.workflow.judging.submission import checked_client_id, sent_number, sent_text

WITHDRAWN = "withdrawn"
LONGEST_REASON = 2000
LONGEST_ACTIVE_MS = 24 * 3600 * 1000
TASK_FIELD = "task"
"""The field of a desk's event that makes it a preference: the number of its task."""


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


def current_choices(
    db: Session, task_ids: Collection[int]
) -> dict[int, dict[tuple[str, str], PreferenceEventRow]]:
    """The current answers to the pairs of tasks, by task and pair, in the order in which they were given.

    The rows are for use-cases to read, not to return.
    """
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
    found: dict[int, dict[tuple[str, str], PreferenceEventRow]] = {}
    for row in rows:
        found.setdefault(row.task_id, {})[row.first, row.second] = row
    return found


@frozen_dataclass
class SideAnswer:
    """An assessor's choice in the pair with this number (from 1): "left", "right", "tie" or "both_bad".

    WITHDRAWN as the choice takes the answer to the pair back.
    """

    number: int
    choice: str
    client_id: str
    reason: str = ""
    active_ms: int | None = None


def read_side_answer(sent: Mapping[str, Any]) -> SideAnswer:
    """A choice from an event of the desk; a field of the wrong type counts as absent."""
    return SideAnswer(
        number=sent_number(sent, "pair") or 0,
        choice=sent_text(sent, "said"),
        client_id=sent_text(sent, "client_id"),
        reason=sent_text(sent, "reason"),
        active_ms=sent_number(sent, "active_ms"),
    )


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


@frozen_dataclass
class PreferenceAnswer:
    """A current answer to a pair: what stood left, the reason, and the time it took (None: not measured)."""

    kind: PreferenceKind
    preference: Preference
    first_was_left: bool
    reason: str
    active_ms: int | None
    recorded_at: datetime

    @property
    def left(self) -> str:
        """What stood left, by its docno or tag."""
        return self.preference.first if self.first_was_left else self.preference.second

    @property
    def preferred(self) -> str:
        """What was preferred, by its docno or tag; empty for a tie and both bad."""
        one = self.preference
        return {"first": one.first, "second": one.second}.get(one.choice, "")


def preference_answers(db: Session, campaign_id: int) -> tuple[PreferenceAnswer, ...]:
    """The current answer to every pair that was compared: documents, then runs; by topic, assessor, pair.

    Answers of tasks that were removed count.
    """
    tasks = db.execute(
        select(PreferenceTaskRow.id, PreferenceTaskRow.kind, PreferenceTaskRow.topic, AssessorRow.name)
        .join(AssessorRow, AssessorRow.id == PreferenceTaskRow.assessor_id)
        .where(PreferenceTaskRow.campaign_id == campaign_id)
    ).all()
    about = {number: (PreferenceKind(kind), topic, name) for number, kind, topic, name in tasks}
    found = []
    for task, choices in current_choices(db, list(about)).items():
        kind, topic, name = about[task]
        found += [
            PreferenceAnswer(
                kind,
                Preference(name, topic, one.first, one.second, one.choice),
                one.first_was_left,
                one.reason,
                one.active_ms,
                one.recorded_at,
            )
            for one in choices.values()
        ]
    return tuple(sorted(found, key=_place))


def _place(one: PreferenceAnswer) -> tuple[object, ...]:
    named = one.preference
    return (str(one.kind), *map(id_bytes, (named.topic, named.assessor, named.first, named.second)))


def of_kind(answers: Iterable[PreferenceAnswer], kind: PreferenceKind) -> tuple[Preference, ...]:
    """The preferences of one kind among answers."""
    return tuple(one.preference for one in answers if one.kind is kind)


def preferences_of(db: Session, campaign_id: int) -> tuple[Preference, ...]:
    """The current preferences between documents, by topic, assessor and pair (bytes)."""
    return of_kind(preference_answers(db, campaign_id), PreferenceKind.DOCUMENTS)


def preference_lines(db: Session, campaign_id: int) -> Iterator[bytes]:
    """The preferences between documents in trec_eval's form."""
    return write_preferences(preferences_of(db, campaign_id))


@frozen_dataclass
class PreferenceResults:
    """Documents ranked by topic, runs compared, and every two assessors on their common pairs."""

    rankings: tuple[TopicRanking, ...]
    runs: tuple[RunsCompared, ...]
    agreement: tuple[tuple[PreferenceKind, AssessorsCompared], ...]


def preference_results(answers: Iterable[PreferenceAnswer]) -> PreferenceResults:
    """The results of current answers."""
    answers = tuple(answers)
    return PreferenceResults(
        rankings=rankings(of_kind(answers, PreferenceKind.DOCUMENTS)),
        runs=runs_compared(of_kind(answers, PreferenceKind.RUNS)),
        agreement=tuple(
            (kind, one) for kind in PreferenceKind for one in assessors_compared(of_kind(answers, kind))
        ),
    )


ANSWER_COLUMNS = (
    "kind", "topic", "assessor", "first", "second", "choice", "left", "reason", "active_seconds",
    "recorded_at",
)  # fmt: skip
RANKING_COLUMNS = (
    "topic", "rank", "doc", "score", "comparisons", "wins", "losses", "ties", "both_bad", "caution",
)  # fmt: skip
AGREEMENT_COLUMNS = (
    "kind", "assessor", "other", "pairs", "same", "opposite", "share", "low", "high", "kappa",
)  # fmt: skip
RUN_COLUMNS = ("first", "second", "first_better", "second_better", "ties", "both_bad", "sign_test_p")


def answers_export(answers: Iterable[PreferenceAnswer]) -> Export:
    """Every current answer with its reason, what stood left, and the time."""
    return table_export(
        ANSWER_COLUMNS,
        [
            (
                str(one.kind),
                one.preference.topic,
                one.preference.assessor,
                one.preference.first,
                one.preference.second,
                one.preference.choice,
                one.left,
                one.reason,
                None if one.active_ms is None else one.active_ms / 1000,
                one.recorded_at.isoformat(timespec="seconds"),
            )
            for one in answers
        ],
    )


def rankings_export(results: PreferenceResults) -> Export:
    """One row a document: its rank in its topic, its share of comparisons won, and their number."""
    return table_export(
        RANKING_COLUMNS,
        [
            (
                topic.topic, one.rank, one.docno, one.score, one.comparisons,
                one.wins, one.losses, one.ties, one.both_bad, topic.caution,
            )
            for topic in results.rankings
            for one in topic.documents
        ],
    )  # fmt: skip


def preference_agreement_export(results: PreferenceResults) -> Export:
    """One row for every two assessors: on how many pairs they answered the same, or the opposite."""
    return table_export(
        AGREEMENT_COLUMNS,
        [
            (
                str(kind),
                one.first,
                one.second,
                one.n,
                one.same,
                one.opposite,
                one.share,
                *one.interval,
                one.kappa,
            )
            for kind, one in results.agreement
        ],
    )


def runs_export(results: PreferenceResults) -> Export:
    """One row for every two runs: how many comparisons each won, and the sign test."""
    return table_export(
        RUN_COLUMNS,
        [
            (one.first, one.second, one.first_better, one.second_better, one.ties, one.both_bad, one.p)
            for one in results.runs
        ],
    )
