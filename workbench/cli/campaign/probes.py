"""Repeats, planted pairs and training from the terminal."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import click

from workbench.cli.campaign.loading import JSON
from workbench.cli.inputs import open_input
from workbench.cli.opening import database_options, opened
from workbench.cli.output import say_json, say_table
from workbench.formats.graded_pairs import GradedPair
from workbench.formats.known_answers import read_known_answers
from workbench.settings import Settings
from workbench.workflow.campaigns.campaigning import campaign_by_slug
from workbench.workflow.desk.probe_places import PLANTED, TRAINING
from workbench.workflow.desk.probe_rules import (
    FARTHEST,
    KINDS,
    RAREST,
    keep_probe_rules,
    known_pairs,
    load_known_answers,
    remove_known_answers,
    rules_of_campaign,
)


@click.command("probes")
@click.argument("campaign")
@click.option("--one-in", type=click.IntRange(0, RAREST), help="One repeat in so many documents; 0 for none.")
@click.option("--distance", type=click.IntRange(1, FARTHEST), help="Documents in between, at least.")
@click.option("--training/--no-training", default=None, help="Whether topics begin with training.")
@click.option("--planted", "planted", metavar="FILE", help="Load planted pairs.")
@click.option("--training-pairs", "trained", metavar="FILE", help="Load pairs for training.")
@click.option("--remove", type=click.Choice(KINDS), help="Remove the pairs of this kind before loading.")
@JSON
@database_options
def probes(
    settings: Settings,
    campaign: str,
    one_in: int | None,
    distance: int | None,
    training: bool | None,
    planted: str | None,
    trained: str | None,
    remove: str | None,
    as_json: bool,
) -> None:
    """Show how CAMPAIGN measures its assessors, and change it: repeats, planted pairs, training.

    A FILE is TSV with the header `topic doc grade feedback`; the feedback may lack. What is refused changes
    nothing. `self-consistency` has the results. Adaptive pools and pools with a queue have no probes.
    """
    read: list[tuple[str, str, tuple[GradedPair, ...]]] = []
    with ExitStack() as stack:
        for purpose, name in ((PLANTED, planted), (TRAINING, trained)):
            if name:
                stream, source = stack.enter_context(open_input(name))
                read.append((purpose, source, read_known_answers(stream, source=source)))
    changes: dict[str, Any] = {"distance": distance, "training": training}
    changes = {name: value for name, value in changes.items() if value is not None}
    if one_in is not None:
        changes["one_in"] = one_in or None
    with opened(settings) as database:
        if changes or read or remove:
            with database.writing() as db:
                found = campaign_by_slug(db, campaign).id
                if remove:
                    remove_known_answers(db, found, purpose=remove)
                for purpose, source, answers in read:
                    load_known_answers(db, found, answers, purpose=purpose, source=source)
                if changes:
                    keep_probe_rules(db, found, replace(rules_of_campaign(db, found), **changes))
        with database.reading() as db:
            found = campaign_by_slug(db, campaign).id
            rules, known = rules_of_campaign(db, found), known_pairs(db, found)
    now = {
        "one_in": rules.one_in,
        "distance": rules.distance,
        "training": rules.training,
        "planted_pairs": known.planted,
        "planted_pairs_in_pools": known.planted_in_pool,
        "training_pairs": known.training,
        "training_pairs_in_pools": known.training_in_pool,
    }
    if as_json:
        say_json(now)
    else:
        say_table(["setting", "value"], [(k, "none" if v is None else v) for k, v in now.items()])
