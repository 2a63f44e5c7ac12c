"""What a deeper pool, holes and fewer topics show of a collection, as tables; CSV and JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, astuple
from operator import attrgetter
from statistics import NormalDist

import numpy as np

from workbench.tables import Export, Row, Table, result_export, table_export
from workbench.trust.depth import DeeperPool
from workbench.trust.fewer_topics import FewerTopics, SetsOfTopics
from workbench.trust.holes import Holes


def depth_export(found: DeeperPool, part: str) -> Export:
    """One table for CSV, and all of it for JSON."""
    return result_export(found, DEPTH_PARTS[part](found), _depth_data)


def _topics(found: DeeperPool) -> Table:
    """What the deeper pool would find for each topic, the best use of a judgment first."""
    columns = (
        "topic", "judged", "found", "judgments", "expected", "low", "high", "per_judgment", "unjudged",
        "advice",
    )  # fmt: skip
    figures = attrgetter(*columns)
    return (*columns, "recall", "recall_low", "recall_high"), [
        (*figures(one), *map(one.recall, (one.expected, one.high, one.low))) for one in found.topics
    ]


def _bands(found: DeeperPool) -> Table:
    """The new documents of each band of ranks, and the relevant ones that the law has there."""
    return ("from", "to", "pooled", "judged", "relevant", "expected"), [astuple(one) for one in found.bands]


def _curve(found: DeeperPool) -> Table:
    """The relevant documents of pools by depth: found, and beyond the judged depth expected."""
    return ("depth", "found", "fitted", "low", "high"), [astuple(one) for one in found.curve]


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


def fewer_topics_export(found: FewerTopics, part: str) -> Export:
    """One table for CSV, and all of it for JSON."""
    return result_export(found, TOPIC_PARTS[part](found), _topics_data)


def _sizes(found: FewerTopics) -> Table:
    """A row for each number of topics; the last is for all, of which there are no two sets to compare."""
    rows = [
        (
            trusted.topics,
            *(_compared(sets) if sets else (None,) * 10),
            found.reliability.at(trusted.topics),
            trusted.difference,
            trusted.pairs,
            "yes" if trusted.extrapolated else "no",
        )
        for trusted, sets in zip(found.trusted, (*found.sets, None), strict=True)
    ]
    columns = ("topics", "rounds", "tau", "tau_low", "tau_high", "pearson", "pearson_low", "pearson_high")
    swaps = ("swap_rate", "swap_rate_low", "swap_rate_high")
    return (*columns, *swaps, "reliability", "difference", "pairs", "extrapolated"), rows


def _compared(sets: SetsOfTopics) -> Row:
    *tau, _ = astuple(sets.tau)
    *pearson, _ = astuple(sets.pearson)
    return (sets.rounds, *tau, *pearson, sets.swap_rate, sets.swaps.low, sets.swaps.high)


def _bins(found: FewerTopics) -> Table:
    """The swap rate of each bin of differences: for each number of topics, and extrapolated for all.

    The bounds cover which splits were drawn; what is extrapolated has none.
    """
    width = found.splitting.width
    reach = NormalDist().inv_cdf((1 + found.splitting.level) / 2)
    figures = [np.sum([sets.compared for sets in found.sets], axis=0)]
    for sets, rates in zip(found.sets, found.rates, strict=True):
        reached = reach * sets.errors
        figures += [rates, np.maximum(rates - reached, 0), np.minimum(rates + reached, 1)]
    rows = [
        (
            place * width,
            (place + 1) * width,
            int(compared),
            *(None if np.isnan(value) else float(value) for value in of_bin),
        )
        for place, (compared, *of_bin) in enumerate(zip(*figures, found.extrapolated, strict=True))
    ]
    names = [f"{sets.topics}{part}" for sets in found.sets for part in ("", "_low", "_high")]
    return ("from", "below", "compared", *names, str(found.topics)), rows


def _tests(found: FewerTopics) -> Table:
    """Discriminative power: the pairs of runs that differ significantly, by test."""
    columns = ("test", "topics", "pairs", "significant", "share", "smallest", "largest_not", "draws", "seed")
    figures = attrgetter("test", "topics", "pairs", "significant", "share", "smallest", "largest")
    return columns, [(*figures(one), one.rounds or None, one.seed) for one in found.power]


TOPIC_PARTS: dict[str, Callable[[FewerTopics], Table]] = {"topics": _sizes, "bins": _bins, "tests": _tests}
"""The tables by name: columns and rows."""


def _topics_data(found: FewerTopics) -> dict[str, object]:
    return {
        "splitting": asdict(found.splitting),
        "topics": found.topics,
        "runs": found.runs,
        "reliability": asdict(found.reliability),
        **{f"by_{name}": table_export(*table(found)).data() for name, table in TOPIC_PARTS.items()},
    }


def holes_export(found: Holes, part: str) -> Export:
    """One table for CSV, and all of it for JSON."""
    return result_export(found, HOLE_PARTS[part](found), asdict)


def _scores(found: Holes) -> Table:
    """What each run scores by each measure, and could."""
    figures = attrgetter(
        "measure", "score.topics", "score.mean", "score.low", "score.high", "lowest", "highest", "condensed"
    )
    bounds = ("score_low", "score_high", "lowest", "highest")
    return ("run", "measure", "topics", "score", *bounds, "condensed"), [
        (run.run, *figures(one)) for run in found.runs for one in run.scores
    ]


def _judged(found: Holes) -> Table:
    """How much of each run is judged down to each cutoff."""
    figures = attrgetter("cutoff", "judged", "retrieved", "share", "worst")
    return ("run", "answered", "cutoff", "judged", "retrieved", "share", "worst_topic"), [
        (run.run, run.answered, *figures(one)) for run in found.runs for one in run.judged
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
