"""The topics of a score table by difficulty, or by how far the runs disagree on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from workbench.consensus.rule_choice import choice_label
from workbench.errors import WorkbenchError
from workbench.export import Export, table_export
from workbench.latex import document, escaped, number, table
from workbench.scoring.topic_difficulty import TopicSpread, topic_scores
from workbench.workflow.scores.run_profile import relevant_by_topic
from workbench.workflow.scores.score_table import ScoreTable

ORDERS = {"difficulty": "Hardest first", "disagreement": "Most disagreement first"}


@dataclass(frozen=True, slots=True)
class TopicTable:
    """What the runs of a table score on each topic by the measure `shown`; `relevant` are counts by topic."""

    table: ScoreTable
    shown: str
    order: str
    lines: tuple[TopicSpread, ...]
    relevant: Mapping[str, int]


def topic_table(found: ScoreTable, shown: str, order: str = "difficulty") -> TopicTable:
    """The topics in one of ORDERS; raises WorkbenchError for another one."""
    if order not in ORDERS:
        raise WorkbenchError(f"topics cannot be sorted by {order!r}", remedy=f"by {' or '.join(ORDERS)}")
    lines = topic_scores([run.per_topic[shown] for run in found.runs])
    if order == "disagreement":
        lines = tuple(sorted(lines, key=lambda one: -(one.deviation or 0.0)))
    return TopicTable(found, shown, order, lines, relevant_by_topic(found))


def topic_table_export(found: TopicTable) -> Export:
    """One row a topic, in the order of the page."""
    columns = (
        "topic", "median", "lowest", "lower_quartile", "upper_quartile", "highest", "deviation", "runs",
        "relevant",
    )  # fmt: skip
    rows = [
        (
            one.topic, one.median, one.low, one.lower, one.upper, one.high, one.deviation, one.runs,
            found.relevant.get(one.topic, 0),
        )
        for one in found.lines
    ]  # fmt: skip
    return Export(columns, lambda: rows, table_export(columns, rows).data, partial(_latex, found))


def _latex(found: TopicTable) -> str:
    rows = [
        (
            escaped(one.topic),
            number(one.median, 4),
            number(one.low, 4),
            number(one.high, 4),
            number(one.deviation, 4),
            f"{found.relevant.get(one.topic, 0):,}",
        )
        for one in found.lines
    ]
    caption = (
        f"{escaped(found.shown)} of {len(found.table.runs)} runs on each topic; qrels: "
        f"{escaped(choice_label(found.table.qrels.choice))}."
    )
    heads = ("Topic", "Median", "Lowest", "Highest", "Std. dev.", "Relevant")
    return document(table("lrrrrr", heads, rows, caption, "tab:topics", size=r"\footnotesize"))
