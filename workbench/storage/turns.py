"""Turns: writers of an SQLite file queue before its lock, threads and processes alike, and share commits.

SQLite lets whoever finds it locked look again after ever longer pauses: under load some look for seconds.
"""

from __future__ import annotations

import fcntl
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeVar, cast

from workbench.errors import Unavailable

T = TypeVar("T")
# Between two looks at a lock that another process holds.
SHORTEST_PAUSE, LONGEST_PAUSE = 0.0002, 0.004
# As many changes share a commit at most: others wait for all of them.
MOST_TOGETHER = 64
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
            file = self._path.open("ab")
        except OSError:
            yield
            return
        with file:
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


@dataclass(slots=True, eq=False)
class _Change:
    """A change that waits for its commit, and what became of it."""

    act: Callable[[Any], Any]
    done: bool = False
    alone: bool = False
    result: Any = None
    error: Exception | None = None


class SharedCommits:
    """Changes that wait for each other are made in one transaction and committed at once.

    A commit waits for the disk, which takes longer than a small change. `writing` begins a transaction that
    waits for its turn.
    """

    def __init__(self, turn: Callable[[], Any], writing: Callable[[], Any]) -> None:
        self._turn = turn
        self._writing = writing
        self.waiting: list[_Change] = []
        self._lock = threading.Lock()

    def run(self, act: Callable[[Any], T]) -> T:
        """The result of `act(session)` once it is committed.

        Where one of several fails, nothing of them holds, and each is made again by itself: `act` may be
        called twice, and must change nothing outside of its session.
        """
        ((result, error),) = self.run_all([act])
        if error is not None:
            raise error
        return cast(T, result)

    def run_all(self, acts: Sequence[Callable[[Any], T]]) -> list[tuple[T | None, Exception | None]]:
        """As `run` for each of several, in their order; the result of each, or what it raised."""
        if not acts:
            return []  # without waiting for a turn
        mine = [_Change(act) for act in acts]
        with self._lock:
            self.waiting.extend(mine)
        try:
            with self._turn():
                # More may wait than share a commit.
                while not all(one.done or one.alone for one in mine):
                    self._make(self._next())
        except Unavailable as error:
            # Whoever had the turn may have made some of them meanwhile.
            for one in mine:
                if not one.done:
                    one.done, one.alone, one.error = True, False, error
        finally:
            with self._lock:
                self.waiting = [one for one in self.waiting if one not in mine]
        for one in mine:
            if one.alone:
                self._make_alone(one)
        return [(one.result, one.error) for one in mine]

    def _next(self) -> Sequence[_Change]:
        with self._lock:
            found = self.waiting[:MOST_TOGETHER]
            del self.waiting[:MOST_TOGETHER]
        return found

    def _make(self, changes: Sequence[_Change]) -> None:
        try:
            with self._writing() as session:
                results = [change.act(session) for change in changes]
        except Exception as error:  # noqa: BLE001 - whoever asked for the change is told
            # A database that does not respond has been waited for once for all of them.
            final = len(changes) == 1 or isinstance(error, Unavailable)
            for change in changes:
                change.done, change.alone, change.error = final, not final, error if final else None
        except BaseException:
            for change in changes:
                change.alone = True
            raise
        else:
            for change, result in zip(changes, results, strict=True):
                change.done, change.result = True, result

    def _make_alone(self, change: _Change) -> None:
        try:
            with self._writing() as session:
                change.result = change.act(session)
        except Exception as error:  # noqa: BLE001 - whoever asked for the change is told
            change.error = error
