"""`workbench simulate`: what a learner and stopping rules would have done on a judged collection."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import click

from workbench.cli.files import QRELS_FILE, file_argument, open_input, read_input
from workbench.cli.output import (
    ALL_DIGITS,
    RELEVANT_FROM,
    Texts,
    csv_flag,
    flag,
    number_setting,
    one_form,
    print_export,
    repeatable,
    say_aside,
    say_mismatch,
    say_notes,
    say_short,
    setting,
    with_progress,
)
from workbench.cli.qrels_files import note_topics, read_graded
from workbench.figures import counted
from workbench.formats.documents import read_documents
from workbench.formats.topics import read_topics
from workbench.learning.effort import WORK_SAVED
from workbench.learning.learners import BMI, LEARNERS
from workbench.learning.simulation import (
    SIMULATION_PARTS,
    JudgedTopic,
    LearnerSimulation,
    SimulationOptions,
    judged_topics,
    simulate,
    simulation_export,
    simulation_svg,
)
from workbench.learning.stopping import STOPPING_RULES, StoppingGoal
from workbench.learning.vectors import Vectors, vectors_of
from workbench.scoring.run_arrays import likely_cause

_ALL = "all"
_SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)


@click.command("simulate")
@file_argument("docs")
@QRELS_FILE
@file_argument("topics")
@setting(
    "--learner",
    type=click.Choice(LEARNERS),
    default=BMI.name,
    help="; ".join(f"{one.name}: {one.help}" for one in LEARNERS.values()) + ".",
)
@repeatable(
    "--stop",
    type=click.Choice([*STOPPING_RULES, _ALL]),
    help="Stopping rule to try (repeatable); see workbench help stopping.",
)
@setting("--recall", type=_SHARE, default=0.8, help="Recall that the rules should reach.")
@setting("--confidence", type=_SHARE, default=0.95, help="Confidence for rules that promise a recall.")
@setting("--seed", type=click.IntRange(0), default=0, help="First random seed.")
@number_setting("--seeds", default=1, help="Number of consecutive seeds.")
@RELEVANT_FROM
@number_setting("--fewest", default=1, metavar="N", help="Leave out topics with fewer relevant documents.")
@click.option(
    "--part",
    type=click.Choice(SIMULATION_PARTS),
    help="Table to print.  [default: rules with --stop, else measures]",
)
@ALL_DIGITS
@csv_flag(help="The table as CSV, with all digits.")
@flag("--svg", "as_svg", help="Recall by documents read as an SVG picture.")
@one_form
def command(
    docs: str,
    qrels: str,
    topics: str,
    learner: str,
    stop: Texts,
    recall: float,
    confidence: float,
    seed: int,
    seeds: int,
    part: str | None,
    relevant_from: int,
    fewest: int,
    as_svg: bool,
    form: str,
) -> None:
    """Simulate a review of DOCS for each of TOPICS by a learner, with QRELS as the answers.

    The learner reads in rounds that grow by a tenth and learns from each. Printed are recall after R, 2R and
    4R documents (R are relevant), the documents read for recall .8, .9 and .95, and the work saved; with
    --stop where each rule would have stopped. What QRELS does not have counts as not relevant.
    """
    if as_svg and form != "text":
        raise click.UsageError(f"--svg and --{form} cannot be combined: keep one of them")
    rules = tuple(STOPPING_RULES) if _ALL in stop else tuple(dict.fromkeys(stop))
    options = SimulationOptions(learner, rules, StoppingGoal(recall, confidence), seed, seeds)
    vectors, chosen = _read(docs, qrels, topics, relevant_from, fewest)
    found = simulate(vectors, chosen, options, progress=partial(with_progress, label="Reading topics"))
    part = part or ("rules" if options.rules else "measures")
    if as_svg:
        click.echo(simulation_svg(found), nl=False)
    elif not print_export(simulation_export(found, part), form):
        say_short(*SIMULATION_PARTS[part](found))
        say_notes(sentences(found))


def _read(
    docs: str, qrels: str, topics: str, relevant_from: int, fewest: int
) -> tuple[Vectors, tuple[JudgedTopic, ...]]:
    judged = read_graded(qrels, ())
    stated = read_input(topics, read_topics)
    with open_input(docs) as (stream, source):
        vectors = vectors_of(read_documents(stream, source=source))
    known = dict.fromkeys(line.topic for line in judged)
    if known.keys().isdisjoint(one.id for one in stated):
        cause = likely_cause((one.id for one in stated), known)
        say_mismatch(f"no topic of {topics} is in {qrels}: {cause}")
    relevant = {line.docno for line in judged if line.grade >= relevant_from}
    missing = relevant - vectors.places.keys()
    if relevant and missing == relevant:
        cause = likely_cause(sorted(relevant), vectors.places)
        say_mismatch(f"no relevant document of {qrels} is in {docs}: {cause}")
    elif missing:
        message = (
            f"note: {len(missing)} relevant documents of {qrels} are not in {docs}: recall does not count "
            "them"
        )
        say_aside(message)
    chosen = judged_topics(vectors, stated, judged, relevant_from=relevant_from, fewest=fewest)
    kept = {one.topic for one in chosen}
    note_topics([one.id for one in stated if one.id not in kept], "topics with too few relevant documents")
    return vectors, chosen


def sentences(found: LearnerSimulation) -> Iterator[str]:
    """What the figures are computed from, and how to read them."""
    mean = sum(one.relevant for one in found.reviews) / len(found.reviews)
    yield (
        f"{found.options.learner}: {counted(found.topics, 'topic')} with {mean:.1f} relevant documents on "
        f"average, {counted(found.collection, 'document')}, {counted(found.options.repeats, 'seed')} from "
        f"{found.options.seed}; low and high are the 95 % interval over topics, seeds_low and seeds_high the "
        "range of the seeds"
    )
    for one in WORK_SAVED.values():
        yield f"work saved, {one.name}: {one.definition}"
    if found.options.rules:
        goal = found.options.goal
        yield (
            f"reached: reviews with recall {goal.recall:g} or more at the stop, and the 95 % interval of "
            "their share; a review that never stopped counts as read to the end"
        )
    for name in found.options.rules:
        promise = STOPPING_RULES[name].promise
        yield f"{name} promises {promise}" if promise else f"{name} makes no promise"
