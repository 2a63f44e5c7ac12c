"""All pairs of runs: how often real runs made equal have any significant difference, and what is found."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tests.promises.simulated import share
from tests.support import shared
from workbench.formats.qrels import read_qrels
from workbench.formats.runs import read_run
from workbench.scoring.measures import parse_measures
from workbench.scoring.pairs_of_runs import Comparisons, compare_all
from workbench.scoring.relevance import Floats
from workbench.scoring.scorer import Scorer, topic_scores_of

METHODS = (Comparisons.MAX_T, Comparisons.T_HOLM)


def false_families(
    scores: Floats, topics: int, comparisons: Comparisons, repeats: int, *, seed: int, rounds: int = 500
) -> int:
    """In how many of the draws of topics runs that are made equal have a significant difference."""
    centred = scores - scores.mean(axis=0)
    generator = np.random.default_rng(seed)
    found = 0
    for number in range(repeats):
        drawn = centred[generator.integers(0, len(centred), topics)]
        found += bool(compare_all(drawn, comparisons, rounds=rounds, seed=number).significant.any())
    return found


def real_scores(folder: str, most: int = 40) -> Floats:
    """AP of real runs, topics by runs, of those above .05."""
    directory = shared("data", folder)
    with (directory / "qrels.txt").open("rb") as stream:
        scorer = Scorer(read_qrels(stream, source="qrels.txt"), parse_measures("AP"))
    scored = []
    for path in sorted((directory / "runs").iterdir())[:most]:
        with path.open("rb") as stream:
            scored.append(scorer.score(read_run(stream, source=path.name).run))
    scores = topic_scores_of(scored, "AP").T
    chosen: Floats = scores[:, scores.mean(axis=0) > 0.05]
    return chosen


def found_on_average(scores: Floats, topics: int, method: Comparisons) -> float:
    """How many pairs of the real runs a test finds different."""
    generator = np.random.default_rng(202)
    drawn = (scores[generator.integers(0, len(scores), topics)] for _ in range(20))
    return float(np.mean([compare_all(one, method, rounds=500).significant.sum() for one in drawn]))


def table(repeats: int) -> Iterator[str]:
    """Both collections at 15 to 50 topics."""
    for name, folder in (("TREC 2003 robust", "robust03"), ("TREC-COVID round 1", "trec-covid/round1")):
        scores = real_scores(folder)
        for topics in (15, 25, 50):
            cells = []
            for method in METHODS:
                false = false_families(scores, topics, method, repeats, seed=201)
                there = found_on_average(scores, topics, method)
                cells.append(f"{method} {share(false, repeats)}, finds {there:.0f}")
            pairs = scores.shape[1] * (scores.shape[1] - 1) // 2
            yield f"{name}, {scores.shape[1]} runs ({pairs} pairs), {topics} topics: {'; '.join(cells)}"
