"""Agreement over time: by position in the sitting and by day, assessor by assessor."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from math import expm1

import numpy as np
from sqlalchemy.orm import Session

from workbench.agreement.contingency import MISSING
from workbench.agreement.drift import INTERVALS, Trend, trend_between, trend_within
from workbench.agreement.intervals import LEVEL
from workbench.agreement.options import AgreementOptions
from workbench.agreement.timelines import Bin, Timeline, bins, sittings
from workbench.errors import Finding, InvalidInput
from workbench.workflow.agreement.screen_answers import ScreenAnswers, screen_answers
from workbench.workflow.agreement.selection import ComparedGrades, compared_grades, judgments_version
from workbench.workflow.caching import Cache
from workbench.workflow.judging.current_judgments import recorded_version
from workbench.workflow.pools.current_answers import answers_by_topic
from workbench.workflow.pools.topic_answers import TopicAnswers


def _timelines(
    answers: Mapping[str, TopicAnswers],
    found: Mapping[str, ScreenAnswers],
    people: Mapping[int, str],
    grades: ComparedGrades,
) -> Iterator[tuple[str, Timeline]]:
    """The timeline of everybody's judging on the screen, against the other people's current answers.

    Both are by topic; `people` are names by id, in the order in which the timelines come.
    """
    if not found:
        return
    place = {grade: grades.categories.index(grades.category(grade)) for grade in grades.scale}
    # The last one is of an answer without a grade.
    codes = np.full(max(grades.scale) + 2, MISSING, dtype=np.int64)
    codes[list(place)] = list(place.values())
    q = len(grades.categories)
    several = found.values()
    others = np.concatenate([one.others(answers[name], people, codes, q) for name, one in found.items()])
    given = codes[np.concatenate([one.grades for one in several])]
    moments, seconds, assessors, events = (
        np.concatenate([getattr(one, part) for one in several])
        for part in ("moments", "seconds", "assessors", "events")
    )
    topics = np.repeat(np.arange(len(found)), [len(one.events) for one in several])
    # Who recorded two answers at one moment recorded that of the earlier event first.
    order = np.lexsort((events, moments, assessors))
    sorted_by = assessors[order]
    for number, name in people.items():
        own = order[slice(*np.searchsorted(sorted_by, (number, number + 1)))]
        if not len(own):
            continue
        # Topics are numbered as they come up, so that it depends on no other topic which come first.
        _, first, which = np.unique(topics[own], return_index=True, return_inverse=True)
        yield (
            name,
            Timeline(
                moments=moments[own],
                codes=given[own].astype(np.int8),
                others=others[own].astype(np.int64),
                seconds=seconds[own],
                topics=np.argsort(np.argsort(first))[which],
            ),
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
_ASSESSORS: Cache[Hashable, AssessorTime] = Cache(2048)
"""By a hash of all that is computed of a person: whoever saves changes the few who judged the same pair."""


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
    assessors = recorded_version(db, campaign_id).assessors
    people = {number: name for number, name, machine in assessors if not machine}
    answers = answers_by_topic(db, campaign_id)
    on_screen = screen_answers(db, campaign_id, answers, [number for number, _, _ in assessors])
    drawn = options.bin_size, options.gap_minutes, options.rounds, options.seed
    found = []
    for name, timeline in _timelines(answers, on_screen, people, grades):
        make = partial(_assessor, name, timeline, grades, options)
        found.append(_ASSESSORS.get((name, timeline.digest(), grades, *drawn), make))
    answered = {number for one in answers.values() for number in np.unique(one.assessors).tolist()}
    shown = {one.name for one in found}
    return TimeReport(
        assessors=tuple(found),
        grades=grades,
        options=options,
        imported=tuple(sorted({people[number] for number in answered & people.keys()} - shown)),
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
    grades: ComparedGrades,
    options: AgreementOptions,
) -> AssessorTime:
    sitting, position = sittings(timeline.moments, gap=options.gap_minutes * 60)
    agreement = timeline.agreement
    # The place -1 of an answer without a grade takes the NaN that stands last.
    relevant = np.array([*(float(one >= grades.lowest_relevant) for one in grades.categories), np.nan])
    ordinals = (timeline.moments // 86_400).astype(np.int64) + date(1970, 1, 1).toordinal()
    # A sitting that goes on past midnight is of the day on which it began.
    begun = ordinals[np.searchsorted(sitting, sitting)]
    drawing = {"rounds": options.rounds, "seed": options.seed}
    return AssessorTime(
        name=name,
        judgments=len(timeline.moments),
        compared=int(np.isfinite(agreement).sum()),
        sittings=int(sitting[-1]) + 1,
        by_position=bins(timeline, (position - 1) // options.bin_size),
        by_day=tuple(Day(date.fromordinal(found.label), found) for found in bins(timeline, begun)),
        fatigue=trend_within(position, agreement, sitting, topic=timeline.topics, **drawing),
        relevance=trend_within(position, relevant[timeline.codes], sitting, topic=timeline.topics, **drawing),
        pace=trend_within(position, np.log(timeline.seconds), sitting, topic=timeline.topics, **drawing),
        drift=trend_between(begun, agreement, sitting, **drawing),
    )
