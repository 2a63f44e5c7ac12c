"""Exports of labels to a file or the standard output."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

from workbench.cli.output import say_json
from workbench.consensus.tables import Table
from workbench.errors import WorkbenchError


def write_table(table: Table, output: Path | None, as_json: bool) -> None:
    """Write a table as CSV, or print it as JSON."""
    if as_json:
        say_json(table.records())
    else:
        write_out(table_as_csv(table), output)


def write_out(content: bytes, output: Path | None) -> None:
    """Write bytes to a file, or to the standard output; raises WorkbenchError where that cannot be."""
    if output is None:
        sys.stdout.buffer.write(content)
        return
    try:
        output.write_bytes(content)
    except OSError as error:
        raise WorkbenchError(f"{output} cannot be written: {error.strerror}") from None


def table_as_csv(table: Table) -> bytes:
    """A table as CSV with all digits; None is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(table.columns)
    writer.writerows(table.rows)
    return text.getvalue().encode("utf-8", "surrogateescape")
