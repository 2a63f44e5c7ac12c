"""The registry of kernels: measures computed here, in numpy over all topics of a run at once.

They are named as in ir_measures and equal what its scorers give, except where a scorer departs from the
published definition: interpolated precision and the weighted F (see `binary_kernels`, and the page "Measures"
of the manual). Every other measure is computed by the field's scorers through ir_measures, and all are on
request.

Diversity measures read qrels with subtopics (`scoring.subtopics`); `Reads` says which do.

To add a kernel: write a module with a function that takes a JudgedRun and the measure and returns the value
for each topic of the run, and name it in `KERNELS` with the parameters that it understands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from subprocess import SubprocessError

import ir_measures
from ir_measures import Measure

from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.records import id_bytes
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
from workbench.scoring.relevance import Floats, Relevance
from workbench.scoring.subtopics import SubtopicRelevance

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
"""The measures that are computed here, by name: that of ir_measures where it has them too."""


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


# No id of a file holds a control character.
_NO_DOCUMENT = "\x01"
# pytrec_eval keeps scores in single precision, whose whole numbers end here.
_LONGEST_RANKING = 2**24
_FAILURES = (
    ArithmeticError,
    AssertionError,
    LookupError,
    OSError,
    RuntimeError,
    SubprocessError,
    TypeError,
    ValueError,
)


class FieldScorers:
    """What ir_measures computes of a run, with ids that every scorer of its can take.

    Topics become numbers, since gdeval takes nothing else; docnos become characters one for each byte,
    because pytrec_eval does not survive what is no UTF-8.
    """

    def __init__(self, relevance: Relevance, measures: Sequence[Measure]) -> None:
        """Prepare the qrels once; raises WorkbenchError for measures that cannot be computed here."""
        self._numbers = {topic: str(number) for number, topic in enumerate(relevance.topics, start=1)}
        grades = {
            self._numbers[topic]: {bytewise(docno): grade for docno, grade in of_topic.items()}
            for topic, of_topic in relevance.grades.items()
        }
        for topic in relevance.without_grades():
            # trec_eval stops, and pytrec_eval takes the process with it, at a topic that has no other grades;
            # a document that no run holds makes it a topic worth 0.
            grades[self._numbers[topic]][_NO_DOCUMENT] = 0
        try:
            self._evaluators = [
                ir_measures.evaluator(
                    group, self._lines(relevance) if reads(group[0]) is Reads.SUBTOPICS else grades
                )
                for group in _apart(measures)
            ]
        except _FAILURES as error:
            raise _failed(error) from error

    def _lines(self, relevance: Relevance) -> list[ir_measures.Qrel]:
        """The lines of qrels with subtopics; none of other qrels."""
        lines = relevance.lines if isinstance(relevance, SubtopicRelevance) else ()
        return [
            ir_measures.Qrel(self._numbers[one.topic], bytewise(one.docno), one.grade, one.iteration)
            for one in lines
        ]

    def values(self, given: Mapping[str, Mapping[str, float]]) -> dict[tuple[str, str], float]:
        """The values by measure and topic, given each topic's docnos, as `bytewise` has them, with scores.

        Raises WorkbenchError where a scorer gives up.
        """
        topics = {self._numbers[topic]: topic for topic in given}
        scored = {self._numbers[topic]: dict(of_topic) for topic, of_topic in given.items()}
        found: dict[tuple[str, str], float] = {}
        try:
            for evaluator in self._evaluators:
                for metric in evaluator.iter_calc(scored):
                    if metric.query_id in topics:
                        found[str(metric.measure), topics[metric.query_id]] = float(metric.value)
        except _FAILURES as error:
            raise _failed(error) from error
        return found


def descending(order: Sequence[str]) -> dict[str, float]:
    """A ranking, best first, as these scorers take it; raises WorkbenchError for one that is too long."""
    # Scores are replaced by descending whole numbers, so that every scorer keeps our one order: each has
    # ties of its own making otherwise, and one (pytrec_eval) its own precision.
    if len(order) > _LONGEST_RANKING:
        raise WorkbenchError(
            f"a ranking of {len(order):,} documents is too long to be scored",
            remedy=f"keep {_LONGEST_RANKING:,} or fewer for each topic",
        )
    docnos = order if "".join(order).isascii() else [bytewise(docno) for docno in order]
    return dict(zip(docnos, map(float, range(len(order), 0, -1)), strict=True))


def bytewise(identifier: str) -> str:
    """An id as characters one for each byte, where it is not ASCII: pytrec_eval dies of a lone surrogate."""
    return identifier if identifier.isascii() else id_bytes(identifier).decode("latin-1")


def _apart(measures: Iterable[Measure]) -> list[list[Measure]]:
    # ir_measures 0.4.3 computes NumRet and nDCG together with any other measure that stands first in a set:
    # one with judged_only takes the unjudged documents away from it, one with gains gives it these gains.
    # Its evaluator of diversity measures gives the run to the first of several sets of parameters only.
    groups: dict[tuple[object, ...], list[Measure]] = {}
    for measure in measures:
        key: tuple[object, ...] = bool(measure.params.get("judged_only")), str(measure.params.get("gains"))
        if reads(measure) is Reads.SUBTOPICS:
            key += tuple(measure.params.get(name) for name in ("rel", "alpha", "beta"))
        groups.setdefault(key, []).append(measure)
    return list(groups.values())


def _failed(error: Exception) -> WorkbenchError:
    return WorkbenchError(
        f"a scorer gave up: {type(error).__name__}: {error}",
        remedy="leave out measures one by one to find the one that cannot be computed here",
    )
