"""Overlaps of a campaign: planned from its own judgments, and drawn."""

from __future__ import annotations

from typing import Any

import click

from workbench.agreement.sample_request import PlanRequest
from workbench.agreement.sample_size import Draw
from workbench.cli.agreement_options import grade_options
from workbench.cli.database import database_options, open_database
from workbench.cli.output import form_options, one_form, say_json
from workbench.cli.plan_overlap import OF_PLANS, print_plans, request_options
from workbench.errors import NotFound
from workbench.settings import Settings
from workbench.storage import Session
from workbench.workflow.agreement.overlap import plan_facts
from workbench.workflow.agreement.overlap import plan_overlap as plan_pairs
from workbench.workflow.agreement.overlap_drawing import DrawOrder
from workbench.workflow.agreement.overlap_drawing import draw_overlap as draw_pairs
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.people.assessors import assessors_of


@click.command("plan-overlap")
@click.argument("campaign")
@request_options(*OF_PLANS, "seed")
@grade_options
@form_options
@database_options
def plan_overlap(
    settings: Settings, campaign: str, request: PlanRequest, as_json: bool, as_csv: bool, as_latex: bool
) -> None:
    """Compute how many pairs of CAMPAIGN others must judge to know a coefficient to a given half width.

    What is not given is estimated from the pairs that two people have judged, from 30 of these on.
    """
    form = one_form(as_json=as_json, as_csv=as_csv, as_latex=as_latex)
    with open_database(settings) as database, database.reading() as db:
        plan = plan_pairs(db, campaign_by_slug(db, campaign).id, request)
    facts = plan_facts(plan)
    print_plans(plan.planned, facts, form)
    if form == "text":
        click.echo(
            f"{plan.source} ({facts['doubly_judged']} pairs are judged by two people); "
            f"{plan.candidates.pairs} pairs are judged by one person and assigned to no other"
        )


@click.command("draw-overlap")
@click.argument("campaign")
@click.option("--pairs", type=click.IntRange(1), required=True, help="Number of pairs.")
@click.option(
    "--draw",
    type=click.Choice([one.value for one in Draw]),
    default=Draw.LABEL.value,
    show_default=True,
    callback=lambda _context, _parameter, value: Draw(value),
    help="At random, by the first assessor's label, or whole topics.",
)
@click.option(
    "--assessor", "names", multiple=True, required=True, help="Name of a further assessor (repeatable)."
)
@request_options("assessors", "coefficient", "weights", "non_response")
@click.option("--name", default="", help="Name of the pool; made from the draw and the seed if not given.")
@click.option(
    "--seed", type=click.IntRange(0, 2**31 - 1), help="Random seed; drawn and reported if not given."
)
@grade_options
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@database_options
def draw_overlap(
    settings: Settings,
    campaign: str,
    request: PlanRequest,
    names: tuple[str, ...],
    as_json: bool,
    **options: Any,
) -> None:
    """Draw pairs of CAMPAIGN that one person has judged into a new pool, and assign it to others."""
    with open_database(settings) as database, database.writing() as db:
        campaign_id = campaign_by_slug(db, campaign).id
        order = DrawOrder(assessor_ids=_numbers(db, campaign_id, names), plan=request, **options)
        done = draw_pairs(db, campaign_id, order)
    pool = done.pool.pool
    if as_json:
        found = {"pool": pool.name, "pairs": pool.pairs, "topics": done.topics, "seed": done.seed}
        more = {"by_first_label": list(done.by_label), "assignments": done.assigned, "draw": done.draw}
        say_json(found | more)
        return
    click.echo(
        f"pool {pool.name!r}: {pool.pairs} pairs of {done.topics} topics, {done.assigned} assignments, "
        f"seed {done.seed}"
    )


def _numbers(db: Session, campaign_id: int, names: tuple[str, ...]) -> list[int]:
    known = {one.name: one.id for one in assessors_of(db, campaign_id)}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise NotFound(f"{', '.join(unknown)} is no assessor of this campaign")
    return [known[name] for name in names]
