"""`workbench trust holes`: what unjudged documents leave open of the runs' scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import click

from workbench.cli.inputs import open_input
from workbench.cli.output import TIES, form_options, print_export, record_options, say_short
from workbench.cli.relevance_files import all_matched
from workbench.cli.runs import RunFiles, only_one_standard_input, read_arrays, run_arguments
from workbench.figures import percent
from workbench.formats.qrels import read_qrels
from workbench.formats.sampled_qrels import Prel, SampledQrel, read_prels, read_sampled_qrels
from workbench.records import TieRule
from workbench.scoring.measures import parse_measures
from workbench.scoring.relevance import Relevance
from workbench.trust.collection_tables import HOLE_PARTS, holes_export
from workbench.trust.extremes import EXTREMES
from workbench.trust.holes import CUTOFFS, Holes, SampledPool, holes


@dataclass(frozen=True, slots=True)
class _Reading:
    measures: tuple[str, ...]
    cutoffs: tuple[int, ...]
    highest: int
    sample: str | None
    prels: str | None

    @property
    def samples(self) -> tuple[str, ...]:
        """The files of the sample that scores are estimated from."""
        return tuple(name for name in (self.sample, self.prels) if name is not None)

    def read(self) -> SampledPool:
        """The sample of the pool."""
        strata: tuple[SampledQrel, ...] = ()
        prels: tuple[Prel, ...] = ()
        if self.sample is not None:
            with open_input(self.sample) as (stream, source):
                strata = read_sampled_qrels(stream, source=source)
        if self.prels is not None:
            with open_input(self.prels) as (stream, source):
                prels = read_prels(stream, source=source)
        return SampledPool(strata, prels)


_READING = (
    click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        default=("AP P@10 RBP(p=0.8)",),
        show_default=True,
        help="Measures; several in quotes, or repeat the option. Lowest and highest scores are known of "
        f"{', '.join(EXTREMES)}.",
    ),
    click.option(
        "--cutoff",
        "cutoffs",
        multiple=True,
        type=click.IntRange(1),
        default=CUTOFFS,
        show_default=True,
        help="Ranks to which judged documents are counted (repeatable).",
    ),
    click.option(
        "--highest-grade",
        "highest",
        type=click.IntRange(1),
        default=1,
        metavar="N",
        help="Highest grade of the scale.  [default: the highest in QRELS]",
    ),
    click.option(
        "--sample",
        metavar="FILE",
        help="The sampled pool, as sample_eval.pl reads it: topic 0 docno stratum grade, -1 for not judged. "
        "For --part estimates: xinfAP and infNDCG, and infAP where each topic has one stratum.",
    ),
    click.option(
        "--prels",
        metavar="FILE",
        help="Documents drawn with unequal probabilities, as in the Million Query track: topic docno grade "
        "method probability. For --part estimates: statAP.",
    ),
)


@click.command("holes")
@click.argument("qrels")
@run_arguments()
@record_options("reading", _Reading, _READING)
@TIES
@click.option(
    "--part",
    type=click.Choice(list(HOLE_PARTS)),
    default="scores",
    show_default=True,
    help="Table to print: scores, judged documents by cutoff, or estimates from a sample.",
)
@form_options
def command(qrels: str, runs: RunFiles, reading: _Reading, ties: str, part: str, form: str) -> None:
    """Say how much of RUNs is judged in QRELS, and what unjudged documents leave open of their scores.

    Beside each score: the lowest and the highest it could be, whatever the run's unjudged documents are (of
    RBP the highest is with its residual); without these documents (condensed list); and with all of them
    relevant. A topic that a run lacks counts as one of which it retrieves nothing, in estimates too, where
    sample_eval.pl leaves it out.
    """
    only_one_standard_input((qrels, *runs.names, *reading.samples))
    if part == "estimates" and not reading.samples:
        raise click.UsageError("--part estimates needs the sampled pool: --sample FILE or --prels FILE")
    measures = parse_measures(reading.measures)
    with open_input(qrels) as (stream, source):
        judged = read_qrels(stream, source=source)
    found = holes(
        judged,
        all_matched(Relevance(judged), read_arrays(runs), lacking=True),
        measures,
        cutoffs=reading.cutoffs,
        highest=reading.highest,
        ties=TieRule(ties),
        sample=reading.read(),
    )
    if not print_export(holes_export(found, part), form):
        _say(found, part)
        for sentence in sentences(found):
            click.echo(sentence, err=True)


def _say(found: Holes, part: str) -> None:
    columns, rows = HOLE_PARTS[part](found)
    if part == "scores":
        # People read the interval beside the score; CSV has it in columns of its own.
        at = columns.index("score")
        rows = [(*row[:at], _bounded(row[at : at + 3]), *row[at + 3 :]) for row in rows]
        columns = (*columns[: at + 1], *columns[at + 3 :])
    say_short(columns, rows, numeric_from=2 if part == "estimates" else 1)
    if part == "estimates" and found.caution:
        click.echo(f"note: {found.caution}", err=True)


def _bounded(cells: Sequence[object]) -> object:
    score, low, high = cells
    return score if low is None else f"{score:.3f} ({low:.3f} to {high:.3f})"


def sentences(found: Holes) -> Iterator[str]:
    """What the holes come to: the runs with most of them, and the pairs of runs that they cannot change."""
    yield (
        f"{len(found.runs)} runs over {found.topics} topics; in brackets the 95 % interval over topics; an "
        f"unjudged document could have a grade up to {found.highest}"
    )
    for depth in found.overall():
        yield (
            f"judged@{depth.cutoff}: {depth.judged} of {depth.retrieved} documents ({percent(depth.share)}); "
            f"least in {depth.least_of}, {percent(depth.least)}"
        )
    for place, one in enumerate(found.runs[0].scores):
        settled = found.settled(place)
        if settled is not None:
            yield (
                f"{one.measure}: {settled[0]} of {settled[1]} pairs of runs stay in their order, whatever "
                "the unjudged documents are"
            )
