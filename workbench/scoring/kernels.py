"""The registry of kernels: measures computed here, in numpy over all topics of a run at once.

They are named as in ir_measures and equal what its scorers give, except where a scorer departs from the
published definition: interpolated precision and the weighted F (see `binary_kernels`, and the page "Measures"
of the manual). Every other measure is computed by ir_measures.

Diversity measures read qrels with subtopics (`scoring.subtopics`); `Reads` says which do.

To add a kernel: write a module with a function that takes a JudgedRun and the measure and returns the value
for each topic of the run, and name it in `KERNELS` with the parameters that it understands.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from ir_measures import Measure

from workbench.frozen import frozen_dataclass
from workbench.scoring.binary_kernels import (
    average_precision,
    bpref,
    eleven_point_average,
    fallout,
    inferred_ap,
    interpolated_precision,
    judged,
    precision,
    queries,
    r_precision,
    recall,
    reciprocal_rank,
    relevant,
    retrieved,
    roc_area,
    set_accuracy,
    set_e,
    set_f,
    set_precision,
    success,
)
from workbench.scoring.graded_kernels import (
    alpha_dcg,
    alpha_ndcg,
    dcg,
    err_ia,
    expected_reciprocal_rank,
    expected_search_length,
    intent_aware_ap,
    intent_aware_precision,
    ndcg,
    nerr_ia,
    nnrbp,
    nrbp,
    rank_biased_precision,
    rank_biased_residual,
    recall_effort,
    relative_recall,
    subtopic_recall,
)
from workbench.scoring.judged_run import JudgedRun
from workbench.scoring.relevance import Floats

Compute = Callable[[JudgedRun, Measure], Floats]


class Reads(StrEnum):
    """What a measure reads of qrels: one grade a pair, a grade for each subtopic, or only who is judged."""

    GRADES = "grades"
    SUBTOPICS = "subtopics"
    PAIRS = "pairs"


@frozen_dataclass
class Kernel:
    """How a measure is computed here: which parameters are understood, and what it reads of qrels.

    `example` names the measure. `of_empty` is set where a topic of which nothing is retrieved has a value
    other than 0, and `descending` is false where a lower value is better.
    """

    compute: Compute
    example: str
    parameters: frozenset[str]
    reads: Reads = Reads.GRADES
    of_empty: bool = False
    descending: bool = True

    @property
    def needed(self) -> frozenset[str]:
        """The parameters that have to be given, though ir_measures declares them optional."""
        # Diversity measures are normalised by their cutoff, and ndeval has none without.
        return self.parameters & {"cutoff"} if self.reads is Reads.SUBTOPICS else frozenset()


def _kernel(
    compute: Compute, example: str, *parameters: str, reads: Reads = Reads.GRADES, **values: bool
) -> Kernel:
    return Kernel(compute, example, frozenset(parameters), reads, **values)


def _diversity(compute: Compute, example: str, *parameters: str) -> Kernel:
    return _kernel(compute, example, "rel", *parameters, reads=Reads.SUBTOPICS)


KERNELS: dict[str, Kernel] = {
    "AP": _kernel(average_precision, "AP", "rel", "cutoff"),
    "AP11pt": _kernel(eleven_point_average, "AP11pt(interpolation='bucket')", "rel", "interpolation"),
    "AUC": _kernel(roc_area, "AUC(docs=528155)", "rel", "docs", of_empty=True),
    "Bpref": _kernel(bpref, "Bpref", "rel"),
    "CG": _kernel(dcg, "CG@10", "cutoff", "gains"),
    "DCG": _kernel(dcg, "DCG(base=2)@10", "cutoff", "dcg", "gains", "base"),
    "E": _kernel(set_e, "E(beta=0.5)@10", "rel", "cutoff", "beta", "alpha", of_empty=True, descending=False),
    "ERR": _kernel(expected_reciprocal_rank, "ERR@20", "cutoff"),
    "ESL": _kernel(expected_search_length, "ESL(n=5)", "rel", "n", "docs", of_empty=True, descending=False),
    "F": _kernel(set_f, "F(beta=2)@10", "rel", "cutoff", "beta", "alpha"),
    "Fallout": _kernel(fallout, "Fallout(docs=528155)@100", "rel", "cutoff", "docs", descending=False),
    "IPrec": _kernel(interpolated_precision, "IPrec@0.1", "recall", "rel", "interpolation"),
    "Judged": _kernel(judged, "Judged@10", "cutoff", reads=Reads.PAIRS),
    "NumQ": _kernel(queries, "NumQ", reads=Reads.PAIRS, of_empty=True),
    "NumRel": _kernel(relevant, "NumRel", "rel", of_empty=True),
    "NumRet": _kernel(retrieved, "NumRet(rel=1)", "rel"),
    "P": _kernel(precision, "P@10", "rel", "cutoff"),
    "R": _kernel(recall, "R@100", "rel", "cutoff"),
    "RBP": _kernel(rank_biased_precision, "RBP(p=0.8)", "rel", "cutoff", "p"),
    "RBPResidual": _kernel(
        rank_biased_residual, "RBPResidual(p=0.8)", "cutoff", "p", of_empty=True, descending=False
    ),
    "RR": _kernel(reciprocal_rank, "RR@10", "rel", "cutoff"),
    "RecallEffort": _kernel(recall_effort, "RecallEffort(expected=10)", "rel", "expected"),
    "RelativeRecall": _kernel(relative_recall, "RelativeRecall(expected=10)", "rel", "cutoff", "expected"),
    "Rprec": _kernel(r_precision, "Rprec", "rel"),
    "SetAccuracy": _kernel(set_accuracy, "SetAccuracy(docs=528155)", "rel", "cutoff", "docs", of_empty=True),
    "SetF": _kernel(set_f, "SetF(beta=2)", "rel", "beta"),
    "SetP": _kernel(set_precision, "SetP", "rel", "relative"),
    "SetR": _kernel(recall, "SetR", "rel"),
    "Success": _kernel(success, "Success@5", "rel", "cutoff"),
    "infAP": _kernel(inferred_ap, "infAP", "rel"),
    "nCG": _kernel(ndcg, "nCG@10", "cutoff", "gains"),
    "nDCG": _kernel(ndcg, "nDCG@10", "cutoff", "dcg", "gains", "base"),
    "alpha_nDCG": _diversity(alpha_ndcg, "alpha_nDCG@20", "cutoff", "alpha"),
    "alpha_DCG": _diversity(alpha_dcg, "alpha_DCG@20", "cutoff", "alpha"),
    "ERR_IA": _diversity(err_ia, "ERR_IA@20", "cutoff"),
    "nERR_IA": _diversity(nerr_ia, "nERR_IA@20", "cutoff"),
    "StRecall": _diversity(subtopic_recall, "StRecall@20", "cutoff"),
    "P_IA": _diversity(intent_aware_precision, "P_IA@20", "cutoff"),
    "AP_IA": _diversity(intent_aware_ap, "AP_IA"),
    "NRBP": _diversity(nrbp, "NRBP", "alpha", "beta"),
    "nNRBP": _diversity(nnrbp, "nNRBP", "alpha", "beta"),
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
