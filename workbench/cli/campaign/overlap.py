"""Overlaps of a campaign: planned from its own judgments, and drawn."""

from __future__ import annotations

import click

from workbench.agreement.sample_model import MOST_ASSESSORS
from workbench.agreement.sample_request import COEFFICIENTS, WEIGHTINGS, Target
from workbench.agreement.sample_size import Draw
from workbench.cli.agreement_options import grade_options
from workbench.cli.opening import database_options, opened
from workbench.cli.output import form_options, one_form, say_json
from workbench.cli.plan_overlap import MISSING, interval_options, say_plans, shares_of_grades
from workbench.errors import NotFound
from workbench.settings import Settings
from workbench.storage import Session
from workbench.workflow.agreement.overlap import plan_overlap as plan_pairs
from workbench.workflow.agreement.overlap import plan_said
from workbench.workflow.agreement.overlap_drawing import draw_overlap as draw_pairs
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.people.assessors import assessors_of


@click.command("plan-overlap")
@click.argument("campaign")
@interval_options
@grade_options
@form_options
@database_options
def plan_overlap(
    settings: Settings,
    campaign: str,
    half_width: float,
    level: float,
    assessors: int,
    coefficient: str,
    weights: str,
    missing: float,
    kappa: float | None,
    shares: str | None,
    likeness: float | None,
    relevant_from: int | None,
    graded: bool,
    seed: int,
    as_json: bool,
    as_csv: bool,
    as_latex: bool,
) -> None:
    """Say how many pairs of CAMPAIGN others must judge for a coefficient to be known to a half width.

    What is not given is taken from the pairs that two people have judged, from 30 of these on.
    """
    form = one_form(as_json=as_json, as_csv=as_csv, as_latex=as_latex)
    with opened(settings) as database, database.reading() as db:
        plan = plan_pairs(
            db,
            campaign_by_slug(db, campaign).id,
            half_width=half_width,
            level=level,
            aim=Target(coefficient, weights),
            relevant_from=relevant_from,
            graded=graded,
            kappa=kappa,
            prevalence=shares_of_grades(shares),
            topic_likeness=likeness,
            assessors=assessors,
            missing=missing,
            seed=seed,
        )
    said = plan_said(plan)
    say_plans(plan.planned, said, form)
    if form == "text":
        click.echo(
            f"{plan.source} ({said['doubly_judged']} pairs are judged by two people); "
            f"{plan.candidates.pairs} pairs are judged by one person and given to no other"
        )


@click.command("draw-overlap")
@click.argument("campaign")
@click.option("--pairs", type=click.IntRange(1), required=True, help="How many.")
@click.option(
    "--draw",
    type=click.Choice([one.value for one in Draw]),
    default=Draw.LABEL.value,
    show_default=True,
    help="At random, by the first assessor's label, or whole topics.",
)
@click.option("--assessor", "names", multiple=True, required=True, help="A second assessor, by name.")
@click.option(
    "--assessors",
    type=click.IntRange(2, MOST_ASSESSORS),
    default=2,
    show_default=True,
    help="Of each pair, the first one among them.",
)
@click.option(
    "--coefficient",
    type=click.Choice(COEFFICIENTS),
    default="pooled",
    show_default=True,
    help="For which it is drawn, and told afterwards.",
)
@click.option("--weights", type=click.Choice(WEIGHTINGS), default="nominal", show_default=True)
@click.option("--missing", type=float, default=0.0, show_default=True, help=MISSING)
@click.option("--name", default="", help="Of the pool; made from the sample if not given.")
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), help="Drawn and told if not given.")
@grade_options
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@database_options
def draw_overlap(
    settings: Settings,
    campaign: str,
    pairs: int,
    draw: str,
    names: tuple[str, ...],
    assessors: int,
    coefficient: str,
    weights: str,
    missing: float,
    name: str,
    seed: int | None,
    relevant_from: int | None,
    graded: bool,
    as_json: bool,
) -> None:
    """Draw pairs of CAMPAIGN that one person has judged, into a pool that second assessors are given."""
    with opened(settings) as database, database.writing() as db:
        campaign_id = campaign_by_slug(db, campaign).id
        done = draw_pairs(
            db,
            campaign_id,
            pairs=pairs,
            draw=Draw(draw),
            assessor_ids=_numbers(db, campaign_id, names),
            relevant_from=relevant_from,
            graded=graded,
            assessors=assessors,
            aim=Target(coefficient, weights),
            missing=missing,
            seed=seed,
            name=name,
        )
    pool = done.pool.pool
    if as_json:
        said = {"pool": pool.name, "pairs": pool.pairs, "topics": done.topics, "seed": done.seed}
        more = {"by_first_label": list(done.by_label), "assignments": done.assigned, "draw": draw}
        say_json(said | more)
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
