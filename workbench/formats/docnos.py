"""Lists of docnos: one or more a line, parted by blanks, as they are pasted or kept in a file."""

from __future__ import annotations

from workbench.errors import Finding, InvalidInput
from workbench.formats.source import Readable, numbered_lines


def read_docnos(stream: Readable, *, source: str) -> dict[str, int]:
    """The docnos of a plain or gzip list, each once, with the line (from 1) on which it first stands.

    Raises InvalidInput for what is no text, and for a list without a docno.
    """
    found: dict[str, int] = {}
    for number, line in numbered_lines(stream, source=source):
        # Only blanks and tabs part, as in a run: other white space may belong to an id.
        for docno in line.replace("\t", " ").split(" "):
            if docno:
                found.setdefault(docno, number)
    if not found:
        raise InvalidInput([Finding(source, None, "empty", "there is no docno in it", "give one a line")])
    return found
