"""How each assessor's agreement with the others goes over the sitting, and over the days."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from math import expm1

import numpy as np
from sqlalchemy.orm import Session

from workbench.agreement.course import GAP_SECONDS, Bin, Course, bins, sittings
from workbench.agreement.drift import INTERVALS, ROUNDS, Trend, trend_between, trend_within
from workbench.agreement.several.answers import NO_ANSWER
from workbench.agreement.several.bootstrap import LEVEL
from workbench.errors import Finding, InvalidInput
from workbench.workflow.agreement.compared_grades import ComparedGrades, compared_grades
from workbench.workflow.agreement.courses import course_of, said_on_screen
from workbench.workflow.agreement.entering import answers_in

BIN = 10
GAP_MINUTES = GAP_SECONDS // 60
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
        line = self.relevant_from if self.graded else 1
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
    that holds. Raises InvalidInput for a line, a bin or a pause that cannot be.
    """
    grades = compared_grades(db, campaign_id, relevant_from=relevant_from, graded=graded)
    if not 1 <= bin_size <= 1000 or not 1 <= gap_minutes <= 24 * 60:
        message = f"bins of {bin_size} judgments and pauses of {gap_minutes} minutes are not possible"
        remedy = "give 1 to 1,000 judgments and 1 to 1,440 minutes"
        raise InvalidInput([Finding("Agreement", None, "bin", message, remedy)])
    answers = answers_in(db, campaign_id)
    said = said_on_screen(db, campaign_id)
    found = []
    for name, own in said.items():
        course, days = course_of(name, own, answers, grades), [one.moment.date() for one in own]
        found.append(_assessor(name, course, days, grades, bin_size, gap_minutes, rounds, seed))
    answered = (answers.grades != NO_ANSWER).any(axis=1).tolist()
    people = {voice.name for voice, any_of in zip(answers.voices, answered, strict=True) if any_of}
    machines = {voice.name for voice in answers.voices if voice.machine}
    return TimeReport(
        assessors=tuple(found),
        categories=grades.categories,
        relevant_from=grades.relevant_from,
        graded=graded,
        bin=bin_size,
        gap_minutes=gap_minutes,
        rounds=rounds,
        seed=seed,
        imported=tuple(sorted(people - machines - said.keys())),
    )


def time_rows(report: TimeReport) -> Iterator[tuple[object, ...]]:
    """The report as rows of TIME_COLUMNS, with all digits: every assessor's bins, days and trends.

    Of a trend `compared` are the values that it goes through; its slope is by one judgment, or by one day.
    """
    for one in report.assessors:
        labelled: list[tuple[str, object, Bin]] = [
            ("position", found.label * report.bin + 1, found) for found in one.by_position
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
        of = "1 sitting" if trend.groups == 1 else f"{trend.groups:,} sittings"
        return f"No {what} that these {trend.n:,} pairs of {of} could show: {figures}."
    way = "less" if trend.slope < 0 else "more"
    when = "the longer a sitting lasts" if over == "sitting" else "from day to day"
    return f"Agrees {way} with the others {when}: {figures}."


def _assessor(
    name: str,
    course: Course,
    days: Sequence[date],
    grades: ComparedGrades,
    bin_size: int,
    gap_minutes: int,
    rounds: int,
    seed: int,
) -> AssessorTime:
    sitting, position = sittings(course.moments, gap=gap_minutes * 60)
    agreement = course.agreement
    # The place -1 of an answer without a grade takes the NaN that stands last.
    relevant = np.array([*(float(one >= grades.lowest_relevant) for one in grades.categories), np.nan])
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
        fatigue=trend_within(position, agreement, sitting, topic=course.topics, **drawing),
        relevance=trend_within(position, relevant[course.codes], sitting, topic=course.topics, **drawing),
        pace=trend_within(position, np.log(course.seconds), sitting, topic=course.topics, **drawing),
        drift=trend_between(begun, agreement, sitting, **drawing),
    )
