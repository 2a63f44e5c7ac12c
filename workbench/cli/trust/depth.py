"""`workbench trust depth`: what a deeper pool would find, and what it would cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import click

from workbench.cli.inputs import open_input
from workbench.cli.output import RELEVANT_FROM, TIES, form_options, print_export, record_options, say_short
from workbench.cli.relevance_files import matched
from workbench.cli.runs import RunFiles, only_one_standard_input, read_tops, run_arguments
from workbench.figures import between, percent
from workbench.formats.qrels import read_qrels
from workbench.pooling.run_tops import RunTops
from workbench.records import Run, TieRule
from workbench.scoring.relevance import Relevance
from workbench.trust.collection_tables import DEPTH_PARTS, depth_export
from workbench.trust.depth import Deepening, DeeperPool, deeper_pool, pool_by_rank
from workbench.trust.power_law import PowerLaw


@dataclass(frozen=True, slots=True)
class _Depths:
    depth: int
    deeper: int | None
    fit_from: int | None

    def question(self) -> Deepening:
        deeper = 2 * self.depth if self.deeper is None else self.deeper
        return Deepening(self.depth, deeper, self.fit_from)


_DEPTHS = (
    click.option(
        "--depth", type=click.IntRange(2), default=100, show_default=True, help="Depth of the judged pool."
    ),
    click.option("--deeper", type=click.IntRange(3), help="Depth to look at.  [default: twice the depth]"),
    click.option(
        "--fit-from",
        type=click.IntRange(1),
        metavar="RANK",
        help="First rank to fit.  [default: depth / 10 + 1]",
    ),
)


@click.command("depth")
@click.argument("qrels")
@run_arguments()
@record_options("depths", _Depths, _DEPTHS)
@RELEVANT_FROM
@TIES
@click.option(
    "--part",
    type=click.Choice(list(DEPTH_PARTS)),
    default="topics",
    show_default=True,
    help="Table to print: topics, or bands of ranks.",
)
@form_options
def command(
    qrels: str, runs: RunFiles, depths: _Depths, relevant_from: int, ties: str, part: str, form: str
) -> None:
    """Estimate what a deeper pool of these RUNs would find, from the relevant documents in QRELS by rank.

    New relevant documents fall with the rank by a power law, which is fitted to the judged ranks and
    extrapolated (Zobel 1998). Topics come in the order in which a judgment is expected to find most. Give the
    runs that were pooled: a document counts at its best rank in any of them.
    """
    only_one_standard_input((qrels, *runs.names))
    question = depths.question()
    with open_input(qrels) as (stream, source):
        judged = read_qrels(stream, source=source)
    counts = pool_by_rank(
        _tops(runs, Relevance(judged), question.deeper, TieRule(ties)),
        judged,
        deepest=question.deeper,
        relevant_from=relevant_from,
    )
    found = deeper_pool(counts, question)
    if not print_export(depth_export(found, part), form):
        say_short(*DEPTH_PARTS[part](found))
        for sentence in sentences(found):
            click.echo(sentence, err=True)


def _tops(runs: RunFiles, relevance: Relevance, depth: int, ties: TieRule) -> Iterator[RunTops]:
    for run in read_tops(runs, depth=depth, ties=ties):
        matched(relevance, run if isinstance(run, Run) else run.run())
        yield RunTops.of(run) if isinstance(run, Run) else run


def sentences(found: DeeperPool) -> list[str]:
    """The estimate in sentences: what was fitted, what a deeper pool finds, and what speaks against it."""
    question, law, interval = found.question, found.law, found.interval
    lines = [
        f"pool of depth {question.depth}: {found.found} relevant of {found.judged} judged documents "
        f"({found.runs} runs, {len(found.topics)} topics)",
        f"new relevant documents at rank d: {law_in_words(law)}, fitted to ranks {question.first_fitted} to "
        f"{question.depth}",
    ]
    if law.bend:
        lines.append(f"note: the ranks do not follow a power law (p {law.p:.3f}): the law bends")
    more = (
        f"ranks {question.depth + 1} to {question.deeper}: {found.expected:.0f} relevant documents expected"
    )
    if interval.low is not None and interval.high is not None:
        more += f" ({interval.low:.0f} to {interval.high:.0f}, {interval.level:.0%} prediction interval)"
    lines.append(f"{more}, {found.known} of them known; {found.judgments} documents there are not judged")
    share = (
        f"the pool of depth {question.depth} has {percent(found.share_found)} of the relevant documents of "
        f"that of depth {question.deeper}"
    )
    bounds = found.share_interval
    lines.append(share if bounds is None else f"{share} ({between(*bounds)})")
    if found.judged < found.pooled:
        lines.append(
            f"note: {found.pooled - found.judged} of {found.pooled} documents within depth {question.depth} "
            "are not judged, and some of them may be relevant: the estimate is too low"
        )
    if found.reached < question.deeper:
        lines.append(f"note: beyond rank {found.reached} no run has a new document to judge")
    if not found.judgments:
        lines.append(f"note: nothing is left to judge to depth {question.deeper}: these are counts")
    if law.exponent >= 0 and not law.bend and found.judgments:
        lines.append("note: new relevant documents do not get fewer with the rank: do not extrapolate")
    return lines


def law_in_words(law: PowerLaw) -> str:
    """The law as a formula."""
    power = f"{law.exponent:.2f}" if not law.bend else f"({law.exponent:.2f} {law.bend:+.2f} log d)"
    return f"{law.scale:.3g} * d^{power}"
