"""The process that updates a search index: `python -m workbench.web.index_worker CAMPAIGN`."""

from __future__ import annotations

import sys

from workbench.errors import Conflict, NotFound
from workbench.searching.engine import UnwritableIndex
from workbench.settings import Settings
from workbench.storage.engine import Database
from workbench.web.workers import run_worker
from workbench.workflow.searching.index import campaign_index, refresh_index, remove_old_indexes

UNWRITABLE = 3
"""Its exit code where the index could not be written."""


def update(settings: Settings, database: Database, campaign_id: int) -> None:
    """Update the index of this campaign, unless another process does or the campaign is gone."""
    try:
        with database.reading() as db:
            index = campaign_index(db, settings.instance, campaign_id)
        refresh_index(database, settings.instance, campaign_id, index.note_progress)
        remove_old_indexes(database, settings.instance)
    except (Conflict, NotFound):
        return
    except UnwritableIndex as error:
        print(error, file=sys.stderr)  # noqa: T201  # into the log of the server
        sys.exit(UNWRITABLE)


if __name__ == "__main__":
    run_worker(update, sys.argv[1:])
