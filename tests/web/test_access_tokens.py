"""The page of access tokens: made with the password, shown once, revoked."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select

from tests.api import API, bearing
from tests.cast import PASSWORD, Cast
from workbench.storage.engine import Database
from workbench.storage.tables import AccessTokenRow, AccountRow
from workbench.workflow.people.accounts import WITHOUT_PASSWORD
from workbench.workflow.people.sessions import MOST_DAYS
from workbench.workflow.people.trail import TrailFilter, trail_entries


def test_a_token_is_made_shown_once_and_revoked(app: Flask, enter: Any, sqlite_database: Database) -> None:
    vera = enter("Vera")
    form = {"name": "Nightly", "scope": ["read"], "days": "30"}
    # It outlives the session, so whoever took that over makes none.
    for guess in ({}, {"old": "guessed"}):
        refused = vera.post("/account/tokens", data=form | guess)
        assert (refused.status_code, 'id="old-error-1"' in refused.text) == (422, True)
        # What was typed stays, but no password.
        assert ('value="Nightly"' in refused.text, "guessed" in refused.text) == (True, False)
    made = vera.post("/account/tokens", data=form | {"old": PASSWORD})
    assert made.status_code == 201
    _, _, rest = made.text.partition('value="wbt_')
    secret = "wbt_" + rest.partition('"')[0]
    with sqlite_database.reading() as db:
        row = db.scalars(select(AccessTokenRow)).one()
    assert secret not in {row.token_hash, row.name}
    assert secret not in vera.get("/account/tokens").text
    client = bearing(app.test_client(), secret)
    assert client.get(f"{API}/campaigns").status_code == 200
    assert enter("Ada").post(f"/account/tokens/{row.id}/revoke").status_code == 404
    vera.post(f"/account/tokens/{row.id}/revoke")
    assert client.get(f"{API}/campaigns").status_code == 401
    with sqlite_database.reading() as db:
        acts = [(one.act, one.outcome) for one in trail_entries(db, TrailFilter())]
    # Two guesses in one minute are counted in one entry.
    assert acts == [
        ("access_tokens.revoke", "done"),
        ("access_tokens.revoke", "404"),
        ("access_tokens.make", "done"),
        ("access_tokens.make", "422"),
    ]


def test_whoever_has_no_password_is_asked_for_none(enter: Any, cast: Cast, sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        db.get_one(AccountRow, cast.accounts["Vera"].id).password_hash = WITHOUT_PASSWORD
    vera, form = enter("Vera"), {"name": "Nightly", "scope": ["read"], "days": "30"}
    assert 'name="old"' not in vera.get("/account/tokens").text
    assert vera.post("/account/tokens", data=form).status_code == 201


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"name": "", "scope": "read", "days": "30"}, "name"),
        ({"name": "Nightly", "days": "30"}, "scopes"),
        ({"name": "Nightly", "scope": "everything", "days": "30"}, "scopes"),
        ({"name": "Nightly", "scope": "read", "days": str(MOST_DAYS + 1)}, "days"),
    ],
)
def test_a_token_that_cannot_be_is_refused(enter: Any, form: dict[str, str], field: str) -> None:
    answer = enter("Vera").post("/account/tokens", data=form | {"old": PASSWORD})
    assert answer.status_code == 422
    assert f'id="{field}-error-1"' in answer.text
