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
from workbench.searching.engine import EngineUnavailable, UnwritableIndex
from workbench.storage import Session
from workbench.storage.tables import CampaignRow
from workbench.web import index_worker
from workbench.web.context import Context, app_context
from workbench.web.workers import start_worker
from workbench.workflow.searching.index import campaign_index, refresh_index
from workbench.workflow.searching.updating import CampaignIndex

SMALL = 300
"""Documents that are indexed at once, which takes a tenth of a second."""
RETRY_SECONDS = 30.0
_BUILDS: dict[Path, IndexBuild] = {}
_AWAY: dict[Path, float] = {}
_STARTING = threading.Lock()
LOG = logging.getLogger(__name__)


class IndexProblem(StrEnum):
    """Why an index stays behind."""

    UNWRITABLE = "unwritable"
    ENDED = "ended"
    UNAVAILABLE = "unavailable"


_ENDS = {
    index_worker.UNWRITABLE: IndexProblem.UNWRITABLE,
    index_worker.UNAVAILABLE: IndexProblem.UNAVAILABLE,
}


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """The index of a campaign: whether it misses changes, how far it is updated, and what prevents that."""

    index: CampaignIndex
    behind: bool
    done: int
    total: int
    problem: IndexProblem | None = None


@dataclass(frozen=True, slots=True)
class IndexToHave:
    """The index of a campaign, and how often its documents were written and how many there are by now."""

    campaign_id: int
    index: CampaignIndex
    changes: int
    documents: int


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
            self.problem = _ENDS.get(code, IndexProblem.ENDED)
            self.failed_at = time.monotonic()
        return self.problem is not None and time.monotonic() - self.failed_at < RETRY_SECONDS


def index_to_have(db: Session, campaign_id: int) -> IndexToHave:
    """The index of a campaign as its database tells of it; raises NotFound."""
    settings = app_context().settings
    index = campaign_index(db, settings.instance, campaign_id, settings.cluster)
    # Read by the line before: every search asks this.
    campaign = db.get_one(CampaignRow, campaign_id)
    return IndexToHave(campaign_id, index, campaign.document_changes, campaign.documents)


def up_to_date_index(to_have: IndexToHave) -> IndexProgress:
    """The index as far as it is; where it is behind, it is updated, or a process for that is started.

    Not while a transaction is open. A cluster that did not answer a moment ago is not asked: nobody waits for
    it page by page.
    """
    index, changes, total = to_have.index, to_have.changes, to_have.documents
    if time.monotonic() - _AWAY.get(index.folder, -RETRY_SECONDS) < RETRY_SECONDS:
        return _unavailable(index, total)
    try:
        if _has_seen(index, changes):
            return IndexProgress(index, False, total, total)
        with _STARTING:
            build = _BUILDS.get(index.folder)
            if build is None or not build.is_enough():
                build = _BUILDS[index.folder] = _attempt(app_context(), to_have.campaign_id, total)
        current = _has_seen(index, changes)
    except EngineUnavailable as error:
        note_unavailable(index, error)
        return _unavailable(index, total)
    return IndexProgress(index, not current, total if current else index.progress(), total, build.problem)


def note_unavailable(index: CampaignIndex, error: EngineUnavailable) -> None:
    """Log why an engine did not answer, and leave it alone for a while."""
    LOG.error("%s", error)
    _AWAY[index.folder] = time.monotonic()


def _unavailable(index: CampaignIndex, total: int) -> IndexProgress:
    return IndexProgress(index, True, 0, total, IndexProblem.UNAVAILABLE)


def _has_seen(index: CampaignIndex, changes: int) -> bool:
    state = index.state()
    return state is not None and state.changes == changes


def _attempt(context: Context, campaign_id: int, total: int) -> IndexBuild:
    settings = context.settings
    # No request waits for what a cluster takes to write.
    if total > SMALL or settings.cluster is not None:
        return IndexBuild(start_worker(settings, index_worker.__name__, campaign_id))
    try:
        refresh_index(context.database, settings.instance, campaign_id)
    except UnwritableIndex as error:
        LOG.error("%s", error)
        return IndexBuild(None, IndexProblem.UNWRITABLE, time.monotonic())
    except Conflict:
        # Another process is at it.
        pass
    return IndexBuild(None)
