"""Copies of a database on a terminal: progress over their rows, and what they hold."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import click

from workbench.cli.output import say_json
from workbench.storage.portable.contents import Contents
from workbench.storage.portable.loading import Copied
from workbench.storage.portable.rows import Progress, no_progress

# Showing each row would take longer than copying it.
SHOWN_EVERY = 997
COUNTED = {
    "campaign": ("campaign", "campaigns"),
    "account": ("account", "accounts"),
    "topic": ("topic", "topics"),
    "document": ("document", "documents"),
    "run": ("run", "runs"),
    "pool": ("pool", "pools"),
    "judgment_event": ("judgment event", "judgment events"),
    "adjudication_event": ("decision", "decisions"),
    "collection_release": ("release", "releases"),
}
"""What people count, by table."""


@contextmanager
def row_progress() -> Iterator[Progress]:
    """Shows on standard error what is being done, if that is a terminal."""
    if not sys.stderr.isatty():
        yield no_progress
        return
    from rich.console import Console

    with Console(stderr=True).status("") as status:
        yield _Counter(status).add


@dataclass(slots=True)
class _Counter:
    """Counts the rows of a step."""

    status: Any
    step: str = ""
    rows: int = 0

    def add(self, step: str, rows: int) -> None:
        before = self.rows // SHOWN_EVERY
        if step != self.step:
            self.step, self.rows, before = step, 0, -1
        self.rows += rows
        if self.rows // SHOWN_EVERY != before:
            self.status.update(f"{step}: {self.rows:,} rows" if self.rows else step)


def described(contents: Contents) -> str:
    """What a database or backup holds, in words."""
    counts = [
        f"{count:,} {one if count == 1 else many}"
        for table, (one, many) in COUNTED.items()
        if (count := contents.count(table))
    ]
    rows = f"{contents.rows:,} rows in {len(contents.tables)} tables"
    return f"{', '.join(counts)}; {rows}" if counts else rows


def say_copied(copied: Copied, done: str, *, as_json: bool) -> None:
    """Print what was copied, after how it was `done`; the same as JSON on request."""
    if as_json:
        say_json({"resumed": copied.resumed, "contents": contents_json(copied.contents)})
        return
    if copied.resumed:
        click.echo(f"Continued after {copied.resumed:,} rows that were there from an earlier attempt.")
    click.echo(f"{done}: {described(copied.contents)}")
    click.echo(f"contents {copied.contents.sha256}")


def contents_json(contents: Contents) -> dict[str, object]:
    """What a database or backup holds, for programs."""
    return {
        "revision": contents.revision,
        "sha256": contents.sha256,
        "rows": contents.rows,
        "tables": {one.name: {"rows": one.rows, "sha256": one.sha256} for one in contents.tables},
    }
