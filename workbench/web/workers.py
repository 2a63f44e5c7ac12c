"""Processes beside the server: each does one long thing for one campaign, and ends with the server."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable

from workbench.settings import Settings, environment_of, read_settings
from workbench.storage.engine import Database

NICENESS = 10
"""A lower priority than the process that saves judgments."""
LOOK_SECONDS = 1.0

Work = Callable[[Settings, Database, int], None]
"""What a worker does for the campaign of this number."""


def start_worker(settings: Settings, module: str, campaign_id: int) -> subprocess.Popen[bytes]:
    """Start `python -m module CAMPAIGN` on this instance and database; a thread waits for its end."""
    # It ends when the pipe of its standard input does: with the process of the server that started it. It has
    # no terminal either, so that no library can ask for a password.
    command = [sys.executable, "-m", module, str(campaign_id)]
    environment = environment_of(settings)
    process = subprocess.Popen(command, stdin=subprocess.PIPE, env=environment)  # noqa: S603  # a number
    threading.Thread(target=_wait_for, args=(process,), daemon=True).start()
    return process


def run_worker(work: Work, words: list[str]) -> None:
    """Do the work of a worker, in the process that was started for it."""
    # Ctrl-C reaches every process of the terminal.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(NICENESS)
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    settings = read_settings()
    database = Database(settings.database_url)
    try:
        work(settings, database, int(words[0]))
    finally:
        database.close()


def _wait_for(process: subprocess.Popen[bytes]) -> None:
    process.wait()
    if process.stdin:
        process.stdin.close()


def _end_with_the_server() -> None:
    # Not `sys.stdin`, which Python cannot close at its end while a thread reads it.
    while os.read(0, 1):
        time.sleep(LOOK_SECONDS)
    os._exit(1)
