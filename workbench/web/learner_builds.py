"""Training of learners beside the server: one process for each campaign in which somebody judges."""

from __future__ import annotations

import json
import subprocess
import sys
import threading

from workbench.pooling.learner import LEARNER
from workbench.web.context import app_context
from workbench.workflow.pools.listing import PoolLine

WORKER = "workbench.web.learner_worker"
_WORKERS: dict[tuple[str, int], subprocess.Popen[bytes]] = {}
_STARTING = threading.Lock()


def start_learning(campaign_id: int) -> None:
    """Start the process that trains the learners of a campaign, unless this server's is at it."""
    database = app_context().database
    if database.engine.url.database in {None, "", ":memory:"}:
        return  # no other process can reach it
    with _STARTING:
        running = _WORKERS.get((database.url, campaign_id))
        if running is not None and running.poll() is None:
            return
        # It ends when the pipe of its standard input does: with the server.
        process = subprocess.Popen([sys.executable, "-m", WORKER], stdin=subprocess.PIPE)  # noqa: S603
        if process.stdin is not None:
            process.stdin.write(json.dumps([database.url, campaign_id]).encode() + b"\n")
            process.stdin.flush()
        _WORKERS[database.url, campaign_id] = process
    threading.Thread(target=process.wait, daemon=True).start()


def begin_learning(campaign_id: int, opened: PoolLine) -> None:
    """Have the first rankings of a pool made that was opened, if it is a learner's."""
    if opened.strategy == LEARNER.name:
        start_learning(campaign_id)
