"""Records as JSON and back: what a stranger's file has instead of a record is named by its field."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from tests.releases.made import RUN, small_release, write_release
from workbench.errors import InvalidInput, WorkbenchError
from workbench.releases import zipped
from workbench.releases.record_form import as_object, from_object, json_bytes, moment
from workbench.releases.zipped import ZippedFiles, ZippedRelease


@dataclass(frozen=True, slots=True)
class Part:
    """A record within a record."""

    name: str


@dataclass(frozen=True, slots=True)
class Whole:
    """A record with a field of every kind."""

    number: int
    share: float = 0.5
    at: datetime | None = None
    place: tuple[int, str] = (0, "")
    parts: tuple[Part, ...] = ()
    more: dict[str, int] = field(default_factory=dict)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([], "[] is not an object"),
        ({}, "number is missing"),
        ({"number": "1"}, "number: '1' is not int"),
        ({"number": True}, "number: True is not int"),
        ({"number": 2**63}, "number: 9223372036854775808 is too large"),
        ({"number": 1, "share": float("inf")}, "share: inf is too large"),
        ({"number": 1, "colour": 1}, "there is no field 'colour'"),
        ({"number": 1, "at": "yesterday"}, "at: 'yesterday' is not a time"),
        ({"number": 1, "at": 12}, "at: 12 is not a time"),
        ({"number": 1, "at": "2026-01-02T03:04:05"}, "at: '2026-01-02T03:04:05' has no time zone"),
        ({"number": 1, "place": "here"}, "place: 'here' is not a list"),
        ({"number": 1, "place": [1]}, "place: expected 2 values, found 1"),
        ({"number": 1, "parts": [{"name": "a\0"}]}, "parts: name: 'a\\x00' has an invalid character"),
        ({"number": 1, "parts": ["a"]}, "parts: 'a' is not an object"),
        ({"number": 1, "more": [1]}, "more: [1] is not an object"),
        ({"number": 1, "more": {"a": 1.5}}, "more: 1.5 is not int"),
    ],
)
def test_what_is_no_record_is_named_by_its_field(given: Any, told: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(told)}$"):
        from_object(Whole, given)


def test_a_record_is_read_back_as_it_was_written_without_what_is_usual() -> None:
    east = timezone(timedelta(hours=2))
    record = Whole(
        1, 2.0, datetime(2026, 1, 2, 3, 4, 5, tzinfo=east), (3, "x"), (Part("a"),), {"b": 1, "a": 2}
    )
    written = as_object(record)
    assert written["at"] == "2026-01-02T01:04:05Z" == moment(datetime(2026, 1, 2, 1, 4, 5, tzinfo=UTC))
    assert list(written["more"]) == ["a", "b"]
    assert from_object(Whole, written) == record
    assert as_object(Whole(1)) == {"number": 1}
    # A whole number stands for a share as well.
    assert from_object(Whole, {"number": 1, "share": 1}).share == 1.0


def test_an_id_that_is_no_utf_8_is_not_written() -> None:
    with pytest.raises(WorkbenchError, match="is not UTF-8") as told:
        json_bytes({"docno": "a very long id before d\udcff"})
    assert "d\\udcff" in told.value.message
    assert told.value.remedy == "convert the file to UTF-8"


def test_the_files_of_a_zip_are_read_when_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    content = write_release(small_release())
    with ZippedFiles(io.BytesIO(content), source="release.zip") as files:
        assert len(files) == len(list(files))
        assert "qrels.txt" in files
        assert files["qrels.txt"].splitlines()[0] == b"T1 0 d#1 1"
        runs = ZippedRelease.of(files).run_files
        assert (len(runs), list(runs), runs["alpha"]) == (1, ["alpha"], RUN)
        for missing, code in (("none.txt", "missing"), ("qrels.txt", "too-large")):
            monkeypatch.setattr(zipped, "LINE_LIMIT", 5 if code == "too-large" else 1000)
            with pytest.raises(InvalidInput) as refused:
                list(files.lines(missing))
            assert [one.code for one in refused.value.findings] == [code]
