"""What a deeper pool would find as tables, CSV and JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial

from workbench.export import Export
from workbench.latex import document, percent
from workbench.trust.depth import DeeperPool
from workbench.trust.paper_tables import PaperColumn, Table, bounded, paper_table


def depth_export(found: DeeperPool, part: str) -> Export:
    """One table for CSV, and all of it for JSON and LaTeX."""
    columns, rows = PARTS[part](found)
    return Export(columns, lambda: rows, partial(_data, found), partial(_latex, found))


def _topics(found: DeeperPool) -> Table:
    """What the deeper pool would find for each topic, the best use of a judgment first."""
    columns = ("topic", "judged", "found", "judgments", "expected", "low", "high", "per_judgment")
    return (*columns, "unjudged", "advice", "recall", "recall_low", "recall_high"), [
        (
            *(one.topic, one.judged, one.found, one.judgments, one.expected, one.low, one.high),
            *(one.per_judgment, one.unjudged, str(one.advice)),
            *(one.recall(one.expected), one.recall(one.high), one.recall(one.low)),
        )
        for one in found.topics
    ]


def _bands(found: DeeperPool) -> Table:
    """The new documents of each band of ranks, and the relevant ones that the law has there."""
    return (
        ("from", "to", "pooled", "judged", "relevant", "expected"),
        [(one.first, one.last, one.pooled, one.judged, one.relevant, one.expected) for one in found.bands],
    )


def _curve(found: DeeperPool) -> Table:
    """The relevant documents of pools by depth: found, and beyond the judged depth expected."""
    return ("depth", "found", "fitted", "low", "high"), [
        (one.depth, one.found, one.fitted, one.low, one.high) for one in found.curve
    ]


PARTS: dict[str, Callable[[DeeperPool], Table]] = {"topics": _topics, "bands": _bands, "curve": _curve}
"""The tables by name: columns and rows."""


def _data(found: DeeperPool) -> dict[str, object]:
    return asdict(found) | {
        "question": asdict(found.question) | {"fit_from": found.question.first_fitted},
        "share_found": found.share_found,
        "share_interval": found.share_interval,
        "topics": [
            asdict(topic)
            | {"per_judgment": topic.per_judgment, "advice": str(topic.advice)}
            | {"recall": topic.recall(topic.expected)}
            | {"recall_interval": [topic.recall(topic.high), topic.recall(topic.low)]}
            for topic in found.topics
        ],
    }


def _latex(found: DeeperPool) -> str:
    question = found.question
    depths = f"from depth {question.depth} to {question.deeper}"
    method = (
        f"Extrapolated {depths} by a power law fitted to ranks {question.first_fitted} to {question.depth} "
        f"of {found.runs} runs (Zobel 1998)"
    )
    intervals = f"{percent(question.level)} prediction intervals of the count on these topics"
    judged, expected = PaperColumn("judged", "Judged"), "Relevant expected"
    recall = PaperColumn("recall", "Estimated recall", 2, "recall_low", "recall_high")
    return document(
        paper_table(
            _topics(found),
            (
                PaperColumn("topic", "Topic"),
                PaperColumn("found", "Relevant"),
                judged,
                PaperColumn("judgments", "To judge"),
                bounded("expected", expected, 1, prefix=""),
                *(
                    PaperColumn("per_judgment", "A judgment finds", 2),
                    recall,
                    PaperColumn("advice", "Advice"),
                ),
            ),
            f"What a deeper pool would find by topic. {method}; {percent(question.level)} prediction "
            "intervals by the law and the topic's count.",
            "tab:trust-depth",
        ),
        paper_table(
            _bands(found),
            (
                PaperColumn("from", "From rank"),
                PaperColumn("to", "To"),
                PaperColumn("pooled", "Pooled"),
                judged,
                PaperColumn("relevant", "Relevant"),
                PaperColumn("expected", expected, 1),
            ),
            f"New documents by band of ranks, {len(found.topics)} topics together, and the relevant ones "
            f"that the law has there. {method}.",
            "tab:trust-depth-bands",
        ),
        paper_table(
            _curve(found),
            (
                PaperColumn("depth", "Depth"),
                PaperColumn("found", "Found"),
                bounded("fitted", "Fitted", 1, prefix=""),
            ),
            f"Relevant documents of pools by depth, {len(found.topics)} topics together. {method}; "
            f"{intervals}.",
            "tab:trust-depth-curve",
        ),
    )
