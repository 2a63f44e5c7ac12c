"""The cutoff of a measure."""

from __future__ import annotations

from ir_measures import Measure

from workbench.scoring.judged_run import Hits


def cutoff_of(measure: Measure) -> int | None:
    """The cutoff of a measure, None where it reads a whole ranking."""
    cutoff = measure.params.get("cutoff")
    return None if cutoff is None else int(cutoff)


def within(hits: Hits, measure: Measure) -> Hits:
    """The hits that the cutoff of a measure leaves; all where it has none."""
    cutoff = cutoff_of(measure)
    if cutoff is None:
        return hits
    kept = hits.ranks <= cutoff
    return Hits(hits.rows[kept], hits.ranks[kept], hits.nth[kept])
