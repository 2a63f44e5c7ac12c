"""The search index of a campaign on this host, brought up to date by a process of its own unless it is small.

The process takes the lock of the index, which ends with it; its progress is in a file beside the index, and
its exit code says whether the index could be written. After one that failed the next waits for a while.
"""

from __future__ import annotations

import logging
import subprocess
import threading
import time
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from workbench.errors import Conflict
from workbench.searching.engine import UnwritableIndex
from workbench.web import index_worker
from workbench.web.context import Context, app_context, reading
from workbench.web.workers import start_worker
from workbench.workflow.campaigns.collection import document_count
from workbench.workflow.searching.host_index import HostIndex
from workbench.workflow.searching.index import campaign_index, is_current, refresh_index

SMALL = 300
"""Documents that are indexed at once, which takes a tenth of a second."""
RETRY_SECONDS = 30.0
_BUILDS: dict[Path, IndexBuild] = {}
_STARTING = threading.Lock()
LOG = logging.getLogger(__name__)


class IndexProblem(StrEnum):
    """Why an index stays behind."""

    UNWRITABLE = "unwritable"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """The index of a campaign: whether it misses changes, how far it is updated, and what prevents that."""

    index: HostIndex
    behind: bool
    done: int
    total: int
    problem: IndexProblem | None = None


@dataclass(slots=True)
class IndexBuild:
    """The last attempt to update an index: its process (none where it was done here), and how it ended."""

    process: subprocess.Popen[bytes] | None
    problem: IndexProblem | None = None
    failed_at: float = 0.0

    def is_enough(self) -> bool:
        """Whether no other attempt is to be made now: it goes on, or has failed a moment ago."""
        code = self.process.poll() if self.process is not None else 0
        if code is None:
            return True
        if code and self.problem is None:
            self.problem = IndexProblem.UNWRITABLE if code == index_worker.UNWRITABLE else IndexProblem.ENDED
            self.failed_at = time.monotonic()
        return self.problem is not None and time.monotonic() - self.failed_at < RETRY_SECONDS


def up_to_date_index(campaign_id: int) -> IndexProgress:
    """The index as far as it is; where it is behind, it is updated, or a process for that is started."""
    context = app_context()
    with reading() as db:
        index = campaign_index(db, context.settings.instance, campaign_id)
        current, total = is_current(db, index, campaign_id), document_count(db, campaign_id)
    if current:
        return IndexProgress(index, False, total, total)
    with _STARTING:
        build = _BUILDS.get(index.folder)
        if build is None or not build.is_enough():
            build = _BUILDS[index.folder] = _attempt(context, campaign_id, total)
    with reading() as db:
        current = is_current(db, index, campaign_id)
    return IndexProgress(index, not current, total if current else index.progress(), total, build.problem)


def _attempt(context: Context, campaign_id: int, total: int) -> IndexBuild:
    if total > SMALL:
        return IndexBuild(start_worker(context.settings, index_worker.__name__, campaign_id))
    try:
        refresh_index(context.database, context.settings.instance, campaign_id)
    except UnwritableIndex as error:
        LOG.error("%s", error)
        return IndexBuild(None, IndexProblem.UNWRITABLE, time.monotonic())
    except Conflict:
        # Another process is at it.
        pass
    return IndexBuild(None)
