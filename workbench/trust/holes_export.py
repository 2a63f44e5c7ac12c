"""What unjudged documents leave open as tables, CSV and JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial

from workbench.export import Export
from workbench.latex import document
from workbench.trust.holes import Holes
from workbench.trust.paper_tables import PaperColumn, Table, bounded, paper_table


def holes_export(found: Holes, part: str) -> Export:
    """One table for CSV, and all of it for JSON and LaTeX."""
    columns, rows = PARTS[part](found)
    return Export(columns, lambda: rows, partial(asdict, found), partial(_latex, found))


def _scores(found: Holes) -> Table:
    """What each run scores by each measure, and could."""
    columns = (
        *("run", "measure", "topics", "score", "score_low", "score_high"),
        *("lowest", "highest", "condensed"),
    )
    return columns, [
        (
            *(run.run, one.measure, one.score.topics, one.score.mean, one.score.low, one.score.high),
            *(one.lowest, one.highest, one.condensed),
        )
        for run in found.runs
        for one in run.scores
    ]


def _judged(found: Holes) -> Table:
    """How much of each run is judged down to each cutoff."""
    return ("run", "answered", "cutoff", "judged", "retrieved", "share", "worst_topic"), [
        (run.run, run.answered, one.cutoff, one.judged, one.retrieved, one.share, one.worst)
        for run in found.runs
        for one in run.judged
    ]


def _estimates(found: Holes) -> Table:
    """What a sample of the pool estimates of each run, on how many of its topics."""
    return ("run", "measure", "topics", "sampled_topics", "estimate", "low", "high"), [
        (run.run, name, one.topics, found.sampled_topics, one.mean, one.low, one.high)
        for run in found.runs
        for name, one in run.estimates.items()
    ]


PARTS: dict[str, Callable[[Holes], Table]] = {"scores": _scores, "judged": _judged, "estimates": _estimates}
"""The tables by name: columns and rows."""


def _latex(found: Holes) -> str:
    run, measure = PaperColumn("run", "Run"), PaperColumn("measure", "Measure")
    of_runs = f"{len(found.runs)} runs over {found.topics} topics"
    tables = [
        paper_table(
            _scores(found),
            (
                run,
                measure,
                bounded("score", "Score"),
                PaperColumn("lowest", "Lowest"),
                PaperColumn("highest", "Highest"),
                PaperColumn("condensed", "Condensed"),
            ),
            f"What unjudged documents leave open of the scores of {of_runs}, with 95\\,\\% intervals over "
            f"topics: the extremes over all grades, up to {found.highest}, that they could have; and without "
            "them (condensed list, Sakai 2007).",
            "tab:trust-holes",
        ),
        paper_table(
            _judged(found),
            (
                run,
                PaperColumn("answered", "Topics answered"),
                PaperColumn("cutoff", "To rank"),
                *(
                    PaperColumn("judged", "Judged"),
                    PaperColumn("retrieved", "Of"),
                    PaperColumn("share", "Share"),
                ),
                PaperColumn("worst_topic", "Least of a topic"),
            ),
            f"Judged documents of {of_runs}.",
            "tab:trust-holes-judged",
        ),
    ]
    if any(one.estimates for one in found.runs):
        tables.append(
            paper_table(
                _estimates(found),
                (
                    run,
                    measure,
                    PaperColumn("topics", "Topics"),
                    PaperColumn("sampled_topics", "Of"),
                    bounded("estimate", "Estimate", prefix=""),
                ),
                f"Scores of {len(found.runs)} runs estimated from the sample of the pool, over topics with a "
                "relevant document in the sample"
                + (f": {found.caution}." if found.for_order else ", with 95\\,\\% intervals over topics."),
                "tab:trust-holes-estimates",
            )
        )
    return document(*tables)
