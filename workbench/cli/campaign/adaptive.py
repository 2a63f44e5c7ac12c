"""Adaptive pools replayed, and the pools of learners: when to stop."""

from __future__ import annotations

from dataclasses import asdict

import click

from workbench.cli.database import ChosenCampaign, campaign_command
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
    say_aside,
    say_json,
    say_table,
    setting,
)
from workbench.figures import counted
from workbench.learning.review import RecallEstimate
from workbench.learning.stopping import StoppingGoal
from workbench.records import id_bytes
from workbench.workflow.judging.adaptive_states import Replayed, replay_pool
from workbench.workflow.pools.learner_pools import TopicAdvice, advice_export, further_sample, pool_advice


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
    rankings = f" and {counted(done.rankings, 'ranking')}" if done.rankings else ""
    say_aside(f"{counted(len(done.events), 'event')}{rankings} reproduced")
    if done.rankings_left:
        message = (
            f"{counted(done.rankings_left, 'ranking')} not reproduced: documents were added or changed since"
        )
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
    click.echo(f"topic {of.topic}: {advice.found} relevant in {counted(advice.judged, 'judged document')}")
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
