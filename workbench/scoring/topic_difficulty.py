"""Topics by difficulty: what the runs score on each, how far they differ; as CSV, JSON and LaTeX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter

import numpy as np

from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.scoring.relevance import Floats
from workbench.scoring.scorer import RunScores, higher_is_better, topic_scores_of
from workbench.tables import Export, table_export

ORDERS = {"difficulty": "Hardest first", "disagreement": "Most disagreement first"}


@frozen_dataclass
class TopicSpread:
    """The scores of `runs` runs on a topic.

    The worse the `median`, the harder the topic. `deviation` is the standard deviation over the runs, by
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


def topic_spreads(
    topics: Sequence[str], values: Floats, *, higher_is_better: bool = True
) -> tuple[TopicSpread, ...]:
    """What the runs score on each topic, the hardest first; `values` have the shape (runs, topics).

    Topics of one median are in order of their highest score, then of their ids. Without `higher_is_better`
    the topic of the highest scores is the hardest.
    """
    quartiles = np.quantile(values, (0, 0.25, 0.5, 0.75, 1), axis=0).T.tolist()
    runs = len(values)
    deviations = values.std(axis=0, ddof=1).tolist() if runs > 1 else [None] * len(topics)
    found = [
        TopicSpread(topic, runs, low, lower, median, upper, high, deviation)
        for topic, (low, lower, median, upper, high), deviation in zip(
            topics, quartiles, deviations, strict=True
        )
    ]
    if higher_is_better:
        return tuple(sorted(found, key=attrgetter("median", "high", "topic")))
    return tuple(sorted(found, key=lambda one: (-one.median, -one.low, one.topic)))


@frozen_dataclass
class TopicTable:
    """What runs score on each topic by the measure `shown`, on qrels that `qrels` names.

    `relevant` are counts of documents by topic, for topics with any.
    """

    qrels: str
    shown: str
    order: str
    lines: tuple[TopicSpread, ...]
    relevant: Mapping[str, int]

    @property
    def higher_is_better(self) -> bool:
        """Whether a topic is hard where the runs score low."""
        return higher_is_better(self.shown)


def topic_table(
    runs: Sequence[RunScores],
    shown: str,
    order: str = "difficulty",
    *,
    relevant: Mapping[str, int],
    qrels: str,
) -> TopicTable:
    """The topics in one of ORDERS, of one run or more; raises WorkbenchError for another order."""
    if order not in ORDERS:
        raise WorkbenchError(f"topics cannot be sorted by {order!r}", remedy=f"by {' or '.join(ORDERS)}")
    topics, scores = tuple(runs[0].per_topic[shown]), topic_scores_of(runs, shown)
    lines = topic_spreads(topics, scores, higher_is_better=higher_is_better(shown))
    if order == "disagreement":
        lines = tuple(sorted(lines, key=lambda one: -(one.deviation or 0.0)))
    return TopicTable(qrels, shown, order, lines, relevant)


def topic_table_export(found: TopicTable) -> Export:
    """One row a topic, in the order of the page."""
    columns = (
        "topic", "median", "lowest", "lower_quartile", "upper_quartile", "highest", "deviation", "runs",
        "relevant",
    )  # fmt: skip
    figures = attrgetter("topic", "median", "low", "lower", "upper", "high", "deviation", "runs")
    rows = [(*figures(one), found.relevant.get(one.topic, 0)) for one in found.lines]
    return table_export(columns, rows)
