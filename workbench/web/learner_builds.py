"""Training of learners beside the server: one process for each campaign in which somebody judges."""

from __future__ import annotations

import subprocess
import threading

from workbench.pooling.learner import LEARNER
from workbench.web import learner_worker
from workbench.web.context import app_context
from workbench.web.workers import start_worker
from workbench.workflow.pools.listing import PoolLine

_WORKERS: dict[tuple[str, int], subprocess.Popen[bytes]] = {}
_STARTING = threading.Lock()


def start_learning(campaign_id: int) -> None:
    """Start the process that trains the learners of a campaign, unless this server's is at it."""
    context = app_context()
    if context.database.engine.url.database in {None, "", ":memory:"}:
        return  # no other process can reach it
    with _STARTING:
        key = (context.database.url, campaign_id)
        if key in _WORKERS and _WORKERS[key].poll() is None:
            return
        _WORKERS[key] = start_worker(context.settings, learner_worker.__name__, campaign_id)


def begin_learning(campaign_id: int, opened: PoolLine) -> None:
    """Have the first rankings of a pool made that was opened, if it is a learner's."""
    if opened.strategy == LEARNER.name:
        start_learning(campaign_id)
