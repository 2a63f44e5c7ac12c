"""Names of drafts, and numbers of other people's work, are on no page of whoever must not know them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask import Flask

from tests.api import API, program
from tests.cast import Cast
from tests.web.test_access import address_of, everything
from tests.web.test_access import samples as samples  # a fixture
from tests.web.test_desk_api import Desk
from workbench.pooling.strategies import PoolRecipe
from workbench.storage.engine import Database
from workbench.workflow.pools.making import make_pool

DRAFT = "quillfeather-draft"


def test_runs_and_the_api_name_drafts_to_organisers_only(
    app: Flask, enter: Any, cast: Cast, sqlite_database: Database
) -> None:
    with sqlite_database.writing() as db:
        make_pool(db, cast.campaign_id, PoolRecipe(parameters={"depth": 3}), name=DRAFT, draft=True)
    for name, named in (("Olga", True), ("Vera", False), ("Judith", False)):
        for page in ("runs", "runs/run?tag=alpha", "runs/records.csv"):
            assert (DRAFT in enter(name).get(f"/c/harbour/{page}").text) is named
        client = program(app, sqlite_database, cast.accounts[name])
        assert (DRAFT in client.get(f"{API}/campaigns/harbour/pools").text) is named
        for part in ("", "/pairs", "/pairs.tsv"):
            answer = client.get(f"{API}/campaigns/harbour/pools/{DRAFT}{part}")
            assert answer.status_code == (200 if named else 404)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Vera", "Judith", "Ada", "Petra"])
def test_no_page_names_a_draft_to_anybody_but_organisers(
    app: Flask, enter: Any, cast: Cast, sqlite_database: Database, samples: dict[str, Any], name: str
) -> None:
    with sqlite_database.writing() as db:
        draft = make_pool(db, cast.campaign_id, PoolRecipe(parameters={"depth": 3}), name=DRAFT, draft=True)
    numbers = [samples, samples | {"pool_id": draft.pool.id}]
    addresses = {
        address_of(app, endpoint, method, each)
        for endpoint, method in everything()
        if method == "GET"
        for each in numbers
    }

    def naming(client: Any) -> list[str]:
        return [
            address
            for address in sorted(addresses)
            if DRAFT in client.get(address, buffered=True).data.decode("utf-8", "replace")
        ]

    assert naming(enter("Olga"))
    assert naming(enter(name)) == []


def test_the_desk_tells_the_order_of_answers_and_not_how_much_others_judge(enter: Any, cast: Cast) -> None:
    ada = Desk(enter("Ada"), f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}")
    ben = Desk(enter("Ben"), f"/c/harbour/judge/{cast.assignments['Ben', 'T1']}")
    for docno in ("d1", "d2"):
        assert ben.send(ben.event(docno, 1)).status_code == 200
        assert ada.send(ada.event(docno, 1)).status_code == 200
    work = json.loads(ada.client.get(f"{ada.address}/work").data)
    # Her events are the second and the fourth of the campaign.
    assert sorted((one["number"], one["docno"]) for one in work["said"]) == [(1, "d1"), (2, "d2")]
