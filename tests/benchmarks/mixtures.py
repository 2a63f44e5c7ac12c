"""Other judges measured: 1,000 mixtures of assessors over 143 runs and 30 topics, step by step.

`python -m tests.benchmarks.mixtures` makes runs and assessors at random and prints the seconds of each step:
the scores of all runs under every qrels, then the mixtures with their coefficients and tests. With `--runs`
and `--qrels` runs and qrels are real; assessors are made of the qrels, with other grades for a seventh.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from pathlib import Path

# As the command does: threads for such small matrices only get in each other's way.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from workbench.formats.qrels import read_qrels
from workbench.formats.runs import read_run_arrays
from workbench.records import Ranking, Run
from workbench.scoring.measures import parse_measures
from workbench.scoring.run_arrays import RunArrays
from workbench.trust.alternatives import AlternativeQrels, Pair, score_under
from workbench.trust.judges import other_judges
from workbench.trust.reference import RankingOptions

RUNS, TOPICS, DEPTH, JUDGED, ASSESSORS = 143, 30, 1000, 300, 4
OTHERWISE = 1 / 7


def main() -> None:
    """Measure, and print one line for each step."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=Path, help="a folder of run files")
    parser.add_argument("--qrels", type=Path)
    parser.add_argument("--mixtures", type=int, default=1000)
    given = parser.parse_args()
    generator = np.random.default_rng(1)
    began = time.perf_counter()
    runs = list(_read(given.runs) if given.runs else _made(generator))
    grades = _grades(given.qrels) if given.qrels else _made_grades(generator)
    began = _say(f"{len(runs)} runs", began)
    assessors = [f"assessor {number}" for number in range(1, ASSESSORS + 1)]
    qrels = [AlternativeQrels("qrels", grades)]
    qrels += [AlternativeQrels(name, _judged_again(grades, generator)) for name in assessors]
    began = time.perf_counter()
    scores = score_under(qrels, runs, parse_measures("AP")[0])
    began = _say(f"scored under {len(qrels)} qrels, {len(scores.topics)} topics", began)
    found = other_judges(scores, assessors, RankingOptions("qrels", mixtures=given.mixtures))
    _say(f"{given.mixtures} mixtures", began)
    assert found.mixtures is not None
    print(f"mean tau b {found.mixtures.coefficients['tau_b'].mean:.4f}, {len(found.pairs)} pairs change")


def _say(step: str, began: float) -> float:
    now = time.perf_counter()
    print(f"{step:<50}{now - began:8.2f} s; {time.process_time():8.2f} s of the processor since the start")
    return now


def _read(folder: Path) -> Iterator[Run | RunArrays]:
    for path in sorted(folder.iterdir()):
        with path.open("rb") as stream:
            yield read_run_arrays(stream, source=path.name, depth=None)


def _grades(path: Path) -> dict[Pair, int]:
    with path.open("rb") as stream:
        return {(one.topic, one.docno): max(0, one.grade) for one in read_qrels(stream, source=path.name)}


def _made(generator: np.random.Generator) -> Iterator[Run]:
    scores = tuple(np.linspace(1, 0, DEPTH).tolist())
    docnos = np.array([f"d{number}" for number in range(4 * DEPTH)])
    for number in range(RUNS):
        # The lower a document's number, the sooner it comes; the better a run, the more so.
        noise = generator.normal(0, 200 + 10 * number, (TOPICS, len(docnos)))
        orders = np.argsort(np.arange(len(docnos)) + noise, axis=1)[:, :DEPTH]
        rankings = {
            str(topic): Ranking(tuple(docnos[order].tolist()), scores) for topic, order in enumerate(orders)
        }
        yield Run(f"run {number}", rankings)


def _made_grades(generator: np.random.Generator) -> dict[Pair, int]:
    return {
        (str(topic), f"d{number}"): int(generator.random() < 0.3)
        for topic in range(TOPICS)
        for number in range(JUDGED)
    }


def _judged_again(grades: dict[Pair, int], generator: np.random.Generator) -> dict[Pair, int]:
    other = generator.random(len(grades)) < OTHERWISE
    return {
        pair: int(not grade) if again else grade
        for (pair, grade), again in zip(grades.items(), other.tolist(), strict=True)
    }


if __name__ == "__main__":
    main()
