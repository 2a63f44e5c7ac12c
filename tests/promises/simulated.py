"""What simulations of agreement share: judgments of assessors, and shares with their Monte Carlo error."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tests.support import Oracle
from workbench.agreement.ratings import Ratings

special = Oracle("scipy.special")
Relevant = NDArray[np.bool_]
TOPICS_DIFFER, READINGS_DIFFER = 0.7, 0.4
"""Standard deviations of how rich topics are, and of how an assessor reads one (on the probit scale)."""


def judged(
    generator: np.random.Generator,
    assessors: int,
    topics: int,
    documents: int,
    relevant: float,
    *,
    lenient: float = 0.0,
    readings: float = READINGS_DIFFER,
) -> Relevant:
    """What each assessor calls relevant; (assessors, topics, documents). The first is so `lenient`."""
    document = generator.standard_normal((topics, documents))
    seen = np.sqrt(0.8) * document + np.sqrt(0.2) * generator.standard_normal((assessors, topics, documents))
    seen += TOPICS_DIFFER * generator.standard_normal((topics, 1))
    seen += readings * generator.standard_normal((assessors, topics, 1))
    seen /= np.sqrt(1 + TOPICS_DIFFER**2 + readings**2)
    seen[0] += lenient
    found: Relevant = seen > special.ndtri(1 - relevant)
    return found


def ratings(judgments: Relevant) -> Ratings:
    """The same as ratings, relevant first."""
    assessors, topics, documents = judgments.shape
    codes = np.where(judgments, 0, 1).astype(np.int8).reshape(assessors, topics * documents)
    return Ratings(codes, (1, 0), np.repeat(np.arange(topics), documents), topics)


def share(count: float, of: int) -> str:
    """A share with its Monte Carlo error, half the width of its 95 % interval."""
    if not of:
        return "-"
    found = count / of
    return f"{found:.3f} (+-{1.96 * max(found * (1 - found), 0.25 / of) ** 0.5 / of**0.5:.3f})"
