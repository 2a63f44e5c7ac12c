"""The search index of a campaign on this host, brought up to date by a process of its own unless it is small.

The process takes the lock of the index, which ends with it; its progress is in a file beside the index.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import Conflict
from workbench.web.context import app_context, reading
from workbench.workflow.campaigns.collection import document_count
from workbench.workflow.searching.index import index_folder, index_state, is_current, refresh_index

WORKER = "workbench.web.index_worker"
SMALL = 300
"""Documents that are indexed at once, which takes a tenth of a second."""
_BUILDS: dict[int, subprocess.Popen[bytes]] = {}
_STARTING = threading.Lock()


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """The index of a campaign: its folder, whether it misses changes, and how far it is updated."""

    folder: Path
    behind: bool
    done: int
    total: int


def up_to_date_index(campaign_id: int) -> IndexProgress:
    """The index as far as it is; where it is behind, it is updated, or a process for that is started."""
    context = app_context()
    instance = context.settings.instance
    with reading() as db:
        folder = index_folder(db, instance, campaign_id)
        current, total = is_current(db, folder, campaign_id), document_count(db, campaign_id)
    if current:
        return IndexProgress(folder, False, total, total)
    if total <= SMALL:
        try:
            refresh_index(context.database, instance, campaign_id)
        except Conflict:
            return IndexProgress(folder, True, 0, total)
        return IndexProgress(folder, False, total, total)
    start_build(campaign_id)
    return IndexProgress(folder, True, read_progress(folder), total)


def start_build(campaign_id: int) -> None:
    """Start the process that updates an index, unless this server's is still at it."""
    with _STARTING:
        running = _BUILDS.get(campaign_id)
        if running is not None and running.poll() is None:
            return
        # It ends when the pipe of its standard input does: with the server.
        command = [sys.executable, "-m", WORKER, str(campaign_id)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE)  # noqa: S603  # a number
        _BUILDS[campaign_id] = process
    threading.Thread(target=process.wait, daemon=True).start()


def write_progress(folder: Path, done: int) -> None:
    """Write down how many documents have been compared."""
    path = _progress_path(folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(json.dumps(done), encoding="utf-8")
    new.replace(path)


def read_progress(folder: Path) -> int:
    """How many documents have been compared; where nothing is written down, those that are indexed."""
    try:
        return int(json.loads(_progress_path(folder).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        state = index_state(folder)
        return state.documents if state is not None else 0


def _progress_path(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.progress")
