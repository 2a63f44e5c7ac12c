"""`workbench plan-overlap`, and the options and words it shares with `workbench campaign plan-overlap`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any, TypeVar

import click

from workbench.agreement.sample_export import in_words, plans_export
from workbench.agreement.sample_model import expected_shares, outcome_model
from workbench.agreement.sample_request import (
    MOST_ASSESSORS,
    OPTIONS,
    OptionKind,
    PlanRequest,
    Target,
    plan_request,
)
from workbench.agreement.sample_simulation import PlannedDraw, plan_draws
from workbench.cli.output import form_options, one_form, print_export, say_table
from workbench.errors import InvalidInput
from workbench.shares import percent

Command = TypeVar("Command", bound=Callable[..., Any])
KAPPA, SHARES = 0.6, (0.2, 0.8)
"""What is expected where there is no campaign to learn it from."""
OF_PLANS = (
    "half_width", "level", "assessors", "coefficient", "weights", "non_response", "kappa", "shares", "icc",
)  # fmt: skip


def request_options(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command these options of the planner; it receives one `request` for them.

    With `graded` and `relevant_from` among the arguments of the command, these join the request.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def call(*args: Any, **given: Any) -> Any:
            asked = {name: given.pop(name) for name in (*names, "graded", "relevant_from") if name in given}
            if "shares" in asked:
                asked["shares"] = _shares(asked["shares"])
            return command(*args, request=plan_request(asked), **given)

        for name in reversed(names):
            call = _option(name)(call)
        return call

    return decorate


def _option(name: str) -> Callable[[Command], Command]:
    option = OPTIONS[name]
    kinds: Mapping[OptionKind, Any] = {
        OptionKind.NUMBER: str if name == "shares" else float,
        OptionKind.COUNT: click.IntRange(2, MOST_ASSESSORS) if name == "assessors" else click.IntRange(0),
        OptionKind.CHOICE: click.Choice(option.choices),
    }
    shown = option.default is not None
    return click.option(
        option.flag, name, type=kinds[option.kind], default=option.default, show_default=shown,
        help=option.help,
    )  # fmt: skip


def _shares(text: str | None) -> tuple[float, ...] | None:
    """The shares that were typed; one alone is that of relevant pairs. Raises UsageError."""
    if text is None:
        return None
    try:
        shares = tuple(float(part) for part in text.replace(",", " ").split())
    except ValueError:
        shares = ()
    if not shares:
        raise click.UsageError(f"--shares {text!r}: give numbers, as '0.2 0.8'")
    return (shares[0], 1 - shares[0]) if len(shares) == 1 else shares


@click.command("plan-overlap")
@request_options(*OF_PLANS, "topic_size", "seed")
@form_options
def command(request: PlanRequest, as_json: bool, as_csv: bool, as_latex: bool) -> None:
    """Compute how many pairs two or more assessors must judge to know a coefficient to a given half width.

    Without --kappa and --shares, a kappa of 0.6 and 20 % relevant pairs are expected.
    """
    form = one_form(as_json=as_json, as_csv=as_csv, as_latex=as_latex)
    kappa = KAPPA if request.kappa is None else request.kappa
    shares = request.shares or SHARES
    if len(shares) == 2:
        request = replace(request, target=Target(request.target.method))
    try:
        planned = plan_draws(outcome_model(expected_shares(shares, kappa), request), request)
    except InvalidInput as error:
        problems = "\n       ".join(f"{one.message} ({one.remedy})" for one in error.findings)
        raise click.UsageError(problems) from error
    facts = {
        "kappa": kappa,
        "shares": list(shares),
        "half_width": request.half_width,
        "level": request.level,
        "coefficient": request.target.method,
        "weights": request.target.weights,
        "assessors": request.assessors,
        "missing": request.non_response,
        "value": planned[0].size.value,
    }
    print_plans(planned, facts, form)


def print_plans(planned: Sequence[PlannedDraw], facts: Mapping[str, object], form: str) -> None:
    """Print every way of drawing, with the pairs it needs and what simulated samples of that size show."""
    if print_export(plans_export(planned, facts), form):
        return
    say_table(
        ["draw", "pairs", "of each first label", "half width", "coverage"],
        [
            (
                one.size.draw,
                "-" if one.size.pairs is None else one.size.pairs,
                " + ".join(map(str, one.size.by_label)) or "-",
                "-" if one.simulation.half_width is None else f"± {one.simulation.half_width:z.3f}",
                "-" if one.simulation.coverage is None else percent(one.simulation.coverage, 1),
            )
            for one in planned
        ],
        numeric=[1, 2, 3, 4],
    )
    click.echo(in_words(planned[0].size))
    if few := [str(one.size.draw) for one in planned if one.under_covers]:
        click.echo(f"{', '.join(few)}: with so few pairs the interval under-covers; request a narrower one")
