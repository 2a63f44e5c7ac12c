"""Two rounds of judging told in a terminal."""

from __future__ import annotations

import click

from workbench.agreement.result import Coefficient
from workbench.agreement.rounds import Rounds
from workbench.cli.output import say_table


def say_rounds(found: Rounds) -> None:
    """Print the coefficients before and after, then what each assessor changed."""
    say_table(
        ["coefficient", "grades", "before", "after"],
        [
            (one.label, kind, _shown(one.before), _shown(one.after))
            for kind, values in (("all grades", found.graded), ("relevant or not", found.binary))
            for one in values
        ],
        numeric=[2, 3],
    )
    values = (*found.graded, *found.binary)
    without = [one for two in values for one in (two.before, two.after) if one.value is None]
    for why in dict.fromkeys(f"{one.undefined}; what would define it: {one.would_define}" for one in without):
        click.echo(f"undefined: {why}")
    click.echo("")
    say_table(
        ["assessor", "labels", "changed", "raised", "lowered"],
        [(one.assessor, one.labels, one.changed, one.raised, one.lowered) for one in found.assessors],
        numeric=[1, 2, 3, 4],
    )
    click.echo("")
    click.echo(f"{found.changed} of {found.labels} labels changed, on {found.pairs} pairs")


def _shown(one: Coefficient) -> str:
    return "undefined" if one.value is None else f"{one.value:.3f}"
