"""Scoring runs from files: `workbench score` against trec_eval, pytrec_eval and ir_measures.

`python -m tests.benchmarks.scoring --trec-eval PATH` writes a set of TREC-8's size into a temporary folder
(129 runs x 50 topics x 1,000 lines, see `generated_runs`, and 86,830 lines of qrels) and lets every program
compute six measures of all runs, in turn with the others, its files in the system's cache. trec_eval is not
part of the project: compile it and name it by --trec-eval (repeatable) or the environment variable TREC_EVAL.
ranx is measured where it was installed by hand (`pip install ranx`).
The table shows the least seconds of all rounds, as a clock and as the processor counts them (user and system,
children included), each also as so many times ours; peak memory; and how many values differ from ours in four
decimals. Last comes the time of the same measures for runs that are stored, as campaigns have them.
With --large it is one run of MS MARCO's shape instead (6,980 topics x 1,000 lines), which is checked as well.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from tests.benchmarks.generated_runs import SEED, TOPICS, findable, write_runs
from tests.benchmarks.measuring import Measured, Program, compare
from workbench.formats.qrels import read_qrels
from workbench.formats.runs import read_run_arrays
from workbench.scoring.scorer import Scorer
from workbench.toolkit import make_pool

RUNS, POOLED, DEPTH, JUDGED = 129, 71, 100, 86_830
RELEVANT = 95
"""Documents of a topic that answer it well enough: about TREC-8's 4,728 in all."""
STORED_RUNS = 143
MEASURES = "AP nDCG@10 P@10 RR R@1000 Bpref"
THEIRS = ("map", "ndcg_cut_10", "P_10", "recip_rank", "recall_1000", "bpref")
CHECK = "ours, checking"
HERE = Path(__file__).parent
_WANTED = "-m map -m ndcg_cut.10 -m P.10 -m recip_rank -m recall.1000 -m bpref"
_EACH = f'qrels=$1; shift; for run; do "$0" -c {_WANTED} "$qrels" "$run" || exit 1; done'


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--trec-eval", action="append", default=[], metavar="PATH", help="a compiled trec_eval"
    )
    parser.add_argument("--rounds", type=int, default=3, help="how often each program runs")
    parser.add_argument("--runs", type=int, default=RUNS, help="how many runs")
    parser.add_argument("--large", action="store_true", help="one large run instead, checked as well")
    given = parser.parse_args()
    paths = given.trec_eval or [path for path in [os.environ.get("TREC_EVAL")] if path]
    if not paths:
        print("trec_eval is left out: name it by --trec-eval or TREC_EVAL", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="workbench-scoring-") as folder:
        if given.large:
            _say(compare([_ours(), _check(), *map(_trec_eval, paths)], large_run(Path(folder)), given.rounds))
            return
        files = generated_set(Path(folder), given.runs)
        print(f"{given.runs} runs x {len(TOPICS)} topics x 1,000, six measures")
        _say(compare([_ours(), *map(_trec_eval, paths), *_libraries()], files, given.rounds))
        _stored(files)


def generated_set(folder: Path, count: int) -> list[str]:
    """The files of a generated set: qrels, then runs."""
    runs = folder / "runs"
    runs.mkdir()
    write_runs(runs, count)
    files = sorted(map(str, runs.iterdir()))
    pool = sorted((one.topic, one.docno) for one in make_pool(files[:POOLED], depth=DEPTH).entries)
    judged = sorted(random.Random(SEED).sample(pool, min(JUDGED, len(pool))))
    relevant = {
        (topic, docnos[at])
        for topic, (docnos, answers) in zip(TOPICS, findable(), strict=True)
        for at in answers.argsort()[-RELEVANT:].tolist()
    }
    qrels = folder / "qrels"
    lines = [f"{topic} 0 {docno} {int((topic, docno) in relevant)}\n" for topic, docno in judged]
    qrels.write_text("".join(lines), encoding="utf-8")
    return [str(qrels), *files]


def large_run(folder: Path) -> list[str]:
    """The files of one run as the passages of MS MARCO are searched, and of qrels with a line for a topic."""
    numbers, qrels, run = np.random.default_rng(SEED), folder / "qrels", folder / "large.run"
    with qrels.open("w", encoding="utf-8") as judged, run.open("w", encoding="utf-8") as lines:
        for topic in range(2, 2 + 157 * 6_980, 157):
            docnos = numbers.choice(8_841_823, 1_000, replace=False).tolist()
            scores = np.sort(numbers.random(1_000) * 20 + 2)[::-1].tolist()
            ranked = enumerate(zip(docnos, scores, strict=True), 1)
            lines.writelines(
                f"{topic} Q0 {docno} {rank} {score:.6f} large\n" for rank, (docno, score) in ranked
            )
            judged.write(f"{topic} 0 {docnos[int(numbers.integers(200))]} 1\n")
    return [str(qrels), str(run)]


def _check() -> Program:
    return Program(CHECK, ("sh", "-c", 'shift; exec "$0" -m workbench check "$@"', sys.executable))


def _ours() -> Program:
    return Program("ours", (sys.executable, "-m", "workbench", "score", "-m", MEASURES))


def _trec_eval(path: str) -> Program:
    return Program(f"trec_eval {path}", ("sh", "-c", _EACH, path))


def _libraries() -> list[Program]:
    return [
        Program(name, (sys.executable, str(HERE / "field_scoring.py"), name))
        for name in ("pytrec_eval", "ir_measures", *(["ranx"] if find_spec("ranx") else []))
    ]


def _stored(files: Sequence[str]) -> None:
    """The time of scoring alone, for runs that are in memory as arrays."""
    with Path(files[0]).open("rb") as stream:
        qrels = read_qrels(stream, source=files[0])
    runs = []
    for name in files[1:]:
        with Path(name).open("rb") as stream:
            runs.append(read_run_arrays(stream, source=name, depth=None))
    runs = [runs[at % len(runs)] for at in range(STORED_RUNS)]
    begun = time.process_time()
    scorer = Scorer(qrels, MEASURES)
    scorer.score(runs[0])
    prepared = time.process_time() - begun
    begun = time.process_time()
    for run in runs:
        scorer.score(run)
    print(f"\nqrels prepared and one run scored: {prepared:.2f} CPU s")
    print(f"{STORED_RUNS} stored runs: {time.process_time() - begun:.2f} CPU s")


def _values(result: Measured) -> list[str]:
    """The values that a program printed, run after run, in the order of MEASURES."""
    lines = [line.split() for line in result.printed.decode().splitlines()]
    if lines and lines[0][0] == "run":
        return [cell for line in lines[1:] for cell in line[1:7]]
    found: list[str] = []
    for at in range(0, len(lines), len(THEIRS)):
        of_run = {name: value for name, _, value in lines[at : at + len(THEIRS)]}
        found.extend(of_run[name] for name in THEIRS)
    return found


def _say(results: list[Measured]) -> None:
    ours = results[0]
    print(f"{'':40} seconds x ours   CPU s x ours   MiB  values that differ")
    for one in results:
        if one.failure:
            print(f"{one.name:40} failed: {one.failure[:80]}")
            continue
        values = _values(ours if one.name == CHECK else one)
        differ = sum(a != b for a, b in zip(values, _values(ours), strict=True))
        print(
            f"{one.name[-40:]:40} {one.least:7.2f} {one.least / ours.least:6.2f} {one.cpu:7.2f} "
            f"{one.cpu / ours.cpu:6.2f} {one.memory:>5} {differ:6}",
            flush=True,
        )


if __name__ == "__main__":
    main()
