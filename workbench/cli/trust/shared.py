"""What the commands of `workbench trust` have in common: options, and the forms of what is printed."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click

from workbench.cli.output import form_options, one_form
from workbench.records import TieRule

Command = TypeVar("Command", bound=Callable[..., Any])

MEASURE = click.option(
    "-m", "--measure", default="AP", show_default=True, help="Measure that ranks the runs, as AP or nDCG@10."
)
RELEVANT_FROM = click.option(
    "--relevant-from",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="Lowest relevant grade.",
)
TIES = click.option(
    "--ties",
    type=click.Choice([rule.value for rule in TieRule]),
    default=TieRule.TREC_EVAL.value,
    show_default=True,
    help="Which of two documents with the same score comes first.",
)
SEED = click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of what is drawn at random."
)


def table_forms(command: Command) -> Command:
    """Give a command `--json`, `--csv` and `--latex`; it receives `form`: text, json, csv or latex."""

    @wraps(command)
    def with_form(*args: Any, as_json: bool, as_csv: bool, as_latex: bool, **options: Any) -> Any:
        form = one_form(as_json=as_json, as_csv=as_csv, as_latex=as_latex)
        return command(*args, form=form, **options)

    decorated: Any = form_options(with_form)
    return decorated  # type: ignore[no-any-return]  # click calls it alone
