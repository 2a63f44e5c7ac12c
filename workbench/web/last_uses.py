"""When sessions are used: noted once an hour each, by a thread of its own, for which no request waits."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import Future, ThreadPoolExecutor

from workbench.errors import Unavailable
from workbench.storage.engine import Database
from workbench.workflow.people.sessions import note_use

LOG = logging.getLogger(__name__)


class LastUses:
    """Notes uses; a session whose use is about to be noted is not noted twice."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="last-uses")
        self._lock = threading.Lock()
        self._waiting: dict[str, Future[None]] = {}

    def note(self, database: Database, token: str) -> None:
        """Have it noted that the session with this token is used now."""
        with self._lock:
            if token not in self._waiting:
                self._waiting[token] = self._thread.submit(self._store, database, token)

    def wait(self) -> None:
        """Wait until everything is noted."""
        with self._lock:
            waiting = list(self._waiting.values())
        for one in waiting:
            one.result()

    def _store(self, database: Database, token: str) -> None:
        try:
            with database.writing() as db:
                note_use(db, token)
        except Unavailable as error:
            # The next request asks for it again.
            LOG.warning("the last use of a session is not noted: %s", error)
        finally:
            with self._lock:
                self._waiting.pop(token, None)
