"""Runs of a score table against one another: two of them topic by topic, and every two."""

from __future__ import annotations

import hashlib

import numpy as np

from workbench.consensus.rules import choice_label
from workbench.errors import WorkbenchError
from workbench.scoring.pairs_of_runs import ComparedRuns, Comparisons, compare_all, default_comparisons
from workbench.scoring.relevance import Floats
from workbench.scoring.scorer import best_first
from workbench.scoring.significance import FEWEST_TOPICS
from workbench.scoring.two_runs import AllPairs, TwoRuns, all_pairs, two_runs
from workbench.workflow.caching import Cache
from workbench.workflow.scores.score_table import ScoreTable

_COMPARED: Cache[tuple[str, Comparisons, int], ComparedRuns] = Cache(
    16, bytes_of=lambda one: 8 * one.first.nbytes
)
"""Every two of the last runs, by the hash of their scores: of 1,000 runs 30 MB."""


def table_two_runs(found: ScoreTable, shown: str, first: str, second: str, *, seed: int = 0) -> TwoRuns:
    """Compare two runs of a table, which must be whole.

    Raises WorkbenchError for a run with itself, and KeyError for a run that is not in the table.
    """
    return two_runs(
        found.run(first), found.run(second), shown, qrels=choice_label(found.qrels.choice), seed=seed
    )


def table_pairs(found: ScoreTable, shown: str, method: Comparisons, *, seed: int = 0) -> AllPairs:
    """Compare every two runs of a table, which must be whole; raises WorkbenchError as `all_pairs` does."""

    def compare(scores: Floats, comparisons: Comparisons, /, *, seed: int) -> ComparedRuns:
        key = scores_hash(scores), comparisons, seed
        return _COMPARED.get(key, lambda: compare_all(scores, comparisons, seed=seed))

    return all_pairs(
        found.runs, shown, method, qrels=choice_label(found.qrels.choice), seed=seed, compare=compare
    )


MOST_MARKED = 200
"""Of more runs the leaderboard does not say which can be told apart from the best: the tests take long."""


def alike_with_best(found: ScoreTable, shown: str) -> frozenset[str] | None:
    """The runs of a whole table that cannot be told apart from its best, of all pairs tested together.

    None where that is not known: fewer than five topics in common, one run, or more than MOST_MARKED.
    """
    if not 1 < len(found.runs) <= MOST_MARKED or found.qrels.summary.topics < FEWEST_TOPICS:
        return None
    try:
        pairs = table_pairs(found, shown, default_comparisons(found.qrels.summary.topics))
    except WorkbenchError:
        return None
    if pairs.compared.topics < FEWEST_TOPICS:
        return None
    best = best_first(found.runs, shown)[0].tag
    tags = np.array([run.tag for run in pairs.ranked])
    first, second = tags[pairs.compared.first], tags[pairs.compared.second]
    apart = pairs.compared.significant & ((first == best) | (second == best))
    return frozenset(tags.tolist()) - {best, *first[apart].tolist(), *second[apart].tolist()}


def scores_hash(scores: Floats) -> str:
    """A hash of scores, the same in every process."""
    return hashlib.sha256(np.ascontiguousarray(scores).tobytes() + repr(scores.shape).encode()).hexdigest()
