"""The report of agreement as plain data: what commands print with `--json` and the API answers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import NotRequired, cast

from typing_extensions import TypedDict

from workbench.agreement.estimates import Estimate
from workbench.agreement.grades import WHY_NONE, GradeAgreement
from workbench.agreement.intervals import Interval
from workbench.agreement.options import AgreementOptions
from workbench.agreement.pairwise import AssessorPair, Overlap, Threshold
from workbench.agreement.report import AgreementReport, Matrix, what_differs
from workbench.agreement.selection import Selection
from workbench.frozen import filled


class IntervalJson(TypedDict):
    """An interval at a confidence `level`: its bounds, or why there are none.

    Of one over topics `effective_topics` says how many equally rich topics these are worth.
    """

    method: str
    level: float
    units: int
    effective_topics: NotRequired[float]
    low: NotRequired[float]
    high: NotRequired[float | None]
    undefined: NotRequired[str]


class EstimateJson(TypedDict):
    """A coefficient of `n` pairs with its source in the literature: its value, or why it has none.

    `interval` is over topics, `analytic` of these documents alone, as if they were independent.
    """

    label: str
    source: str
    n: int
    observed: float | None
    expected: float | None
    value: NotRequired[float]
    band_landis_koch: NotRequired[str | None]
    undefined: NotRequired[str]
    would_define: NotRequired[str]
    interval: NotRequired[IntervalJson]
    analytic: NotRequired[IntervalJson]


Coefficients = dict[str, EstimateJson]


class IncludedAssessor(TypedDict):
    """An assessor who entered a report."""

    name: str
    machine: bool


class LeftOutAnswers(TypedDict):
    """Answers that did not enter a report, by reason."""

    unsure: int
    cannot_judge: int
    judged_by_one_only: int


class CountedAsLowest(TypedDict):
    """Pairs that count as the lowest grade, since only another assessor judged them, or nobody."""

    judged_by_another: int
    judged_by_nobody: int


class SelectionJson(TypedDict):
    """What entered a report of agreement, and what was left out."""

    sentence: str
    basis: str
    graded: bool
    relevant_from: int | None
    scale: list[int]
    assessors: list[IncludedAssessor]
    pairs: int
    topics: int
    left_out: LeftOutAnswers
    counted_towards_expected_agreement_only: int
    counted_as_lowest: CountedAsLowest


class MethodJson(TypedDict):
    """How a report of agreement was computed."""

    weights: str | list[list[float]]
    weights_divided_by: float
    level: str
    confidence: float


class ParadoxJson(TypedDict):
    """High agreement with a low kappa, since one grade is common: what chance gives, and S without it."""

    observed: float
    kappa: float
    expected: float
    uniform: float
    grade: int
    share: float


class GradeAgreementJson(TypedDict):
    """How far assessors agree on one grade: specific agreement, and kappa against all other grades."""

    grade: int
    given: int
    share: float | None
    specific: float | None
    undefined: NotRequired[str]
    would_define: NotRequired[str]
    interval: NotRequired[IntervalJson]
    kappa_against_the_rest: float | None
    kappa_undefined: NotRequired[str]
    kappa_would_define: NotRequired[str]
    kappa_interval: NotRequired[IntervalJson]


class MeanOfPairs(TypedDict):
    """A coefficient's mean over every two assessors; `left_out` counts those without a value."""

    label: str
    value: float | None
    pairs: int
    left_out: int
    interval: IntervalJson | None


class TwoAssessors(TypedDict):
    """Two assessors: their table of grades, their coefficients, and of two grades a close look."""

    first: str
    second: str
    machine: bool
    n: int
    first_only: int
    second_only: int
    categories: list[int]
    table: list[list[int]]
    coefficients: Coefficients
    positive: NotRequired[float | None]
    positive_undefined: NotRequired[str]
    negative: NotRequired[float | None]
    negative_undefined: NotRequired[str]
    overlap: NotRequired[float | None]
    overlap_undefined: NotRequired[str]
    prevalence: NotRequired[float | None]
    prevalence_undefined: NotRequired[str]
    bias: NotRequired[float | None]
    bias_undefined: NotRequired[str]
    precision: NotRequired[float | None]
    precision_undefined: NotRequired[str]
    recall: NotRequired[float | None]
    recall_undefined: NotRequired[str]


class OverlapJson(TypedDict):
    """The overlap of some assessors' relevant documents."""

    assessors: list[str]
    mean_over_topics: float | None
    mean_interval: IntervalJson | None
    topics_together: float | None
    together_interval: IntervalJson | None
    topics_without_relevant: int


class ThresholdJson(TypedDict):
    """Agreement on relevant or not, with grades from `relevant_from` on as relevant."""

    relevant_from: int
    coefficients: Coefficients
    positive: GradeAgreementJson
    negative: GradeAgreementJson
    prevalence_index: float | None
    overlap: float | None
    overlap_interval: IntervalJson | None


class LeniencyJson(TypedDict):
    """How an assessor's share of relevant differs from the others' on the `n` pairs that they share."""

    assessor: str
    n: int
    own: float | None
    others: float | None
    difference: float | None
    interval: IntervalJson | None


class AgreementJson(TypedDict):
    """How far assessors agree: all together, by grade, every two, at every threshold."""

    entered: SelectionJson
    how: MethodJson
    coefficients: Coefficients
    pooled_and_unpooled: str
    prevalence_index: float | None
    paradox: ParadoxJson | None
    grades: list[GradeAgreementJson]
    grades_of_the_scale: list[GradeAgreementJson]
    means_over_pairs: dict[str, MeanOfPairs]
    pairs: list[TwoAssessors]
    assessors_without_pairs_listed: int
    overlap: list[OverlapJson]
    thresholds: list[ThresholdJson]
    strictness: list[LeniencyJson]


def report_data(report: AgreementReport) -> AgreementJson:
    """The whole report."""
    names = [one.name for one in report.selection.assessors]
    return {
        "entered": selection_data(report.selection),
        "how": options_data(report.options),
        "coefficients": _coefficients(report.estimates),
        "pooled_and_unpooled": what_differs(report),
        "prevalence_index": report.prevalence,
        "paradox": None if report.paradox is None else filled(ParadoxJson, report.paradox),
        "grades": [_grade(one) for one in report.grades],
        "grades_of_the_scale": [_grade(one) for one in report.scale_grades],
        "means_over_pairs": {
            one.name: filled(MeanOfPairs, one, interval=_interval_or_none(one.interval))
            for one in report.means
        },
        "pairs": [pair_data(two, report.selection) for two in report.pairs],
        "assessors_without_pairs_listed": report.left_out,
        "overlap": [overlap_data(one, names) for one in (*report.overlaps, *report.triples)],
        "thresholds": [threshold_data(one) for one in report.thresholds],
        "strictness": [
            filled(LeniencyJson, one, assessor=names[one.assessor], interval=_interval_or_none(one.interval))
            for one in report.leniency
        ],
    }


def selection_data(selection: Selection) -> SelectionJson:
    """What is included and what is left out."""
    counts = selection.counts
    return filled(
        SelectionJson,
        selection,
        scale=sorted(selection.by_grade.categories),
        assessors=[{"name": one.name, "machine": one.machine} for one in selection.assessors],
        pairs=selection.n_pairs,
        topics=selection.n_topics,
        left_out={
            "unsure": counts.unsure,
            "cannot_judge": counts.cannot_judge,
            "judged_by_one_only": counts.singly - counts.expected,
        },
        counted_towards_expected_agreement_only=counts.expected,
        counted_as_lowest={"judged_by_another": counts.filled, "judged_by_nobody": counts.unlisted},
    )


def options_data(options: AgreementOptions) -> MethodJson:
    """How it was computed."""
    return filled(MethodJson, options, weights_divided_by=options.weights_divisor)


def estimate_data(estimate: Estimate) -> EstimateJson:
    """One coefficient."""
    found = estimate.found
    data: EstimateJson = {
        "label": estimate.label,
        "source": estimate.coefficient.source,
        "n": found.n,
        "observed": found.observed,
        "expected": found.expected,
    }
    if found.value is None:
        data["undefined"], data["would_define"] = found.undefined, estimate.found.would_define
    else:
        data["value"], data["band_landis_koch"] = found.value, estimate.band
    if estimate.interval is not None:
        data["interval"] = _interval(estimate.interval)
    if estimate.analytic is not None:
        data["analytic"] = _interval(estimate.analytic)
    return data


def _coefficients(estimates: Iterable[Estimate]) -> Coefficients:
    return {one.name: estimate_data(one) for one in estimates}


def pair_data(
    two: AssessorPair, selection: Selection, numbers: tuple[int, int] | None = None
) -> TwoAssessors:
    """Two assessors; `numbers` are theirs in the selection, where `two` has others."""
    one, other = numbers or (two.first, two.second)
    shared = selection.shared(one, other)
    data: TwoAssessors = {
        "first": selection.assessors[one].name,
        "second": selection.assessors[other].name,
        "machine": selection.assessors[one].machine or selection.assessors[other].machine,
        "n": two.n,
        "first_only": shared.first_only,
        "second_only": shared.second_only,
        "categories": list(selection.ratings.categories),
        "table": [list(row) for row in two.table],
        "coefficients": _coefficients(two.estimates),
    }
    if two.view is not None:
        values = asdict(two.view)
        undefined = {
            f"{name}_undefined": ": ".join(WHY_NONE[name]) for name, value in values.items() if value is None
        }
        return cast(TwoAssessors, data | values | undefined)
    return data


def matrix_data(found: Matrix) -> dict[str, object]:
    """The matrix of assessors: their order by a coefficient, and every two."""
    return {
        "entered": selection_data(found.selection),
        "how": options_data(found.options),
        "by": found.options.coefficient,
        "order": [found.selection.assessors[number].name for number in found.order],
        "pairs": [pair_data(two, found.selection) for two in found.pairs.values()],
    }


def threshold_data(threshold: Threshold) -> ThresholdJson:
    """One line between relevant and not."""
    return {
        "relevant_from": threshold.relevant_from,
        "coefficients": _coefficients(threshold.estimates),
        "positive": _grade(threshold.positive),
        "negative": _grade(threshold.negative),
        "prevalence_index": threshold.prevalence,
        "overlap": threshold.overlap.value,
        "overlap_interval": _interval_or_none(threshold.overlap.interval),
    }


def _grade(one: GradeAgreement) -> GradeAgreementJson:
    data: GradeAgreementJson = {
        "grade": one.grade,
        "given": one.given,
        "share": one.share,
        "specific": one.specific.value,
        "kappa_against_the_rest": one.kappa.value,
    }
    if one.specific.value is None:
        data["undefined"], data["would_define"] = one.specific.undefined, one.specific.would_define
    data["interval"] = _interval(one.interval)
    if one.kappa.value is None:
        data["kappa_undefined"], data["kappa_would_define"] = one.kappa.undefined, one.kappa.would_define
    data["kappa_interval"] = _interval(one.kappa_interval)
    return data


def overlap_data(one: Overlap, names: list[str]) -> OverlapJson:
    """The overlap of some assessors' relevant sets."""
    return {
        "assessors": [names[number] for number in one.assessors],
        "mean_over_topics": one.mean,
        "mean_interval": _interval_or_none(one.mean_interval),
        "topics_together": one.together,
        "together_interval": _interval_or_none(one.together_interval),
        "topics_without_relevant": one.empty,
    }


def _interval_or_none(interval: Interval | None) -> IntervalJson | None:
    return None if interval is None else _interval(interval)


def _interval(interval: Interval) -> IntervalJson:
    data: IntervalJson = {"method": interval.method, "level": interval.level, "units": interval.units}
    if interval.effective is not None:
        data["effective_topics"] = interval.effective
    if interval.low is None:
        data["undefined"] = interval.undefined
    else:
        data["low"], data["high"] = interval.low, interval.high
    return data
