"""Turns: writers of an SQLite file queue before its lock, threads and processes alike.

SQLite lets whoever finds it locked look again after ever longer pauses: under load some look for seconds.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from workbench.errors import Unavailable

# Between two looks at a lock that another process holds.
SHORTEST_PAUSE, LONGEST_PAUSE = 0.0002, 0.004
BUSY = "another change holds the database"


class NextWriter:
    """The place of the process that gets SQLite's lock next; whoever wants it waits for the place first.

    So only one process looks at SQLite's lock, and the one that has just let it go does not get it again
    before. The place is a lock of the system on a file beside the database, which ends with its process.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    @contextmanager
    def place(self, seconds: float) -> Iterator[None]:
        """Hold the place; raises Unavailable if it is not free within so many seconds.

        Where the file cannot be made nobody has a place: SQLite says what is wrong with the folder.
        """
        try:
            opened = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        except OSError:
            yield
            return
        with os.fdopen(opened, "ab") as file:
            end, pause = time.monotonic() + seconds, SHORTEST_PAUSE
            while not _locked(file):
                if time.monotonic() > end:
                    raise Unavailable(BUSY)
                time.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
            yield


def _locked(file: IO[bytes]) -> bool:
    """Whether the lock of a file was free, and is held now until the file is closed."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
