"""The health check: whether the process and its database work, answered within seconds whatever happens."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor

from workbench.errors import WorkbenchError
from workbench.storage.engine import Database
from workbench.storage.limits import time_limit
from workbench.storage.reachability import reachable

PATH = "/healthz"
RETRY_SECONDS = 5
# How long the database has to respond.
SECONDS = 2.0
AWAY, FULL = "the database does not answer", "the disk of the server is full: nothing is saved"


class Health:
    """Checks in a thread of its own, one check at a time; everybody who asks meanwhile waits for the same."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="health")
        self._running: Future[str] | None = None

    async def problem(self) -> str:
        """What does not work, empty if all does."""
        if self._running is None or self._running.done():
            self._running = self._thread.submit(self._responds)
        # Shielded: who gives up waiting must not end the check.
        try:
            async with asyncio.timeout(SECONDS):
                return await asyncio.shield(asyncio.wrap_future(self._running))
        except TimeoutError:
            return AWAY

    def _responds(self) -> str:
        # Not by an exception: the event loop would log each one that nobody waits for any more.
        with time_limit(SECONDS):
            return database_problem(self._database)


def database_problem(database: Database) -> str:
    """What does not work of a database, empty if all does; no more of the reason is disclosed."""
    try:
        reachable(database)
    except WorkbenchError:
        return AWAY
    return FULL if database.disk_full else ""


def health_response(problem: str) -> tuple[str, int, dict[str, str]]:
    """The body, status and headers that tell it."""
    plain = {"Content-Type": "text/plain; charset=utf-8"}
    if not problem:
        return "ok\n", 200, plain
    return f"{problem}\n", 503, plain | {"Retry-After": str(RETRY_SECONDS)}
