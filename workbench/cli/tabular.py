"""Tables of commands in three forms: for people, as CSV, as JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import click

from workbench.cli.output import say_json, say_table

Command = TypeVar("Command", bound=Callable[..., Any])


def form_options(command: Command) -> Command:
    """Give a command `--csv` and `--json`; it receives `as_csv` and `as_json`."""
    command = click.option("--csv", "as_csv", is_flag=True, help="A table as CSV, with all digits.")(command)
    return click.option("--json", "as_json", is_flag=True, help="One JSON object, with all digits.")(command)


def say_rows(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    said: Mapping[str, object],
    as_csv: bool,
    as_json: bool,
    numeric_from: int = 1,
) -> None:
    """Say a table; JSON has `said` beside its `rows`, people read three decimals and a dash for none."""
    if as_json:
        say_json({**said, "rows": [dict(zip(columns, row, strict=True)) for row in rows]})
    elif as_csv:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
        click.echo(text.getvalue().encode("utf-8", "surrogateescape"), nl=False)
    else:
        numeric = range(numeric_from, len(columns))
        say_table(columns, [[_short(cell) for cell in row] for row in rows], numeric=numeric)


def _short(cell: object) -> object:
    if cell is None or cell == "":
        return "-"
    return f"{cell:.3f}" if isinstance(cell, float) else cell
