"""How each assessor's agreement with the others goes over the sitting, and over the days."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from math import expm1

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.agreement.drift import (
    GAP_SECONDS,
    ROUNDS,
    Bin,
    Course,
    Trend,
    bins,
    sittings,
    trend_between,
    trend_within,
)
from workbench.agreement.several.answers import NO_ANSWER, Answers, Pair
from workbench.agreement.table import MISSING
from workbench.errors import WorkbenchError
from workbench.records import Answer
from workbench.storage.events import LATER, WITHDRAWN
from workbench.storage.tables import AssessorRow, JudgmentEventRow
from workbench.workflow.agreement.entering import answers_in
from workbench.workflow.campaigns.campaigning import campaign_of

BIN = 10
GAP_MINUTES = GAP_SECONDS // 60
IMPORTED = "import:"
TIME_COLUMNS = (
    "assessor", "by", "from", "judgments", "compared", "agreement", "agreement_low", "agreement_high",
    "pooled", "share_relevant", "median_seconds",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Day:
    """A day in UTC, with what was judged on it."""

    day: date
    found: Bin


@dataclass(frozen=True, slots=True)
class AssessorTime:
    """One person's judging over time.

    `by_position` are the judgments of all sittings by position, in bins; slopes `fatigue` (agreement),
    `relevance` (relevant or not) and `pace` (logarithm of the active seconds) are by one judgment within
    sittings, `drift` (agreement) by one day.
    """

    name: str
    judgments: int
    compared: int
    sittings: int
    by_position: tuple[Bin, ...]
    by_day: tuple[Day, ...]
    fatigue: Trend
    relevance: Trend
    pace: Trend
    drift: Trend

    @property
    def sentence(self) -> str:
        """What position in the sitting does to agreement, in plain words."""
        return in_words(self.fatigue, "sitting")

    @property
    def slower(self) -> float | None:
        """By what share the active seconds change over ten judgments of a sitting, None without a trend."""
        return None if self.pace.slope is None else expm1(10 * self.pace.slope)

    @property
    def sentence_of_days(self) -> str:
        """What the days do to agreement, in plain words."""
        return in_words(self.drift, "days")


@dataclass(frozen=True, slots=True)
class TimeReport:
    """Every person who judged here, by name; grades are relevant or not from a line unless `graded`.

    `imported` people are left out: a file does not say when each pair was judged.
    """

    assessors: tuple[AssessorTime, ...]
    categories: tuple[int, ...]
    relevant_from: int
    graded: bool
    bin: int
    gap_minutes: int
    rounds: int
    seed: int
    imported: tuple[str, ...]

    def share_relevant(self, found: Bin) -> float | None:
        """The share of relevant ones among the grades of a bin, None without any."""
        line = 1 if not self.graded else self.relevant_from
        relevant = sum(n for n, grade in zip(found.grades, self.categories, strict=True) if grade >= line)
        return relevant / sum(found.grades) if sum(found.grades) else None


def over_time(
    db: Session,
    campaign_id: int,
    *,
    relevant_from: int | None = None,
    graded: bool = False,
    bin_size: int = BIN,
    gap_minutes: int = GAP_MINUTES,
    rounds: int = ROUNDS,
    seed: int = 0,
) -> TimeReport:
    """The course of everybody's judging on the screen, against what the other people say now.

    A pause of `gap_minutes` or more begins a new sitting; every pair counts once, at the moment of the answer
    that holds. Raises WorkbenchError for a line, a bin or a pause that cannot be.
    """
    scale = campaign_of(db, campaign_id).scale
    values = tuple(sorted((grade.value for grade in scale.grades), reverse=True))
    line = scale.relevant_from if relevant_from is None else relevant_from
    if line not in values[:-1]:
        raise WorkbenchError(f"{line} cannot be the lowest relevant grade", remedy="choose one of the scale")
    if not 1 <= bin_size <= 1000 or not 1 <= gap_minutes <= 24 * 60:
        raise WorkbenchError(
            f"bins of {bin_size} judgments and pauses of {gap_minutes} minutes are not possible",
            remedy="give 1 to 1,000 judgments and 1 to 1,440 minutes",
        )
    categories = values if graded else (1, 0)
    answers = answers_in(db, campaign_id)
    said = _said(db, campaign_id)
    found = []
    for name, events in said.items():
        course, days = _course(name, events, answers, categories, None if graded else line)
        found.append(
            _assessor(name, course, days, categories, line, graded, bin_size, gap_minutes, rounds, seed)
        )
    answered = (answers.grades != NO_ANSWER).any(axis=1).tolist()
    people = {voice.name for voice, any_of in zip(answers.voices, answered, strict=True) if any_of}
    machines = {voice.name for voice in answers.voices if voice.machine}
    return TimeReport(
        assessors=tuple(found),
        categories=categories,
        relevant_from=line,
        graded=graded,
        bin=bin_size,
        gap_minutes=gap_minutes,
        rounds=rounds,
        seed=seed,
        imported=tuple(sorted(people - machines - said.keys())),
    )


def time_rows(report: TimeReport) -> Iterator[tuple[object, ...]]:
    """The report as rows of TIME_COLUMNS, with all digits."""
    for one in report.assessors:
        labelled: list[tuple[str, object, Bin]] = [
            ("position", found.label * report.bin + 1, found) for found in one.by_position
        ]
        labelled += [("day", day.day.isoformat(), day.found) for day in one.by_day]
        for by, start, found in labelled:
            yield (
                one.name, by, start, found.judgments, found.compared, found.agreement, found.low, found.high,
                found.kappa, report.share_relevant(found), found.seconds,
            )  # fmt: skip


def in_words(trend: Trend, over: str) -> str:
    """A trend of agreement in a plain sentence; `over` is `sitting` (by ten judgments) or `days` (by one)."""
    if trend.slope is None:
        return f"Nothing can be said: {trend.undefined}."
    step, unit = (10, "ten judgments") if over == "sitting" else (1, "day")

    def points(slope: float) -> str:
        return f"{100 * step * slope:+.1f}".replace("-", "−")

    between = ""
    if trend.low is not None and trend.high is not None:
        between = f", 95 % interval {points(trend.low)} to {points(trend.high)}"
    figures = f"{points(trend.slope)} points per {unit}{between}, p = {trend.p:.3f}"
    if not trend.shown:
        what = "fatigue" if over == "sitting" else "drift"
        return f"No {what} that these {trend.n:,} pairs of {trend.groups} sittings could show: {figures}."
    way = "less" if trend.slope < 0 else "more"
    when = "the longer a sitting lasts" if over == "sitting" else "from day to day"
    return f"Agrees {way} with the others {when}: {figures}."


_Said = tuple[Pair, int | None, datetime, int | None]


def _said(db: Session, campaign_id: int) -> dict[str, list[_Said]]:
    """By person the answers that hold, (pair, grade, moment, active milliseconds), as they were recorded."""
    event = JudgmentEventRow
    rows = db.execute(
        select(
            AssessorRow.name,
            event.topic,
            event.docno,
            event.answer,
            event.grade,
            event.recorded_at,
            event.active_ms,
        )
        .join(AssessorRow, AssessorRow.id == event.assessor_id)
        .where(
            event.campaign_id == campaign_id,
            event.purpose == "judging",
            event.source.not_like(f"{IMPORTED}%"),
            AssessorRow.machine.is_(False),
        )
        .order_by(AssessorRow.name, event.id)
    )
    said: dict[str, dict[Pair, _Said]] = {}
    for name, topic, docno, answer, grade, recorded_at, active_ms in rows:
        own, pair = said.setdefault(name, {}), (topic, docno)
        own.pop(pair, None)
        if answer not in (WITHDRAWN, LATER):
            own[pair] = (pair, grade if answer == Answer.GRADE else None, recorded_at, active_ms)
    # What was taken from the front and said again stands last, where it was recorded.
    return {name: sorted(own.values(), key=lambda one: one[2]) for name, own in said.items() if own}


def _course(
    name: str, events: Sequence[_Said], answers: Answers, categories: tuple[int, ...], line: int | None
) -> tuple[Course, list[date]]:
    def placed(grade: int) -> int:
        return categories.index(grade if line is None else int(grade >= line))

    place = {pair: column for column, pair in enumerate(answers.pairs)}
    rows = [row for row, voice in enumerate(answers.voices) if not voice.machine and voice.name != name]
    others = np.zeros((len(events), len(categories)), dtype=np.int64)
    codes = np.full(len(events), MISSING, dtype=np.int8)
    for at, (pair, grade, _, _) in enumerate(events):
        if grade is not None:
            codes[at] = placed(grade)
        for theirs in answers.grades[rows, place[pair]].tolist() if pair in place else ():
            if theirs >= 0:
                others[at, placed(theirs)] += 1
    moments = np.array([moment.timestamp() for _, _, moment, _ in events])
    seconds = np.array([ms / 1000 if ms else np.nan for _, _, _, ms in events], dtype=np.float64)
    return Course(moments, codes, others, seconds), [moment.date() for _, _, moment, _ in events]


def _assessor(
    name: str,
    course: Course,
    days: Sequence[date],
    categories: tuple[int, ...],
    line: int,
    graded: bool,
    bin_size: int,
    gap_minutes: int,
    rounds: int,
    seed: int,
) -> AssessorTime:
    sitting, position = sittings(course.moments, gap=gap_minutes * 60)
    agreement = course.agreement
    least = line if graded else 1
    relevant = np.array([*(float(grade >= least) for grade in categories), np.nan])[course.codes]
    ordinals = np.array([day.toordinal() for day in days], dtype=np.int64)
    # A sitting that goes on past midnight is of the day on which it began.
    begun = ordinals[np.searchsorted(sitting, sitting)]
    drawing = {"rounds": rounds, "seed": seed}
    return AssessorTime(
        name=name,
        judgments=len(days),
        compared=int(np.isfinite(agreement).sum()),
        sittings=int(sitting[-1]) + 1,
        by_position=bins(course, (position - 1) // bin_size),
        by_day=tuple(Day(date.fromordinal(found.label), found) for found in bins(course, begun)),
        fatigue=trend_within(position, agreement, sitting, **drawing),
        relevance=trend_within(position, relevant, sitting, **drawing),
        pace=trend_within(position, np.log(course.seconds), sitting, **drawing),
        drift=trend_between(begun, agreement, sitting, **drawing),
    )
