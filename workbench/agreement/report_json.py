"""The report of agreement as plain data: what commands print with `--json` and the API answers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import cast

from workbench.agreement.estimates import Estimate
from workbench.agreement.grades import WHY_NONE, GradeAgreement
from workbench.agreement.intervals import Interval
from workbench.agreement.options import AgreementOptions
from workbench.agreement.pairwise import AssessorPair, Overlap, Threshold
from workbench.agreement.report import AgreementReport, Matrix, what_differs
from workbench.agreement.selection import Selection
from workbench.json_forms.collecting import filled
from workbench.json_forms.results import (
    AgreementJson,
    Coefficients,
    EstimateJson,
    GradeAgreementJson,
    IntervalJson,
    LeniencyJson,
    MeanOfPairs,
    MethodJson,
    OverlapJson,
    ParadoxJson,
    SelectionJson,
    ThresholdJson,
    TwoAssessors,
)


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
