"""Files of pages for programs: at the page's own address, with a token, and nothing else there."""

from __future__ import annotations

from pathlib import Path

from flask import Flask
from flask.testing import FlaskClient

from tests.api import bearing, program, token_of
from tests.cast import ROLES, Cast
from tests.uploads import import_judgments
from tests.web import test_client_calls
from tests.web.conftest import Enter
from tests.web.test_client_calls import Of
from workbench.storage.engine import Database
from workbench.web.access import access_of
from workbench.web.downloads import file_endpoints
from workbench.workflow.people.sessions import Scope

of = test_client_calls.of

SAMPLES = {"slug": "harbour", "pool_id": 1, "question": "holes", "table": "growth", "what": "preferences"}
ROWS = [("T1", "d1", "X", "3"), ("T1", "d1", "Y", "3"), ("T1", "d2", "X", "0"), ("T1", "d2", "Y", "2")]
TOPICS = "/c/harbour/agreement/topics/table.json"


def test_a_program_has_the_file_that_the_page_offers(
    app: Flask, olga: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    import_judgments(olga, ROWS)
    asking = program(app, sqlite_database, cast.accounts["Olga"])
    found = asking.get(TOPICS)
    assert found.status_code == 200
    assert found.json == olga.get(TOPICS).json
    # Nothing but files: no page, no form, and nobody else's.
    for path in ("/c/harbour/agreement", "/account", "/"):
        answer = asking.get(path)
        assert (answer.status_code, answer.content_type) == (401, "application/problem+json")
    assert asking.post("/c/harbour/settings", data={"name": "x"}).status_code == 401
    stranger = program(app, sqlite_database, cast.accounts["Ada"])
    assert stranger.get(TOPICS).status_code == 403
    wrong = bearing(app.test_client(), "wbt_guessed")
    assert wrong.get(TOPICS).status_code == 401


def test_a_token_that_may_not_read_gets_no_file(app: Flask, cast: Cast, sqlite_database: Database) -> None:
    secret = token_of(sqlite_database, cast.accounts["Olga"], (Scope.JUDGE,))
    answer = bearing(app.test_client(), secret).get(TOPICS)
    assert (answer.status_code, answer.json and answer.json["remedy"]) == (
        403, "create one with the scope read",
    )  # fmt: skip


def test_the_client_takes_tables_and_files(of: Of, enter: Enter, tmp_path: Path) -> None:
    import_judgments(enter("Olga"), ROWS)
    olga = of("Olga")
    assert [row["topic"] for row in olga.table("agreement/topics/table")["rows"]] == ["T1"]
    assert olga.file("agreement/topics/table.csv", tmp_path / "topics.csv") > 100
    assert (tmp_path / "topics.csv").read_text().startswith("topic,title,n,disputed")


def test_each_file_opens_to_the_tokens_of_those_whose_page_has_it(
    app: Flask, cast: Cast, sqlite_database: Database
) -> None:
    tokens = {name: token_of(sqlite_database, cast.accounts[name]) for name in ROLES}
    wrong = []
    for endpoint in sorted(file_endpoints(app)):
        stated = access_of(app, endpoint)
        assert stated is not None
        (rule,) = app.url_map.iter_rules(endpoint)
        built = rule.build({name: SAMPLES.get(name, "csv") for name in rule.arguments})
        assert built is not None
        for name, roles in ROLES.items():
            status = bearing(app.test_client(), tokens[name]).get(built[1], buffered=True).status_code
            refused = 403 if roles else 404
            opens = bool(stated.roles & set(roles))
            if status in {401, 403} if opens else status != refused:
                wrong.append((endpoint, name, status))
    assert wrong == []
    assert len(file_endpoints(app)) > 20
