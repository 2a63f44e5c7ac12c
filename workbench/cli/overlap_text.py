"""Plans of an overlap in the terminal: their options, and what they say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from workbench.agreement.sample_of_several import MOST_ASSESSORS
from workbench.agreement.sample_plans import Planned
from workbench.agreement.sample_size import LEVEL, Chance, Needed
from workbench.cli.output import say_json, say_table

Command = TypeVar("Command", bound=Callable[..., Any])
SHARES = "Shares of the grades, the highest first, as '0.1 0.2 0.7'; for relevant or not the first is enough."


def interval_options(command: Command) -> Command:
    """The options that say which interval is wished."""
    for option in (
        click.option("--seed", default=1, show_default=True, type=click.IntRange(0), help="Of simulations."),
        click.option("--likeness", type=float, help="Of the pairs of one topic, 0 to 1."),
        click.option("--shares", help=SHARES),
        click.option("--kappa", type=float, help="The kappa that is expected."),
        click.option(
            "--chance",
            type=click.Choice([one.value for one in Chance]),
            default=Chance.POOLED.value,
            show_default=True,
            help="Which kappa.",
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
        raise click.UsageError(f"--shares {text!r}: give numbers, as '0.2 0.8'") from None
    return (shares[0], 1 - shares[0]) if len(shares) == 1 else shares


def say_plans(planned: Sequence[Planned], said: Mapping[str, object], *, as_json: bool) -> None:
    """Say every way of drawing, with the pairs it needs and what simulated samples came to."""
    if as_json:
        say_json({**said, "draws": [_json(one) for one in planned]})
        return
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


def in_words(needed: Needed) -> str:
    """What is expected and wished, in a sentence."""
    if needed.kappa is None:
        return needed.undefined
    who = "" if needed.assessors == 2 else f" of {needed.assessors} assessors a pair"
    # A hair below 0 is rounding: no minus stands before a zero.
    kappa = round(needed.kappa, 3) + 0.0
    return (
        f"{needed.chance} kappa {kappa:.3f}{who} expected, wished ± {needed.half_width:g} "
        f"at {100 * needed.level:g} %"
    )


def _json(one: Planned) -> dict[str, object]:
    needed, proof = one.needed, one.proof
    found: dict[str, object] = {"draw": str(needed.draw), "pairs": needed.pairs, "effect": needed.effect}
    if needed.undefined:
        return found | {"undefined": needed.undefined}
    if needed.by_label:
        found["by_first_label"] = list(needed.by_label)
    if proof.rounds:
        found["simulated"] = {
            "half_width": proof.half_width,
            "coverage": proof.coverage,
            "undefined": proof.undefined,
            "rounds": proof.rounds,
            "seed": proof.seed,
        }
    return found
