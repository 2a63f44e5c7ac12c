"""Runs of a score table against one another: two of them topic by topic, and every two."""

from __future__ import annotations

import hashlib

import numpy as np

from workbench.consensus.rule_choice import choice_label
from workbench.scoring.all_pairs import AllPairs, all_pairs
from workbench.scoring.pairs_of_runs import ComparedRuns, Comparisons, compare_all
from workbench.scoring.relevance import Floats
from workbench.scoring.two_runs import TwoRuns, two_runs
from workbench.workflow.caching import Cache
from workbench.workflow.scores.score_table import ScoreTable

_COMPARED: Cache[tuple[str, Comparisons, int], ComparedRuns] = Cache(16)
"""Every two of the last runs, by the hash of their scores."""


def table_two_runs(found: ScoreTable, shown: str, first: str, second: str, *, seed: int = 0) -> TwoRuns:
    """Compare two runs of a table, which must be whole.

    Raises WorkbenchError for a run with itself, and KeyError for a run that is not in the table.
    """
    return two_runs(
        found.run(first), found.run(second), shown, qrels=choice_label(found.qrels.choice), seed=seed
    )


def table_pairs(found: ScoreTable, shown: str, method: Comparisons, *, seed: int = 0) -> AllPairs:
    """Compare every two runs of a table, which must be whole; raises WorkbenchError as `all_pairs` does."""
    label = choice_label(found.qrels.choice)
    return all_pairs(found.runs, shown, method, qrels=label, seed=seed, compare=_compared)


def _compared(scores: Floats, comparisons: Comparisons, /, *, seed: int) -> ComparedRuns:
    key = hashlib.sha256(np.ascontiguousarray(scores).tobytes() + repr(scores.shape).encode()).hexdigest()
    return _COMPARED.get((key, comparisons, seed), lambda: compare_all(scores, comparisons, seed=seed))
