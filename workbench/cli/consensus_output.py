"""Exports of labels to a file or the standard output."""

from __future__ import annotations

import sys
from pathlib import Path

from workbench.cli.output import say_json
from workbench.consensus.tables import Table
from workbench.errors import WorkbenchError
from workbench.export import csv_bytes


def write_table(table: Table, output: Path | None, as_json: bool) -> None:
    """Write a table as CSV, or print it as JSON."""
    if as_json:
        say_json(table.records())
    else:
        write_out(csv_bytes(table.columns, table.rows), output)


def write_out(content: bytes, output: Path | None) -> None:
    """Write bytes to a file, or to the standard output; raises WorkbenchError where that cannot be."""
    if output is None:
        sys.stdout.buffer.write(content)
        return
    try:
        output.write_bytes(content)
    except OSError as error:
        raise WorkbenchError(f"{output} cannot be written: {error.strerror}") from None
