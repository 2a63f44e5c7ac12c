"""Where the commands take their input from: a file by name, or `-` for the standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from workbench.errors import Finding, InvalidInput

STANDARD_INPUT = "standard input"


@contextmanager
def open_input(name: str) -> Iterator[tuple[BinaryIO, str]]:
    """Open a file for reading, or the standard input for `-`; gives the stream and the name for messages.

    Raises InvalidInput where the file is missing, is a folder or may not be read. Gzip is left to the readers
    of formats, which look at the content.
    """
    if name == "-":
        yield sys.stdin.buffer, STANDARD_INPUT
        return
    try:
        stream = Path(name).open("rb")  # noqa: SIM115 - only the opening may fail here; it is closed below
    except (OSError, ValueError) as error:
        raise InvalidInput([_unopened(name, error)]) from error
    with stream:
        yield stream, name


def _unopened(name: str, error: Exception) -> Finding:
    if isinstance(error, FileNotFoundError):
        return Finding(name, None, "not-found", "there is no such file", "check the name and the folder")
    if isinstance(error, IsADirectoryError):
        return Finding(name, None, "is-a-folder", "this is a folder, not a file", f"name its files: {name}/*")
    if isinstance(error, PermissionError):
        return Finding(name, None, "not-allowed", "you may not read this file", f"chmod u+r {name}")
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return Finding(name, None, "not-opened", f"the file cannot be opened: {reason}", "check the name")
