"""Streams that are closed, full or broken: each input is read once, and what fails is told in one line."""

from __future__ import annotations

import errno
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.executable import workbench

PROGRAM = Path(sys.executable).with_name("workbench")
RUN = b"401 Q0 a 1 2 bm25\n401 Q0 b 2 1 bm25\n"
REPAIRABLE = b"401 0 a 1 2 x\n401 Q0 b 2 1 y\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bm25.run").write_bytes(RUN)
    (tmp_path / "bad.run").write_bytes(b"401 Q0 a\n")
    (tmp_path / "qrels").write_bytes(b"401 0 a 1\n")
    return tmp_path


def shell(line: str, given: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    """Run a line of bash in which $W is the program; a minute is more than any of them takes."""
    return subprocess.run(
        ["bash", "-c", line],
        env=os.environ | {"W": str(PROGRAM)},
        input=given,
        capture_output=True,
        timeout=60,
        check=False,
    )


def test_a_pipe_is_read_once_and_repaired_all_the_same(folder: Path) -> None:
    # A second opening of a named pipe would wait for ever, one of <(...) finds nothing.
    os.mkfifo(folder / "pipe")
    done = shell("cat bm25.run > pipe & $W check pipe <(cat) --correct-to repaired --json", REPAIRABLE)
    assert done.stderr == b""
    good, repaired = json.loads(done.stdout)
    # No name of a pipe promises a tag, so that none is missed.
    assert (good["verdict"], good["warnings"]) == ("good", [])
    assert repaired["mend"]["errors_left"] == 0
    (written,) = (folder / "repaired").iterdir()
    assert written.read_bytes() == b"401 Q0 a 1 2 x\n401 Q0 b 2 1 x\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("$W score qrels - <&-", b"standard input: it is closed"),
        ("$W pool bm25.run >&-", b"the standard output is closed"),
        ("$W pool bm25.run >/dev/full", b"the output cannot be written: No space left on device"),
        ("$W score qrels bm25.run --json >/dev/full", b"the output cannot be written: No space left"),
    ],
)
def test_a_closed_or_full_stream_is_one_line(line: str, message: bytes) -> None:
    done = shell(line)
    assert done.returncode == 1
    assert done.stderr.count(b"\n") == 1
    assert message in done.stderr


def test_a_reader_that_has_enough_is_no_error() -> None:
    done = shell("$W pool --strategies --json | true; exit ${PIPESTATUS[0]}")
    assert (done.returncode in {0, 1}, done.stderr) == (True, b"")


class Broken(io.BytesIO):
    """A file on a disk that fails behind the first lines."""

    def readinto(self, buffer: object, /) -> int:
        raise OSError(errno.EIO, os.strerror(errno.EIO))


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> str:
    opened = Path.open

    def fails(path: Path, *arguments: object, **settings: object) -> object:
        return Broken() if path.name == "broken" else opened(path, *arguments, **settings)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", fails)
    return "broken"


@pytest.mark.parametrize(
    "words",
    [("check",), ("pool",), ("score", "qrels"), ("analyse",), ("plan",), ("agree",), ("consensus",)],
)
def test_a_read_that_fails_is_told_and_so_are_the_other_files(broken: str, words: tuple[str, ...]) -> None:
    done = workbench(*words, broken, "bad.run")
    told = done.stderr.decode().splitlines()
    assert done.returncode == 1
    assert told[0].startswith("error: broken: reading failed: Input/output error")
    assert any("bad.run" in line for line in told[1:])


@pytest.mark.parametrize(
    "words",
    [
        ("pool", "bad.run"),
        ("score", "missing", "bm25.run"),
        ("agree", "qrels", "missing"),
        ("analyse", "missing"),
        ("plan", "bad.run"),
        ("consensus", "qrels"),
        ("rounds", "missing", "qrels"),
        ("check", "bm25.run", "--topics", "missing"),
        ("campaign", "show", "nothing", "--instance", "here"),
    ],
)
def test_with_json_a_refusal_is_json_and_nothing_else(words: tuple[str, ...]) -> None:
    done = workbench(*words, "--json")
    assert (done.returncode, done.stderr) == (1, b"")
    (first, *_) = json.loads(done.stdout)["errors"]
    assert first.keys() == {"source", "line", "code", "message", "remedy", "severity", "column"}
    assert first["message"]
    plain = workbench(*words)
    assert (plain.returncode, plain.stdout) == (1, b"")
    assert first["message"] in plain.stderr.decode()


def test_a_dash_stands_for_one_input() -> None:
    done = workbench("check", "-", "--topics", "-", given=RUN)
    assert done.returncode == 2
    assert b"one file only" in done.stderr
    done = workbench("campaign", "topics", "harbour", "-", "-", "--instance", "here", given=b"1\tone\n")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"error: standard input: it has been read already")


def test_a_name_is_told_in_one_line_and_an_empty_one_as_such(folder: Path) -> None:
    (folder / "a\nb\x1b[2J").write_bytes(b"401\n")
    done = workbench("check", "a\nb\x1b[2J", "")
    empty, *_ = [line for line in done.stderr.decode().splitlines() if "empty" in line]
    assert empty.startswith('error: "": the name of the file is empty')
    assert done.stderr.decode().splitlines()[0].startswith(r"error: a\nb\x1b[2J:1: expected 6 columns")
    assert [row.split("\t")[1] for row in done.stdout.decode().splitlines()[1:]] == [r"a\nb\x1b[2J", '""']
