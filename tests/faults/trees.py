"""The processes of a server: which there are, and the most memory that they take."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

EVERY = 0.25
"""Seconds between two looks."""


@dataclass(slots=True)
class MostMemory:
    """MiB: the most that one process took, and the most that all took together at one look."""

    one: float = 0
    together: float = 0


def tree_of(first: int) -> list[int]:
    """A process, its children and theirs, as far as they run."""
    found, left = [], [first]
    while left:
        number = left.pop()
        found.append(number)
        left += _children(number)
    return found


@contextmanager
def watched_memory(first: Callable[[], int]) -> Iterator[MostMemory]:
    """The most memory of a tree of processes, whose first may change; complete at the end."""
    most, ended = MostMemory(), threading.Event()
    for number in tree_of(first()):
        # The most that a process has taken so far is forgotten.
        with suppress(OSError):
            Path(f"/proc/{number}/clear_refs").write_text("5")
    thread = threading.Thread(target=_watch, args=(first, most, ended))
    thread.start()
    try:
        yield most
    finally:
        ended.set()
        thread.join()


def _children(number: int) -> list[int]:
    found: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{number}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    return found


def _watch(first: Callable[[], int], most: MostMemory, ended: threading.Event) -> None:
    while True:
        stated = [_read(number, "status") for number in tree_of(first())]
        most.one = max([most.one, *(_mebibytes(one, "VmHWM") for one in stated)])
        most.together = max(most.together, sum(_mebibytes(one, "VmRSS") for one in stated))
        if ended.wait(EVERY):
            return


def _read(number: int, name: str) -> str:
    try:
        return Path(f"/proc/{number}/{name}").read_text(errors="replace")
    except OSError:
        return ""


def _mebibytes(status: str, name: str) -> float:
    for line in status.splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / 1024
    return 0
