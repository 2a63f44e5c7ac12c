"""`workbench plan-overlap`: how many doubly judged pairs a kappa's interval asks for, without a campaign."""

from __future__ import annotations

import click

from workbench.agreement.sample_plans import plans
from workbench.agreement.sample_size import Chance, expected_shares
from workbench.cli.overlap_text import interval_options, say_plans, shares_of_grades
from workbench.errors import InvalidInput


@click.command("plan-overlap")
@interval_options
@click.option(
    "--topic-size", type=float, default=1.0, show_default=True, help="Pairs of a topic, on average."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def command(
    half_width: float,
    level: float,
    assessors: int,
    chance: str,
    kappa: float | None,
    shares: str | None,
    likeness: float | None,
    topic_size: float,
    seed: int,
    as_json: bool,
) -> None:
    """Say how many pairs two assessors, or more, must judge for kappa to be known to a half width.

    Expected are, unless they are given, a kappa of 0.6 and a share of 0.2 of the pairs relevant.
    """
    kappa = 0.6 if kappa is None else kappa
    prevalence = shares_of_grades(shares) or (0.2, 0.8)
    try:
        planned = plans(
            expected_shares(prevalence, kappa),
            half_width=half_width,
            chance=Chance(chance),
            level=level,
            topic_size=topic_size,
            likeness=likeness or 0.0,
            assessors=assessors,
            seed=seed,
        )
    except InvalidInput as error:
        said = "\n       ".join(f"{one.message} ({one.remedy})" for one in error.findings)
        raise click.UsageError(said) from error
    said_too = {"kappa": kappa, "shares": list(prevalence), "half_width": half_width, "level": level}
    say_plans(planned, {**said_too, "chance": chance, "assessors": assessors}, as_json=as_json)
