"""What runs lose without their group, and the ranking without some documents."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tests.promises.agreement import Held
from tests.promises.simulated import share
from workbench.scoring.relevance import Floats
from workbench.trust.alternatives import TopicScores
from workbench.trust.left_out import DRAWS, WITH, WITHOUT, LeftOutDocuments, scores_left_out
from workbench.trust.runs import expected_loss, left_out_run

NOTHING = LeftOutDocuments("made up", 1, 1, 1, 2, 2)


def loss_table(repeats: int) -> Iterator[str]:
    """The mean loss over groups that lose skewedly, one or three runs each."""
    generator = np.random.default_rng(161)
    for groups in (3, 5, 10, 20, 50):
        for runs in (1, 3):
            held = Held()
            for _ in range(repeats):
                shares = np.repeat(generator.gamma(0.7, 0.03, groups), runs)
                found = expected_loss(
                    [
                        left_out_run(f"r{n}", f"g{n // runs}", 1.0, 1.0 - lost, 1, 1)
                        for n, lost in enumerate(shares.tolist())
                    ]
                )
                held.add(None if found is None else found.interval, 0.021)
            yield f"{groups} groups of {runs} runs: {held}"


def left_out_table(repeats: int) -> Iterator[str]:
    """How often documents left out at random are said to change more than chance: 1 in 40 is right."""
    generator = np.random.default_rng(111)
    for runs in (10, 30):
        for topics in (10, 25, 50):
            beyond = 0
            for _ in range(repeats):
                scores = generator.beta(2, 3, (topics, runs)) + np.linspace(0, 0.1, runs)
                sides = [scores, *(scores + 0.03 * generator.standard_normal((DRAWS + 1, topics, runs)))]
                names = (WITH, WITHOUT, *map(str, range(DRAWS)))
                found = scores_left_out(_of(np.stack(sides), names), NOTHING)
                beyond += found.tau_b.value is not None and found.tau_b.value < (found.tau_b.low or 0)
            yield f"{runs} runs, {topics} topics: said to change more {share(beyond, repeats)}"


def _of(values: Floats, names: tuple[str, ...]) -> TopicScores:
    qrels, topics, runs = values.shape
    return TopicScores(
        "AP",
        names,
        tuple(f"t{n}" for n in range(topics)),
        tuple(f"r{n}" for n in range(runs)),
        values,
        np.ones((qrels, topics), np.bool_),
        (2,) * qrels,
        2,
    )
