"""The agreement report: everything about all selected assessors, and their matrix."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from workbench.agreement.estimates import Band, Estimate, HasEstimates, estimates, topics_left_out, verdict
from workbench.agreement.grades import GradeAgreement, Paradox, by_grade, paradox
from workbench.agreement.intervals import Interval
from workbench.agreement.jackknife import TopicShares, Transform, intervals, others
from workbench.agreement.options import AgreementOptions
from workbench.agreement.pairwise import (
    AssessorPair,
    Overlap,
    PairwiseMean,
    Threshold,
    assessor_pairs,
    most_active,
    overlaps,
    pairwise_means,
    prevalence,
    thresholds,
)
from workbench.agreement.ratings import Ratings
from workbench.agreement.selection import Selection
from workbench.agreement.tally import Floats
from workbench.figures import counted
from workbench.frozen import frozen_dataclass
from workbench.tables import ResultRows, ResultTable

# Overlap three ways is a list of all triples: of more assessors nobody reads it.
MOST_IN_THREES = 8

NO_INTERVAL = (None, None, "")


@frozen_dataclass
class AgreementReport(HasEstimates, ResultTable):
    """A report: the selection, the options, the estimates for all, their means over pairs, and the rest.

    `grades` are those of the ratings included (two where they are relevant or not), `scale_grades` those
    of the declared scale; `prevalence` is there for two grades only. `overlaps` and `triples` are Voorhees'
    overlaps of two and three assessors from the relevance threshold on; there are no triples of many
    assessors. `left_out` counts assessors whose pairs are not listed since there are too many.
    """

    selection: Selection
    options: AgreementOptions
    estimates: tuple[Estimate, ...]
    grades: tuple[GradeAgreement, ...]
    scale_grades: tuple[GradeAgreement, ...]
    prevalence: float | None
    paradox: Paradox | None
    pairs: tuple[AssessorPair, ...]
    left_out: int
    means: tuple[PairwiseMean, ...]
    overlaps: tuple[Overlap, ...]
    triples: tuple[Overlap, ...]
    thresholds: tuple[Threshold, ...]
    leniency: tuple[Leniency, ...]

    def table(self) -> ResultRows:
        """A row for each coefficient: its value, its interval over topics, its n."""
        rows = [
            (
                one.label,
                one.value,
                *(
                    (one.interval.low, one.interval.high, one.interval.method)
                    if one.interval
                    else NO_INTERVAL
                ),
                one.found.n,
            )
            for one in self.estimates
        ]
        columns = ("coefficient", "value", "low", "high", "interval", "pairs")
        return ResultRows(f"Agreement on {counted(self.selection.n_pairs, 'pair')}", columns, rows, len(rows))


def agreement_report(selection: Selection, options: AgreementOptions) -> AgreementReport:
    """Everything on a selection; raises WorkbenchError for own weights that do not fit the scale."""
    ratings = selection.ratings
    left = topics_left_out(ratings, options)
    found = estimates(ratings, options, left)
    grades = by_grade(ratings, left)
    of_scale, scale = grades, selection.by_grade.categories
    if not selection.graded and len(scale) > 2:
        of_all = topics_left_out(selection.by_grade, options, by_assessor=False)
        of_scale = by_grade(selection.by_grade, of_all)
    elif len(scale) == 2 and scale[1] < selection.relevant_from <= scale[0]:
        # Relevant and not are the two grades of the scale, whatever their numbers.
        of_scale = tuple(replace(one, grade=grade) for one, grade in zip(grades, scale, strict=True))
    known = None if selection.graded else (selection.relevant_from, found, grades)
    # Only coefficients of all together ask for pairs that one alone judged.
    shared = ratings.shared()
    active = most_active(shared)
    pairs = assessor_pairs(shared, options)
    binary = selection.by_grade.shared().from_grade(selection.relevant_from)
    return AgreementReport(
        selection,
        options,
        found,
        grades,
        of_scale,
        prevalence=prevalence(grades[0], grades[1]) if len(grades) == 2 else None,
        paradox=paradox(found, grades),
        pairs=pairs,
        left_out=len(selection.assessors) - len(active),
        means=pairwise_means(shared, pairs, options),
        overlaps=overlaps(binary, active, level=options.confidence),
        triples=overlaps(binary, range(binary.n_assessors), 3, level=options.confidence)
        if binary.n_assessors <= MOST_IN_THREES
        else (),
        thresholds=thresholds(selection.by_grade, options, known) if len(scale) > 2 else (),
        leniency=leniency(shared, options),
    )


@frozen_dataclass
class Disagreement:
    """A pair on which two assessors differ, with the grade of each."""

    topic: str
    docno: str
    first: int
    second: int


def disagreements(selection: Selection, first: int, second: int) -> tuple[Disagreement, ...]:
    """The pairs on which two assessors differ in what is compared, the furthest apart first.

    Grades are those given on the scale. A pair that counts as not relevant since one has not judged it is
    among them.
    """
    scale = np.array(selection.by_grade.categories)
    one, other = selection.by_grade.codes[first], selection.by_grade.codes[second]
    compared = selection.ratings.codes[first], selection.ratings.codes[second]
    at = np.flatnonzero((compared[0] != compared[1]) & (one >= 0) & (other >= 0))
    apart = np.abs(scale[one[at]] - scale[other[at]])
    order = at[np.argsort(-apart, kind="stable")]
    grades = zip(order.tolist(), scale[one[order]].tolist(), scale[other[order]].tolist(), strict=True)
    return tuple(Disagreement(*selection.pairs[place], *both) for place, *both in grades)


def answer_in_words(found: AgreementReport) -> tuple[str, str]:
    """How far assessors agree, by the pooled kappa: the verdict with its figures, and what to make of it."""
    one, pairs = found.estimate("pooled"), counted(found.selection.n_pairs, "document")
    judged = "both" if len(found.selection.assessors) == 2 else "two or more"
    if one.value is None:
        return "Agreement cannot be computed.", f"{one.found.undefined[:1].upper()}{one.found.undefined[1:]}."
    where = f"on {pairs} that {judged} judged"
    if one.interval is None or not one.enough:
        why = one.interval.undefined if one.interval else ""
        return (
            f"Too few to say: pooled kappa {one.value:z.2f} {where}.",
            f"No interval: {why}." if why else "",
        )
    low, high = one.interval.low, one.interval.high
    if low is None or high is None:
        return f"No disagreement {where}: pooled kappa {one.value:z.2f}.", ""
    least, most = one.band, verdict(high, enough=True)
    if least is Band.UNCERTAIN:
        how = "Too uncertain to say"
    else:
        how = f"{str(least).capitalize()} agreement" if least is most else f"At least {least} agreement"
    figures = f"pooled kappa {one.value:z.2f} ({low:z.2f} to {high:z.2f}) {where}"
    return f"{how}: {figures}.".replace("-", "\u2212"), "Values from 0.4 to 0.6 are usual for relevance."


def most_disputed(found: AgreementReport) -> GradeAgreement | None:
    """The grade about which most of the disagreement is; None where all agree or there are two grades."""
    open_ = [
        (one.given * (1 - one.specific.value), one)
        for one in found.scale_grades
        if one.specific.value is not None and one.specific.value < 1
    ]
    return max(open_, key=lambda two: two[0])[1] if len(found.scale_grades) > 2 and open_ else None


def what_differs(found: AgreementReport) -> str:
    """One sentence on why the pooled and the unpooled kappa differ here, or do not."""
    pooled, unpooled = found.estimate("pooled").value, found.estimate("unpooled").value
    general = (
        "Pooled kappa computes chance agreement from all grades together, unpooled kappa from each "
        "assessor's own"
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


@frozen_dataclass
class Matrix:
    """Every two assessors by their numbers, and the `order` in which they stand: people, then machines.

    `left_out` counts assessors who do not stand in it since there are too many: those with the fewest grades.
    """

    selection: Selection
    options: AgreementOptions
    order: tuple[int, ...]
    machines: int
    pairs: dict[tuple[int, int], AssessorPair]
    left_out: int

    def at(self, row: int, column: int) -> AssessorPair | None:
        """The two assessors of a cell, None on the diagonal."""
        return self.pairs.get((min(row, column), max(row, column)))


def matrix(selection: Selection, options: AgreementOptions) -> Matrix:
    """The matrix of a selection, ordered by the options' coefficient; machines come after the people."""
    ratings = selection.ratings.shared()
    active = most_active(ratings)
    pairs = {(two.first, two.second): two for two in assessor_pairs(ratings, options)}
    people = [number for number in active if not selection.assessors[number].machine]
    machines = [number for number in active if selection.assessors[number].machine]
    order = tuple(
        number for some in (people, machines) for number in _alike_together(some, pairs, options.coefficient)
    )
    return Matrix(selection, options, order, len(machines), pairs, len(selection.assessors) - len(active))


def _alike_together(
    numbers: Sequence[int], pairs: dict[tuple[int, int], AssessorPair], by: str
) -> tuple[int, ...]:
    """The leaves of a tree by average distance, each branch turned so that neighbours are near.

    What is undefined is as far apart as the mean of the others.
    """
    if len(numbers) < 3:
        return tuple(numbers)
    n = len(numbers)
    far = np.full((n, n), np.nan)
    for row, first in enumerate(numbers):
        for column, second in enumerate(numbers[row + 1 :], start=row + 1):
            value = pairs[first, second].estimate(by).value
            far[row, column] = far[column, row] = np.nan if value is None else 1.0 - value
    known = far[np.isfinite(far)]
    far[~np.isfinite(far)] = known.mean() if known.size else 1.0
    np.fill_diagonal(far, 0.0)
    # Imported here, as elsewhere in this room: two assessors' agreement must not wait for all of scipy.
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    condensed = squareform(far, checks=False)
    tree = linkage(condensed, "average", optimal_ordering=True)
    return tuple(numbers[place] for place in leaves_list(tree).tolist())


@frozen_dataclass
class Leniency:
    """What an assessor gave on the `n` pairs that others judged too, and the mean of what the others gave.

    Of two grades the mean is the share of relevant. `difference` is own less others: above 0 is lenient. It
    is None where the assessor shares no pair. `interval` is of the difference.
    """

    assessor: int
    n: int
    own: float | None
    others: float | None
    difference: float | None
    interval: Interval | None


def leniency(ratings: Ratings, options: AgreementOptions) -> tuple[Leniency, ...]:
    """Every assessor, the strictest first; who shares no pair with anybody comes last.

    The others' mean is computed pair by pair, so that it does not matter which pairs were assigned.
    """
    sums = _sums(ratings)
    lowest = min(ratings.categories)
    # Who gives a grade above the lowest, or whose colleagues do, tells how lenient he or she is.
    rich = (sums[..., 0] + sums[..., 1]) / 2 - lowest * sums[..., 2]
    evidence = TopicShares(rich, sums[..., 2] > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        whole, without = _difference(sums.sum(axis=1)), _difference(others(sums, axis=1))
    over = intervals(whole, without, evidence, Transform.PLAIN, level=options.confidence)
    found = []
    for number, (interval, (mine, theirs, n)) in enumerate(zip(over, sums.sum(axis=1).tolist(), strict=True)):
        if n:
            found.append(Leniency(number, int(n), mine / n, theirs / n, (mine - theirs) / n, interval))
        else:
            found.append(Leniency(number, 0, None, None, None, None))
    return tuple(sorted(found, key=lambda one: (one.difference is None, one.difference or 0.0, one.assessor)))


def _sums(ratings: Ratings) -> Floats:
    """Of every assessor by topic own grades, the others' mean on the same pairs, and how many pairs.

    Shape (assessors, topics, 3).
    """
    values = np.asarray(ratings.categories, dtype=np.float64)
    given = ratings.given()
    raters = np.bincount(given.pairs, minlength=ratings.codes.shape[1])
    total = np.bincount(given.pairs, values[given.codes], minlength=ratings.codes.shape[1])
    shared = raters[given.pairs] >= 2
    assessors, pairs = given.assessors[shared].astype(np.int64), given.pairs[shared]
    own = values[given.codes[shared]]
    others = (total[pairs] - own) / (raters[pairs] - 1)
    places = assessors * ratings.n_topics + ratings.topics[pairs]
    shape = ratings.n_assessors, ratings.n_topics
    columns = [
        np.bincount(places, of, minlength=math.prod(shape)).reshape(shape)
        for of in (own, others, np.ones_like(own))
    ]
    sums = np.stack(columns, axis=2).astype(np.float64)
    if ratings.unlisted is not None:
        lowest = float(min(ratings.categories))
        sums += ratings.unlisted[:, np.newaxis] * np.array([lowest, lowest, 1.0])
    return sums


def _difference(sums: Floats) -> Floats:
    return (sums[..., 0] - sums[..., 1]) / sums[..., 2]
