"""The comparison of rankings under other judges as tables, CSV and JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial

from workbench.export import Export
from workbench.latex import document, escaped
from workbench.trust.judges import OtherJudges
from workbench.trust.mixtures import Percentiles
from workbench.trust.orders import rank_coefficients
from workbench.trust.paper_tables import PaperColumn, Row, Table, bounded, paper_table

COEFFICIENTS = tuple(each.name for each in rank_coefficients())
MIXTURES_ROW, AMONG_ROW = "mixtures", "two mixtures"
_COUNTS = ("swapped", "tied", "lost", "inverted", "gained")
_PAPER_PAIRS = 20
"""As many of the pairs of runs as a paper has room for, the most often swapped."""
_FIGURES = (*COEFFICIENTS, *_COUNTS)


def judges_export(found: OtherJudges, part: str) -> Export:
    """One table of the comparison for CSV, and all of it for JSON and LaTeX."""
    columns, rows = PARTS[part](found)
    return Export(columns, lambda: rows, partial(asdict, found), partial(_latex, found))


def _qrels(found: OtherJudges) -> Table:
    """Each of the other qrels, then the mixtures with the reference and with each other."""
    bounds = [f"{name}_{bound}" for name in _FIGURES for bound in ("low", "high")]
    rows: list[Row] = [
        [one.name, 1, one.topics, one.graded, *map(one.coefficients.get, COEFFICIENTS)]
        + [getattr(one, name) for name in _COUNTS]
        + [None] * len(bounds)
        for one in found.others
    ]
    mixed = found.mixtures
    if mixed is not None:
        with_reference = [mixed.coefficients[name] for name in COEFFICIENTS]
        with_reference += [getattr(mixed, name) for name in _COUNTS]
        among = [mixed.among[name] for name in COEFFICIENTS]
        for name, figures in ((MIXTURES_ROW, with_reference), (AMONG_ROW, among)):
            nothing = [Percentiles(None, None, None, 0)] * (len(_FIGURES) - len(figures))
            every = [*figures, *nothing]
            ends = [bound for one in every for bound in (one.low, one.high)]
            rows.append([name, figures[0].n, found.topics, None, *(one.mean for one in every), *ends])
    return ("qrels", "n", "topics", "graded", *_FIGURES, *bounds), rows


def _runs(found: OtherJudges) -> Table:
    """Every run: under the reference, over the mixtures, under each of the other qrels."""
    names = [one.name for one in found.others]
    columns = ("run", "rank", "score", "mixtures", "mean", "low", "high", "best_rank", "worst_rank", *names)
    rows: list[Row] = [
        [
            one.run,
            one.rank,
            one.score,
            one.mixed.n,
            one.mixed.mean,
            one.mixed.low,
            one.mixed.high,
            one.best,
            one.worst,
            *map(one.scores.get, names),
        ]
        for one in found.standings
    ]
    return columns, rows


def _pairs(found: OtherJudges) -> Table:
    """The pairs of runs that mixtures change, with the shares of the mixtures."""
    columns = ("ahead", "behind", "gap", "significant", "swapped", "lost", "inverted")
    rows: list[Row] = [
        [
            one.ahead,
            one.behind,
            one.gap,
            "yes" if one.significant else "no",
            one.swapped,
            one.lost,
            one.inverted,
        ]
        for one in found.pairs
    ]
    return columns, rows


def _between(found: OtherJudges) -> Table:
    """The coefficients between every two qrels."""
    rows: list[Row] = [
        [one.first, one.second, one.topics, *map(one.coefficients.get, COEFFICIENTS)] for one in found.between
    ]
    return ("first", "second", "topics", *COEFFICIENTS), rows


PARTS: dict[str, Callable[[OtherJudges], Table]] = {
    "qrels": _qrels,
    "runs": _runs,
    "pairs": _pairs,
    "between": _between,
}
"""The tables by name: columns and rows."""


def _latex(found: OtherJudges) -> str:
    name, topics = PaperColumn("qrels", "Qrels"), PaperColumn("topics", "Topics")
    coefficients = {one.name: escaped(one.label) for one in rank_coefficients(found.options.persistence)}
    of_all = _qrels(found)
    of_runs = f"{found.runs} runs by {escaped(found.measure)} over {found.topics} topics"
    drawn = ""
    if found.mixtures is not None:
        drawn = (
            f" A mixture has for each topic the judgments of one of {len(found.assessors)} assessors, drawn "
            f"at random ({found.mixtures.drawn:,} mixtures, seed {found.options.seed}); in brackets their "
            "2.5th and 97.5th percentiles."
        )
    tests = f"paired $t$ over topics, level {found.options.level:g}{', Holm' if found.options.holm else ''}"
    tables = [
        paper_table(
            of_all,
            (
                name,
                topics,
                PaperColumn("graded", "Graded"),
                *map(bounded, coefficients, coefficients.values()),
            ),
            f"The ranking of {of_runs} under other qrels, compared with that under the reference "
            f"``{escaped(found.options.reference)}''.{drawn}",
            "tab:trust-judges",
        ),
        paper_table(
            of_all,
            (name, topics, *(bounded(one, one.capitalize(), 1) for one in _COUNTS)),
            f"Pairs of {found.runs} runs that other qrels swap or tie, and significant differences ({tests}) "
            f"that they lose, invert or gain. Under the reference {found.significant:,} of "
            f"{found.run_pairs:,} pairs differ significantly, and {found.tied:,} are tied.{drawn}",
            "tab:trust-judges-changes",
        ),
        paper_table(
            _between(found),
            (
                PaperColumn("first", "First"),
                PaperColumn("second", "Second"),
                topics,
                *(PaperColumn(one, head) for one, head in coefficients.items()),
            ),
            f"The rankings of {of_runs} under every two qrels, on the topics that both have.",
            "tab:trust-judges-between",
        ),
        paper_table(
            _runs(found),
            (
                PaperColumn("run", "Run"),
                PaperColumn("rank", "Rank"),
                PaperColumn("score", "Score", 4),
                bounded("mean", "Mean of mixtures", 4, prefix=""),
                PaperColumn("best_rank", "Best rank"),
                PaperColumn("worst_rank", "Worst rank"),
            ),
            f"Scores and ranks of {of_runs} under the reference and under mixtures of assessors.{drawn}",
            "tab:trust-judges-runs",
        ),
    ]
    if found.pairs:
        shares = (PaperColumn(one, f"{one.capitalize()} in") for one in ("swapped", "lost", "inverted"))
        tables.append(
            paper_table(
                _pairs(found),
                (
                    PaperColumn("ahead", "Ahead"),
                    PaperColumn("behind", "Behind"),
                    PaperColumn("gap", "Gap", 4),
                    PaperColumn("significant", "Significant"),
                    *shares,
                ),
                f"Pairs of runs that mixtures swap or make less sure, as shares of the mixtures: the "
                f"{min(_PAPER_PAIRS, len(found.pairs))} most often swapped of {len(found.pairs):,}.{drawn}",
                "tab:trust-judges-pairs",
                most=_PAPER_PAIRS,
            )
        )
    return document(*tables)
