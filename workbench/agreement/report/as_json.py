"""A report as plain data for JSON: every digit, and the reason where there is no value."""

from __future__ import annotations

from typing import Any

from workbench.agreement.overlap import Overlap
from workbench.agreement.report.figures import Figure
from workbench.agreement.report.grades import GradeAgreement
from workbench.agreement.report.how import How
from workbench.agreement.report.matrix import Matrix
from workbench.agreement.report.overview import Together, what_differs
from workbench.agreement.report.thresholds import Threshold
from workbench.agreement.report.two import MeanOfTwo, Two
from workbench.agreement.several.bootstrap import Interval
from workbench.agreement.several.entering import Entering
from workbench.agreement.specific import WHY_NONE

Data = dict[str, Any]


def report_data(report: Together) -> Data:
    """The whole report."""
    names = [voice.name for voice in report.entering.assessors]
    return {
        "entered": entered_data(report.entering),
        "how": how_data(report.how),
        "coefficients": {one.name: figure_data(one) for one in report.figures},
        "pooled_and_unpooled": what_differs(report),
        "prevalence_index": report.prevalence,
        "paradox": None
        if report.paradox is None
        else {name: getattr(report.paradox, name) for name in report.paradox.__slots__},
        "grades": [_grade(one) for one in report.grades],
        "grades_of_the_scale": [_grade(one) for one in report.scale_grades],
        "means_over_pairs": {one.name: _mean(one) for one in report.means},
        "pairs": [pair_data(two, report.entering) for two in report.pairs],
        "assessors_without_pairs_listed": report.left_out,
        "overlap": [overlap_data(one, names) for one in (*report.overlaps, *report.triples)],
        "thresholds": [threshold_data(one) for one in report.thresholds],
        "strictness": [
            {
                "assessor": names[one.assessor],
                "n": one.n,
                "own": one.own,
                "others": one.others,
                "difference": one.difference,
                "interval": _interval_or_none(one.interval),
            }
            for one in report.strictness
        ],
    }


def entered_data(entering: Entering) -> Data:
    """What entered."""
    return {
        "sentence": entering.sentence,
        "basis": str(entering.basis),
        "graded": entering.graded,
        "relevant_from": entering.relevant_from,
        "scale": sorted(entering.by_grade.categories),
        "assessors": [{"name": one.name, "machine": one.machine} for one in entering.assessors],
        "pairs": entering.n_pairs,
        "topics": len(entering.topics),
        "left_out": {
            "unsure": entering.counts.unsure,
            "cannot_judge": entering.counts.cannot_judge,
            "judged_by_one_only": entering.counts.singly,
        },
        "counted_as_lowest": {
            "judged_by_another": entering.counts.filled,
            "judged_by_nobody": entering.counts.unlisted,
        },
    }


def how_data(how: How) -> Data:
    """How it was reckoned, with the seed."""
    return {
        "weights": how.weights if isinstance(how.weights, str) else [list(row) for row in how.weights],
        "level": how.level,
        "over": f"{how.unit}s",
        "bounds": str(how.bounds),
        "rounds": how.rounds,
        "seed": how.seed,
        "confidence": how.confidence,
    }


def figure_data(figure: Figure) -> Data:
    """One coefficient."""
    found = figure.coefficient
    data: Data = {
        "label": figure.label,
        "source": figure.source,
        "n": found.n,
        "observed": found.observed,
        "expected": found.expected,
    }
    if found.value is None:
        data |= {"undefined": found.undefined, "would_define": figure.would_define}
    else:
        data |= {"value": found.value, "band_landis_koch": figure.band}
    if figure.interval is not None:
        data["interval"] = _interval(figure.interval)
    if figure.analytic is not None:
        data["analytic"] = _interval(figure.analytic)
    return data


def pair_data(two: Two, entering: Entering, numbers: tuple[int, int] | None = None) -> Data:
    """Two assessors; `numbers` are theirs among those who enter, if not those that stand in `two`."""
    one, other = numbers or (two.first, two.second)
    shared = entering.shared(one, other)
    data: Data = {
        "first": entering.assessors[one].name,
        "second": entering.assessors[other].name,
        "machine": entering.assessors[one].machine or entering.assessors[other].machine,
        "n": two.n,
        "first_only": shared.first_only,
        "second_only": shared.second_only,
        "categories": list(entering.ratings.categories),
        "table": [list(row) for row in two.table],
        "coefficients": {one.name: figure_data(one) for one in two.figures},
    }
    if two.view is not None:
        values = {name: getattr(two.view, name) for name in two.view.__slots__}
        data |= values | {
            f"{name}_undefined": ": ".join(WHY_NONE[name]) for name, value in values.items() if value is None
        }
    return data


def matrix_data(found: Matrix, entering: Entering, how: How, by: str) -> Data:
    """The matrix of assessors: the order in which they stand by a coefficient, and every two."""
    return {
        "entered": entered_data(entering),
        "how": how_data(how),
        "by": by,
        "order": [entering.assessors[number].name for number in found.order],
        "pairs": [pair_data(two, entering) for two in found.pairs.values()],
    }


def threshold_data(threshold: Threshold) -> Data:
    """One line between relevant and not."""
    return {
        "relevant_from": threshold.relevant_from,
        "coefficients": {one.name: figure_data(one) for one in threshold.figures},
        "positive": _grade(threshold.positive),
        "negative": _grade(threshold.negative),
        "prevalence_index": threshold.prevalence,
        "overlap": threshold.overlap.value,
        "overlap_interval": _interval_or_none(threshold.overlap.interval),
    }


def _grade(one: GradeAgreement) -> Data:
    data: Data = {"grade": one.grade, "given": one.given, "share": one.share, "specific": one.specific.value}
    if one.specific.value is None:
        data |= {"undefined": one.specific.undefined, "would_define": one.specific.would_define}
    if one.interval is not None:
        data["interval"] = _interval(one.interval)
    data["kappa_against_the_rest"] = one.kappa.value
    if one.kappa.value is None:
        data |= {"kappa_undefined": one.kappa.undefined, "kappa_would_define": one.kappa.would_define}
    if one.kappa_interval is not None:
        data["kappa_interval"] = _interval(one.kappa_interval)
    return data


def _mean(one: MeanOfTwo) -> Data:
    return {
        "label": one.label,
        "value": one.value,
        "pairs": one.pairs,
        "left_out": one.left_out,
        "interval": _interval_or_none(one.interval),
    }


def overlap_data(one: Overlap, names: list[str]) -> Data:
    """The overlap of some assessors' relevant sets."""
    return {
        "assessors": [names[number] for number in one.assessors],
        "mean_over_topics": one.mean,
        "mean_interval": _interval_or_none(one.mean_interval),
        "topics_together": one.together,
        "together_interval": _interval_or_none(one.together_interval),
        "topics_without_relevant": one.empty,
    }


def _interval_or_none(interval: Interval | None) -> Data | None:
    return None if interval is None else _interval(interval)


def _interval(interval: Interval) -> Data:
    data: Data = {"method": interval.method, "level": interval.level, "units": interval.units}
    if interval.rounds:
        data |= {
            "rounds": interval.rounds,
            "undefined_rounds": interval.undefined_rounds,
            "seed": interval.seed,
        }
    if interval.low is None:
        return data | {"undefined": interval.undefined}
    return data | {"low": interval.low, "high": interval.high}
