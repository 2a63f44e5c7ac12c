"""Terminal output: tables for people, JSON and CSV for programs, findings on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

import click

from workbench.errors import Finding, InvalidInput, WorkbenchError
from workbench.export import csv_bytes

REFUSED = 1
Item = TypeVar("Item")


def say_json(value: Any) -> None:
    """Print one JSON object or array; undecodable bytes of ids are escaped as lone surrogates."""
    click.echo(json.dumps(value, ensure_ascii=True, allow_nan=False))


def print_csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table as CSV."""
    click.echo(csv_bytes(columns, rows), nl=False)


def say_table(
    headings: Sequence[str], rows: Iterable[Sequence[object]], *, numeric: Sequence[int] = ()
) -> None:
    """Print a plain table for people; the columns named in `numeric` (from 0) are aligned right.

    If the output is not a terminal, columns are separated by tabs, for `cut` and `awk`.
    """
    if not sys.stdout.isatty():
        click.echo("\t".join(headings))
        for row in rows:
            click.echo("\t".join(printable(cell) for cell in row))
        return
    # Imported only where used, here and below: output for programs must not wait for the import.
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column, heading in enumerate(headings):
        table.add_column(heading, justify="right" if column in numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(_plain(cell) for cell in row))
    Console(highlight=False).print(table)


def with_progress(items: Sequence[Item], label: str) -> Iterator[Item]:
    """Yield the items, with a progress bar on standard error if that is a terminal."""
    if len(items) < 2 or not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(items, description=label, console=Console(stderr=True), transient=True)


def complain(error: WorkbenchError) -> None:
    """Print every finding of a rejected input, or the error and its remedy, on standard error."""
    if isinstance(error, InvalidInput) and error.findings:
        say_findings(error.findings)
    else:
        click.echo(f"workbench: {error}", err=True)


def say_findings(findings: Iterable[Finding]) -> None:
    """Print findings on standard error, one per line, as `file:line: message (remedy)`."""
    for finding in findings:
        click.echo(f"{finding.severity}: {printable(finding)}", err=True)


def printable(value: object) -> str:
    """A value as a terminal can show it; a byte outside UTF-8 becomes a question mark."""
    return str(value).encode("utf-8", "replace").decode("utf-8")


def _plain(cell: object) -> str:
    return printable(cell).replace("[", r"\[")
