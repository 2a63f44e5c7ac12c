"""The process that updates a search index: `python -m workbench.web.index_worker CAMPAIGN`."""

from __future__ import annotations

import os
import signal
import sys
import threading

from workbench.errors import Conflict, NotFound
from workbench.settings import read_settings
from workbench.storage.engine import Database
from workbench.web.dataset_worker import end_with_the_server
from workbench.web.index_builds import write_progress
from workbench.workflow.searching.index import index_folder, refresh_index, remove_old_indexes

# A lower priority than the process that saves judgments.
NICENESS = 10


def main(words: list[str]) -> None:
    """Update the index of this campaign; nothing where another process does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(NICENESS)
    threading.Thread(target=end_with_the_server, daemon=True).start()
    settings = read_settings()
    database = Database(settings.database_url)
    try:
        campaign_id = int(words[0])
        with database.reading() as db:
            folder = index_folder(db, settings.instance, campaign_id)
        refresh_index(database, settings.instance, campaign_id, lambda done: write_progress(folder, done))
        remove_old_indexes(database, settings.instance)
    except (Conflict, NotFound):
        # Somebody else updates it, or the campaign is gone.
        return
    finally:
        database.close()


if __name__ == "__main__":
    main(sys.argv[1:])
