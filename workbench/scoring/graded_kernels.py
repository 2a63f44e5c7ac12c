"""Measures of gain, of what a user expends, and of diversity.

CG and DCG, and both divided by those of the best possible ranking: nCG and nDCG. What a user gains and
expends: RBP with its residual, ERR, expected search length. Diversity, from qrels with subtopics: alpha_nDCG,
ERR_IA, NRBP, StRecall, P_IA and AP_IA; alpha_nDCG, ERR_IA and NRBP have in common the gain of documents of
which each repeats subtopics.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from ir_measures import Measure

from workbench.errors import WorkbenchError
from workbench.scoring.binary_kernels import cutoff_of, found_by, hits_of, last_rank, outside
from workbench.scoring.judged_run import JudgedRun, share
from workbench.scoring.relevance import Floats, Grades, Positions
from workbench.scoring.subtopics import SubtopicHits, SubtopicRelevance

Discount = Callable[[Positions], Floats]
"""What a gain counts at each rank, from 1."""

_BLOCK = 1 << 20
_NEGLIGIBLE = 1e-18  # beside 1, which the first rank adds


def qrels_of(run: JudgedRun) -> SubtopicRelevance:
    """The qrels with subtopics against which a run is judged; raises WorkbenchError for others."""
    if not isinstance(run.relevance, SubtopicRelevance):
        raise WorkbenchError(
            "diversity measures are not computed here, since these qrels have no subtopics",
            remedy="workbench score reads qrels with subtopics",
        )
    return run.relevance


def subtopics_of(run: JudgedRun, measure: Measure) -> Positions:
    """How many subtopics each topic of the run has, those without a relevant document not counted."""
    return qrels_of(run).subtopics(measure["rel"])[run.topics]


def _subtopic_hits(run: JudgedRun, measure: Measure) -> SubtopicHits:
    """The subtopics of the documents that a measure reads."""
    return qrels_of(run).hits(run, measure["rel"]).within(cutoff_of(measure))


def gained(run: JudgedRun, measure: Measure, alpha: float, discount: Discount) -> Floats:
    """The gain of each topic: of the n-th document relevant to a subtopic (1 - alpha) ** (n - 1).

    Clarke et al. 2008. What a document gains is multiplied by the discount of its rank.
    """
    hits = _subtopic_hits(run, measure)
    return run.summed(hits.rows, (1.0 - alpha) ** (hits.nth - 1) * discount(hits.ranks))


def _of_ideal(
    run: JudgedRun, measure: Measure, alpha: float, discount: Discount, *, depth: int | None = None
) -> Floats:
    """The gain of each topic, divided by that of its ideal ranking, down to the cutoff or the depth."""
    gains = qrels_of(run).ideal_gains(measure["rel"], alpha, cutoff_of(measure) or depth)
    ideal = [gains[topic] @ discount(np.arange(1, len(gains[topic]) + 1)) for topic in run.topics.tolist()]
    return share(gained(run, measure, alpha, discount), np.array(ideal, dtype=np.float64))


def _of_best(run: JudgedRun, measure: Measure, alpha: float, discount: Discount) -> Floats:
    """The gain of each topic, divided by that of documents that all cover all of its subtopics."""
    found = gained(run, measure, alpha, discount) / of_one_subtopic(alpha, measure["cutoff"], discount)
    return share(found, subtopics_of(run, measure))


@cache
def of_one_subtopic(alpha: float, cutoff: int, discount: Discount) -> float:
    """The gain of one subtopic to which every document down to the cutoff is relevant."""
    total = 0.0
    for first in range(1, cutoff + 1, _BLOCK):
        ranks = np.arange(first, min(first + _BLOCK, cutoff + 1))
        weights = (1.0 - alpha) ** (ranks - 1.0)
        total += float(weights @ discount(ranks))
        if weights[-1] < _NEGLIGIBLE:
            break
    return total


def alpha_dcg(run: JudgedRun, measure: Measure) -> Floats:
    """Alpha_DCG of each topic, divided by that of documents that all cover all subtopics, as in ndeval.

    ndeval divides so from the cutoff 2 on only; here alpha_DCG@1 is divided as well.
    """
    return _of_best(run, measure, measure["alpha"], _by_logarithm)


def alpha_ndcg(run: JudgedRun, measure: Measure) -> Floats:
    """Alpha_nDCG of each topic: alpha_DCG divided by that of the ideal ranking (Clarke et al. 2008)."""
    return _of_ideal(run, measure, measure["alpha"], _by_logarithm)


def _by_logarithm(ranks: Positions) -> Floats:
    return np.asarray(1.0 / np.log2(ranks + 1.0))


# A relevant document satisfies the user with probability one half, as a grade of 1 on a scale to 1 does.
_ALPHA = 0.5


def err_ia(run: JudgedRun, measure: Measure) -> Floats:
    """ERR_IA of each topic, divided by that of documents that all cover all subtopics, as in ndeval.

    Chapelle et al. 2009, with relevance of two grades. ndeval divides so from the cutoff 2 on
    only; here ERR_IA@1 is divided as well.
    """
    return _of_best(run, measure, _ALPHA, _by_rank)


def nerr_ia(run: JudgedRun, measure: Measure) -> Floats:
    """nERR_IA of each topic: ERR_IA divided by that of the ranking that is ideal for alpha_nDCG."""
    return _of_ideal(run, measure, _ALPHA, _by_rank)


def _by_rank(ranks: Positions) -> Floats:
    return 1.0 / ranks


def subtopic_recall(run: JudgedRun, measure: Measure) -> Floats:
    """StRecall@k of each topic: the share of its subtopics that the first k documents cover.

    Zhai, Cohen and Lafferty 2003.
    """
    hits = _subtopic_hits(run, measure)
    return share(run.counted(hits.rows[hits.nth == 1]), subtopics_of(run, measure))


def intent_aware_precision(run: JudgedRun, measure: Measure) -> Floats:
    """P_IA@k of each topic: precision of the first k documents, the mean over its subtopics.

    Agrawal et al. 2009.
    """
    hits = _subtopic_hits(run, measure)
    return share(run.counted(hits.rows) / int(measure["cutoff"]), subtopics_of(run, measure))


def intent_aware_ap(run: JudgedRun, measure: Measure) -> Floats:
    """AP_IA of each topic: average precision, the mean over its subtopics (Agrawal et al. 2009)."""
    hits = _subtopic_hits(run, measure)
    relevant = qrels_of(run).documents(measure["rel"])[hits.subtopics]
    return share(run.summed(hits.rows, hits.nth / hits.ranks / relevant), subtopics_of(run, measure))


_NEGLIGIBLE_GAIN = 1e-20


def nrbp(run: JudgedRun, measure: Measure) -> Floats:
    """NRBP of each topic (Clarke, Kolla and Vechtomova 2009): `beta` is the patience of the user.

    Divided by what endless documents would gain that all cover all subtopics.
    """
    alpha, beta = measure["alpha"], measure["beta"]
    found = gained(run, measure, alpha, _by_patience(beta))
    return share(found * (1.0 - (1.0 - alpha) * beta), subtopics_of(run, measure))


def nnrbp(run: JudgedRun, measure: Measure) -> Floats:
    """nNRBP of each topic: NRBP divided by that of the ranking that is ideal for alpha_nDCG."""
    alpha, beta = measure["alpha"], measure["beta"]
    # The ideal ranking takes the square of its depth: what counts nothing in double precision is left out.
    depth = 1 + math.ceil(math.log(_NEGLIGIBLE_GAIN) / math.log(beta)) if 0 < beta < 1 else None
    return _of_ideal(run, measure, alpha, _by_patience(beta), depth=depth)


def _by_patience(beta: float) -> Discount:
    def discount(ranks: Positions) -> Floats:
        return np.asarray(beta ** (ranks - 1.0))

    return discount


_HIGHEST = 50


def ndcg(run: JudgedRun, measure: Measure) -> Floats:
    """NDCG of each topic, by default with the discount log2(rank + 1).

    The gain is the grade (Jarvelin and Kekalainen 2002), 2 ** grade - 1 where `dcg` is exp-log2 (Burges et
    al. 2005), or as `gains` has it; negative grades gain nothing. With a `base` the discount is that of
    Jarvelin and Kekalainen: none above rank `base`, and the logarithm of the rank to this base from there on.
    Raises WorkbenchError where 2 ** grade is beyond all bounds.
    """
    return share(dcg(run, measure), _ideal(run, measure)[run.topics])


def dcg(run: JudgedRun, measure: Measure) -> Floats:
    """DCG of each topic: what `ndcg` divides."""
    hits = run.hits(_lowest(measure))
    gained = gains(run.grades[run.starts[hits.rows] + hits.ranks - 1], measure)
    kept = (gained > 0) & (hits.ranks <= last_rank(measure))
    return run.summed(hits.rows[kept], gained[kept] / discounts(hits.ranks[kept], measure))


def _lowest(measure: Measure) -> int:
    """The lowest grade that can gain something: 1, or that of `gains` to which something is given."""
    own: dict[int, int] = measure.params.get("gains") or {}
    return min([1, *(grade for grade, gain in own.items() if gain > 0)])


def ideal_gains(run: JudgedRun, measure: Measure, *, depth: int | None = None) -> tuple[JudgedRun, Floats]:
    """The best possible ranking of each topic of the qrels, and the gains of its documents.

    With a `depth` only so many of each topic need be there.
    """
    starts, grades = run.relevance.best_grades(None if "gains" in measure.params else depth)
    best = JudgedRun(run.relevance, np.arange(len(starts) - 1), starts, grades)
    ordered = gains(grades, measure)
    if "gains" in measure.params:
        # Other gains may have another order.
        ordered = ordered[np.lexsort((-ordered, best.rows))]
    return best, ordered


def _ideal(run: JudgedRun, measure: Measure) -> Floats:
    """The gain of the best possible ranking of each topic of the qrels."""
    known, name = run.relevance.of_measures, str(measure)
    if name not in known:
        best, gained = ideal_gains(run, measure, depth=cutoff_of(measure))
        kept = (gained > 0) & (best.ranks <= last_rank(measure))
        known[name] = best.summed(best.rows[kept], gained[kept] / discounts(best.ranks[kept], measure))
    return known[name]


def gains(grades: Grades, measure: Measure) -> Floats:
    """The gain of each document; raises WorkbenchError where 2 ** grade is beyond all bounds."""
    own = measure.params.get("gains")
    if own:
        mapped = grades.copy()
        for grade, gain in own.items():
            mapped[grades == grade] = gain
        grades = mapped
    linear = np.maximum(grades, 0).astype(np.float64)
    if measure.params.get("dcg") != "exp-log2":
        return linear
    if linear.max(initial=0) > _HIGHEST:
        raise WorkbenchError(
            f"{measure} cannot be computed for a grade of {int(linear.max())}",
            remedy=f"use grades up to {_HIGHEST}, or nDCG with other gains: these gains are powers of two",
        )
    return np.exp2(linear) - 1.0


def discounts(ranks: Positions, measure: Measure) -> Floats:
    """What the gain at each rank is divided by; 1 everywhere for CG and nCG."""
    if measure.NAME in {"CG", "nCG"}:
        return np.ones(len(ranks))
    base = measure.params.get("base")
    return _table(1 << int(ranks.max(initial=1)).bit_length(), None if base is None else float(base))[ranks]


@cache
def _table(size: int, base: float | None) -> Floats:
    # By the C library's logarithm, as trec_eval: numpy's may differ in the last bit.
    if base is None:
        return np.array([math.log2(rank + 1) for rank in range(size)])
    return np.array([max(1.0, math.log(max(rank, 1)) / math.log(base)) for rank in range(size)])


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
