"""Measures of the field's textbooks that ir_measures lacks, as measures that can be named like any other.

To add one, define it here, name it in `OWN`, and name its kernel in `kernels.registry.KERNELS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ir_measures
from ir_measures import Measure
from ir_measures.measures import ParamInfo

INTERPOLATIONS = ("max", "bucket")
"""How precision is interpolated: its maximum at any higher recall, or up to the next level of recall."""


def _parameter(kind: type, desc: str, **options: Any) -> Any:
    info: Any = ParamInfo
    return info(dtype=kind, desc=desc, **options)


_REL = {"rel": _parameter(int, "lowest grade that counts as relevant", default=1)}
_CUTOFF = {"cutoff": _parameter(int, "ranking cutoff threshold", required=False)}
_JUDGED_ONLY = {"judged_only": _parameter(bool, "leave out unjudged documents", default=False)}
_GAINS = {"gains": _parameter(dict, "gain by grade")}
_BASE = {"base": _parameter(float, "base of the logarithm that discounts", required=False)}
_DOCS = {"docs": _parameter(int, "documents in the collection", required=True)}
_SOME_DOCS = {"docs": _parameter(int, "documents in the collection", required=False)}
_EXPECTED = {"expected": _parameter(int, "relevant documents the user expects", required=True)}
_WEIGHT = {
    "beta": _parameter(float, "recall counts beta times as much as precision", default=1.0),
    "alpha": _parameter(float, "weight of precision, from 0 to 1", required=False),
}
_INTERPOLATION = {"interpolation": _parameter(str, "which rule", choices=list(INTERPOLATIONS), default="max")}


def _define(name: str, help: str, *parameters: Mapping[str, Any], like: Measure | None = None) -> Measure:
    """A measure of our own; `like` is the one of ir_measures to which it adds parameters."""
    kind: Any = Measure if like is None else type(like)
    own = type(
        name,
        (kind,),
        {
            "__name__": name,
            "NAME": name,
            "PRETTY_NAME": name,
            "SHORT_DESC": help,
            "SUPPORTED_PARAMS": {
                key: info for group in (kind.SUPPORTED_PARAMS, *parameters) for key, info in group.items()
            },
        },
    )
    made: Measure = own()
    return made


OWN: tuple[Measure, ...] = (
    _define(
        "F",
        "F measure of the first k documents, or of all: weighted mean of precision and recall",
        *(_CUTOFF, _REL, _WEIGHT, _JUDGED_ONLY),
    ),
    _define("E", "van Rijsbergen's E, 1 - F; lower is better", _CUTOFF, _REL, _WEIGHT, _JUDGED_ONLY),
    _define(
        "Fallout",
        "share of the collection's non-relevant documents that are retrieved; lower is better",
        *(_CUTOFF, _REL, _DOCS),
    ),
    _define(
        "SetAccuracy",
        "share of the collection's documents that are rightly retrieved or left out",
        *(_CUTOFF, _REL, _DOCS),
    ),
    _define(
        "AP11pt",
        "mean of the interpolated precision at recall 0, .1, ... 1",
        *(_REL, _INTERPOLATION, _JUDGED_ONLY),
    ),
    _define(
        "IPrec",
        "interpolated precision at a level of recall",
        _INTERPOLATION,
        like=ir_measures.IPrec,
    ),
    _define("CG", "cumulated gain: the sum of the grades retrieved", _CUTOFF, _GAINS, _JUDGED_ONLY),
    _define("nCG", "CG divided by that of the best ranking", _CUTOFF, _GAINS, _JUDGED_ONLY),
    _define(
        "DCG",
        "discounted cumulated gain, not normalised",
        *(_BASE, ir_measures.nDCG.SUPPORTED_PARAMS),
    ),
    _define(
        "nDCG",
        "DCG divided by that of the best ranking",
        _BASE,
        like=ir_measures.nDCG,
    ),
    _define(
        "AUC",
        "area under the ROC curve, of judged documents or of the whole collection",
        _REL,
        _SOME_DOCS,
    ),
    _define(
        "ESL",
        "expected search length: non-relevant documents read before the n-th relevant one, ties in any "
        "order; 0 without a relevant document; lower is better",
        {"n": _parameter(int, "relevant documents wanted", default=1)},
        *(_REL, _SOME_DOCS),
    ),
    _define(
        "RBPResidual",
        "what RBP could still gain from unjudged and unretrieved documents",
        {"p": _parameter(float, "persistence", default=0.8)},
        _CUTOFF,
    ),
    _define(
        "RelativeRecall",
        "relevant documents found, of those that the user expects to find",
        *(_EXPECTED, _REL, _CUTOFF),
    ),
    _define(
        "RecallEffort",
        "relevant documents that the user expects, by documents read to find them",
        *(_EXPECTED, _REL),
    ),
)
"""The measures defined here; nDCG and IPrec are those of ir_measures with a parameter more."""
