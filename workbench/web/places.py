"""Places: how many requests are answered at once, and for how long, by who asks for what.

Each kind of request has threads of its own, so that nobody can stop the others: not a stranger who guesses
passwords those who are signed in, not savers that wait for a lock those who read, not an upload either.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from flask import Flask

from workbench.storage.limits import time_limit
from workbench.web.access import Who, access_of
from workbench.web.deadlines import within
from workbench.workflow.people.roles import Role

READS = frozenset({"GET", "HEAD", "OPTIONS"})
AHEAD_ENDPOINT = "desk.documents"


class RequestKind(StrEnum):
    """The kinds of requests."""

    RECOGNISING = "recognising"
    """Not a request itself: whether the session of one is valid."""
    STRANGER = "stranger"
    """Of somebody who is not signed in."""
    READING = "reading"
    """Short pages of assessors, and of everybody outside a campaign."""
    AHEAD = "documents ahead"
    """The documents that the judging page fetches before they are needed: nobody waits for them."""
    SAVING = "saving"
    """What assessors save."""
    LONG = "long"
    """Pages of organisers and other readers, which the second process computes."""
    LOADING = "loading"
    """Forms and files of organisers, adjudicators and participants."""


@dataclass(frozen=True, slots=True)
class RequestBounds:
    """The bounds of a kind: requests answered at once, further ones that wait, seconds for each."""

    at_once: int
    waiting: int
    seconds: float


BOUNDS: Mapping[RequestKind, RequestBounds] = {
    RequestKind.RECOGNISING: RequestBounds(2, 200, 10),
    RequestKind.STRANGER: RequestBounds(4, 100, 20),
    # More at once would only compete for Python's lock.
    RequestKind.READING: RequestBounds(10, 400, 30),
    # Twelve at once, each putting ten documents together, keep saves from that lock: with 32 robots without
    # pause one save in a hundred took 98 to 131 ms, with two at once 78 to 103 ms.
    RequestKind.AHEAD: RequestBounds(2, 400, 30),
    RequestKind.SAVING: RequestBounds(8, 400, 30),
    RequestKind.LONG: RequestBounds(4, 36, 120),
    RequestKind.LOADING: RequestBounds(8, 32, 900),
}


class Full(Exception):
    """Every place of a kind is taken, and as many requests wait as may."""


class Places:
    """The threads that answer requests; `run` is called from the event loop."""

    def __init__(self, bounds: Mapping[RequestKind, RequestBounds] = BOUNDS) -> None:
        self._rooms = {kind: _Room(kind, bound) for kind, bound in bounds.items()}

    def busy(self) -> dict[str, int]:
        """How many requests of each kind are being answered or wait."""
        return {str(kind): room.inside for kind, room in self._rooms.items()}

    async def run(
        self, kind: RequestKind, act: Callable[[], Any], *, finally_: Callable[[], Any] = int
    ) -> Any:
        """Call `act` in a thread of a kind and return its result; `finally_` when it can no longer run.

        Raises Full, or TimeoutError: then `act` was not begun and never will be, or it goes on unwatched.
        """
        room = self._rooms[kind]
        try:
            room.enter()
        except Full:
            finally_()
            raise

        def leave(_: Any) -> None:
            room.leave()
            finally_()

        def limited() -> Any:
            # What the database leaves unanswered must not hold the thread for longer than the request lasts.
            with time_limit(room.bounds.seconds):
                return act()

        future = room.threads.submit(limited)
        future.add_done_callback(leave)
        with within(room.bounds.seconds):
            return await asyncio.wrap_future(future)


def kind_of(app: Flask, method: str, endpoint: str | None, *, signed_in: bool) -> RequestKind:
    """The kind of a request for an endpoint, which is None if there is no such page."""
    if not signed_in:
        return RequestKind.STRANGER
    if endpoint == AHEAD_ENDPOINT:
        return RequestKind.AHEAD
    stated = access_of(app, endpoint) if endpoint else None
    reads = method in READS
    if stated is not None and stated.who is Who.MEMBER and Role.ASSESSOR not in stated.roles:
        return RequestKind.LONG if reads else RequestKind.LOADING
    return RequestKind.READING if reads else RequestKind.SAVING


class _Room:
    def __init__(self, kind: RequestKind, bounds: RequestBounds) -> None:
        self.bounds = bounds
        self.threads = ThreadPoolExecutor(bounds.at_once, thread_name_prefix=str(kind))
        self.inside = 0
        self._lock = threading.Lock()

    def enter(self) -> None:
        with self._lock:
            if self.inside >= self.bounds.at_once + self.bounds.waiting:
                raise Full
            self.inside += 1

    def leave(self) -> None:
        with self._lock:
            self.inside -= 1
