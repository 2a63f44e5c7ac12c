"""The process that updates a search index: `python -m workbench.web.index_worker CAMPAIGN`."""

from __future__ import annotations

import sys

from workbench.errors import Conflict, NotFound
from workbench.searching.engine import EngineUnavailable, UnwritableIndex
from workbench.settings import Settings
from workbench.storage.engine import Database
from workbench.web.workers import run_worker
from workbench.workflow.searching.index import campaign_index, refresh_index, remove_old_indexes

UNWRITABLE = 3
UNAVAILABLE = 4
"""Its exit codes where the index could not be written, and where a cluster did not answer."""


def update(settings: Settings, database: Database, campaign_id: int) -> None:
    """Update the index of this campaign, unless another process does or the campaign is gone."""
    try:
        with database.reading() as db:
            index = campaign_index(db, settings.instance, campaign_id, settings.cluster)
        refresh_index(database, settings.instance, campaign_id, index.note_progress, settings.cluster)
        remove_old_indexes(database, settings.instance, settings.cluster)
    except (Conflict, NotFound):
        return
    except (UnwritableIndex, EngineUnavailable) as error:
        print(error, file=sys.stderr)  # noqa: T201  # into the log of the server
        sys.exit(UNWRITABLE if isinstance(error, UnwritableIndex) else UNAVAILABLE)


if __name__ == "__main__":
    run_worker(update, sys.argv[1:])
