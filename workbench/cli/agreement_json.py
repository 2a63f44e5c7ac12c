"""A comparison of assessors as JSON."""

from __future__ import annotations

from typing import Any

from workbench.agreement.means import MeanAgreement
from workbench.agreement.report import AgreementReport, PairAgreement
from workbench.agreement.result import Coefficient


def report_json(report: AgreementReport) -> dict[str, Any]:
    """The report as README documents it, in full precision; what is undefined has its reason."""
    return {
        "relevant_from": report.relevant_from,
        "assessors": list(report.assessors),
        "pairs": [_json_pair(pair, report) for pair in report.pairs],
        "mean": {
            "observed": _json_mean(report.observed),
            "pooled": _json_mean(report.pooled),
            "unpooled": _json_mean(report.unpooled),
        },
    }


def _json_pair(pair: PairAgreement, report: AgreementReport) -> dict[str, Any]:
    return {
        "first": pair.first,
        "second": pair.second,
        "n": pair.n,
        "first_only": pair.n_first_only,
        "second_only": pair.n_second_only,
        "categories": list(report.categories),
        "table": [list(row) for row in pair.table],
        "observed": pair.observed.value,
        "pooled": _json_coefficient(pair.pooled),
        "unpooled": _json_coefficient(pair.unpooled),
        "band": pair.band,
    }


def _json_coefficient(coefficient: Coefficient) -> dict[str, Any]:
    said: dict[str, Any] = {} if coefficient.expected is None else {"expected": coefficient.expected}
    if coefficient.value is None:
        return said | {"undefined": coefficient.undefined}
    return said | {"value": coefficient.value}


def _json_mean(mean: MeanAgreement) -> dict[str, Any]:
    said: dict[str, Any] = {"pairs": mean.pairs, "left_out": mean.left_out}
    if mean.left_out:
        said["reasons"] = dict(mean.reasons)
    return said | ({"undefined": mean.undefined} if mean.value is None else {"value": mean.value})
