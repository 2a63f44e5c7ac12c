"""The registries of measures: those that pages propose, and those by which influence is computed."""

from __future__ import annotations

from dataclasses import dataclass

from ir_measures import Measure

from workbench.errors import WorkbenchError
from workbench.scoring.gains import AP, NDCG, RBP, GainMeasure
from workbench.scoring.own_measures import OWN


@dataclass(frozen=True, slots=True)
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
        remedy=f"a measure such as {', '.join(influence_measures())}",
    )


def influence_measures() -> tuple[str, ...]:
    """The measures of influence that pages propose and help lists."""
    return tuple(name for family in FAMILIES for name in family.examples)
