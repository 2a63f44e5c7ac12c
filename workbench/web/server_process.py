"""What a worker process of `workbench serve` runs: the door over the application; it ends with its parent."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
import time

from workbench.settings import read_settings
from workbench.web.app import from_environment
from workbench.web.door import Door
from workbench.web.logs import start_logging

LOOK_SECONDS = 0.5
# For requests that are being answered when the supervisor has ended.
LAST_SECONDS = 5


def door_from_environment() -> Door:
    """The door of a worker process, configured by environment variables."""
    supervisor = multiprocessing.parent_process()
    # Not getppid(): the supervisor may have been killed while this process started.
    if supervisor is not None and supervisor.pid is not None:
        threading.Thread(target=_end_without, args=(supervisor.pid,), daemon=True).start()
    start_logging(read_settings())
    app = from_environment()
    door = Door(app)
    # What is there now stays, so the collector need not go through it: that would stop all requests for a
    # tenth of a second every few hundred.
    gc.collect()
    gc.freeze()
    return door


def _end_without(supervisor: int) -> None:
    # A supervisor that was killed cannot end its workers: they would go on serving, and keep the port.
    while os.getppid() == supervisor:
        time.sleep(LOOK_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(LAST_SECONDS)
    os._exit(1)
