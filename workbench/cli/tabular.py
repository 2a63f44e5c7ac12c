"""Tables of commands in four forms: for people, as JSON, as CSV, as LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import click

from workbench.cli.output import say_json, say_table
from workbench.export import Export

Command = TypeVar("Command", bound=Callable[..., Any])


def form_options(command: Command) -> Command:
    """Give a command `--json`, `--csv` and `--latex`; it receives `as_json`, `as_csv` and `as_latex`."""
    command = click.option("--latex", "as_latex", is_flag=True, help="LaTeX tables (booktabs).")(command)
    command = click.option("--csv", "as_csv", is_flag=True, help="A table as CSV, with all digits.")(command)
    return click.option("--json", "as_json", is_flag=True, help="One JSON object, with all digits.")(command)


def one_form(*, as_json: bool, as_csv: bool, as_latex: bool) -> str:
    """The form that is wanted, `text` if none is named; raises UsageError for several."""
    chosen = [name for name, given in (("json", as_json), ("csv", as_csv), ("latex", as_latex)) if given]
    if len(chosen) > 1:
        said = " and ".join(f"--{name}" for name in chosen)
        raise click.UsageError(f"{said} exclude one another: keep one of them")
    return chosen[0] if chosen else "text"


def print_export(export: Export, form: str) -> bool:
    """Print a result as JSON, CSV or LaTeX where one of these is asked for; False if it is for people."""
    if form == "json":
        say_json(export.data())
    elif form == "csv":
        click.echo(export.csv(), nl=False)
    elif form == "latex" and export.latex is not None:
        click.echo(export.latex(), nl=False)
    return form != "text"


def say_short(columns: Sequence[str], rows: Iterable[Sequence[object]], *, numeric_from: int = 1) -> None:
    """Say a table for people: three decimals, and a dash for what is not there."""
    numeric = range(numeric_from, len(columns))
    say_table(columns, [[_short(cell) for cell in row] for row in rows], numeric=numeric)


def _short(cell: object) -> object:
    if cell is None or cell == "":
        return "-"
    return f"{cell:.3f}" if isinstance(cell, float) else cell
