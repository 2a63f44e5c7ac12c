"""The health check: whether the process and its database work, answered within seconds whatever happens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from workbench.errors import WorkbenchError
from workbench.storage.limits import time_limit

PATH = "/healthz"
RETRY_SECONDS = 5
# How long the database has to respond.
SECONDS = 2.0


class Health:
    """Checks in a thread of its own, one check at a time; everybody who asks meanwhile waits for the same."""

    def __init__(self, check: Callable[[], None]) -> None:
        self._check = check
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="health")
        self._running: Future[bool] | None = None

    async def works(self) -> bool:
        """Whether the check succeeds in time; `check` raises WorkbenchError where something does not work."""
        if self._running is None or self._running.done():
            self._running = self._thread.submit(self._responds)
        # Shielded: who gives up waiting must not end the check.
        try:
            async with asyncio.timeout(SECONDS):
                return await asyncio.shield(asyncio.wrap_future(self._running))
        except TimeoutError:
            return False

    def _responds(self) -> bool:
        # Not by an exception: the event loop would log each one that nobody waits for any more.
        try:
            with time_limit(SECONDS):
                self._check()
        except WorkbenchError:
            return False
        return True


def health_response(works: bool) -> tuple[str, int, dict[str, str]]:
    """The body, status and headers that tell it; the reason is not disclosed."""
    plain = {"Content-Type": "text/plain; charset=utf-8"}
    if works:
        return "ok\n", 200, plain
    return "the database does not answer\n", 503, plain | {"Retry-After": str(RETRY_SECONDS)}
