"""`workbench trust depth`, `holes` and `topics`: a deeper pool, unjudged documents, fewer topics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeVar

import click
import numpy as np

from workbench.cli.files import QRELS_FILE, file_option, read_input
from workbench.cli.output import (
    MEASURE,
    RELEVANT_FROM,
    SEED,
    TIES,
    Integers,
    Texts,
    beside_bounds,
    data_options,
    number_option,
    number_setting,
    part_option,
    print_export,
    refuse_given,
    say_aside,
    say_notes,
    say_short,
    setting,
    with_progress,
)
from workbench.cli.qrels_files import all_matched, matched
from workbench.cli.runs import RunFiles, read_arrays, read_tops, run_arguments
from workbench.figures import between, counted, percent
from workbench.formats.qrels import read_prels, read_qrels, read_sampled_qrels
from workbench.pooling.run_tops import RunTops
from workbench.records import Run, TieRule
from workbench.scoring.measures import check_complement, parse_measures
from workbench.scoring.relevance import Relevance
from workbench.scoring.scorer import Scorer
from workbench.trust.alternatives import one_measure
from workbench.trust.collection_tables import (
    DEPTH_PARTS,
    HOLE_PARTS,
    TOPIC_PARTS,
    depth_export,
    fewer_topics_export,
    holes_export,
)
from workbench.trust.depth import Deepening, DeeperPool, deeper_pool, pool_by_rank
from workbench.trust.extremes import EXTREMES
from workbench.trust.fewer_topics import FewerTopics, Splitting, fewer_topics
from workbench.trust.holes import CUTOFFS, Holes, SampledPool, holes
from workbench.trust.power_law import PowerLaw

Line = TypeVar("Line")


@click.command("depth")
@QRELS_FILE
@run_arguments()
@setting("--depth", type=click.IntRange(2), default=100, help="Depth of the judged pool.")
@click.option(
    "--deeper", type=click.IntRange(3), help="Depth of the deeper pool.  [default: twice the depth]"
)
@number_option("--fit-from", metavar="RANK", help="First rank to fit.  [default: depth / 10 + 1]")
@RELEVANT_FROM
@TIES
@part_option(DEPTH_PARTS, "topics", "topics, or bands of ranks")
@data_options
def depth_command(
    qrels: str,
    runs: RunFiles,
    depth: int,
    deeper: int | None,
    fit_from: int | None,
    relevant_from: int,
    ties: TieRule,
    part: str,
    form: str,
) -> None:
    """Estimate what a deeper pool of these RUNs would find, from the relevant documents in QRELS by rank.

    New relevant documents fall with the rank by a power law, which is fitted to the judged ranks and
    extrapolated (Zobel 1998). Topics come in the order in which a judgment is expected to find most. Give the
    runs that were pooled: a document counts at its best rank in any of them.
    """
    question = Deepening(depth, 2 * depth if deeper is None else deeper, fit_from)
    judged = read_input(qrels, read_qrels)
    counts = pool_by_rank(
        _tops(runs, Relevance(judged), question.deeper, ties),
        judged,
        deepest=question.deeper,
        relevant_from=relevant_from,
    )
    found = deeper_pool(counts, question)
    if not print_export(depth_export(found, part), form):
        say_short(*DEPTH_PARTS[part](found))
        say_notes(depth_sentences(found))


def _tops(runs: RunFiles, relevance: Relevance, depth: int, ties: TieRule) -> Iterator[RunTops]:
    for run in read_tops(runs, depth=depth, ties=ties):
        matched(relevance, run if isinstance(run, Run) else run.run())
        yield RunTops.of(run) if isinstance(run, Run) else run


def depth_sentences(found: DeeperPool) -> list[str]:
    """The estimate in sentences: what was fitted, what a deeper pool finds, and what speaks against it."""
    question, law, interval = found.question, found.law, found.interval
    lines = [
        f"pool of depth {question.depth}: {found.found} relevant of {found.judged} judged documents "
        f"({counted(found.runs, 'run')}, {counted(len(found.topics), 'topic')})",
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
    lines.append(
        f"{more}, {found.known} of them known; {counted(found.judgments, 'document')} there are not judged"
    )
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
        lines.append(
            f"note: nothing is left to judge to depth {question.deeper}: these are counts, not estimates"
        )
    if law.exponent >= 0 and not law.bend and found.judgments:
        lines.append("note: new relevant documents do not become fewer with the rank: do not extrapolate")
    return lines


def law_in_words(law: PowerLaw) -> str:
    """The law as a formula."""
    power = f"{law.exponent:.2f}" if not law.bend else f"({law.exponent:.2f} {law.bend:+.2f} log d)"
    return f"{law.scale:.3g} * d^{power}"


@click.command("holes")
@QRELS_FILE
@run_arguments()
@setting(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    default=("AP P@10 RBP(p=0.8)",),
    help="Measures; several in quotes, or repeat the option. Lowest and highest scores are known for "
    f"{', '.join(EXTREMES)}.",
)
@number_setting(
    "--cutoff",
    "cutoffs",
    multiple=True,
    default=CUTOFFS,
    help="Count judged documents down to this rank (repeatable).",
)
@number_option(
    "--highest-grade",
    "highest",
    default=1,
    metavar="N",
    help="Highest grade of the scale.  [default: the highest in QRELS]",
)
@file_option(
    "--sample",
    help="The sampled pool, as sample_eval.pl reads it: topic 0 docno stratum grade, -1 for not judged. "
    "For --part estimates: xinfAP and infNDCG, and infAP where each topic has one stratum.",
)
@file_option(
    "--prels",
    help="Documents drawn with unequal probabilities, as in the Million Query track: topic docno grade "
    "method probability. For --part estimates: statAP.",
)
@TIES
@part_option(HOLE_PARTS, "scores", "scores, judged documents by cutoff, or estimates from a sample")
@data_options
def holes_command(
    qrels: str,
    runs: RunFiles,
    measures: Texts,
    cutoffs: Integers,
    highest: int,
    sample: str | None,
    prels: str | None,
    ties: TieRule,
    part: str,
    form: str,
) -> None:
    """Say how much of RUNs is judged in QRELS, and what unjudged documents leave open of their scores.

    Beside each score: the lowest and the highest it could be, whatever the run's unjudged documents are (of
    RBP the highest is with its residual); without these documents (condensed list); and with all of them
    relevant. A topic that a run lacks counts as one of which it retrieves nothing, in estimates too, where
    sample_eval.pl leaves it out.
    """
    if part == "estimates" and sample is prels is None:
        raise click.UsageError("--part estimates needs the sampled pool: --sample FILE or --prels FILE")
    chosen = parse_measures(measures)
    judged = read_input(qrels, read_qrels)
    found = holes(
        judged,
        all_matched(Relevance(judged), read_arrays(runs), lacking=True),
        chosen,
        cutoffs=cutoffs,
        highest=highest,
        ties=ties,
        sample=SampledPool(_lines(sample, read_sampled_qrels), _lines(prels, read_prels)),
    )
    if found.highest > highest:
        refuse_given({"highest"}, f"is {highest}, and {qrels} has the grade {found.highest}")
    if not print_export(holes_export(found, part), form):
        _say(found, part)
        say_notes(holes_sentences(found))


def _lines(name: str | None, read: Callable[..., tuple[Line, ...]]) -> tuple[Line, ...]:
    return () if name is None else read_input(name, read)


def _say(found: Holes, part: str) -> None:
    columns, rows = HOLE_PARTS[part](found)
    if part == "scores":
        # People read the interval beside the score; CSV has it in columns of its own.
        at = columns.index("score")
        rows = [(*row[:at], _bounded(row[at : at + 3]), *row[at + 3 :]) for row in rows]
        columns = (*columns[: at + 1], *columns[at + 3 :])
    say_short(columns, rows, numeric_from=2 if part == "estimates" else 1)
    if part == "estimates" and found.caution:
        say_aside(f"note: {found.caution}")


def _bounded(cells: Sequence[object]) -> object:
    score, low, high = cells
    return score if low is None else f"{score:.3f} ({low:.3f} to {high:.3f})"


def holes_sentences(found: Holes) -> Iterator[str]:
    """What the holes come to: the runs with most of them, and the pairs of runs that they cannot change."""
    yield (
        f"{counted(len(found.runs), 'run')} over {counted(found.topics, 'topic')}; in brackets the 95 % "
        f"interval over topics; an unjudged document could have a grade up to {found.highest}"
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


_RELIABLE = 0.95


@click.command("topics")
@QRELS_FILE
@run_arguments()
@number_setting("--rounds", default=1_000, help="Splits for each number of topics.")
@SEED
@setting(
    "--width", type=float, default=0.01, help="Width of the bins of differences, in the measure's units."
)
@setting(
    "--most-swapped",
    type=float,
    default=0.05,
    metavar="SHARE",
    help="Highest swap rate at which a difference is trusted.",
)
@MEASURE
@TIES
@part_option(
    TOPIC_PARTS, "topics", "numbers of topics, swap rates by bin of differences, or tests of all pairs"
)
@data_options
def topics_command(
    qrels: str,
    runs: RunFiles,
    rounds: int,
    seed: int,
    width: float,
    most_swapped: float,
    measure: str,
    ties: TieRule,
    part: str,
    form: str,
) -> None:
    """Compare RUNs over random sets of topics that have none in common (Voorhees and Buckley 2002).

    For each number of topics: tau b and Pearson's correlation between two sets, the share of pairs of runs
    that they order differently, and the smallest difference that few other topics turn round; for all topics
    by extrapolation. Reliability says how far the runs' means would correlate with those over other topics.
    """
    chosen, splitting = one_measure(measure), Splitting(rounds, seed, width, most_swapped)
    scorer = Scorer(read_input(qrels, read_qrels), [chosen])
    check_complement(scorer.relevance, [chosen])
    read = all_matched(scorer.relevance, read_arrays(runs), lacking=True)
    scored = [scorer.score(run, ties=ties) for run in read]
    scores = np.array([list(one.per_topic[str(chosen)].values()) for one in scored]).T
    found = fewer_topics(scores, splitting, progress=partial(with_progress, label="Splitting"))
    if not print_export(fewer_topics_export(found, part), form):
        columns, rows = TOPIC_PARTS[part](found)
        say_short(*((columns, rows) if part == "tests" else beside_bounds(columns, rows)))
        say_notes(topics_sentences(found, str(chosen)))


def topics_sentences(found: FewerTopics, measure: str) -> Iterable[str]:
    """The comparison in sentences: which difference may be trusted, how reliable, how many pairs differ."""
    pairs, trusted, split = found.runs * (found.runs - 1) // 2, found.trusted[-1], found.splitting
    sizes = f"{found.sets[0].topics} to {counted(found.sets[-1].topics, 'topic')}"
    yield (
        f"{measure} of {found.runs} runs over {found.topics} topics; {split.rounds} splits for each number "
        f"of topics (seed {split.seed}): in brackets the middle 95 % of them, "
        f"and of the swap rates of bins the interval over splits of these topics"
    )
    if trusted.difference is None:
        yield (
            f"with {found.topics} topics no difference between two runs is reliable: other topics would "
            "swap too many"
        )
    else:
        yield (
            f"with {found.topics} topics, differences of {trusted.difference:g} or more are reliable: at "
            f"most {percent(split.most_swapped)} of other sets of topics would swap the runs (extrapolated "
            f"from {sizes}); {trusted.pairs} of {pairs} pairs of runs are so far apart"
        )
    reliable = found.reliability
    needed = reliable.topics_for(_RELIABLE)
    yield (
        f"reliability {reliable.value:.3f} of {reliable.topics} topics and {counted(reliable.runs, 'run')}"
        + (f"; {_RELIABLE:g} takes {counted(needed, 'topic')}" if needed is not None else "")
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
