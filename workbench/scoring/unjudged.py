"""How many of the documents that a measure reads have no judgment."""

from __future__ import annotations

import numpy as np
from ir_measures import Measure

from workbench.scoring.judged_run import JudgedRun
from workbench.scoring.kernels.cutoff import cutoff_of
from workbench.scoring.kernels.registry import kernel_of
from workbench.scoring.pair_table import ABSENT
from workbench.scoring.relevance import Positions

# They count documents: no judgment is missing from their value.
_COUNTS = frozenset({"Judged", "NumQ", "NumRet", "NumRel"})


def reads_judgments(measure: Measure) -> bool:
    """Whether a missing judgment can change a measure, and the documents that it reads are known."""
    return measure.NAME not in _COUNTS and kernel_of(measure) is not None


def unjudged_and_read(run: JudgedRun, measure: Measure) -> tuple[Positions, Positions]:
    """The documents without a judgment among those that a measure reads, and all that it reads; (topics,).

    It reads down to its cutoff, or all that was retrieved where it has none.
    """
    cutoff = cutoff_of(measure)
    read = np.ones(len(run.grades), dtype=np.bool_) if cutoff is None else run.ranks <= cutoff
    return run.counted(run.rows[read & (run.grades == ABSENT)]), run.counted(run.rows[read])
