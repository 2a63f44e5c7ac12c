"""Pools and releases that a job makes come out, and are refused, as those that the request makes itself."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from tests.api import API, bearing, token_of
from tests.cast import Cast
from tests.uploads import import_judgments
from tests.web.conftest import Enter
from workbench.storage.engine import Database
from workbench.storage.tables import JobRow
from workbench.workflow.pools import making as pools
from workbench.workflow.releases import making

POOLS = f"{API}/campaigns/harbour/pools"


@pytest.fixture(params=["by the request", "by a job"])
def by_a_job(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether everything takes too long for a request."""
    if request.param == "by a job":
        monkeypatch.setattr(pools, "FEW_LINES", -1)
        monkeypatch.setattr(making, "FEW_ANSWERS", -1)
    return bool(request.param == "by a job")


@pytest.fixture
def olga(enter: Enter, sqlite_database: Database, cast: Cast) -> FlaskClient:
    return bearing(enter("Olga"), token_of(sqlite_database, cast.accounts["Olga"]))


def jobs(database: Database) -> set[str]:
    with database.reading() as db:
        return {row.kind for row in db.query(JobRow)} - {"packing"}


def test_a_pool_is_made_rebuilt_and_opened(
    olga: FlaskClient, sqlite_database: Database, by_a_job: bool
) -> None:
    made = olga.post(POOLS, json={"parameters": {"depth": 3}, "name": "Deeper", "draft": True})
    assert (made.status_code, (made.json or {})["name"], (made.json or {})["pairs"]) == (201, "Deeper", 8)
    rebuilt = olga.post(f"{POOLS}/Deeper/rebuild").json or {}
    assert (rebuilt["pool"]["pairs"], rebuilt["entered"], rebuilt["left"]) == (8, 0, 0)
    assert (olga.post(f"{POOLS}/Deeper/state", json={"state": "open"}).json or {})["state"] == "open"
    assert jobs(sqlite_database) == ({"pool", "rebuilding"} if by_a_job else set())


@pytest.mark.usefixtures("by_a_job")
@pytest.mark.parametrize(
    ("recipe", "status", "codes"),
    [
        ({"runs": ["none"]}, 404, []),
        ({"parameters": {"depth": 0}}, 422, ["parameter-refused"]),
        ({"name": "depth 2"}, 409, []),
    ],
)
def test_what_cannot_be_pooled_is_refused_alike(
    olga: FlaskClient, recipe: dict[str, object], status: int, codes: list[str]
) -> None:
    answer = olga.post(POOLS, json=recipe)
    assert (answer.status_code, [one["code"] for one in (answer.json or {})["findings"]]) == (status, codes)


def test_a_release_is_made(olga: FlaskClient, sqlite_database: Database, by_a_job: bool) -> None:
    assert import_judgments(olga, [("T1", "d1", "X", "3"), ("T1", "d2", "X", "0")]).status_code == 303
    made = olga.post(f"{API}/campaigns/harbour/releases", json={"version": "1.0", "authors": ["O. Larsen"]})
    assert (made.status_code, (made.json or {})["version"], (made.json or {})["lines"]) == (201, "1.0", 2)
    again = olga.post(f"{API}/campaigns/harbour/releases", json={"version": "1.0"})
    assert again.status_code == 409
    assert jobs(sqlite_database) == ({"release"} if by_a_job else set())
