from __future__ import annotations

import pytest
from flask import Flask, g

from tests.uploads import upload
from workbench.errors import InvalidInput
from workbench.web.forms import announce, sent_files, whole_number


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


def test_of_many_files_the_first_are_announced(app: Flask) -> None:
    with app.test_request_context():
        announce([("n" * 90, "kept.")] * 6)
        said = [text for text, _, _ in g.notices_to_come]
    assert said == ["n" * 60 + "…: kept."] * 4 + ["And 2 more files."]
