"""Ids: what one may contain in files and in the database, and lists of ids."""

from __future__ import annotations

import re
from collections.abc import Iterable

from workbench.errors import Finding, WorkbenchError, rejected
from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.source import BOM, Readable, byte_lines, numbered_lines
from workbench.records import id_bytes, id_text

# The columns of run and qrels files are separated by white space of ASCII; control characters and the byte
# order mark cannot be seen, so two ids would look the same and be none.
_MISFIT = re.compile("[\x00-\x20\x7f\ufeff]")
_MISFIT_BYTES = bytes(byte for byte in range(0x20) if byte != 0x0A) + b" \x7f"

LONGEST_ID = 512
"""The most characters of a topic id, docno or tag, in files as in the database."""

# White space beyond ASCII, which half of the field's programs split columns at, and characters that show
# nothing; but the joiners of Persian, of the scripts of India and of emoji are seen by what they join.
_UNSEEN = re.compile(
    "[\u0080-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180e\u2000-\u200b\u200e\u200f\u2028-\u202f"
    "\u205f-\u206f\u3000\u3164\uffa0\ufff9-\ufffb\U000e0000-\U000e007f]"
    "|(?<![^\0-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\0-\x7f])"
)

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def trimmed(text: str) -> str:
    """An id without the white space around it; a no-break space is no white space, but a byte of the id."""
    return text.strip(" \t\n\r\f\v")


def fits(identifier: str) -> bool:
    """Whether an id survives every file format: not empty, no white space or control character, encodable."""
    if not identifier or _MISFIT.search(identifier):
        return False
    try:
        id_bytes(identifier)
    except UnicodeEncodeError:
        return False
    return True


def all_fit(joined: bytes) -> bool:
    r"""Whether `check_ids` finds nothing but length in many ids, given as bytes, none empty, joined by \n."""
    fitting = BOM not in joined and len(joined.translate(None, _MISFIT_BYTES)) == len(joined)
    return fitting and all_seen(joined)


def all_seen(text: bytes) -> bool:
    """Whether no id in a text holds a character beyond ASCII that cannot be seen."""
    return text.isascii() or not _UNSEEN.search(id_text(text))


def is_utf8(identifier: str) -> bool:
    """Whether an id is text, and not bytes that are none."""
    return not any("\ud800" <= character <= "\udfff" for character in identifier)


def check_ids(line: int | None, identifiers: Iterable[str], errors: ErrorCollector) -> bool:
    """Whether all these ids fit; those that do not become errors of the line."""
    before = errors.count
    for identifier in identifiers:
        if not identifier:
            errors.add(line, "id", "an id is missing", "give every record an id")
        elif not fits(identifier):
            errors.add(
                line,
                "id",
                f"the id {shown(identifier)} contains white space or invisible characters",
                "write the id as one word: run and qrels files separate columns by spaces",
            )
        elif unseen := _UNSEEN.search(identifier):
            code = f"U+{ord(unseen[0]):04X}"
            message = f"the id {shown(identifier)} contains {code}, which is invisible or white space"
            errors.add(line, "id", message, "remove it everywhere: ids that look the same must be the same")
        if len(identifier) > LONGEST_ID:
            message = f"the id {shown(identifier)} has {len(identifier):,} characters"
            errors.add(line, "id-length", message, f"at most {LONGEST_ID}")
    return errors.count == before


def plain(identifier: str, what: str) -> bytes:
    """The bytes of an id to be written; raises WorkbenchError where it would not survive."""
    if not fits(identifier):
        raise WorkbenchError(
            f"the {what} {shown(identifier)} cannot be written",
            remedy="use ids that are not empty and have no white space or control characters",
        )
    return id_bytes(identifier)


def read_ids(stream: Readable, *, source: str) -> tuple[str, ...]:
    """Ids from a plain or gzip list, one a line (the first column), in file order, blank lines left out.

    Raises InvalidInput for an empty list and ids with invisible characters.
    """
    errors = ErrorCollector(source)
    ids: list[str] = []
    for number, line in byte_lines(stream, source=source):
        columns = line.split(maxsplit=1)
        if columns:
            ids.append(id_text(columns[0]))
            check_ids(number, ids[-1:], errors)
    errors.require(ids, "the list contains no ids", "write one id per line")
    return tuple(ids)


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
        raise rejected(source, None, "empty", "the list contains no docnos", "write one per line")
    return found


def id_finding(identifier: str, *, what: str, source: str) -> Finding | None:
    """The error of an id that cannot be stored, or None.

    Commands that need no database accept any bytes. PostgreSQL stores neither NUL nor invalid UTF-8, and an
    id that was changed silently would no longer match the runs.
    """
    shown = identifier.encode("utf-8", "backslashreplace").decode("utf-8")[:80]
    if _UNSTORABLE.search(identifier):
        return Finding(
            source, None, "id-encoding", f"{what} {shown!r} is not UTF-8", "convert the file to UTF-8"
        )
    if len(identifier) > LONGEST_ID:
        return Finding(
            source, None, "id-length", f"{what} {shown!r}… has {len(identifier)} characters",
            f"at most {LONGEST_ID}",
        )  # fmt: skip
    return None


def storable(text: str) -> str:
    """The text with NUL and lone surrogates, which PostgreSQL cannot store, replaced by U+FFFD."""
    if text.isascii() and "\0" not in text:
        return text
    return _UNSTORABLE.sub("\ufffd", text)
