"""Topics by difficulty: what the runs score on each, and how far they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class TopicSpread:
    """The scores of `runs` runs on a topic.

    The lower the `median`, the harder the topic. `deviation` is the standard deviation over the runs, by
    which they disagree on it; None of one run. `lower` and `upper` are the quartiles.
    """

    topic: str
    runs: int
    low: float
    lower: float
    median: float
    upper: float
    high: float
    deviation: float | None


def topic_scores(scores: Sequence[Mapping[str, float]]) -> tuple[TopicSpread, ...]:
    """What the runs score on each topic, the hardest first; one mapping by topic for each run, at least one.

    Topics of one median are in order of their highest score, then of their ids.

    >>> [(one.topic, one.median) for one in topic_scores([{"1": 0.5, "2": 0.0}, {"1": 1.0, "2": 0.5}])]
    [('2', 0.25), ('1', 0.75)]
    """
    topics = tuple(scores[0])
    values = np.array([[run[topic] for topic in topics] for run in scores], dtype=np.float64)
    quartiles = np.quantile(values, (0, 0.25, 0.5, 0.75, 1), axis=0).T.tolist()
    runs = len(values)
    deviations = values.std(axis=0, ddof=1).tolist() if runs > 1 else [None] * len(topics)
    found = []
    for topic, (low, lower, median, upper, high), deviation in zip(
        topics, quartiles, deviations, strict=True
    ):
        found.append(TopicSpread(topic, runs, low, lower, median, upper, high, deviation))
    return tuple(sorted(found, key=lambda one: (one.median, one.high, one.topic)))
