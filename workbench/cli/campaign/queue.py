"""Pools while they are judged: queues, probes, adaptive pools replayed, when to stop."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import click

from workbench.cli.database import ChosenCampaign, assessors_named, campaign_command
from workbench.cli.inputs import open_input
from workbench.cli.output import (
    JSON_OBJECT,
    REFUSED,
    TOPICS,
    Texts,
    csv_flag,
    figure,
    number_option,
    one_form,
    print_export,
    record_json,
    repeatable,
    say_aside,
    say_figures,
    say_json,
    say_table,
    setting,
    toggle,
)
from workbench.errors import NotFound
from workbench.formats.graded_pairs import read_known_grades
from workbench.learning.review import RecallEstimate
from workbench.learning.stopping import StoppingGoal
from workbench.records import id_bytes
from workbench.storage import Session
from workbench.storage.events import PLANTED, TRAINING
from workbench.tables import filled
from workbench.workflow.judging import queues
from workbench.workflow.judging.adaptive_states import Replayed, replay_pool
from workbench.workflow.judging.quality_checks import FARTHEST, RAREST, check_rules_of
from workbench.workflow.judging.quality_settings import (
    KINDS,
    known_pairs,
    load_known_answers,
    remove_known_answers,
    save_check_rules,
)
from workbench.workflow.judging.queues import OutJson, QueueJson, QueueTopicJson, queue_report
from workbench.workflow.judging.trainees import Trainee, trainees
from workbench.workflow.judging.training import waive_training
from workbench.workflow.pools.learner_pools import TopicAdvice, advice_export, further_sample, pool_advice

POOL = click.argument("pool_name", metavar="POOL")


@click.group("queue")
def queue() -> None:
    """Queues: assessors take the next pairs that still need judging."""


@campaign_command("make", queue)
@POOL
@setting("--per-pair", type=int, default=1, help="Judgments per pair.")
@click.option("--lease", type=int, help="Minutes without an answer before others may get the document.")
def make(at: ChosenCampaign, pool_name: str, per_pair: int, lease: int | None) -> None:
    """Make POOL of CAMPAIGN a queue, also while people judge it, or change what it asks for.

    The lease applies to all queues of the campaign.
    """
    with at.writing() as (db, campaign_id):
        queues.make_queue(db, campaign_id, pool_name, per_pair)
        if lease is not None:
            queues.set_lease(db, campaign_id, lease)
    click.echo(f"{pool_name} is now a queue: {per_pair} per pair")


@campaign_command("end", queue)
@POOL
def end(at: ChosenCampaign, pool_name: str) -> None:
    """Make the queue POOL of CAMPAIGN a pool with assignments again."""
    back = at.write(queues.end_queue, pool_name)
    click.echo(f"{pool_name} is no longer a queue; {back} unanswered pairs released")


@campaign_command("give", queue)
@POOL
@repeatable("--assessor", "names", help="Assessor name (repeatable).  [default: all]")
def give(at: ChosenCampaign, pool_name: str, names: Texts) -> None:
    """Assign all topics of the queue POOL of CAMPAIGN to assessors."""
    with at.writing() as (db, campaign_id):
        added = queues.give_queue(db, campaign_id, pool_name, assessors_named(db, campaign_id, names))
    click.echo(f"{added} assignments added")


@campaign_command("status", queue)
@POOL
@JSON_OBJECT
def status(at: ChosenCampaign, pool_name: str, as_json: bool) -> None:
    """Show the progress of the queue POOL of CAMPAIGN and the documents that are out."""
    report = at.read(queue_report, pool_name)
    if as_json:
        topics = [filled(QueueTopicJson, one) for one in report.by_topic]
        say_json(filled(QueueJson, report, topics=topics, out=[filled(OutJson, one) for one in report.out]))
        return
    say_figures(
        ["topic", "pairs", "done", "out", "waiting", "judgments", "wanted"],
        [(t.topic, t.pairs, t.done, t.out, t.waiting, t.given, t.needed) for t in report.by_topic],
    )
    if report.out:
        say_table(
            ["topic", "document", "out with", "since", ""],
            [
                (
                    o.topic,
                    o.docno,
                    o.assessor,
                    o.since.isoformat(timespec="minutes"),
                    "lease expired" if o.abandoned else "",
                )
                for o in report.out
            ],
        )
    summary = (
        f"{report.pool}: {report.given} of {report.needed} judgments, {report.done} of {report.pairs} pairs"
    )
    click.echo(summary + (f", {report.stuck} without an assessor left: assign more" if report.stuck else ""))


@campaign_command("take-back", queue)
@POOL
@click.option("--assessor", help="Only from this assessor, by name.")
@click.option("--topic", help="Only of this topic.")
def take_back(at: ChosenCampaign, pool_name: str, assessor: str | None, topic: str | None) -> None:
    """Release unanswered documents of the queue POOL of CAMPAIGN; judgments stay."""
    back = at.write(queues.take_back, pool_name, assessor=assessor, topic=topic)
    click.echo(f"{back} pairs released")


@campaign_command("probes")
@click.option("--one-in", type=click.IntRange(0, RAREST), help="One repeat in N documents; 0 for none.")
@click.option(
    "--distance", type=click.IntRange(1, FARTHEST), help="Minimum number of documents before a repeat."
)
@toggle("--training/--no-training", help="Begin each topic with training.")
@click.option(
    "--least", type=click.IntRange(0, 100), help="Pass mark of the training, in percent; 0 for none."
)
@repeatable(
    "--let-through",
    "opened_for",
    nargs=2,
    metavar="ASSESSOR TOPIC",
    help="Waive the training of an assessor in a topic.",
)
@click.option("--planted", metavar="FILE", help="Load planted pairs.")
@click.option("--training-pairs", "trained", metavar="FILE", help="Load pairs for training.")
@click.option("--remove", type=click.Choice(KINDS), help="Remove the pairs of this kind before loading.")
@JSON_OBJECT
def probes(
    at: ChosenCampaign,
    opened_for: tuple[tuple[str, str], ...],
    planted: str | None,
    trained: str | None,
    remove: str | None,
    as_json: bool,
    **given: int | None,
) -> None:
    """Show how CAMPAIGN measures its assessors, and change it: repeats, planted pairs, training.

    A FILE is TSV with the header `topic doc grade feedback`; the feedback may lack. What is refused changes
    nothing. `agreement-by self` has the results. Adaptive pools and queues have no quality checks.
    """
    # Each other option has the name of its setting; a number of 0 means none.
    changes: dict[str, Any] = {
        name: value if name == "training" else value or None
        for name, value in given.items()
        if value is not None
    }
    read = []
    for purpose, name in ((PLANTED, planted), (TRAINING, trained)):
        if name:
            with open_input(name) as (stream, source):
                read.append((purpose, source, read_known_grades(stream, source=source)))
    if changes or read or remove or opened_for:
        with at.writing() as (db, campaign_id):
            if remove:
                remove_known_answers(db, campaign_id, purpose=remove)
            for purpose, source, answers in read:
                load_known_answers(db, campaign_id, answers, purpose=purpose, source=source)
            if changes:
                save_check_rules(db, campaign_id, replace(check_rules_of(db, campaign_id), **changes))
            for assessor, topic in opened_for:
                _let_through(db, campaign_id, assessor, topic)
    with at.reading() as (db, campaign_id):
        rules, known = check_rules_of(db, campaign_id), known_pairs(db, campaign_id)
        waiting = [_trainee(one) for one in trainees(db, campaign_id)]
    now = record_json(rules, since="") | {
        "planted_pairs": known.planted,
        "planted_pairs_in_pools": known.planted_in_pool,
        "training_pairs": known.training,
        "training_pairs_in_pools": known.training_in_pool,
    }
    if as_json:
        say_json(now | {"at_training": waiting})
        return
    say_table(["setting", "value"], [(k, "none" if v is None else v) for k, v in now.items()])
    if waiting:
        lines = [["" if v is None else v for v in one.values()] for one in waiting]
        say_table(list(waiting[0]), lines, numeric=[3, 4, 5, 6])


def _let_through(db: Session, campaign_id: int, assessor: str, topic: str) -> None:
    mine = [
        one.assignment_id
        for one in trainees(db, campaign_id)
        if (one.assessor, one.topic) == (assessor, topic)
    ]
    if not mine:
        raise NotFound(
            f"{assessor!r} is not in training in topic {topic!r}",
            remedy="run the command without --let-through to list who is",
        )
    for assignment_id in mine:
        waive_training(db, campaign_id, assignment_id)


def _trainee(one: Trainee) -> dict[str, Any]:
    return {
        "assessor": one.assessor,
        "topic": one.topic,
        "pool": one.pool,
        "rounds": len(one.rounds) - 1,
        "right_last_round": one.last.right if one.last else None,
        "pairs": one.now.total,
        "needed": one.now.needed,
        "answered_now": one.now.answered,
        "let_through": one.waived,
    }


@campaign_command("replay")
@click.argument("pool")
@JSON_OBJECT
def replay(at: ChosenCampaign, pool: str, as_json: bool) -> None:
    """Make every choice of the adaptive POOL again from runs, recipe and events, and print the events.

    One line each: topic, number, what happened, docno, relevance (1, 0 or nothing), tab between. Differences
    are printed to the error stream, and the exit status is 1.
    """
    done = at.read(replay_pool, pool)
    if as_json:
        events = [asdict(one.event) | {"differs": one.differs} for one in done.events]
        say_json({"pool": done.pool, "events": events, "differences": done.differences})
    else:
        click.echo(b"".join(_line(one) for one in done.events), nl=False)
    for difference in done.differences:
        say_aside(f"workbench: {difference.encode('utf-8', 'replace').decode()}")
    if done.differences:
        raise SystemExit(REFUSED)
    rankings = f" and {done.rankings} rankings" if done.rankings else ""
    say_aside(f"{len(done.events)} events{rankings} reproduced")
    if done.rankings_left:
        message = f"{done.rankings_left} rankings not reproduced: documents were added or changed since"
        say_aside(f"workbench: {message}")


def _line(one: Replayed) -> bytes:
    event = one.event
    relevant = "" if event.relevant is None else str(int(event.relevant))
    words = (event.topic, str(event.number), event.happening, event.docno, relevant)
    return id_bytes("\t".join(words)) + b"\n"


@campaign_command("stopping")
@click.argument("pool")
@TOPICS
@setting("--recall", default=0.8, help="Recall that the rules should reach.")
@setting("--confidence", default=0.95, help="Confidence that the recall is reached.")
@number_option("--further", help="Estimate the recall after this many more random documents.")
@JSON_OBJECT
@csv_flag(help="One row for each topic and rule, as CSV.")
@one_form
def stopping(
    at: ChosenCampaign,
    pool: str,
    topics: Texts,
    recall: float,
    confidence: float,
    further: int | None,
    form: str,
) -> None:
    """Estimate the recall of a learner's POOL, and show where each stopping rule would have stopped.

    This is advice: nothing is stopped by it. Intervals of recall hold at 95 %.
    """
    found = at.read(pool_advice, pool, StoppingGoal(recall, confidence), topics)
    if not print_export(advice_export(found, further), form):
        for one in found:
            _say_stopping(one, further)


def _say_stopping(of: TopicAdvice, further: int | None) -> None:
    advice, sample = of.advice, of.advice.sample
    drawn = f"{sample.judged} of {sample.drawn} judged" if sample else "none drawn"
    click.echo(f"topic {of.topic}: {advice.found} relevant in {advice.judged} judged documents")
    where = f"random documents among {advice.unread} unread ones: {drawn}"
    click.echo(f"recall {_recall(advice.recall)}, from the {where}")
    more = further_sample(advice, further)
    if more is not None:
        click.echo(f"with {more.documents} more of them, expect recall {_recall(more.recall)}")
    say_table(
        ["rule", "read", "found", "why"],
        [
            (rule.name, *("-" if one is None else str(one) for one in (stop.read, stop.found)), stop.reason)
            for rule, stop in advice.stops
        ],
        numeric=(1, 2),
    )


def _recall(estimate: RecallEstimate) -> str:
    if estimate.low is None or estimate.high is None:
        return "unknown: there may be no relevant document"
    value = figure(estimate.value, ".2f", "unknown")
    return f"{value} (95 % interval {estimate.low:.2f} to {estimate.high:.2f})"
