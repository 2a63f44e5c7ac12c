"""`workbench plan-overlap`, and the options and words it shares with `workbench campaign plan-overlap`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from workbench.agreement.sample_export import in_words, plans_export
from workbench.agreement.sample_model import MOST_ASSESSORS, expected_shares
from workbench.agreement.sample_request import COEFFICIENTS, WEIGHTINGS, Target
from workbench.agreement.sample_simulation import PlannedDraw, outcome_model, plan_draws
from workbench.agreement.sample_size import LEVEL
from workbench.cli.output import form_options, one_form, print_export, say_table
from workbench.errors import InvalidInput

Command = TypeVar("Command", bound=Callable[..., Any])
SHARES = "Shares of the grades, the highest first, as '0.1 0.2 0.7'; for relevant or not the first is enough."

MISSING = "Share of the judgments that others are asked for and do not give."


def interval_options(command: Command) -> Command:
    """The options that say which interval is wished."""
    for option in (
        click.option("--seed", default=1, show_default=True, type=click.IntRange(0), help="Of simulations."),
        click.option("--likeness", type=float, help="Of the pairs of one topic, 0 to 1."),
        click.option("--shares", help=SHARES),
        click.option("--kappa", type=float, help="The pooled kappa that is expected of any two."),
        click.option(
            "--missing",
            type=float,
            default=0.0,
            show_default=True,
            help=MISSING,
        ),
        click.option(
            "--weights",
            type=click.Choice(WEIGHTINGS),
            default="nominal",
            show_default=True,
            help="How far grades are apart.",
        ),
        click.option(
            "--coefficient",
            type=click.Choice(COEFFICIENTS),
            default="pooled",
            show_default=True,
            help="Pooled or unpooled kappa, Krippendorff's alpha, Gwet's AC.",
        ),
        click.option(
            "--assessors",
            type=click.IntRange(2, MOST_ASSESSORS),
            default=2,
            show_default=True,
            help="Of each pair, the first one among them.",
        ),
        click.option("--level", type=float, default=LEVEL, show_default=True, help="Of the interval."),
        click.option(
            "--half-width", type=float, default=0.05, show_default=True, help="0.05 for kappa ± 0.05."
        ),
    ):
        command = option(command)
    return command


def shares_of_grades(text: str | None) -> tuple[float, ...] | None:
    """The shares that were typed; one alone is that of relevant pairs. Raises UsageError for no numbers."""
    if text is None:
        return None
    try:
        shares = tuple(float(part) for part in text.replace(",", " ").split())
    except ValueError:
        shares = ()
    if not shares:
        raise click.UsageError(f"--shares {text!r}: give numbers, as '0.2 0.8'")
    return (shares[0], 1 - shares[0]) if len(shares) == 1 else shares


def say_plans(planned: Sequence[PlannedDraw], said: Mapping[str, object], form: str) -> None:
    """Say every way of drawing, with the pairs it needs and what simulated samples came to."""
    if not print_export(plans_export(planned, said), form):
        _say_plans(planned)


def _say_plans(planned: Sequence[PlannedDraw]) -> None:
    say_table(
        ["draw", "pairs", "of each first label", "simulated", "true in"],
        [
            (
                one.needed.draw,
                "-" if one.needed.pairs is None else one.needed.pairs,
                " + ".join(map(str, one.needed.by_label)) or "-",
                "-" if one.proof.half_width is None else f"± {one.proof.half_width:.3f}",
                "-" if one.proof.coverage is None else f"{100 * one.proof.coverage:.1f} %",
            )
            for one in planned
        ],
        numeric=[1, 2, 3, 4],
    )
    click.echo(in_words(planned[0].needed))
    if seldom := [str(one.needed.draw) for one in planned if one.seldom]:
        click.echo(f"by {', '.join(seldom)} the interval holds too seldom of so few: wish for a narrower one")


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
        aim = Target(coefficient, weights if len(prevalence) > 2 else "nominal")
        planned = plan_draws(
            outcome_model(expected_shares(prevalence, kappa), aim, assessors=assessors, missing=missing),
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
