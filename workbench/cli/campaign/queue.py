"""`workbench campaign queue` and `probes`: pools judged from one queue; repeats, planted pairs, training."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

import click

from workbench.cli.database import database_options, open_database, reading, say_disabled, writing, writing_to
from workbench.cli.inputs import open_input
from workbench.cli.output import JSON_OBJECT, record_options, say_json, say_table
from workbench.errors import NotFound
from workbench.formats.graded_pairs import GradedPair, read_known_grades
from workbench.settings import Settings
from workbench.storage import Session
from workbench.storage.events import PLANTED, TRAINING
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.judging import queues
from workbench.workflow.judging.quality_checks import FARTHEST, RAREST, check_rules_of
from workbench.workflow.judging.quality_settings import (
    KINDS,
    known_pairs,
    load_known_answers,
    remove_known_answers,
    save_check_rules,
)
from workbench.workflow.judging.queues import QueueReport, queue_report
from workbench.workflow.judging.trainees import Trainee, trainees
from workbench.workflow.judging.training import waive_training
from workbench.workflow.people.assessors import assessors_of

CAMPAIGN = click.argument("campaign")
POOL = click.argument("pool_name", metavar="POOL")


@click.group("queue")
def queue() -> None:
    """Queues: assessors take the next pairs that still need judging."""


@queue.command("make")
@CAMPAIGN
@POOL
@click.option("--per-pair", type=int, default=1, show_default=True, help="Judgments per pair.")
@click.option("--lease", type=int, help="Minutes without an answer before others may get it.")
@database_options
def make(settings: Settings, campaign: str, pool_name: str, per_pair: int, lease: int | None) -> None:
    """Make POOL of CAMPAIGN a queue, also while people judge it, or change what it asks for.

    The lease applies to all queues of the campaign.
    """
    with writing(settings) as db:
        campaign_id = campaign_by_slug(db, campaign).id
        queues.make_queue(db, campaign_id, pool_name, per_pair)
        if lease is not None:
            queues.set_lease(db, campaign_id, lease)
    click.echo(f"{pool_name} is now a queue: {per_pair} per pair")


@queue.command("end")
@CAMPAIGN
@POOL
@database_options
def end(settings: Settings, campaign: str, pool_name: str) -> None:
    """Make the queue POOL of CAMPAIGN a pool with assignments again."""
    with writing(settings) as db:
        back = queues.end_queue(db, campaign_by_slug(db, campaign).id, pool_name)
    click.echo(f"{pool_name} is no longer a queue; {back} unanswered pairs released")


@queue.command("give")
@CAMPAIGN
@POOL
@click.option("--assessor", "names", multiple=True, help="Assessor name (repeatable).  [default: all]")
@database_options
def give(settings: Settings, campaign: str, pool_name: str, names: tuple[str, ...]) -> None:
    """Assign all topics of the queue POOL of CAMPAIGN to assessors."""
    with open_database(settings) as database, writing_to(database, campaign) as db:
        campaign_id = campaign_by_slug(db, campaign).id
        assessors = [one for one in assessors_of(db, campaign_id) if one.assignable]
        known = {one.name: one.id for one in assessors}
        for name in names:
            if name not in known:
                raise NotFound(f"no assessor named {name!r} has an account", remedy="invite the person")
        say_disabled(assessors, names)
        chosen = [known[one] for one in names or [one.name for one in assessors if one.able]]
        added = queues.give_queue(db, campaign_id, pool_name, chosen)
    click.echo(f"{added} assignments added")


@queue.command("status")
@CAMPAIGN
@POOL
@JSON_OBJECT
@database_options
def status(settings: Settings, campaign: str, pool_name: str, as_json: bool) -> None:
    """Show the progress of the queue POOL of CAMPAIGN and the documents that are out."""
    with reading(settings) as db:
        report = queue_report(db, campaign_by_slug(db, campaign).id, pool_name)
    if as_json:
        say_json(_json(report))
        return
    say_table(
        ["topic", "pairs", "done", "out", "waiting", "judgments", "wanted"],
        [(t.topic, t.pairs, t.done, t.out, t.waiting, t.given, t.needed) for t in report.by_topic],
        numeric=[1, 2, 3, 4, 5, 6],
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


@queue.command("take-back")
@CAMPAIGN
@POOL
@click.option("--assessor", help="Only from this assessor, by name.")
@click.option("--topic", help="Only of this topic.")
@database_options
def take_back(
    settings: Settings, campaign: str, pool_name: str, assessor: str | None, topic: str | None
) -> None:
    """Release unanswered documents of the queue POOL of CAMPAIGN; judgments stay."""
    with writing(settings) as db:
        campaign_id = campaign_by_slug(db, campaign).id
        back = queues.take_back(db, campaign_id, pool_name, assessor=assessor, topic=topic)
    click.echo(f"{back} pairs released")


def _json(report: QueueReport) -> dict[str, object]:
    return {
        "pool": report.pool,
        "per_pair": report.per_pair,
        "lease_minutes": report.lease_minutes,
        "pairs": report.pairs,
        "done": report.done,
        "waiting": report.waiting,
        "stuck": report.stuck,
        "judgments": report.given,
        "wanted": report.needed,
        "assessors": list(report.assessors),
        "by_topic": [
            {
                "topic": line.topic,
                "pairs": line.pairs,
                "done": line.done,
                "out": line.out,
                "waiting": line.waiting,
                "stuck": line.stuck,
                "judgments": line.given,
                "wanted": line.needed,
            }
            for line in report.by_topic
        ],
        "out": [
            {
                "topic": one.topic,
                "docno": one.docno,
                "assessor": one.assessor,
                "since": one.since.isoformat(),
                "lease_over": one.abandoned,
            }
            for one in report.out
        ],
    }


@dataclass(frozen=True, slots=True)
class CheckChanges:
    """What is to be changed of the rules; None is not, and a number of 0 means none."""

    one_in: int | None
    distance: int | None
    training: bool | None
    least: int | None

    def changes(self) -> dict[str, Any]:
        """The fields of the rules that change, with their new values."""
        kept = {"distance": self.distance, "training": self.training}
        changes: dict[str, Any] = {name: value for name, value in kept.items() if value is not None}
        for name, number in (("one_in", self.one_in), ("least", self.least)):
            if number is not None:
                changes[name] = number or None
        return changes


_CHANGES = (
    click.option("--one-in", type=click.IntRange(0, RAREST), help="One repeat in N documents; 0 for none."),
    click.option("--distance", type=click.IntRange(1, FARTHEST), help="Documents before a repeat, at least."),
    click.option("--training/--no-training", default=None, help="Begin topics with training."),
    click.option(
        "--least", type=click.IntRange(0, 100), help="Pass mark of the training, in percent; 0 for none."
    ),
)


@dataclass(frozen=True, slots=True)
class KnownFiles:
    """Files of known answers, by what they are for; `remove` is the kind that they replace."""

    planted: str | None
    trained: str | None
    remove: str | None

    def read(self) -> list[tuple[str, str, tuple[GradedPair, ...]]]:
        """The purpose, the source and the pairs of each file; raises InvalidInput."""
        read: list[tuple[str, str, tuple[GradedPair, ...]]] = []
        with ExitStack() as stack:
            for purpose, name in ((PLANTED, self.planted), (TRAINING, self.trained)):
                if name:
                    stream, source = stack.enter_context(open_input(name))
                    read.append((purpose, source, read_known_grades(stream, source=source)))
        return read


_KNOWN = (
    click.option("--planted", "planted", metavar="FILE", help="Load planted pairs."),
    click.option("--training-pairs", "trained", metavar="FILE", help="Load pairs for training."),
    click.option("--remove", type=click.Choice(KINDS), help="Remove the pairs of this kind before loading."),
)


@click.command("probes")
@click.argument("campaign")
@record_options("rules_given", CheckChanges, _CHANGES)
@click.option(
    "--let-through",
    "opened_for",
    nargs=2,
    multiple=True,
    metavar="ASSESSOR TOPIC",
    help="Waive the training of an assessor in a topic.",
)
@record_options("files", KnownFiles, _KNOWN)
@JSON_OBJECT
@database_options
def probes(
    settings: Settings,
    campaign: str,
    rules_given: CheckChanges,
    opened_for: tuple[tuple[str, str], ...],
    files: KnownFiles,
    as_json: bool,
) -> None:
    """Show how CAMPAIGN measures its assessors, and change it: repeats, planted pairs, training.

    A FILE is TSV with the header `topic doc grade feedback`; the feedback may lack. What is refused changes
    nothing. `agreement-by self` has the results. Adaptive pools and queues have no quality checks.
    """
    read, changes = files.read(), rules_given.changes()
    with open_database(settings) as database:
        if changes or read or files.remove or opened_for:
            with database.writing() as db:
                found = campaign_by_slug(db, campaign).id
                if files.remove:
                    remove_known_answers(db, found, purpose=files.remove)
                for purpose, source, answers in read:
                    load_known_answers(db, found, answers, purpose=purpose, source=source)
                if changes:
                    save_check_rules(db, found, replace(check_rules_of(db, found), **changes))
                for assessor, topic in opened_for:
                    _let_through(db, found, assessor, topic)
        with database.reading() as db:
            found = campaign_by_slug(db, campaign).id
            rules, known = check_rules_of(db, found), known_pairs(db, found)
            waiting = trainees(db, found)
    now = {
        "one_in": rules.one_in,
        "distance": rules.distance,
        "training": rules.training,
        "least": rules.least,
        "planted_pairs": known.planted,
        "planted_pairs_in_pools": known.planted_in_pool,
        "training_pairs": known.training,
        "training_pairs_in_pools": known.training_in_pool,
    }
    if as_json:
        say_json(now | {"at_training": [_trainee(one) for one in waiting]})
        return
    say_table(["setting", "value"], [(k, "none" if v is None else v) for k, v in now.items()])
    if waiting:
        lines = [tuple("" if v is None else v for v in _trainee(one).values()) for one in waiting]
        say_table(list(_trainee(waiting[0])), lines, numeric=[3, 4, 5, 6])


def _let_through(db: Session, campaign_id: int, assessor: str, topic: str) -> None:
    mine = [
        one.assignment_id
        for one in trainees(db, campaign_id)
        if (one.assessor, one.topic) == (assessor, topic)
    ]
    if not mine:
        raise NotFound(
            f"{assessor!r} is not in training in topic {topic!r}",
            remedy="without --let-through the command lists who is",
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
