"""Thompson sampling: plays each run as often as it is likely to be the best."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from workbench.pooling.adaptive.bandit import Bandit
from workbench.pooling.adaptive.beta import beta_draw
from workbench.pooling.adaptive.chooser import Free
from workbench.pooling.adaptive.live import Adaptive, adaptive_pool
from workbench.pooling.adaptive.reach import REACH
from workbench.pooling.candidates import Candidates
from workbench.pooling.parameters import BUDGET, SEED, WHOLE, Parameter, Strategy
from workbench.records import Run, TieRule, id_bytes


class Thompson(Bandit):
    """Values a run by a draw from its posterior, anew for each document that is handed out.

    The key of a draw is seed, topic, the number of documents handed out before and the run's tag.
    """

    def __init__(self, topic: Candidates, *, rate: int, seed: int) -> None:
        super().__init__(topic, rate=rate)
        self._seed = seed
        self._topic = id_bytes(topic.topic)
        self._tags = [id_bytes(ranked.tag) for ranked in topic.lists]
        self._handed_out = 0

    def values(self) -> Sequence[float]:
        return [
            beta_draw(
                b"%d\n%b\n%d\n%b" % (self._seed, self._topic, self._handed_out, tag),
                int(relevant) + 1,
                int(judged - relevant) + 1,
            )
            for tag, relevant, judged in zip(self._tags, self.relevant, self.judged, strict=True)
        ]

    def took(self, document: int, free: Free) -> None:
        self._handed_out += 1


def thompson(
    runs: Iterable[Run],
    *,
    depth: int = 100,
    budget: int = 100,
    rate: int = 1,
    seed: int = 0,
    ties: TieRule = TieRule.TREC_EVAL,
) -> Adaptive:
    """A pool that plays the run with the largest draw from its posterior; see `Bandit`, rate 1 or 0.

    Raises as `adaptive_pool`. Source: Losada, Parapar and Barreiro 2016 and 2017 (TS; TS-NS at rate 0).
    """
    return adaptive_pool(runs, partial(Thompson, rate=rate, seed=seed), depth=depth, budget=budget, ties=ties)


THOMPSON = Strategy(
    "thompson",
    "the next document of a run drawn by how likely it is the best",
    "Losada, Parapar and Barreiro 2016, 2017",
    (
        REACH,
        BUDGET,
        Parameter("rate", "1 for all judgments alike, 0 for the last alone", 1, WHOLE, lowest=0, highest=1),
        SEED,
    ),
    thompson,
)
