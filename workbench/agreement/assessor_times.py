"""One person's judging over time: by position in the sitting, by day, and the trends in both."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from math import expm1

import numpy as np

from workbench.agreement.drift import Trend, trend_between, trend_within
from workbench.agreement.options import AgreementOptions
from workbench.agreement.timelines import Bin, Timeline, bins, sittings


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


def assessor_time(
    name: str, timeline: Timeline, relevant_places: tuple[bool, ...], options: AgreementOptions
) -> AssessorTime:
    """A person's judging over time; `relevant_places` says of each category whether it is relevant."""
    sitting, position = sittings(timeline.moments, gap=options.gap_minutes * 60)
    agreement = timeline.agreement
    # The place -1 of an answer without a grade takes the NaN that stands last.
    relevant = np.array([*map(float, relevant_places), np.nan])
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
