"""Measures of textbooks that ir_measures lacks, and the registries: of pages and help, and for influence.

Each can be named like any other measure. How to add one stands in `workbench.scoring`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ir_measures
from ir_measures import Measure
from ir_measures.measures import ParamInfo

from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.scoring.influence import AP, NDCG, RBP, GainMeasure

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
        _CUTOFF,
        _REL,
        _WEIGHT,
        _JUDGED_ONLY,
    ),
    _define("E", "van Rijsbergen's E, 1 - F; lower is better", _CUTOFF, _REL, _WEIGHT, _JUDGED_ONLY),
    _define(
        "Fallout",
        "share of the collection's non-relevant documents that are retrieved; lower is better",
        _CUTOFF,
        _REL,
        _DOCS,
    ),
    _define(
        "SetAccuracy",
        "share of the collection's documents that are rightly retrieved or left out",
        _CUTOFF,
        _REL,
        _DOCS,
    ),
    _define(
        "AP11pt",
        "mean of the interpolated precision at recall 0, .1, ... 1",
        _REL,
        _INTERPOLATION,
        _JUDGED_ONLY,
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
        _BASE,
        ir_measures.nDCG.SUPPORTED_PARAMS,
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
        _REL,
        _SOME_DOCS,
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
        _EXPECTED,
        _REL,
        _CUTOFF,
    ),
    _define(
        "RecallEffort",
        "relevant documents that the user expects, by documents read to find them",
        _EXPECTED,
        _REL,
    ),
)
"""The measures defined here; nDCG and IPrec are those of ir_measures with a parameter more."""


@frozen_dataclass
class ListedMeasure:
    """A measure as it is written, and what it says; `measure` is one of our own, which ir_measures lacks."""

    name: str
    help: str
    measure: Measure | None = None


FAMILIES = (NDCG, AP, RBP)
"""The measures by which the influence of a disputed pair on the ranking can be computed."""

MEASURES: tuple[ListedMeasure, ...] = (
    ListedMeasure("AP", "average precision, the mean of the precision at every relevant document"),
    ListedMeasure("nDCG@10", "discounted cumulative gain of the first 10 documents, normalised by the best"),
    ListedMeasure("P@10", "precision of the first 10 documents"),
    ListedMeasure("RR", "reciprocal rank of the first relevant document"),
    ListedMeasure("R@100", "recall of the first 100 documents"),
    ListedMeasure("Bpref", "preference of relevant over non-relevant documents, among judged ones only"),
    ListedMeasure("Rprec", "precision at the number of relevant documents"),
    ListedMeasure("P(rel=2)@5", "precision of the first 5 documents, relevant from grade 2 on"),
)
"""The measures that pages propose and help lists; any other of ir_measures works by its name as well."""


def own_measures() -> dict[str, Measure]:
    """The measures that ir_measures does not have, or not with all of their parameters, by name."""
    listed = {one.name: one.measure for one in MEASURES if one.measure is not None}
    return {str(measure.NAME): measure for measure in OWN} | listed


def example_names() -> str:
    """The names of the listed measures, as a hint."""
    return ", ".join(listed.name for listed in MEASURES)


def gain_measure(name: str, *, relevant_from: int) -> GainMeasure:
    """The measure of this name, such as one of `influence_measures()`; raises WorkbenchError for others."""
    name = name.strip()
    for family in FAMILIES:
        match = family.pattern.fullmatch(name)
        made = family.make(match, relevant_from) if match else None
        if made is not None:
            return made
    raise WorkbenchError(
        f"the influence on {name!r} cannot be computed",
        remedy=f"choose a measure such as {', '.join(influence_measures())}",
    )


def influence_measures() -> tuple[str, ...]:
    """The measures of influence that pages propose and help lists."""
    return tuple(name for family in FAMILIES for name in family.examples)
