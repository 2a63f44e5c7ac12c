"""Two rounds of judging told in a terminal, and as JSON."""

from __future__ import annotations

from typing import Any

import click

from workbench.agreement.result import Coefficient
from workbench.agreement.rounds import Rounds, TwoValues
from workbench.cli.output import say_table


def rounds_json(found: Rounds) -> dict[str, Any]:
    """Two rounds as a JSON object, with all digits."""
    return {
        "pairs": found.pairs,
        "labels": found.labels,
        "changed": found.changed,
        "assessors": [
            {
                "assessor": one.assessor,
                "labels": one.labels,
                "changed": one.changed,
                "raised": one.raised,
                "lowered": one.lowered,
            }
            for one in found.assessors
        ],
        "graded": [_json(one) for one in found.graded],
        "binary": [_json(one) for one in found.binary],
    }


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
    click.echo("")
    say_table(
        ["assessor", "labels", "changed", "raised", "lowered"],
        [(one.assessor, one.labels, one.changed, one.raised, one.lowered) for one in found.assessors],
        numeric=[1, 2, 3, 4],
    )
    click.echo("")
    click.echo(f"{found.changed} of {found.labels} labels changed, on {found.pairs} pairs")


def _json(one: TwoValues) -> dict[str, Any]:
    return {
        "coefficient": one.name,
        "before": one.before.value,
        "after": one.after.value,
        "undefined": one.before.undefined or one.after.undefined,
    }


def _shown(one: Coefficient) -> str:
    return "undefined" if one.value is None else f"{one.value:.3f}"
