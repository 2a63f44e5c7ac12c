"""How agreement is reckoned: weights, the level of the scale, and what is drawn again for intervals."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.agreement.several.bootstrap import LEVEL, Unit
from workbench.agreement.several.bounds import Bounds, method_of
from workbench.agreement.several.levels import LEVELS
from workbench.agreement.several.methods import weights_of
from workbench.agreement.several.over_topics import Resamples
from workbench.agreement.several.ratings import Ratings
from workbench.agreement.several.weights import WEIGHTS, Weights, nominal, own_weights
from workbench.errors import WorkbenchError

ROUNDS = 1000
MOST_ROUNDS = 100_000
MOST_SEED = 2**63 - 1
OwnWeights = tuple[tuple[float, ...], ...]
"""Disagreements of every grade with every other, rows and columns in ascending order of the grades."""


@dataclass(frozen=True, slots=True)
class How:
    """What is chosen beside the judgments themselves; raises WorkbenchError for what cannot be.

    `weights` weigh the grades for all coefficients but alpha, whose differences follow from the `level` of
    the scale; both matter for three grades or more only. Intervals hold at `confidence` and come from
    `rounds` resamples of whole topics or of pairs, the same for the same `seed`; `bounds` says how.
    """

    weights: str | OwnWeights = "nominal"
    level: str = "ordinal"
    unit: Unit = Unit.TOPIC
    rounds: int = ROUNDS
    seed: int = 0
    confidence: float = LEVEL
    bounds: Bounds = Bounds.EXPANDED

    def __post_init__(self) -> None:
        if isinstance(self.weights, str) and self.weights not in WEIGHTS:
            raise WorkbenchError(
                f"there are no weights {self.weights!r}", remedy=f"one of {', '.join(WEIGHTS)}"
            )
        if self.level not in LEVELS:
            raise WorkbenchError(f"there is no level {self.level!r}", remedy=f"one of {', '.join(LEVELS)}")
        if not 1 <= self.rounds <= MOST_ROUNDS:
            raise WorkbenchError(
                f"{self.rounds} rounds are too {'few' if self.rounds < 1 else 'many'}",
                remedy=f"1 to {MOST_ROUNDS:,}",
            )
        if not 0 <= self.seed <= MOST_SEED:
            raise WorkbenchError(f"{self.seed} is no seed", remedy="a whole number from 0")
        if not 0 < self.confidence < 1:
            raise WorkbenchError(f"{self.confidence} is no confidence level", remedy="as 0.95")

    @property
    def weighted(self) -> bool:
        """Whether some grades disagree less than others."""
        return self.weights != "nominal"

    @property
    def resamples(self) -> Resamples:
        """How topics are drawn again, for what is drawn over topics whatever the unit."""
        return Resamples(self.rounds, self.seed, self.confidence, self.bounds)

    @property
    def method(self) -> str:
        """What the intervals that are drawn are called."""
        return method_of(self.unit, self.bounds)

    @property
    def weights_name(self) -> str:
        """What the weights are called."""
        return self.weights if isinstance(self.weights, str) else "own"


def weights_for(how: How, ratings: Ratings) -> Weights:
    """The weights for the order of these ratings' categories, which ascends or descends.

    Of two grades there is only one weight. Raises WorkbenchError for own weights of another size.
    """
    if len(ratings.categories) == 2:
        return nominal(2)
    if isinstance(how.weights, str):
        return weights_of(how.weights, ratings)
    chosen = weights_of(own_weights(how.weights), ratings)
    descending = ratings.categories[0] > ratings.categories[-1]
    return chosen[::-1, ::-1] if descending else chosen
