"""The number of pooled documents that are not loaded is kept for all processes until any is added."""

from __future__ import annotations

import pytest

from tests.builders import campaign_with_people, send_runs
from workbench.pooling.strategies import PoolRecipe
from workbench.records import Document
from workbench.storage.engine import Database
from workbench.workflow.campaigns.collection import load_documents
from workbench.workflow.pools import missing_texts
from workbench.workflow.pools.making import make_pool
from workbench.workflow.pools.missing_texts import missing_count


def test_it_is_counted_anew_only_where_documents_were_added(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sqlite_database.writing() as db:
        made = campaign_with_people(db)
        send_runs(db, made.campaign.id, alpha={"T1": ("d7", "d8", "d1")})
        make_pool(db, made.campaign.id, PoolRecipe(parameters={"depth": 3}))
    with sqlite_database.reading() as db:
        assert missing_count(db, made.campaign.id) == 2
    with monkeypatch.context() as counted, sqlite_database.reading() as db:
        counted.setattr(missing_texts, "_count", lambda *_: pytest.fail("it was counted again"))
        assert missing_count(db, made.campaign.id) == 2
    with sqlite_database.writing() as db:
        load_documents(db, made.campaign.id, [Document("d7", "Seven", "Text")], source="more")
    with sqlite_database.reading() as db:
        assert missing_count(db, made.campaign.id) == 1
