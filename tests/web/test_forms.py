from __future__ import annotations

import pytest
from flask import Flask, g

from tests.uploads import upload
from workbench.errors import Conflict, Finding, InvalidInput, NotFound, WorkbenchError
from workbench.figures import counted
from workbench.web.forms import announce, findings_of, sent_files, sent_id, status_of, whole_number, with_each


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (" 7 ", 7),
        ("-2", -2),
        ("−2", -2),
        ("", None),
        ("1.5", None),
        ("٣", None),
        ("9" * 30, None),
        ("+1", None),
    ],
)
def test_a_whole_number_is_read_or_is_none(text: str, number: int | None) -> None:
    assert whole_number(text) == number


def test_file_names_can_be_shown_and_hold_no_path(app: Flask) -> None:
    files = [upload("some/folder/a\u202eb.txt", "x"), upload("", "y")]
    with app.test_request_context(method="POST", data={"files": files}):
        assert [name for name, _ in sent_files()] == ["ab.txt"]


def test_no_file_is_a_finding_of_its_own(app: Flask) -> None:
    with app.test_request_context(method="POST", data={}), pytest.raises(InvalidInput, match="no file"):
        sent_files()


def test_the_findings_of_all_files_are_told_together() -> None:
    def refuse(name: str, what: str) -> str:
        if what == "bad":
            raise InvalidInput([Finding(name, 1, "bad", "it is bad")])
        return what

    assert with_each([("a", "good")], refuse) == [("a", "good")]
    with pytest.raises(InvalidInput) as refused:
        with_each([("a", "bad"), ("b", "good"), ("c", "bad")], refuse)
    assert [finding.source for finding in refused.value.findings] == ["a", "c"]


def test_any_error_becomes_findings_of_a_field() -> None:
    (finding,) = findings_of(WorkbenchError("no", remedy="do"), "Depth", "depth")
    assert (finding.source, finding.code, finding.message, finding.remedy) == ("Depth", "depth", "no", "do")
    assert status_of(WorkbenchError("no")) == 422
    assert status_of(Conflict("no")) == 409


def test_numbers_have_their_noun() -> None:
    assert [counted(1, "topic"), counted(1239, "topic"), counted(0, "box", "boxes")] == [
        "1 topic",
        "1,239 topics",
        "0 boxes",
    ]


def test_of_many_files_the_first_are_announced(app: Flask) -> None:
    with app.test_request_context():
        announce([("n" * 90, "kept.")] * 6)
        said = [text for text, _, _ in g.notices_to_come]
    assert said == ["n" * 60 + "…: kept."] * 4 + ["And 2 more files."]


@pytest.mark.parametrize("text", ["a%00b", "%FF"])
def test_an_id_that_nothing_can_have_is_not_there(app: Flask, text: str) -> None:
    with app.test_request_context(query_string={"docno": text}), pytest.raises(NotFound):
        sent_id("docno")
