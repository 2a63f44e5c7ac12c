"""The registry of kernels, and which measures they compute."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from ir_measures import Measure

from workbench.scoring.judged_run import JudgedRun
from workbench.scoring.kernels.alpha_ndcg import alpha_dcg, alpha_ndcg
from workbench.scoring.kernels.average_precision import average_precision
from workbench.scoring.kernels.bpref import bpref, inferred_ap
from workbench.scoring.kernels.counts import judged, queries, relevant, retrieved
from workbench.scoring.kernels.err_ia import err_ia, nerr_ia
from workbench.scoring.kernels.gain_of_users import expected_reciprocal_rank, rank_biased_precision
from workbench.scoring.kernels.intent_aware import (
    intent_aware_ap,
    intent_aware_precision,
    subtopic_recall,
)
from workbench.scoring.kernels.interpolated_precision import interpolated_precision
from workbench.scoring.kernels.ndcg import ndcg
from workbench.scoring.kernels.nrbp import nnrbp, nrbp
from workbench.scoring.kernels.precision import precision, r_precision, recall, success
from workbench.scoring.kernels.reciprocal_rank import reciprocal_rank
from workbench.scoring.kernels.set_measures import set_f, set_precision, set_recall
from workbench.scoring.relevance import Floats

Compute = Callable[[JudgedRun, Measure], Floats]


class Reads(StrEnum):
    """What a measure reads of qrels: one grade a pair, a grade for each subtopic, or only who is judged."""

    GRADES = "grades"
    SUBTOPICS = "subtopics"
    PAIRS = "pairs"


@dataclass(frozen=True, slots=True)
class Kernel:
    """How a measure is computed here, which of its parameters are understood, and what it reads of qrels."""

    compute: Compute
    parameters: frozenset[str]
    reads: Reads = Reads.GRADES

    @property
    def needed(self) -> frozenset[str]:
        """The parameters that have to be given, though ir_measures declares them optional."""
        # Diversity measures are normalised by their cutoff, and ndeval has none without.
        return self.parameters & {"cutoff"} if self.reads is Reads.SUBTOPICS else frozenset()


def _kernel(compute: Compute, *parameters: str, reads: Reads = Reads.GRADES) -> Kernel:
    return Kernel(compute, frozenset(parameters), reads)


def _diversity(compute: Compute, *parameters: str) -> Kernel:
    return _kernel(compute, "rel", *parameters, reads=Reads.SUBTOPICS)


KERNELS: dict[str, Kernel] = {
    "AP": _kernel(average_precision, "rel", "cutoff"),
    "nDCG": _kernel(ndcg, "cutoff", "dcg", "gains"),
    "P": _kernel(precision, "rel", "cutoff"),
    "R": _kernel(recall, "rel", "cutoff"),
    "Rprec": _kernel(r_precision, "rel"),
    "RR": _kernel(reciprocal_rank, "rel", "cutoff"),
    "Bpref": _kernel(bpref, "rel"),
    "infAP": _kernel(inferred_ap, "rel"),
    "IPrec": _kernel(interpolated_precision, "recall", "rel"),
    "Success": _kernel(success, "rel", "cutoff"),
    "SetP": _kernel(set_precision, "rel", "relative"),
    "SetR": _kernel(set_recall, "rel"),
    "SetF": _kernel(set_f, "rel", "beta"),
    "RBP": _kernel(rank_biased_precision, "rel", "cutoff", "p"),
    "ERR": _kernel(expected_reciprocal_rank, "cutoff"),
    "alpha_nDCG": _diversity(alpha_ndcg, "cutoff", "alpha"),
    "alpha_DCG": _diversity(alpha_dcg, "cutoff", "alpha"),
    "ERR_IA": _diversity(err_ia, "cutoff"),
    "nERR_IA": _diversity(nerr_ia, "cutoff"),
    "StRecall": _diversity(subtopic_recall, "cutoff"),
    "P_IA": _diversity(intent_aware_precision, "cutoff"),
    "AP_IA": _diversity(intent_aware_ap),
    "NRBP": _diversity(nrbp, "alpha", "beta"),
    "nNRBP": _diversity(nnrbp, "alpha", "beta"),
    "Judged": _kernel(judged, "cutoff", reads=Reads.PAIRS),
    "NumQ": _kernel(queries, reads=Reads.PAIRS),
    "NumRet": _kernel(retrieved, "rel"),
    "NumRel": _kernel(relevant, "rel"),
}
"""The measures that are computed here, by the name that ir_measures gives them."""


def kernel_of(measure: Measure) -> Kernel | None:
    """The kernel of a measure with its parameters; None where ir_measures computes it."""
    kernel = KERNELS.get(str(measure.NAME))
    given = measure.params.keys() - {"judged_only"}
    return kernel if kernel is not None and given <= kernel.parameters else None


def reads(measure: Measure) -> Reads:
    """What a measure reads of qrels; one that is computed elsewhere reads grades."""
    kernel = KERNELS.get(str(measure.NAME))
    return Reads.GRADES if kernel is None else kernel.reads


def compute(kernel: Kernel, run: JudgedRun, measure: Measure) -> Floats:
    """The values of a measure for each topic of a run; shape (topics of the run,)."""
    return kernel.compute(run.judged_only() if measure.params.get("judged_only") else run, measure)
