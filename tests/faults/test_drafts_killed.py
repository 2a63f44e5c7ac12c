"""A topic is developed while the server is killed between any two requests: nothing answered is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.api import token_of
from tests.cast import assemble
from tests.faults.servers import ServedSite
from workbench.client import Client
from workbench.storage.engine import Database
from workbench.workflow.judging.desk_rules import save_allows_search
from workbench.workflow.searching.fitness import DevelopmentRules
from workbench.workflow.searching.topic_drafts import save_development_rules


@pytest.mark.slow
def test_a_draft_goes_on_where_a_killed_server_left_it(sqlite_database: Database, tmp_path: Path) -> None:
    cast = assemble(sqlite_database)
    with sqlite_database.writing() as db:
        save_allows_search(db, cast.campaign_id, True)
        save_development_rules(db, cast.campaign_id, DevelopmentRules(assessors=True))
    site = ServedSite(sqlite_database.url, tmp_path)
    token = token_of(sqlite_database, cast.accounts["Ada"])
    ada = Client(f"http://127.0.0.1:{site.port}", token).campaign(cast.slug)

    def again() -> None:
        site.kill()
        site.start()

    site.start()
    try:
        number = ada.begin_draft("Tides")["draft"]
        again()
        assert ada.change_draft(number, 1, narrative="Heights count.")["revision"] == 2
        again()
        found = ada.search_for_draft(number, like="d1")
        again()
        for hit in found["hits"][:2]:
            ada.judge_for_draft(number, found["search"], hit["docno"], 2)
            again()
        seen = ada.draft(number)
        assert (seen["title"], seen["narrative"], seen["revision"]) == ("Tides", "Heights count.", 2)
        assert [one["docno"] for one in seen["grades"]] == [hit["docno"] for hit in found["hits"][:2]]
        assert [one["search"] for one in ada.draft_searches(number)] == [found["search"]]
    finally:
        site.close()
