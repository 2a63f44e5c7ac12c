"""What came of work side by side, as pages, commands and files show it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.agreement.preferences import (
    AssessorsCompared,
    RunsCompared,
    TopicRanking,
    assessors_compared,
    rankings,
    runs_compared,
)
from workbench.formats.judgments import write_preferences
from workbench.records import Preference, id_bytes
from workbench.storage.tables import AssessorRow, PreferenceTaskRow
from workbench.tables import Export, table_export
from workbench.workflow.judging.preferences import PreferenceKind, current_choices


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
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
