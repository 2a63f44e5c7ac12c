"""Places: how many requests are answered at once, and for how long, by who asks for what.

Each kind of request has threads of its own, so that nobody can stop the others: not a stranger who guesses
passwords those who are signed in, not savers that wait for a lock those who read, not an upload either.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from flask import Flask

from workbench.storage.limits import time_limit
from workbench.storage.turns import MOST_TOGETHER
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

    def gathering(
        self, kind: RequestKind, act: Callable[[Sequence[Any]], Sequence[Any]], *, threads: int = 1
    ) -> Gathering:
        """What answers requests of a kind together, by an `act` that gives a result for each of them."""
        return Gathering(self._rooms[kind], act, threads)


class Gathering:
    """Requests that a thread answers together: those that arrive meanwhile are the next lot."""

    def __init__(self, room: _Room, act: Callable[[Sequence[Any]], Sequence[Any]], threads: int = 1) -> None:
        self._room = room
        self._act = act
        self._threads = threads
        self._lock = threading.Lock()
        self._waiting: deque[_Waiting] = deque()
        self._working = 0

    async def run(self, asked: Any) -> Any:
        """What `act` gives for a request; raises what it raises, and as `Places.run`."""
        self._room.enter()
        loop = asyncio.get_running_loop()
        result = loop.create_future()
        with self._lock:
            self._waiting.append((asked, result))
            begins = self._working < self._threads
            self._working += begins
        if begins:
            self._room.threads.submit(self._work, loop)
        with within(self._room.bounds.seconds):
            return await result

    def _work(self, loop: asyncio.AbstractEventLoop) -> None:
        while lot := self._next():
            begun = [one for one in lot if not one[1].cancelled()]
            results: Sequence[Any] = ()
            error: BaseException | None = None
            try:
                with time_limit(self._room.bounds.seconds):
                    results = self._act([asked for asked, _ in begun])
            except BaseException as raised:  # noqa: BLE001 - whoever waits is told, others are answered
                error = raised
            self._room.leave(len(lot))
            loop.call_soon_threadsafe(_settle, begun, results, error)

    def _next(self) -> Sequence[_Waiting]:
        with self._lock:
            # An equal share of what waits, for each thread.
            share = -(-len(self._waiting) // self._threads)
            lot = [self._waiting.popleft() for _ in range(min(MOST_TOGETHER, share))]
            self._working -= not lot
        return lot


_Waiting = tuple[Any, asyncio.Future[Any]]


def _settle(lot: Sequence[_Waiting], results: Sequence[Any], error: BaseException | None) -> None:
    for number, (_, result) in enumerate(lot):
        if result.done():
            continue
        if error is not None:
            result.set_exception(error)
        else:
            result.set_result(results[number])


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

    def leave(self, requests: int = 1) -> None:
        with self._lock:
            self.inside -= requests
