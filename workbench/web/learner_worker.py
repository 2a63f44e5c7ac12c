"""The process that trains learners: `python -m workbench.web.learner_worker CAMPAIGN`, for the server."""

from __future__ import annotations

import sys
import time

from workbench.settings import Settings
from workbench.storage.engine import Database
from workbench.web.workers import run_worker
from workbench.workflow.pools.learner_rounds import CollectionVectors, make_rounds

LOOK_SECONDS = 0.3
"""So long a batch that was judged waits until it is learned from."""
IDLE_SECONDS = 300
"""Without work for so long the process ends, which takes the vectors of the texts from memory."""


def learn(_settings: Settings, database: Database, campaign_id: int) -> None:
    """Make rounds as they are due, until nobody judges any more."""
    vectors = CollectionVectors()
    last = time.monotonic()
    while time.monotonic() - last < IDLE_SECONDS:
        if make_rounds(database, campaign_id, vectors):
            last = time.monotonic()
        time.sleep(LOOK_SECONDS)


if __name__ == "__main__":
    run_worker(learn, sys.argv[1:])
