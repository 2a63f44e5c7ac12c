"""Agreement at every relevance threshold of a graded scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.agreement.estimates import Estimate, chosen, estimates, topics_left_out
from workbench.agreement.grades import BinaryView, GradeAgreement, binary_view, by_grade
from workbench.agreement.options import AgreementOptions
from workbench.agreement.overlap import MeanOverlap, mean_overlap
from workbench.agreement.pairwise import MOST_PAIRED, most_active
from workbench.agreement.ratings import Ratings, pair_tables


@dataclass(frozen=True, slots=True)
class Threshold:
    """Agreement on relevant or not where grades from `relevant_from` on are relevant.

    `prevalence` is the share of relevant less that of not relevant among all grades given; `overlap` the mean
    over every two assessors of Voorhees' overlap. `view` is there for two assessors only.
    """

    relevant_from: int
    estimates: tuple[Estimate, ...]
    positive: GradeAgreement
    negative: GradeAgreement
    prevalence: float | None
    overlap: MeanOverlap
    view: BinaryView | None

    def estimate(self, name: str) -> Estimate:
        """The estimate of a coefficient, by its name."""
        return chosen(self.estimates, name)


@dataclass(frozen=True, slots=True)
class AtThreshold:
    """What a report has of one threshold already: the estimates and both sides, relevant first."""

    relevant_from: int
    estimates: tuple[Estimate, ...]
    grades: tuple[GradeAgreement, ...]


def thresholds(
    graded: Ratings, options: AgreementOptions, known: AtThreshold | None = None
) -> tuple[Threshold, ...]:
    """Every threshold of the declared scale, the lowest first."""
    found = []
    for line in sorted(graded.categories)[1:]:
        binary = graded.from_grade(line)
        at = known if known is not None and known.relevant_from == line else _at(binary, line, options)
        found.append(_threshold(binary, options, at))
    return tuple(found)


def _at(binary: Ratings, line: int, options: AgreementOptions) -> AtThreshold:
    left = topics_left_out(binary, options)
    return AtThreshold(line, estimates(binary, options, left), by_grade(binary, options, left))


def _threshold(binary: Ratings, options: AgreementOptions, at: AtThreshold) -> Threshold:
    active = most_active(binary, MOST_PAIRED)
    positive, negative = at.grades
    return Threshold(
        relevant_from=at.relevant_from,
        estimates=at.estimates,
        positive=positive,
        negative=negative,
        prevalence=prevalence(positive, negative),
        overlap=_overlap_among(binary, active, options),
        view=binary_view(pair_tables(binary)[0, 1]) if binary.n_assessors == 2 else None,
    )


def _overlap_among(binary: Ratings, active: Sequence[int], options: AgreementOptions) -> MeanOverlap:
    # An overlap is of pairs that two of them judged: among a million others these few are found once.
    return mean_overlap(binary.only(active).shared(), level=options.confidence)


def prevalence(positive: GradeAgreement, negative: GradeAgreement) -> float | None:
    """The prevalence index: the share of relevant less that of not relevant, among all grades given.

    For two assessors (both relevant - both not) / n. Source: Byrt, Bishop and Carlin 1993, with its sign.
    """
    if positive.share is None or negative.share is None:
        return None
    return positive.share - negative.share
