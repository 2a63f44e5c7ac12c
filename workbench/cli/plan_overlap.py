"""`workbench plan-overlap`: how many doubly judged pairs an interval asks for, without a campaign."""

from __future__ import annotations

import click

from workbench.agreement.sample_aims import Aim
from workbench.agreement.sample_plans import expected_of, plans
from workbench.agreement.sample_tables import expected_shares
from workbench.cli.output import form_options, one_form
from workbench.cli.overlap_text import interval_options, say_plans, shares_of_grades
from workbench.errors import InvalidInput


@click.command("plan-overlap")
@interval_options
@click.option(
    "--topic-size", type=float, default=1.0, show_default=True, help="Pairs of a topic, on average."
)
@form_options
def command(
    half_width: float,
    level: float,
    assessors: int,
    coefficient: str,
    weights: str,
    missing: float,
    kappa: float | None,
    shares: str | None,
    likeness: float | None,
    topic_size: float,
    seed: int,
    as_json: bool,
    as_csv: bool,
    as_latex: bool,
) -> None:
    """Say how many pairs two assessors, or more, must judge for a coefficient to be known to a half width.

    Expected are, unless they are given, a kappa of 0.6 and a share of 0.2 of the pairs relevant.
    """
    form = one_form(as_json=as_json, as_csv=as_csv, as_latex=as_latex)
    kappa = 0.6 if kappa is None else kappa
    prevalence = shares_of_grades(shares) or (0.2, 0.8)
    try:
        aim = Aim(coefficient, weights if len(prevalence) > 2 else "nominal")
        planned = plans(
            expected_of(expected_shares(prevalence, kappa), aim, assessors=assessors, missing=missing),
            aim,
            half_width=half_width,
            level=level,
            topic_size=topic_size,
            likeness=likeness or 0.0,
            seed=seed,
        )
    except InvalidInput as error:
        said = "\n       ".join(f"{one.message} ({one.remedy})" for one in error.findings)
        raise click.UsageError(said) from error
    said_too = {"kappa": kappa, "shares": list(prevalence), "half_width": half_width, "level": level}
    said_too |= {"coefficient": aim.method, "weights": aim.weights, "assessors": assessors}
    said_too |= {"missing": missing, "value": planned[0].needed.value}
    say_plans(planned, said_too, form)
