"""ESL: how many non-relevant documents a user reads before the n-th relevant one."""

from __future__ import annotations

import numpy as np
from ir_measures import Measure

from workbench.scoring.judged_run import JudgedRun, share
from workbench.scoring.kernels.collection import outside
from workbench.scoring.relevance import Floats


def expected_search_length(run: JudgedRun, measure: Measure) -> Floats:
    """ESL of each topic, in documents (Cooper 1968, equation 1).

    Documents with one score are a level, read in any order. Of the level in which the n-th relevant document
    lies, s relevant ones are still needed, and i non-relevant ones lie among r relevant: j + i s / (r + 1),
    with j non-relevant ones in the levels above. What is not retrieved is the last level: of `docs` documents
    in the collection, else of the judged ones. A topic with fewer than n relevant documents asks for all.
    """
    rel = measure["rel"]
    asked = np.minimum(int(measure["n"]), run.relevant(rel))
    hits = run.hits(rel)
    found = run.counted(hits.rows)
    relevant_in = np.zeros(len(run))
    others_in, others_above, above = np.zeros(len(run)), np.zeros(len(run)), np.zeros(len(run))
    # The level of the n-th relevant document, for topics in which it is retrieved.
    last = np.flatnonzero(hits.nth == asked[hits.rows])
    rows = hits.rows[last]
    at = run.starts[rows] + hits.ranks[last] - 1
    begins = np.searchsorted(run.levels, run.levels[at], side="left")
    ends = np.searchsorted(run.levels, run.levels[at], side="right")
    relevant_up_to = np.append(0, np.cumsum(run.grades >= rel))
    relevant_in[rows] = relevant_up_to[ends] - relevant_up_to[begins]
    above[rows] = relevant_up_to[begins] - relevant_up_to[run.starts[rows]]
    others_in[rows] = ends - begins - relevant_in[rows]
    others_above[rows] = begins - run.starts[rows] - above[rows]
    # Elsewhere it lies in the level of what is not retrieved.
    short = found < asked
    relevant_in[short] = (run.relevant(rel) - found)[short]
    above[short] = found[short]
    others_above[short] = (run.retrieved - found)[short]
    others_in[short] = outside(run, measure)[short]
    return np.where(asked > 0, others_above + share(others_in * (asked - above), relevant_in + 1), 0.0)
