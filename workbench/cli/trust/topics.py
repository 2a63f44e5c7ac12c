"""`workbench trust topics`: would other topics rank the runs alike, and which difference may be trusted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import click
import numpy as np

from workbench.cli.inputs import open_input
from workbench.cli.output import (
    MEASURE,
    SEED,
    TIES,
    form_options,
    print_export,
    record_options,
    say_short,
    with_progress,
)
from workbench.cli.relevance_files import all_matched
from workbench.cli.runs import RunFiles, only_one_standard_input, read_arrays, run_arguments
from workbench.figures import percent
from workbench.formats.qrels import read_qrels
from workbench.records import TieRule
from workbench.scoring.measures import check_complement
from workbench.scoring.scorer import Scorer
from workbench.trust.alternatives import one_measure
from workbench.trust.collection_tables import TOPIC_PARTS, fewer_topics_export
from workbench.trust.fewer_topics import FewerTopics, Splitting, fewer_topics

_RELIABLE = 0.95


@dataclass(frozen=True, slots=True)
class _Splits:
    rounds: int
    seed: int
    width: float
    most_swapped: float

    def splitting(self) -> Splitting:
        return Splitting(self.rounds, self.seed, self.width, self.most_swapped)


_SPLITS = (
    click.option(
        "--rounds",
        type=click.IntRange(1),
        default=1_000,
        show_default=True,
        help="Splits for each number of topics.",
    ),
    SEED,
    click.option(
        "--width",
        type=float,
        default=0.01,
        show_default=True,
        help="Width of the bins of differences, in the measure's units.",
    ),
    click.option(
        "--most-swapped",
        type=float,
        default=0.05,
        show_default=True,
        metavar="SHARE",
        help="Swap rate up to which a difference is trusted.",
    ),
)


@click.command("topics")
@click.argument("qrels")
@run_arguments()
@record_options("splits", _Splits, _SPLITS)
@MEASURE
@TIES
@click.option(
    "--part",
    type=click.Choice(list(TOPIC_PARTS)),
    default="topics",
    show_default=True,
    help="Table to print: numbers of topics, swap rates by bin of differences, or tests of all pairs.",
)
@form_options
def command(
    qrels: str, runs: RunFiles, splits: _Splits, measure: str, ties: str, part: str, form: str
) -> None:
    """Compare RUNs over random sets of topics that have none in common (Voorhees and Buckley 2002).

    For each number of topics: tau b and Pearson's correlation between two sets, the share of pairs of runs
    that they order differently, and the smallest difference that few other topics turn round; for all topics
    by extrapolation. Reliability says how far the runs' means would correlate with those over other topics.
    """
    only_one_standard_input((qrels, *runs.names))
    chosen, splitting = one_measure(measure), splits.splitting()
    with open_input(qrels) as (stream, source):
        scorer = Scorer(read_qrels(stream, source=source), [chosen])
    check_complement(scorer.relevance, [chosen])
    read = all_matched(scorer.relevance, read_arrays(runs), lacking=True)
    scored = [scorer.score(run, ties=TieRule(ties)) for run in read]
    scores = np.array([list(one.per_topic[str(chosen)].values()) for one in scored]).T
    found = fewer_topics(scores, splitting, progress=partial(with_progress, label="Splitting"))
    if not print_export(fewer_topics_export(found, part), form):
        _say(found, part)
        for sentence in sentences(found, str(chosen)):
            click.echo(sentence, err=True)


def _say(found: FewerTopics, part: str) -> None:
    columns, rows = TOPIC_PARTS[part](found)
    if part != "tests":
        # People read bounds beside their figure; CSV has them in columns of their own.
        shown = [at for at, name in enumerate(columns) if not name.endswith(("_low", "_high"))]
        rows = [tuple(_bounded(columns, row, at) for at in shown) for row in rows]
        columns = tuple(columns[at] for at in shown)
    say_short(columns, rows)


def _bounded(columns: Sequence[str], row: Sequence[object], at: int) -> object:
    value = row[at]
    if f"{columns[at]}_low" not in columns or not isinstance(value, float):
        return value
    return f"{value:.3f} ({row[at + 1]:.3f} to {row[at + 2]:.3f})"


def sentences(found: FewerTopics, measure: str) -> Iterable[str]:
    """The comparison in sentences: which difference may be trusted, how reliable, how many pairs differ."""
    pairs, trusted, split = found.runs * (found.runs - 1) // 2, found.trusted[-1], found.splitting
    sizes = f"{found.sets[0].topics} to {found.sets[-1].topics} topics"
    yield (
        f"{measure} of {found.runs} runs over {found.topics} topics; {split.rounds} splits for each number "
        f"of topics (seed {split.seed}): in brackets the middle 95 % of them, "
        f"and of the swap rates of bins the interval over splits of these topics"
    )
    if trusted.difference is None:
        yield f"no difference is trusted over {found.topics} topics: too many are swapped"
    else:
        yield (
            f"differences from {trusted.difference:g} on are trusted over {found.topics} topics: at most "
            f"{percent(split.most_swapped)} of other topics would swap the runs (extrapolated from {sizes}); "
            f"{trusted.pairs} of {pairs} pairs of runs are so far apart"
        )
    reliable = found.reliability
    needed = reliable.topics_for(_RELIABLE)
    yield (
        f"reliability {reliable.value:.3f} of {reliable.topics} topics and {reliable.runs} runs"
        + (f"; {_RELIABLE:g} takes {needed} topics" if needed is not None else "")
    )
    for one in found.power:
        yield (
            f"significant at {one.alpha:.2g}: {one.significant} of {one.pairs} pairs ({percent(one.share)}) "
            f"by {_NAMES[one.test]}" + (f" ({one.rounds} draws, seed {one.seed})" if one.rounds else "")
        )


_NAMES = {
    "t": "paired t, each pair by itself",
    "t-holm": "paired t with Holm's correction",
    "max-t": "the largest t of all pairs, bootstrap",
}
