"""What fewer topics show as tables, CSV and JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from statistics import NormalDist

import numpy as np

from workbench.export import Export
from workbench.latex import document, percent
from workbench.trust.fewer_topics import FewerTopics
from workbench.trust.paper_tables import PaperColumn, Table, bounded, paper_table


def fewer_topics_export(found: FewerTopics, part: str) -> Export:
    """One table for CSV, and all of it for JSON and LaTeX."""
    columns, rows = PARTS[part](found)
    return Export(columns, lambda: rows, partial(_data, found), partial(_latex, found))


def _sizes(found: FewerTopics) -> Table:
    """A row for each number of topics; the last is for all, of which there are no two sets to compare."""
    rows: list[tuple[object, ...]] = []
    for trusted, sets in zip(found.trusted, (*found.sets, None), strict=True):
        compared: tuple[object, ...] = (None,) * 10
        if sets is not None:
            tau, pearson = sets.tau, sets.pearson
            compared = (sets.rounds, tau.mean, tau.low, tau.high, pearson.mean, pearson.low, pearson.high)
            compared += (sets.swap_rate, sets.swaps.low, sets.swaps.high)
        rows.append(
            (
                *(trusted.topics, *compared, found.reliability.at(trusted.topics)),
                *(trusted.difference, trusted.pairs, "yes" if trusted.extrapolated else "no"),
            )
        )
    bounds = ("tau", "tau_low", "tau_high", "pearson", "pearson_low", "pearson_high")
    swaps = ("swap_rate", "swap_rate_low", "swap_rate_high")
    of_all = ("reliability", "difference", "pairs", "extrapolated")
    return ("topics", "rounds", *bounds, *swaps, *of_all), rows


def _bins(found: FewerTopics) -> Table:
    """The swap rate of each bin of differences: for each number of topics, and extrapolated for all.

    The bounds cover which splits were drawn; what is extrapolated has none.
    """
    width, counted = found.splitting.width, [sets.compared for sets in found.sets]
    reach = NormalDist().inv_cdf((1 + found.splitting.level) / 2)
    figures = []
    for sets, rates in zip(found.sets, found.rates, strict=True):
        figures += [
            rates,
            np.maximum(rates - reach * sets.errors, 0),
            np.minimum(rates + reach * sets.errors, 1),
        ]
    rows: list[tuple[object, ...]] = [
        (place * width, (place + 1) * width, int(sum(one[place] for one in counted)), *map(_number, of_bin))
        for place, of_bin in enumerate(np.vstack([*figures, found.extrapolated]).T)
    ]
    names = [f"{sets.topics}{part}" for sets in found.sets for part in ("", "_low", "_high")]
    return ("from", "below", "compared", *names, str(found.topics)), rows


def _tests(found: FewerTopics) -> Table:
    """Discriminative power: the pairs of runs that differ significantly, by test."""
    columns = ("test", "topics", "pairs", "significant", "share", "smallest", "largest_not", "draws", "seed")
    return columns, [
        (
            *(one.test, one.topics, one.pairs, one.significant, one.share),
            *(one.smallest, one.largest, one.rounds or None, one.seed),
        )
        for one in found.power
    ]


PARTS: dict[str, Callable[[FewerTopics], Table]] = {"topics": _sizes, "bins": _bins, "tests": _tests}
"""The tables by name: columns and rows."""


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _data(found: FewerTopics) -> dict[str, object]:
    tables = {name: table(found) for name, table in PARTS.items()}
    return {
        "splitting": asdict(found.splitting),
        "topics": found.topics,
        "runs": found.runs,
        "reliability": asdict(found.reliability),
        **{
            f"by_{name}": [dict(zip(columns, row, strict=True)) for row in rows]
            for name, (columns, rows) in tables.items()
        },
    }


def _latex(found: FewerTopics) -> str:
    splitting = found.splitting
    drawn = (
        f"Two random sets of topics that have none in common, {splitting.rounds:,} times for each size (seed "
        f"{splitting.seed}; Voorhees and Buckley 2002), {found.runs} runs"
    )
    names, _ = bins = _bins(found)
    sizes = [str(sets.topics) for sets in found.sets]
    topics, pairs = PaperColumn("topics", "Topics"), PaperColumn("pairs", "Pairs")
    extrapolated = f"{found.topics} (extrapolated)"
    return document(
        paper_table(
            _sizes(found),
            (
                topics,
                bounded("tau", "tau b", 2),
                bounded("pearson", "Pearson", 2),
                bounded("swap_rate", "Swapped"),
                PaperColumn("reliability", "Reliability", 2),
                PaperColumn("difference", "Trusted difference", 2),
                pairs,
            ),
            f"What fewer topics show. {drawn}; in brackets the {percent(splitting.level)} range over the "
            "splits. A difference is trusted if at most "
            f"{percent(splitting.most_swapped)} of other topics would turn it round; over all {found.topics} "
            "topics it is extrapolated. Pairs of runs that are so far apart.",
            "tab:trust-topics",
        ),
        paper_table(
            bins,
            (
                PaperColumn("from", "From", 2),
                PaperColumn("below", "Below", 2),
                *(PaperColumn("compared", "Compared"), *(PaperColumn(size, size) for size in sizes)),
                PaperColumn(names[-1], extrapolated),
            ),
            f"Share of pairs of runs that swap, by their difference and the number of topics. {drawn}.",
            "tab:trust-topics-swaps",
        ),
        paper_table(
            _tests(found),
            (
                PaperColumn("test", "Test"),
                topics,
                PaperColumn("significant", "Significant"),
                pairs,
                PaperColumn("share", "Share"),
                PaperColumn("smallest", "Smallest difference significant"),
                PaperColumn("largest_not", "Largest not significant"),
            ),
            f"Discriminative power: pairs of {found.runs} runs that differ significantly, by test.",
            "tab:trust-topics-tests",
        ),
    )
