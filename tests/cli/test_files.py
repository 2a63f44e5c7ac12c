"""Where commands take their input from."""

from __future__ import annotations

import errno
import io
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from workbench.cli.files import open_input
from workbench.errors import InvalidInput


def test_a_file_is_opened_and_closed_again(tmp_path: Path) -> None:
    name = str(tmp_path / "a run#1.gz")
    Path(name).write_bytes(b"\x1f\x8b")
    with open_input(name) as (stream, source):
        assert (stream.read(), source) == (b"\x1f\x8b", name)
    assert stream.closed


def test_a_dash_is_the_standard_input_and_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    buffer = io.BytesIO(b"a")
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=buffer))
    with open_input("-") as (stream, source):
        assert (stream.read(), source) == (b"a", "standard input")
    assert not buffer.closed


@pytest.mark.parametrize(
    ("name", "code"),
    [("missing", "not-found"), (".", "is-a-folder"), ("a\0b", "not-opened"), ("x" * 5000, "not-opened")],
)
def test_what_cannot_be_opened_is_told_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, code: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput) as refused, open_input(name):
        pass
    (finding,) = refused.value.findings
    assert (finding.source, finding.line, finding.code) == (name, None, code)
    assert finding.remedy


def test_errors_of_what_is_done_with_a_file_are_not_those_of_opening_it(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    with pytest.raises(FileNotFoundError, match="other"), open_input(str(tmp_path / "a")):
        raise FileNotFoundError("other")


def test_a_disk_that_fails_while_an_input_is_read_is_told_with_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken(io.BytesIO):
        def readinto(self, buffer: object, /) -> int:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(Path, "open", lambda *_, **__: Broken())
    with pytest.raises(InvalidInput) as refused, open_input("one.run") as (stream, _):
        stream.read(1)
    (finding,) = refused.value.findings
    assert (finding.source, finding.code) == ("one.run", "not-read")
    assert finding.message == "reading failed: Input/output error"


def test_a_closed_standard_input_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(InvalidInput) as refused, open_input("-"):
        pass
    (finding,) = refused.value.findings
    assert (finding.source, finding.code, finding.message) == ("standard input", "closed", "it is closed")
