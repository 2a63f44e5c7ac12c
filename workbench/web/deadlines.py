"""Deadlines: time limits of what waits in the event loop, which one timer watches.

`asyncio.timeout` sets and cancels a timer of its own for every request; nearly all requests end long before.
"""

from __future__ import annotations

import asyncio
from types import TracebackType
from weakref import WeakKeyDictionary


def within(seconds: float) -> Deadline:
    """A limit for what is awaited in its block, which raises TimeoutError after so many seconds."""
    loop = asyncio.get_running_loop()
    watch = _WATCHES.get(loop)
    if watch is None:
        watch = _WATCHES[loop] = _Watch()
    return Deadline(watch, loop, loop.time() + seconds)


class Deadline:
    """What `within` gives: a block of the running task, which is cancelled at the deadline."""

    __slots__ = ("_cancelling", "_loop", "_task", "_watch", "end", "passed")

    def __init__(self, watch: _Watch, loop: asyncio.AbstractEventLoop, end: float) -> None:
        self._watch = watch
        self._loop = loop
        self.end = end
        self.passed = False

    def __enter__(self) -> None:
        """Begin the block."""
        task = asyncio.current_task(self._loop)
        if task is None:
            raise RuntimeError("a deadline needs a task")
        self._task, self._cancelling = task, task.cancelling()
        self._watch.add(self, self._loop)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """End the block; its cancellation becomes TimeoutError where nobody else cancelled the task."""
        self._watch.discard(self)
        if not self.passed:
            return
        if self._task.uncancel() <= self._cancelling and kind is asyncio.CancelledError:
            raise TimeoutError from error

    def cancel(self) -> None:
        """Cancel the task: its time is up."""
        self.passed = True
        self._task.cancel()


class _Watch:
    """The deadlines of a loop; its timer is set for the earliest that it knew when it was set."""

    def __init__(self) -> None:
        self._deadlines: set[Deadline] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0.0

    def add(self, deadline: Deadline, loop: asyncio.AbstractEventLoop) -> None:
        self._deadlines.add(deadline)
        if self._timer is None or deadline.end < self._timer_at:
            self._set(deadline.end, loop)

    def discard(self, deadline: Deadline) -> None:
        # The timer stays: one that finds nothing to do is cheaper than one cancelled for each request.
        self._deadlines.discard(deadline)

    def _set(self, at: float, loop: asyncio.AbstractEventLoop) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at = at
        self._timer = loop.call_at(at, self._look, loop)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = None
        # A timer may ring a moment early, by the resolution of the loop's clock.
        now = max(loop.time(), self._timer_at)
        for deadline in [one for one in self._deadlines if one.end <= now]:
            self._deadlines.discard(deadline)
            deadline.cancel()
        if self._deadlines:
            self._set(min(one.end for one in self._deadlines), loop)


_WATCHES: WeakKeyDictionary[asyncio.AbstractEventLoop, _Watch] = WeakKeyDictionary()
