"""What a server tells of itself: logs, metrics, the status page."""

from __future__ import annotations

import json
import logging
import sys
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from flask import Flask
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import text

from tests.cast import CHEAP, Cast
from workbench.errors import WorkbenchError
from workbench.settings import Settings, read_settings
from workbench.storage.engine import Database
from workbench.storage.limits import log_slow_statements
from workbench.web.context import Context, init_app
from workbench.web.logs import (
    ACCESS,
    HOUR,
    QUIET_SECONDS,
    JsonLines,
    OncePerMinute,
    PlainLines,
    RecentErrors,
    Repeats,
    RequestIds,
)
from workbench.workflow.upkeep.status import LastBackup, note_backup

TOKEN = "a token of twenty characters"


def values(scraped: str) -> dict[tuple[str, frozenset[str]], float]:
    """The value of each sample of a scrape, by its name and the values of its labels."""
    return {
        (sample.name, frozenset(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(scraped)
        for sample in family.samples
    }


def line(message: str, *args: object, level: int = logging.ERROR, number: int = 1) -> logging.LogRecord:
    return logging.LogRecord("workbench.test", level, "here.py", number, message, args, None)


def test_metrics_are_scraped_and_parsed(app: Flask, cast: Cast) -> None:
    observed = app.extensions["workbench"].observed
    with app.test_request_context("/"):
        observed.add("POST", "desk.events", 200, 0.02)
    assert app.test_client().get("/nowhere").status_code == 404
    found = values(app.test_client().get("/metrics").text)
    assert found["workbench_requests_total", frozenset({"POST", "desk.events", "200"})] == 1
    assert found["workbench_requests_total", frozenset({"GET", "none", "404"})] == 1
    # .02 s lies between the bounds .01 and .025.
    buckets = [
        found["workbench_request_seconds_bucket", frozenset({"saving", bound})] for bound in ("0.01", "0.025")
    ]
    assert buckets == [0, 1]


@pytest.mark.parametrize(
    ("token", "address", "headers", "status"),
    [
        ("", "127.0.0.1", {}, 200),
        ("", "::1", {}, 200),
        ("", "192.0.2.1", {}, 404),
        ("", "127.0.0.1", {"X-Forwarded-For": "192.0.2.1"}, 404),
        (TOKEN, "127.0.0.1", {}, 404),
        (TOKEN, "192.0.2.1", {"Authorization": f"Bearer {TOKEN}x"}, 404),
        (TOKEN, "192.0.2.1", {"Authorization": f"Bearer {TOKEN}"}, 200),
    ],
)
def test_metrics_are_closed_to_strangers(
    app: Flask,
    settings: Settings,
    sqlite_database: Database,
    token: str,
    address: str,
    headers: dict[str, str],
    status: int,
) -> None:
    init_app(app, Context(replace(settings, metrics_token=token), sqlite_database, CHEAP))
    answer = app.test_client().get("/metrics", headers=headers, environ_overrides={"REMOTE_ADDR": address})
    assert answer.status_code == status


def test_a_short_token_is_refused() -> None:
    with pytest.raises(WorkbenchError, match="WORKBENCH_METRICS_TOKEN"):
        read_settings({"WORKBENCH_METRICS_TOKEN": "short"})


def test_a_flood_of_one_error_is_one_line_a_minute_with_a_count() -> None:
    now = [0.0]
    flood = OncePerMinute(Repeats(lambda: now[0]))
    first, *others = (line("lost %s", number) for number in range(5))
    assert [flood.filter(one) for one in (first, *others)] == [True, False, False, False, False]
    assert flood.filter(line("another", number=2))
    assert flood.filter(line("hello", level=logging.INFO))
    assert flood.filter(line("hello", level=logging.INFO))
    now[0] = QUIET_SECONDS
    last = line("lost %s", 5)
    assert flood.filter(last)
    # The four that were not written, and this one.
    assert "5 times" in last.getMessage()


def test_lines_are_json_or_text_with_the_id_of_the_request(app: Flask) -> None:
    with app.test_request_context("/"):
        app.preprocess_request()
        record = line("first\nsecond %s", "ü")
        RequestIds().filter(record)
    found = json.loads(JsonLines().format(record))
    assert found["message"] == "first\nsecond ü"
    assert len(found["request"]) == 16
    assert datetime.fromisoformat(found["time"]).tzinfo == UTC
    plain = PlainLines().format(record)
    assert "\n" not in plain
    assert found["request"] in plain
    try:
        raise ValueError("spoilt")
    except ValueError:
        record.exc_info = sys.exc_info()
    assert "ValueError: spoilt" in json.loads(JsonLines().format(record))["exception"]


def test_the_access_log_names_no_path(app: Flask, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, ACCESS):
        answer = app.test_client().post("/desk/events?secret=1", json=[])
    (record,) = caplog.records
    found = json.loads(JsonLines().format(record))
    assert {name: found[name] for name in ("request", "method", "endpoint", "status")} == {
        "request": answer.headers["X-Request-ID"], "method": "POST", "endpoint": "desk.events",
        "status": answer.status_code,
    }  # fmt: skip
    assert found["milliseconds"] > 0
    assert "secret" not in JsonLines().format(record)


def test_slow_statements_are_logged_without_what_was_asked(
    sqlite_database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    log_slow_statements(sqlite_database.engine, 0)
    with caplog.at_level(logging.INFO, "workbench.slow"), sqlite_database.reading() as db:
        db.execute(text("select :secret"), {"secret": "harbour-7"})
    logged = caplog.text
    assert "select ?" in logged
    assert "harbour-7" not in logged
    caplog.clear()
    log_slow_statements(sqlite_database.engine, 10**9)
    with caplog.at_level(logging.INFO, "workbench.slow"), sqlite_database.reading() as db:
        db.execute(text("select 2"))
    assert caplog.text.count("select 2") == 1  # of the first threshold


def test_errors_are_counted_for_an_hour() -> None:
    now = [0.0]
    errors = RecentErrors(lambda: now[0])
    log = logging.Logger("test")
    log.addHandler(errors)
    log.error("one")
    log.warning("no error")
    now[0] = HOUR / 2
    log.error("two")
    assert errors.last_hour() == 2
    now[0] = HOUR + 1
    assert (errors.last_hour(), errors.total) == (1, 2)


def test_the_status_page_tells_of_database_backup_and_errors(
    enter: Any, settings: Settings, app: Flask
) -> None:
    olga = enter("Olga")
    page = olga.get("/administration/status").text
    assert "none known" in page
    assert "SQLite 3." in page
    note_backup(settings.instance, LastBackup(datetime(2026, 3, 1, tzinfo=UTC), "b.zip", 3 * 2**20, "0" * 64))
    app.extensions["workbench"].observed.errors.emit(line("spoilt"))
    page = " ".join(olga.get("/administration/status").text.split())
    assert "1 March 2026" in page
    assert "3.0 MiB" in page
    assert "see the log" in page
    assert enter("Vera").get("/administration/status").status_code == 403
