"""What a user gains and expends: RBP with its residual, ERR, expected search length."""

from __future__ import annotations

import numpy as np
from ir_measures import Measure

from workbench.scoring.judged_run import JudgedRun, share
from workbench.scoring.kernels.binary import found_by, hits_of, last_rank, outside
from workbench.scoring.relevance import Floats

_GDEVALS_HIGHEST = 4


def rank_biased_precision(run: JudgedRun, measure: Measure) -> Floats:
    """RBP of each topic: (1 - p) times the sum of p ** (rank - 1) over relevant documents.

    Moffat and Zobel 2008; relevant are documents from the grade `rel` on, 1 unless given.
    """
    p = float(measure["p"])
    hits = hits_of(run, measure)
    return run.summed(hits.rows, np.asarray((1 - p) * p ** (hits.ranks - 1.0), dtype=np.float64))


def rank_biased_residual(run: JudgedRun, measure: Measure) -> Floats:
    """RBPResidual of each topic: RBP of the unjudged documents, and of all ranks behind the last one.

    RBP itself is a lower bound of what a complete judging would give, and RBP plus this the upper one (Moffat
    and Zobel 2008, section 4.3). Documents with a negative grade are not judged.
    """
    p, read = float(measure["p"]), np.minimum(run.retrieved, last_rank(measure))
    at = np.flatnonzero((run.grades < 0) & (run.ranks <= read[run.rows]))
    unjudged = np.asarray((1 - p) * p ** (run.ranks[at] - 1.0), dtype=np.float64)
    return run.summed(run.rows[at], unjudged) + p**read


def expected_reciprocal_rank(run: JudgedRun, measure: Measure) -> Floats:
    """ERR of each topic (Chapelle et al. 2009): a document of grade g satisfies with (2**g - 1) / 2**h.

    h is the highest grade of the qrels, but at least 4, as in TREC's gdeval.
    """
    highest = max(_GDEVALS_HIGHEST, run.relevance.highest)
    at = np.flatnonzero((run.grades > 0) & (run.ranks <= last_rank(measure)))
    satisfied = (np.exp2(run.grades[at]) - 1) / 2.0**highest
    # The chance that nothing above satisfied; no document satisfies for certain, so the logarithm is finite.
    log_unsatisfied = np.append(0.0, np.cumsum(np.log1p(-satisfied)))
    first = np.searchsorted(at, run.starts[run.rows[at]])
    unsatisfied = np.exp(log_unsatisfied[:-1] - log_unsatisfied[first])
    return run.summed(run.rows[at], satisfied * unsatisfied / run.ranks[at])


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


def relative_recall(run: JudgedRun, measure: Measure) -> Floats:
    """RelativeRecall of each topic: relevant documents found, divided by `expected`; at most 1.

    Source: Baeza-Yates and Ribeiro-Neto 1999, section 3.2.2.
    """
    return np.minimum(found_by(run, measure), int(measure["expected"])) / float(measure["expected"])


def recall_effort(run: JudgedRun, measure: Measure) -> Floats:
    """RecallEffort of each topic: `expected`, divided by the documents read to find so many relevant ones.

    A user who does not find them has read all that is retrieved; 0 where nothing is.
    Source: Baeza-Yates and Ribeiro-Neto 1999, section 3.2.2.
    """
    expected = int(measure["expected"])
    read = run.retrieved.copy()
    hits = run.hits(measure["rel"])
    reached = hits.nth == expected
    read[hits.rows[reached]] = hits.ranks[reached]
    return share(np.full(len(run), expected), read)
