"""Breached passwords: those that are known from break-ins elsewhere, in a file on this machine.

The file is that of Have I Been Pwned, "ordered by hash": in each line the SHA-1 of a password as 40
hexadecimal digits, and a colon with how often it was seen, which may be missing. It is tens of gigabytes
large, so it stays where it is and is searched by halves. No password and no part of its hash leaves this
machine.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import BinaryIO

from workbench.errors import Unavailable, WorkbenchError

DIGITS = 40
_LINE = re.compile(rb"[0-9A-Fa-f]{40}(?::\d+)?\r?\n?")


class BreachedPasswords:
    """The passwords of a file; raises WorkbenchError if it is not one of this form."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            with path.open("rb") as lines:
                first, second = lines.readline(200), lines.readline(200)
        except OSError as error:
            raise _unfit(path, str(error.strerror)) from None
        if not _LINE.fullmatch(first) or (second and not _LINE.fullmatch(second)):
            raise _unfit(path, "its lines are not SHA-1 hashes of 40 digits")
        if second and second[:DIGITS].upper() < first[:DIGITS].upper():
            raise _unfit(path, "its lines are not in the order of the hashes")

    def __contains__(self, password: object) -> bool:
        """Whether a password is among them; raises Unavailable if the file cannot be read any more."""
        if not isinstance(password, str):
            return False
        content = password.encode("utf-8", "surrogatepass")
        digits = hashlib.sha1(content, usedforsecurity=False).hexdigest().upper().encode()
        try:
            with self._path.open("rb") as lines:
                return _has_line(lines, digits)
        except OSError as error:
            message = f"the list of breached passwords cannot be read: {error.strerror}"
            raise Unavailable(message) from None


def _has_line(lines: BinaryIO, digits: bytes) -> bool:
    """Whether a line of a sorted file begins with these digits."""
    low, high = 0, lines.seek(0, 2)
    while low < high:
        middle = (low + high) // 2
        lines.seek(max(middle - 1, 0))
        if middle:
            lines.readline()  # to the beginning of a line
        begins = lines.tell()
        line = lines.readline()
        found = line[:DIGITS].upper()
        if found == digits:
            return True
        if begins >= high or found > digits:
            high = middle
        else:
            low = begins + len(line)
    return False


def _unfit(path: Path, why: str) -> WorkbenchError:
    remedy = "name the file of Have I Been Pwned that is ordered by hash (SHA-1)"
    return WorkbenchError(f"WORKBENCH_BREACHED_PASSWORDS: {path}: {why}", remedy=remedy)
