"""`workbench sample-size`: how many documents must be judged twice."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Any

import click

from workbench.agreement.sample_size import (
    HALF_WIDTH,
    ICC,
    KAPPA,
    PLANNED,
    RELEVANT,
    TOPICS,
    SizeRequest,
    sample_size,
)
from workbench.cli.output import say_json
from workbench.errors import InvalidInput

_number = partial(click.option, type=float, show_default=True)


@click.command("sample-size")
@click.option(
    "--coefficient", type=click.Choice(PLANNED), default="pooled", show_default=True, help="Coefficient."
)
@_number("--half-width", default=HALF_WIDTH, help="Half width of its 95 % interval: 0.1 for ± 0.1.")
@_number("--kappa", default=KAPPA, help="Expected pooled kappa of two assessors.")
@_number("--relevant", default=RELEVANT, help="Expected share of relevant documents.")
@click.option("--topics", type=int, default=TOPICS, show_default=True, help="Number of equally rich topics.")
@_number("--icc", default=ICC, help="Correlation within topics; 0: topics do not differ.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(as_json: bool, **asked: Any) -> None:
    """Compute how many documents two assessors must judge to know their agreement to a given half width.

    With few topics no number of documents gives a narrow interval: then it says how many topics would do.
    """
    try:
        found = sample_size(SizeRequest(**asked))
    except InvalidInput as error:
        problems = "\n       ".join(f"{one.message} ({one.remedy})" for one in error.findings)
        raise click.UsageError(problems) from error
    if as_json:
        say_json(asdict(found))
    else:
        click.echo(found.in_words)
