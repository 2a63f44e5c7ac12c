"""People who can no longer judge: no work goes to them, what they had is told of, and others get it."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

from tests.cast import Cast
from tests.uploads import text_of
from workbench.pooling.strategies import PoolRecipe
from workbench.storage.engine import Database
from workbench.workflow.judging.assignments import assignments_of
from workbench.workflow.people.administration import disable_account
from workbench.workflow.people.membership import Role, remove_role
from workbench.workflow.pools.making import make_pool
from workbench.workflow.upkeep.erasure import erase_person

HARBOUR = "/c/harbour"


def gone(database: Database, cast: Cast, how: str) -> None:
    """Let Ben be gone in one of three ways."""
    ben = cast.accounts["Ben"]
    if how == "erased":
        erase_person(database, ben.id, typed_login=ben.login)
        return
    with database.writing() as db:
        if how == "disabled":
            disable_account(db, ben.id)
        else:
            remove_role(db, cast.campaign_id, ben.id, Role.ASSESSOR)


@pytest.mark.parametrize("how", ["disabled", "erased", "removed"])
def test_no_work_goes_to_them_unasked_and_what_they_had_is_told_of(
    olga: FlaskClient, sqlite_database: Database, cast: Cast, how: str
) -> None:
    with sqlite_database.writing() as db:
        pool_id = make_pool(db, cast.campaign_id, PoolRecipe(parameters={"depth": 3})).pool.id
    gone(sqlite_database, cast, how)
    page = olga.get(f"{HARBOUR}/assignments").text
    offered = page.count('name="assessor"')
    assert (offered, page.count("account disabled")) == ((2, 1) if how == "disabled" else (1, 0))
    with sqlite_database.reading() as db:
        before = {line.id for line in assignments_of(db, cast.campaign_id)}
    chosen = re.findall(r'name="assessor" value="(\d+)" checked', page)
    assert len(chosen) == 1
    sent = {"pool": pool_id, "per_topic": "1", "order": "shuffled", "assessor": chosen}
    assert olga.post(f"{HARBOUR}/assignments/turn", data=sent).status_code == 303
    with sqlite_database.reading() as db:
        added = [line for line in assignments_of(db, cast.campaign_id) if line.id not in before]
    assert {line.assessor for line in added} == {"Ada"}
    overview = text_of(olga.get(f"{HARBOUR}/").text)
    # Six pairs of depth 2 in two topics.
    assert "can no longer judge: 6 pairs in 2 topics left" in overview
