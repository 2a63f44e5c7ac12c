"""What a deeper pool, holes and fewer topics show of a collection, as tables, CSV, JSON and LaTeX."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from statistics import NormalDist

import numpy as np

from workbench.latex import PaperColumn, Table, bounded, document, paper_table, percent
from workbench.tables import Export, result_export
from workbench.trust.depth import DeeperPool
from workbench.trust.fewer_topics import FewerTopics
from workbench.trust.holes import Holes


def depth_export(found: DeeperPool, part: str) -> Export:
    """One table for CSV, and all of it for JSON and LaTeX."""
    return result_export(found, DEPTH_PARTS[part](found), _depth_data, _depth_latex)


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


DEPTH_PARTS: dict[str, Callable[[DeeperPool], Table]] = {"topics": _topics, "bands": _bands, "curve": _curve}
"""The tables by name: columns and rows."""


def _depth_data(found: DeeperPool) -> dict[str, object]:
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


def _depth_latex(found: DeeperPool) -> str:
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


def fewer_topics_export(found: FewerTopics, part: str) -> Export:
    """One table for CSV, and all of it for JSON and LaTeX."""
    return result_export(found, TOPIC_PARTS[part](found), _topics_data, _topics_latex)


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


TOPIC_PARTS: dict[str, Callable[[FewerTopics], Table]] = {"topics": _sizes, "bins": _bins, "tests": _tests}
"""The tables by name: columns and rows."""


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _topics_data(found: FewerTopics) -> dict[str, object]:
    tables = {name: table(found) for name, table in TOPIC_PARTS.items()}
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


def _topics_latex(found: FewerTopics) -> str:
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


def holes_export(found: Holes, part: str) -> Export:
    """One table for CSV, and all of it for JSON and LaTeX."""
    return result_export(found, HOLE_PARTS[part](found), asdict, _holes_latex)


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


HOLE_PARTS: dict[str, Callable[[Holes], Table]] = {
    "scores": _scores,
    "judged": _judged,
    "estimates": _estimates,
}
"""The tables by name: columns and rows."""


def _holes_latex(found: Holes) -> str:
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
