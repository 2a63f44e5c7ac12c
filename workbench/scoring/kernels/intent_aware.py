"""StRecall, P_IA and AP_IA: recall of subtopics, and precision averaged over them."""

from __future__ import annotations

from ir_measures import Measure

from workbench.scoring.judged_run import JudgedRun, share
from workbench.scoring.kernels.cutoff import cutoff_of
from workbench.scoring.kernels.novelty import qrels_of, subtopics_of
from workbench.scoring.relevance import Floats


def subtopic_recall(run: JudgedRun, measure: Measure) -> Floats:
    """StRecall@k of each topic: the share of its subtopics that the first k documents cover.

    Zhai, Cohen and Lafferty 2003.
    """
    hits = qrels_of(run).hits(run, measure["rel"]).within(cutoff_of(measure))
    return share(run.counted(hits.rows[hits.nth == 1]), subtopics_of(run, measure))


def intent_aware_precision(run: JudgedRun, measure: Measure) -> Floats:
    """P_IA@k of each topic: precision of the first k documents, the mean over its subtopics.

    Agrawal et al. 2009.
    """
    hits = qrels_of(run).hits(run, measure["rel"]).within(cutoff_of(measure))
    return share(run.counted(hits.rows) / int(measure["cutoff"]), subtopics_of(run, measure))


def intent_aware_ap(run: JudgedRun, measure: Measure) -> Floats:
    """AP_IA of each topic: average precision, the mean over its subtopics (Agrawal et al. 2009)."""
    qrels = qrels_of(run)
    hits = qrels.hits(run, measure["rel"])
    relevant = qrels.documents(measure["rel"])[hits.subtopics]
    return share(run.summed(hits.rows, hits.nth / hits.ranks / relevant), subtopics_of(run, measure))
