"""The process that trains learners: `python -m workbench.web.learner_worker`, told by a line what to work on.

The line is JSON: the address of the database, which may have a password, and the campaign's number.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time

from workbench.storage.engine import Database
from workbench.web.dataset_worker import end_with_the_server
from workbench.workflow.pools.learner_rounds import CollectionVectors, make_rounds

# A lower priority than the process that saves judgments.
NICENESS = 10
LOOK_SECONDS = 0.3
"""So long a batch that was judged waits until it is learned from."""
IDLE_SECONDS = 300
"""Without work for so long the process ends, which takes the vectors of the texts from memory."""


def main() -> None:
    """Make rounds as they are due, until nobody judges any more or the server has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(NICENESS)
    address, campaign_id = json.loads(_line())
    threading.Thread(target=end_with_the_server, daemon=True).start()
    database = Database(address)
    try:
        vectors = CollectionVectors()
        last = time.monotonic()
        while time.monotonic() - last < IDLE_SECONDS:
            if make_rounds(database, campaign_id, vectors):
                last = time.monotonic()
            time.sleep(LOOK_SECONDS)
    finally:
        database.close()


def _line() -> bytes:
    found = b""
    while not found.endswith(b"\n"):
        more = os.read(0, 1)
        if not more:
            sys.exit("no work was named")
        found += more
    return found


if __name__ == "__main__":
    main()
