"""The uniques test as tables, CSV and JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial

from workbench.export import Export
from workbench.latex import document, escaped
from workbench.trust.paper_tables import PaperColumn, Row, Table, paper_table
from workbench.trust.runs import OtherRuns


def runs_export(found: OtherRuns, part: str) -> Export:
    """One table of the test for CSV, and all of it for JSON and LaTeX."""
    columns, rows = PARTS[part](found)
    return Export(columns, lambda: rows, partial(_data, found), partial(_latex, found))


def _data(found: OtherRuns) -> dict[str, object]:
    pooled = [
        asdict(one) | {"lost": one.lost, "share": one.share, "ranks_lost": one.ranks_lost}
        for one in found.pooled
    ]
    return asdict(found) | {"pooled": pooled}


def _groups(found: OtherRuns) -> Table:
    """Each group: what it alone brought."""
    rows: list[Row] = [
        (one.group, one.runs, one.unique, one.unique_relevant, one.tau) for one in found.groups
    ]
    return ("group", "runs", "unique_judged", "unique_relevant", "tau_b"), rows


def _pooled(found: OtherRuns) -> Table:
    """Each pooled run: with and without what its group alone brought."""
    rows: list[Row] = [
        (
            *(one.run, one.group, one.score, one.without, one.lost, one.share),
            *(one.rank, one.rank_without, one.ranks_lost),
        )
        for one in found.pooled
    ]
    columns = ("run", "group", "score", "without", "lost", "share", "rank", "rank_without", "ranks_lost")
    return columns, rows


def _late(found: OtherRuns) -> Table:
    """Each run that was not pooled: where it stands, and would stand."""
    rows: list[Row] = [
        (one.run, one.score, one.rank, one.rank_at_mean, one.rank_at_nine_in_ten) for one in found.late
    ]
    return ("run", "score", "rank", "rank_at_mean", "rank_at_nine_in_ten"), rows


PARTS: dict[str, Callable[[OtherRuns], Table]] = {"runs": _pooled, "groups": _groups, "late": _late}
"""The tables by name: columns and rows."""


def _latex(found: OtherRuns) -> str:
    of_runs = f"{escaped(found.measure)} of {found.runs} runs over {found.topics} topics"
    run, rank = PaperColumn("run", "Run"), PaperColumn("rank", "Rank")
    group, score = PaperColumn("group", "Group"), PaperColumn("score", "Score", 4)
    tables = [
        paper_table(
            _pooled(found),
            (
                *(
                    run,
                    group,
                    score,
                    PaperColumn("without", "Without", 4),
                    PaperColumn("share", "Share lost"),
                ),
                rank,
                PaperColumn("rank_without", "Rank without"),
            ),
            f"{of_runs}, with and without the documents that only the run's own group brought into the pool.",
            "tab:trust-runs",
        ),
        paper_table(
            _groups(found),
            (
                group,
                PaperColumn("runs", "Pooled runs"),
                PaperColumn("unique_judged", "Judged, its own"),
                PaperColumn("unique_relevant", "Relevant"),
                PaperColumn("tau_b", "tau b without it"),
            ),
            f"Documents that one group alone brought into the pool, and Kendall's tau b of the rankings of "
            f"{found.runs} runs with and without them.",
            "tab:trust-runs-groups",
        ),
    ]
    if found.late:
        tables.append(
            paper_table(
                _late(found),
                (
                    run,
                    score,
                    rank,
                    PaperColumn("rank_at_mean", "Losing the mean"),
                    PaperColumn("rank_at_nine_in_ten", "Losing what 9 in 10 do not exceed"),
                ),
                f"Runs that were not pooled: {of_runs}, and the rank that each would have "
                "if it had been pooled.",
                "tab:trust-runs-late",
            )
        )
    return document(*tables)
