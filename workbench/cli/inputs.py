"""Where the commands take their input from: a file by name, or `-` for the standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from workbench.errors import Finding, InvalidInput
from workbench.formats.judgments import read_judgments
from workbench.records import Judgment

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


def graded_judgments(stream: BinaryIO, source: str, codes: Sequence[int]) -> tuple[Judgment, ...]:
    """The judgments of a file, grades in `codes` being those that mean "cannot judge".

    Raises InvalidInput as the reader of the format does, and for negative grades that no code names: some
    collections mean a grade by them, some none at all, and nobody but their user knows which.
    """
    found = read_judgments(stream, source=source, cannot_judge=codes)
    negative = [one for one in found if one.grade is not None and one.grade < 0]
    if not negative:
        return found
    kinds = sorted({one.grade for one in negative if one.grade is not None}, reverse=True)
    named = ", ".join(map(str, kinds[:5])) + (", ..." if len(kinds) > 5 else "")
    options = " ".join(f"--cannot-judge={kind}" for kind in kinds[:5])
    first = negative[0]
    many = f"{len(negative):,} grades are" if len(negative) > 1 else "1 grade is"
    raise InvalidInput(
        [
            Finding(
                source,
                None,
                "grade",
                f"{many} negative ({named}), first that of document {first.docno} for topic {first.topic}",
                f"add {options} where that is what it means, or write grades from 0 on",
            )
        ]
    )
