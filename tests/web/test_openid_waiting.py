"""Who waits after failed sign-ins at the provider, and for how long."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest
from flask import Flask

from tests.cast import Cast
from tests.openid import RunningProvider
from tests.web.test_openid_pages import departure, enters, link, refused
from tests.web.test_openid_pages import offer as offer  # fixtures
from workbench.storage.engine import Database
from workbench.workflow.openid.refusals import SignInObstacle
from workbench.workflow.people.throttling import FREE_FAILURES


@pytest.mark.usefixtures("offer")
def test_who_cancels_keeps_nobody_out(
    app: Flask, sqlite_database: Database, running: RunningProvider, cast: Cast
) -> None:
    link(sqlite_database, running, "linked", cast.accounts["Ada"].id)
    for _ in range(FREE_FAILURES + 1):
        client = app.test_client()
        state = dict(parse_qsl(urlsplit(departure(client.post("/openid"))).query))["state"]
        answer = client.get("/openid/callback", query_string={"error": "access_denied", "state": state})
        assert (answer.status_code, refused(answer)) == (403, (SignInObstacle.DENIED,))
    assert enters(app.test_client(), running, "linked").status_code == 303
