"""Every table that people download is safe to open in a spreadsheet, whatever names participants chose."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text
from werkzeug.routing import AnyConverter, Rule

from tests.cast import Cast
from tests.web import test_access
from workbench.records import Judgment
from workbench.storage.engine import Database
from workbench.tables import csv_bytes
from workbench.workflow.judging.importing import import_judgments

samples = test_access.samples

TABLES = {"text/csv", "text/tab-separated-values"}
# What programs read: `campaign judgments`, `adjudicate` and *Load records* here, others' the plain pairs.
READ_BACK = {
    "runs.as_csv",
    "runs.as_tsv",
    "judgments.export",
    "adjudication.decisions",
    "pools.pairs",
}
QUERY = "?topic=T1&first=%40Ada2&second=-Ben2&a=judged&b=1&asked=1&people=yes&n=10"
# A number may begin with a sign. In the order in which OWASP lists them: = + - @ tab carriage return.
FORMULA = re.compile(r"[=+\-@\t\r\n](?!\d+(\.\d+)?([eE][+-]?\d+)?$)(?!$)")
# Where names stand: the runs' tags also in recipes and in what runs brought.
HOSTILE = (
    "update run set tag = '=' || tag",
    "update pool set recipe = replace(replace(recipe, '\"alpha\"', '\"=alpha\"'), '\"beta\"', '\"=beta\"')",
    "update pool_entry set brought_by = replace(replace(brought_by, 'alpha', '=alpha'), 'beta', '=beta')",
    "update topic set title = '=1+' || title",
    "update assessor set name = '@' || name where name like 'Ada%'",
    "update assessor set name = '-' || name where name like 'Ben%'",
    "update account set name = '+' || name",
    "update run_group set name = '=' || name",
)


@pytest.fixture
def hostile(sqlite_database: Database, cast: Cast, samples: dict[str, Any]) -> None:
    """The cast has judged, differed and decided; then every name begins a formula."""
    grades = {"Ada2": 0, "Ben2": 2}
    with sqlite_database.writing() as db:
        judgments = [
            Judgment(name, topic, docno, grade)
            for name, grade in grades.items()
            for topic in ("T1", "T2")
            for docno in ("d1", "d2", "d/4")
        ]
        import_judgments(db, cast.campaign_id, judgments, source="judgments")
    with sqlite_database.writing() as db:
        for statement in HOSTILE:
            db.execute(text(statement))


def tables_of(app: Flask, samples: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The endpoint and address of everything that might be a table, in all its parts."""
    for rule in app.url_map.iter_rules():
        if "GET" not in (rule.methods or ()) or (
            "csv" not in rule.rule + rule.endpoint and "tsv" not in rule.rule
        ):
            continue
        for chosen in choices(rule):
            built = rule.build({**{name: samples.get(name) for name in rule.arguments}, **chosen})
            assert built is not None
            yield rule.endpoint, built[1]


def choices(rule: Rule) -> Iterator[dict[str, str]]:
    """Every choice that an address offers, as its table; of forms only CSV."""
    offered = {
        name: sorted(converter.items) if name != "kind" else ["csv"]
        for name, converter in rule._converters.items()
        if isinstance(converter, AnyConverter)
    }
    found: list[dict[str, str]] = [{}]
    for name, values in offered.items():
        found = [{**one, name: value} for one in found for value in values]
    yield from found


def dangerous(content: str) -> list[str]:
    separator = "\t" if "\t" in content.splitlines()[0] else ","
    cells = (cell for row in csv.reader(io.StringIO(content), delimiter=separator) for cell in row)
    return [cell for cell in cells if FORMULA.match(cell)]


@pytest.mark.usefixtures("hostile")
def test_no_cell_of_a_table_is_a_formula(app: Flask, enter: Any, samples: dict[str, Any]) -> None:
    olga: FlaskClient = enter("Olga")
    tables, with_names, wrong = 0, 0, {}
    for endpoint, address in tables_of(app, samples):
        answer = olga.get(address + QUERY)
        if answer.mimetype not in TABLES or endpoint in READ_BACK:
            continue
        tables += 1
        content = answer.get_data().decode("utf-8", "replace")
        with_names += "'=" in content or "'@" in content or "'-" in content
        if found := dangerous(content):
            wrong[address] = found[:3]
    assert wrong == {}
    assert tables >= 20
    assert with_names >= 8  # the hostile names do stand in them


@pytest.mark.usefixtures("hostile")
def test_what_is_read_back_stays_as_it_is(enter: Any) -> None:
    olga: FlaskClient = enter("Olga")
    assert "\n=alpha," in olga.get("/c/harbour/runs/records.csv").text
    assert "\t@Ada2\t" in olga.get("/c/harbour/judgments/all.tsv").text


def test_numbers_stay_numbers_and_texts_are_marked() -> None:
    row = (-1, -0.5, "-0.5", "+1e-3", "=1", "+a", "-a", "@a", "\ta", "\ra", "a\r=1", "", None)
    assert csv_bytes([], [row]) == b"\n-1,-0.5,-0.5,+1e-3,'=1,'+a,'-a,'@a,'\ta,\"'\na\",\"a\n=1\",,\n"
    assert csv_bytes([], [("=1",)], read_back=True) == b"\n=1\n"
