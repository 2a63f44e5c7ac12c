"""What the commands that need no server do, as functions: the names that `import workbench` gives.

Each takes files by name or what the others return. All raise InvalidInput with every error of a file, and
OSError where a file cannot be opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path

from workbench.consensus.settle import Consensus, consensus
from workbench.formats.judgments import read_judgments
from workbench.formats.qrels import read_qrels as qrels_of
from workbench.formats.runs import read_run_top
from workbench.pooling.pool import Pool
from workbench.pooling.strategies import build_pool
from workbench.records import Judgment, Qrel, Run, TieRule
from workbench.scoring.scorer import RunScores, Scorer

File = str | PathLike[str]


def read_run(file: File) -> Run:
    """Read a TREC run, plain or gzip, in the order of its lines."""
    with Path(file).open("rb") as stream:
        return read_run_top(stream, source=str(file), depth=None).run


def read_qrels(file: File) -> tuple[Qrel, ...]:
    """Read qrels, plain or gzip, of four columns or BEIR's three."""
    with Path(file).open("rb") as stream:
        return qrels_of(stream, source=str(file))


def make_pool(
    runs: Iterable[Run | File], *, strategy: str = "depth", ties: str = "trec_eval", **parameters: object
) -> Pool:
    """Pool runs by a strategy and its parameters; `make_pool(runs, depth=100)` is a depth-100 pool.

    `workbench pool --list` names the strategies with their parameters; `ties` is the order of equal scores:
    trec_eval, docno-ascending or file. Raises WorkbenchError for an unknown strategy, InvalidInput for wrong
    parameters.
    """
    return build_pool(map(_run, runs), strategy=strategy, ties=TieRule(ties), parameters=parameters)


def settle(
    judgments: File | Iterable[Judgment], *, rule: str, relevant_from: int = 1, **parameters: str
) -> Consensus:
    """Make one grade of each pair's judgments by a rule of consensus; `qrels` of the result are the qrels.

    `workbench consensus --help` names the rules with their parameters. Raises WorkbenchError for an unknown
    rule and for a parameter that is wrong or missing.
    """
    if isinstance(judgments, str | PathLike):
        with Path(judgments).open("rb") as stream:
            judgments = read_judgments(stream, source=str(judgments))
    return consensus(
        judgments, rule=rule, scale=None, relevant_from=relevant_from, decided=None, **parameters
    )


def score(
    qrels: File | Sequence[Qrel], runs: Iterable[Run | File], measures: str = "AP nDCG@10 P@10"
) -> tuple[RunScores, ...]:
    """Score runs by measures under ir_measures' names; means are over all topics of the qrels.

    Raises WorkbenchError for a measure that is unknown or cannot be computed here.
    """
    scorer = Scorer(read_qrels(qrels) if isinstance(qrels, str | PathLike) else qrels, measures)
    return tuple(scorer.score(_run(run)) for run in runs)


def _run(run: Run | File) -> Run:
    return run if isinstance(run, Run) else read_run(run)
