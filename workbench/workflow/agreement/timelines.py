"""Agreement over time: by position in the sitting and by day, assessor by assessor."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from math import expm1

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.agreement.contingency import MISSING
from workbench.agreement.drift import INTERVALS, Trend, trend_between, trend_within
from workbench.agreement.intervals import LEVEL
from workbench.agreement.options import AgreementOptions, Occasion
from workbench.agreement.ratings import NO_ANSWER, Answers, Pair
from workbench.agreement.timelines import Bin, Timeline, bins, sittings
from workbench.errors import Finding, InvalidInput
from workbench.records import Answer
from workbench.storage.events import JUDGING, LATER, WITHDRAWN
from workbench.storage.tables import AssessorRow, JudgmentEventRow
from workbench.workflow.agreement.selection import (
    ComparedGrades,
    answers_of_campaign,
    compared_grades,
    judgments_version,
)
from workbench.workflow.caching import Cache
from workbench.workflow.judging.importing import IMPORTED


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """A current answer: of which pair, its grade or None, when it was recorded, active milliseconds."""

    pair: Pair
    grade: int | None
    moment: datetime
    active_ms: int | None


def answers_on_screen(db: Session, campaign_id: int) -> dict[str, list[RecordedAnswer]]:
    """By person, by name, the current answers given on the screen, in the order recorded.

    What files brought is left out, since they do not say when each pair was judged, and so is what was said
    to probes, in training and in discussions.
    """
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
            event.purpose == JUDGING,
            event.source.not_like(f"{IMPORTED}%"),
            AssessorRow.machine.is_(False),
        )
        .order_by(AssessorRow.name, event.id)
    )
    recorded: dict[str, dict[Pair, RecordedAnswer]] = {}
    for name, topic, docno, answer, grade, recorded_at, active_ms in rows:
        own, pair = recorded.setdefault(name, {}), (topic, docno)
        own.pop(pair, None)
        if answer not in (WITHDRAWN, LATER):
            own[pair] = RecordedAnswer(
                pair, grade if answer == Answer.GRADE else None, recorded_at, active_ms
            )
    # An answer that was given again stands where it was recorded last.
    return {name: sorted(own.values(), key=lambda one: one.moment) for name, own in recorded.items() if own}


class _PeoplesGrades:
    """What all people have given now, counted by pair once for everybody's timeline."""

    def __init__(self, answers: Answers, grades: ComparedGrades) -> None:
        self._answers = answers
        self._place = {pair: column for column, pair in enumerate(answers.pairs)}
        self._row = {one.name: row for row, one in enumerate(answers.assessors) if not one.machine}
        self._codes = np.zeros(max(grades.scale) + 1, dtype=np.int64)
        for grade in grades.scale:
            self._codes[grade] = grades.categories.index(grades.category(grade))
        # One row more, of nobody's grades: the place -1 is of a pair without an answer.
        self._counts = np.zeros((len(answers.pairs) + 1, len(grades.categories)), dtype=np.int64)
        for row in self._row.values():
            graded = np.flatnonzero(answers.grades[row] >= 0)
            self._counts[graded, self._codes[answers.grades[row, graded]]] += 1

    def of_others(self, name: str, pairs: Sequence[Pair]) -> NDArray[np.int64]:
        """How many others gave each of these pairs each category; shape (pairs, q)."""
        columns = np.fromiter((self._place.get(pair, -1) for pair in pairs), np.int64, len(pairs))
        others = self._counts[columns]
        row = self._row.get(name)
        if row is not None:
            there = np.flatnonzero(columns >= 0)
            theirs = self._answers.grades[row, columns[there]]
            graded = theirs >= 0
            others[there[graded], self._codes[theirs[graded]]] -= 1
        return others


def _timeline_of(
    name: str, recorded: Sequence[RecordedAnswer], people: _PeoplesGrades, grades: ComparedGrades
) -> Timeline:
    """The timeline of one person's judging, against the other people's current answers."""
    place = {grade: grades.categories.index(grades.category(grade)) for grade in grades.scale}
    topics = {topic: number for number, topic in enumerate(dict.fromkeys(one.pair[0] for one in recorded))}
    return Timeline(
        moments=np.array([one.moment.timestamp() for one in recorded]),
        codes=np.array([MISSING if one.grade is None else place[one.grade] for one in recorded], np.int8),
        others=people.of_others(name, [one.pair for one in recorded]),
        seconds=np.array([one.active_ms / 1000 if one.active_ms else np.nan for one in recorded]),
        topics=np.array([topics[one.pair[0]] for one in recorded], dtype=np.int64),
    )


TIME_COLUMNS = (
    "assessor", "by", "from", "judgments", "compared", "agreement", "agreement_low", "agreement_high",
    "pooled", "share_relevant", "median_seconds", "slope", "slope_low", "slope_high", "p", "undefined",
    "would_define", "interval", "level", "rounds", "seed",
)  # fmt: skip
NOBODY_ELSE = ("nobody else graded these pairs", "give the topics to a second assessor")
"""Why nothing of a bin can be compared, and what would."""


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
    def trends(self) -> dict[str, Trend]:
        """Every trend by what changes with what."""
        return {
            "agreement_by_position": self.fatigue,
            "relevance_by_position": self.relevance,
            "log_seconds_by_position": self.pace,
            "agreement_by_day": self.drift,
        }

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
    grades: ComparedGrades
    options: AgreementOptions
    imported: tuple[str, ...]

    def share_relevant(self, found: Bin) -> float | None:
        """The share of relevant ones among the grades of a bin, None without any."""
        graded = zip(found.grades, self.grades.categories, strict=True)
        relevant = sum(n for n, grade in graded if grade >= self.grades.lowest_relevant)
        return relevant / sum(found.grades) if sum(found.grades) else None


# One asks for an assessor after the other, and for the files.
_REPORTS: Cache[Hashable, TimeReport] = Cache(4)


def over_time(db: Session, campaign_id: int, options: AgreementOptions) -> TimeReport:
    """The timeline of everybody's judgments on the screen, against the other people's current answers.

    A pause of the options' `gap_minutes` or more begins a new sitting; every pair counts once, at the moment
    of the current answer. Raises InvalidInput for a threshold, a bin or a pause that cannot be.
    """
    grades = compared_grades(db, campaign_id, relevant_from=options.relevant_from, graded=options.graded)
    bin_size, gap = options.bin_size, options.gap_minutes
    if not 1 <= bin_size <= 1000 or not 1 <= gap <= 24 * 60:
        message = f"bins of {bin_size} judgments and pauses of {gap} minutes are not possible"
        remedy = "give 1 to 1,000 judgments and 1 to 1,440 minutes"
        raise InvalidInput([Finding("Agreement", None, "bin", message, remedy)])
    version = judgments_version(db, campaign_id)
    return _REPORTS.get(
        (version, repr(grades), repr(options)), lambda: _report(db, campaign_id, grades, options)
    )


def _report(db: Session, campaign_id: int, grades: ComparedGrades, options: AgreementOptions) -> TimeReport:
    answers = answers_of_campaign(db, campaign_id, Occasion.CURRENT)
    recorded = answers_on_screen(db, campaign_id)
    people_grades = _PeoplesGrades(answers, grades)
    found = []
    for name, own in recorded.items():
        timeline, days = _timeline_of(name, own, people_grades, grades), [one.moment.date() for one in own]
        found.append(_assessor(name, timeline, days, grades, options))
    answered = (answers.grades != NO_ANSWER).any(axis=1).tolist()
    people = {one.name for one, any_of in zip(answers.assessors, answered, strict=True) if any_of}
    machines = {one.name for one in answers.assessors if one.machine}
    return TimeReport(
        assessors=tuple(found),
        grades=grades,
        options=options,
        imported=tuple(sorted(people - machines - recorded.keys())),
    )


def time_rows(report: TimeReport) -> Iterator[tuple[object, ...]]:
    """The report as rows of TIME_COLUMNS, with all digits: every assessor's bins, days and trends.

    Of a trend `compared` are the values that it goes through; its slope is by one judgment, or by one day.
    """
    for one in report.assessors:
        labelled: list[tuple[str, object, Bin]] = [
            ("position", found.label * report.options.bin_size + 1, found) for found in one.by_position
        ]
        labelled += [("day", day.day.isoformat(), day.found) for day in one.by_day]
        for by, start, found in labelled:
            yield (
                one.name, by, start, found.judgments, found.compared, found.agreement, found.low, found.high,
                found.kappa, report.share_relevant(found), found.seconds, *([None] * 4),
                *(("", "") if found.compared else NOBODY_ELSE), "Wilson", LEVEL, None, None,
            )  # fmt: skip
        for name, trend in one.trends.items():
            yield (
                one.name, "trend", name, None, trend.n, *([None] * 6), trend.slope, trend.low, trend.high,
                trend.p, trend.undefined or trend.no_interval, trend.would_define, INTERVALS, LEVEL,
                trend.rounds, trend.seed,
            )  # fmt: skip


def in_words(trend: Trend, over: str) -> str:
    """A trend of agreement in a plain sentence; `over` is `sitting` (by ten judgments) or `days` (by one)."""
    if trend.slope is None:
        return f"No trend: {trend.undefined}."
    step, unit = (10, "ten judgments") if over == "sitting" else (1, "day")

    def points(slope: float) -> str:
        return f"{100 * step * slope:+.1f}".replace("-", "−")

    between = ""
    if trend.low is not None and trend.high is not None:
        between = f", 95 % interval {points(trend.low)} to {points(trend.high)}"
    estimates = f"{points(trend.slope)} points per {unit}{between}, p = {trend.p:.3f}"
    if not trend.shown:
        what = "fatigue" if over == "sitting" else "drift"
        of = "1 sitting" if trend.groups == 1 else f"{trend.groups:,} sittings"
        return f"No {what} that these {trend.n:,} pairs of {of} could show: {estimates}."
    way = "less" if trend.slope < 0 else "more"
    when = "the longer a sitting lasts" if over == "sitting" else "from day to day"
    return f"Agrees {way} with the others {when}: {estimates}."


def _assessor(
    name: str,
    timeline: Timeline,
    days: Sequence[date],
    grades: ComparedGrades,
    options: AgreementOptions,
) -> AssessorTime:
    sitting, position = sittings(timeline.moments, gap=options.gap_minutes * 60)
    agreement = timeline.agreement
    # The place -1 of an answer without a grade takes the NaN that stands last.
    relevant = np.array([*(float(one >= grades.lowest_relevant) for one in grades.categories), np.nan])
    ordinals = np.array([day.toordinal() for day in days], dtype=np.int64)
    # A sitting that goes on past midnight is of the day on which it began.
    begun = ordinals[np.searchsorted(sitting, sitting)]
    drawing = {"rounds": options.rounds, "seed": options.seed}
    return AssessorTime(
        name=name,
        judgments=len(days),
        compared=int(np.isfinite(agreement).sum()),
        sittings=int(sitting[-1]) + 1,
        by_position=bins(timeline, (position - 1) // options.bin_size),
        by_day=tuple(Day(date.fromordinal(found.label), found) for found in bins(timeline, begun)),
        fatigue=trend_within(position, agreement, sitting, topic=timeline.topics, **drawing),
        relevance=trend_within(position, relevant[timeline.codes], sitting, topic=timeline.topics, **drawing),
        pace=trend_within(position, np.log(timeline.seconds), sitting, topic=timeline.topics, **drawing),
        drift=trend_between(begun, agreement, sitting, **drawing),
    )
