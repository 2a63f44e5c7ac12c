"""All assessors together: the whole report on what enters."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from workbench.agreement.overlap import Overlap, overlaps
from workbench.agreement.report.figures import Figure, drawn_from, figures
from workbench.agreement.report.grades import GradeAgreement, by_grade
from workbench.agreement.report.how import How
from workbench.agreement.report.paradox import Paradox, paradox
from workbench.agreement.report.strictness import Strictness, strictness
from workbench.agreement.report.thresholds import Threshold, prevalence, thresholds
from workbench.agreement.report.two import MeanOfTwo, Two, busiest, every_two, means_of_two
from workbench.agreement.several.entering import Entering

# Overlap three ways is a list of all triples: of more assessors nobody reads it.
MOST_IN_THREES = 8


@dataclass(frozen=True, slots=True)
class Together:
    """A report: what entered, how it was reckoned, the figures of all, their means over pairs, and the rest.

    `grades` are those of the ratings that entered (two where they are relevant or not), `scale_grades` those
    of the declared scale; `prevalence` is there for two grades only. `overlaps` and `triples` are Voorhees'
    overlaps of two and three assessors from the line of relevance on; there are no triples of many assessors.
    `left_out` counts assessors whose pairs are not listed since there are too many.
    """

    entering: Entering
    how: How
    figures: tuple[Figure, ...]
    grades: tuple[GradeAgreement, ...]
    scale_grades: tuple[GradeAgreement, ...]
    prevalence: float | None
    paradox: Paradox | None
    pairs: tuple[Two, ...]
    left_out: int
    means: tuple[MeanOfTwo, ...]
    overlaps: tuple[Overlap, ...]
    triples: tuple[Overlap, ...]
    thresholds: tuple[Threshold, ...]
    strictness: tuple[Strictness, ...]

    def figure(self, name: str) -> Figure:
        """The figure of a coefficient, by its name."""
        return next(one for one in self.figures if one.name == name)


def together(entering: Entering, how: How) -> Together:
    """Everything on what enters; raises WorkbenchError for own weights that do not fit the scale."""
    ratings = entering.ratings
    drawn = drawn_from(ratings, how)
    found = figures(ratings, how, drawn)
    grades = by_grade(ratings, how, drawn)
    of_scale, scale = grades, entering.by_grade.categories
    if not entering.graded and len(scale) > 2:
        of_scale = by_grade(entering.by_grade, how, drawn_from(entering.by_grade, how))
    elif len(scale) == 2 and scale[1] < entering.relevant_from <= scale[0]:
        # Relevant and not are the two grades of the scale, whatever their numbers.
        of_scale = tuple(replace(one, grade=grade) for one, grade in zip(grades, scale, strict=True))
    chosen = busiest(ratings)
    pairs = every_two(ratings, how, among=chosen)
    binary = entering.by_grade.from_grade(entering.relevant_from)
    return Together(
        entering=entering,
        how=how,
        figures=found,
        grades=grades,
        scale_grades=of_scale,
        prevalence=prevalence(grades[0], grades[1]) if len(grades) == 2 else None,
        paradox=paradox(found, grades),
        pairs=pairs,
        left_out=len(entering.assessors) - len(chosen),
        means=means_of_two(ratings, pairs, how),
        overlaps=overlaps(binary, among=chosen, resamples=how.resamples),
        triples=overlaps(binary, 3, resamples=how.resamples)
        if 3 <= binary.n_assessors <= MOST_IN_THREES
        else (),
        thresholds=thresholds(entering.by_grade, how) if len(scale) > 2 else (),
        strictness=strictness(ratings, how),
    )


@dataclass(frozen=True, slots=True)
class Disagreed:
    """A pair on which two assessors differ, with the grade of each."""

    topic: str
    docno: str
    first: int
    second: int


def disagreed(entering: Entering, first: int, second: int) -> tuple[Disagreed, ...]:
    """The pairs on which two assessors differ in what is compared, the furthest apart first.

    Grades are those given on the scale. A pair that counts as not relevant since one has not judged it is
    among them.
    """
    scale = np.array(entering.by_grade.categories)
    one, other = entering.by_grade.codes[first], entering.by_grade.codes[second]
    compared = entering.ratings.codes[first], entering.ratings.codes[second]
    at = np.flatnonzero((compared[0] != compared[1]) & (one >= 0) & (other >= 0))
    apart = np.abs(scale[one[at]] - scale[other[at]])
    order = at[np.argsort(-apart, kind="stable")]
    grades = zip(order.tolist(), scale[one[order]].tolist(), scale[other[order]].tolist(), strict=True)
    return tuple(
        Disagreed(entering.pairs[place][0], entering.pairs[place][1], mine, theirs)
        for place, mine, theirs in grades
    )


def what_differs(found: Together) -> str:
    """One sentence on why the pooled and the unpooled kappa differ here, or do not."""
    pooled, unpooled = found.figure("pooled").value, found.figure("unpooled").value
    general = (
        "The pooled kappa takes chance from the grades of all together, the unpooled from each assessor's own"
    )
    if pooled is None or unpooled is None:
        return f"{general}."
    if abs(unpooled - pooled) < 0.005:
        return f"{general}: here all use the grades about equally often, so the two hardly differ."
    if unpooled > pooled:
        return (
            f"{general}: here some give the higher grades more often than others, which the pooled kappa "
            f"counts as disagreement and the unpooled forgives ({unpooled - pooled:.3f} apart)."
        )
    return (
        f"{general}: here assessors judged different pairs, so that their own shares differ for that reason "
        f"too ({pooled - unpooled:.3f} apart)."
    )
