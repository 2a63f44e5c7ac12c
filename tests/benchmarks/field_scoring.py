"""Other people's scorers as whole programs: `python field_scoring.py NAME QRELS RUN...`.

Prints trec_eval's lines of six measures for each run. Nothing of the project is imported.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

MEASURES = ("map", "ndcg_cut_10", "P_10", "recip_rank", "recall_1000", "bpref")


def by_pytrec_eval(qrels: str, runs: list[str]) -> Iterator[dict[str, float]]:
    """The means of each run by pytrec_eval, over all topics of the qrels."""
    import pytrec_eval

    with Path(qrels).open() as stream:
        grades = pytrec_eval.parse_qrel(stream)
    names = {"map", "ndcg_cut.10", "P.10", "recip_rank", "recall.1000", "bpref"}
    evaluator = pytrec_eval.RelevanceEvaluator(grades, names)
    for name in runs:
        with Path(name).open() as stream:
            run = pytrec_eval.parse_run(stream)
        topics = evaluator.evaluate(run).values()
        yield {measure: sum(one[measure] for one in topics) / len(grades) for measure in MEASURES}


def by_ir_measures(qrels: str, runs: list[str]) -> Iterator[dict[str, float]]:
    """The means of each run by ir_measures."""
    ir_measures: Any = import_module("ir_measures")
    parsed = [ir_measures.parse_measure(name) for name in ["AP", "nDCG@10", "P@10", "RR", "R@1000", "Bpref"]]
    evaluator = ir_measures.evaluator(parsed, list(ir_measures.read_trec_qrels(qrels)))
    for name in runs:
        found = evaluator.calc_aggregate(list(ir_measures.read_trec_run(name)))
        yield {theirs: found[measure] for theirs, measure in zip(MEASURES, parsed, strict=True)}


def by_ranx(qrels: str, runs: list[str]) -> Iterator[dict[str, float]]:
    """The means of each run by ranx; a topic that the run lacks counts as 0."""
    from ranx import Qrels, Run, evaluate

    judged = Qrels.from_file(qrels, kind="trec")
    names = ["map", "ndcg@10", "precision@10", "mrr", "recall@1000", "bpref"]
    for name in runs:
        found = evaluate(judged, Run.from_file(name, kind="trec"), names, make_comparable=True)
        yield {theirs: found[measure] for theirs, measure in zip(MEASURES, names, strict=True)}


SCORERS = {"pytrec_eval": by_pytrec_eval, "ir_measures": by_ir_measures, "ranx": by_ranx}

if __name__ == "__main__":
    for values in SCORERS[sys.argv[1]](sys.argv[2], sys.argv[3:]):
        for measure, value in values.items():
            print(f"{measure}\tall\t{value:.4f}")
