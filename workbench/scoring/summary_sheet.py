"""The summary sheet of a run, as in the appendices of TREC: counts, 11-point precision, cutoffs."""

from __future__ import annotations

from dataclasses import dataclass

from ir_measures import AP, IPrec, Measure, NumRet, P, Rprec

from workbench.scoring.kernels.binary import LEVELS
from workbench.scoring.measures import CUTOFFS
from workbench.scoring.scorer import RunScores


@dataclass(frozen=True, slots=True)
class SummarySheet:
    """What a run's sheet shows; `relevant_from` is the lowest grade that counts as relevant.

    The counts are of documents over all topics: `retrieved`, `relevant` in the qrels, `found` of these. All
    else are means over the topics of the qrels: `levels` the interpolated precision at each recall of LEVELS,
    `cutoffs` the precision at each rank of CUTOFFS.
    """

    relevant_from: int
    retrieved: int
    relevant: int
    found: int
    levels: tuple[float, ...]
    cutoffs: tuple[float, ...]
    average_precision: float
    r_precision: float


def sheet_measures(relevant_from: int) -> tuple[Measure, ...]:
    """The measures of which a sheet consists."""
    rel = relevant_from
    return (
        NumRet,
        NumRet(rel=rel),
        AP(rel=rel),
        Rprec(rel=rel),
        *(IPrec(rel=rel) @ level for level in LEVELS),
        *(P(rel=rel) @ cutoff for cutoff in CUTOFFS),
    )


def summary_sheet(scores: RunScores, *, relevant_from: int, relevant: int) -> SummarySheet:
    """The sheet of a run that was scored by `sheet_measures`; `relevant` documents are in the qrels."""
    names = map(str, sheet_measures(relevant_from))
    retrieved, found, average, r_precision, *means = (scores.values[name] for name in names)
    return SummarySheet(
        relevant_from=relevant_from,
        retrieved=round(retrieved),
        relevant=relevant,
        found=round(found),
        levels=tuple(means[: len(LEVELS)]),
        cutoffs=tuple(means[len(LEVELS) :]),
        average_precision=average,
        r_precision=r_precision,
    )
