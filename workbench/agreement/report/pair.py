"""Two assessors closely: their tables, figures and working, at every threshold, and where they differ."""

from __future__ import annotations

from dataclasses import dataclass, replace

from workbench.agreement.overlap import Overlap, overlap
from workbench.agreement.report.figures import drawn_from, figures
from workbench.agreement.report.how import How
from workbench.agreement.report.overview import Disagreed, disagreed
from workbench.agreement.report.thresholds import Threshold, thresholds
from workbench.agreement.report.two import Two, every_two
from workbench.agreement.several.entering import Entering, Shared
from workbench.errors import WorkbenchError


@dataclass(frozen=True, slots=True)
class PairReport:
    """Two assessors among all: their figures as everywhere, at every threshold, and where they differ.

    `numbers` are theirs among all; `two`, of the grades that were compared, and `by_grade`, of those of the
    scale, know them as 0 and 1. `thresholds` is empty for a scale of two grades. `overlap` is that of the
    two's relevant sets where relevant or not was compared.
    """

    entering: Entering
    numbers: tuple[int, int]
    two: Two
    by_grade: Two
    shared: Shared
    thresholds: tuple[Threshold, ...]
    disagreed: tuple[Disagreed, ...]
    overlap: Overlap | None


def pair_report(entering: Entering, how: How, *, first: str, second: str) -> PairReport:
    """Two assessors by name, among all that enter; raises WorkbenchError for names that do not."""
    if first == second:
        raise WorkbenchError(f"{first} is named twice", remedy="name two assessors")
    numbers = entering.number(first), entering.number(second)
    compared, two = (ratings.only(numbers).with_all() for ratings in (entering.ratings, entering.by_grade))
    # The same figures as in lists of every two, with the intervals that need no drawing besides.
    (plain,) = every_two(compared, how, intervals=False)
    return PairReport(
        entering=entering,
        numbers=numbers,
        two=replace(plain, figures=figures(compared, how, drawn_from(compared, how))),
        by_grade=every_two(two, how, intervals=False)[0],
        shared=entering.shared(*numbers),
        thresholds=thresholds(two, how) if len(two.categories) > 2 else (),
        disagreed=disagreed(entering, *numbers),
        overlap=None if entering.graded else overlap(entering.ratings, numbers, resamples=how.resamples),
    )
