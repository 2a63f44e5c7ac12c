"""The same agreement at every line between relevant and not that a graded scale allows."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.agreement.overlap import MeanOverlap, mean_overlap
from workbench.agreement.report.figures import Figure, drawn_from, figures
from workbench.agreement.report.grades import GradeAgreement, by_grade
from workbench.agreement.report.how import How
from workbench.agreement.report.two import MOST_PAIRED, busiest
from workbench.agreement.several.pairs import pair_tables
from workbench.agreement.several.ratings import Ratings
from workbench.agreement.specific import BinaryView, binary_view


@dataclass(frozen=True, slots=True)
class Threshold:
    """Agreement on relevant or not where grades from `relevant_from` on are relevant.

    `prevalence` is the share of relevant less that of not relevant among all grades given; `overlap` the mean
    over every two assessors of Voorhees' overlap. `view` is there for two assessors only.
    """

    relevant_from: int
    figures: tuple[Figure, ...]
    positive: GradeAgreement
    negative: GradeAgreement
    prevalence: float | None
    overlap: MeanOverlap
    view: BinaryView | None

    def figure(self, name: str) -> Figure:
        """The figure of a coefficient, by its name."""
        return next(one for one in self.figures if one.name == name)


def thresholds(graded: Ratings, how: How) -> tuple[Threshold, ...]:
    """Every threshold of the declared scale, the lowest first."""
    return tuple(_threshold(graded, line, how) for line in sorted(graded.categories)[1:])


def _threshold(graded: Ratings, line: int, how: How) -> Threshold:
    binary = graded.from_grade(line)
    drawn = drawn_from(binary, how)
    positive, negative = by_grade(binary, how, drawn)
    return Threshold(
        relevant_from=line,
        figures=figures(binary, how, drawn),
        positive=positive,
        negative=negative,
        prevalence=prevalence(positive, negative),
        overlap=mean_overlap(binary.only(busiest(binary, MOST_PAIRED)), resamples=how.resamples),
        view=binary_view(pair_tables(binary)[0, 1]) if binary.n_assessors == 2 else None,
    )


def prevalence(positive: GradeAgreement, negative: GradeAgreement) -> float | None:
    """The prevalence index: the share of relevant less that of not relevant, among all grades given.

    For two assessors (both relevant - both not) / n. Source: Byrt, Bishop and Carlin 1993, with its sign.
    """
    if positive.share is None or negative.share is None:
        return None
    return positive.share - negative.share
