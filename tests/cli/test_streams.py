"""Streams that are closed, full or broken: each input is read once, and what fails is told in one line."""

from __future__ import annotations

import errno
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tests.cli.executable import new_instance, workbench
from workbench.cli.main import workbench as main_group

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
    assert repaired["repair"]["errors_left"] == 0
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


# Arguments that name files; of `release compare` they are its two releases.
INPUTS = {"files", "file", "runs", "qrels", "docs", "topics", "before", "after", "source", "releases"}
# What other arguments of commands on files hold.
OTHERS = {"campaign": "small", "kind": "roc", "tag": "bm25", "target": "new.run", "query": "tide"}
# Options without which a command reads nothing.
NEEDED = {"trust judges": ("--judgments", "broken"), "trust runs": ("--depth", "1")}


def commands(group: click.Group, *path: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command below a group with the words that call it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        if isinstance(found, click.Group):
            yield from commands(found, *path, name)
        elif found is not None:
            yield (*path, name), found


def words_of(path: tuple[str, ...], found: click.Command, broken: str) -> list[str]:
    """The command with a broken file in the place of each of its inputs, twice where it takes several."""
    inputs = INPUTS | ({"first", "second"} if path[0] == "release" else set())
    words = list(path)
    for one in found.params:
        if isinstance(one, click.Argument) and one.name in inputs:
            words += [broken] * (1 if one.nargs == 1 else 2)
        elif isinstance(one, click.Argument):
            words.append(OTHERS[str(one.name)])
    return [*words, *NEEDED.get(" ".join(path), ())]


@pytest.mark.slow
def test_every_command_tells_that_a_file_cannot_be_read(
    broken: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_INSTANCE", str(folder / "instance"))
    (folder / "topics.tsv").write_bytes(b"401\tforeign minorities\n")
    (folder / broken).touch()
    assert workbench("init", "--login", "olga", "--password", "a long enough secret").returncode == 0
    for words in (("new", "Small"), ("topics", "small", "topics.tsv"), ("runs", "small", "bm25.run")):
        assert workbench("campaign", *words).returncode == 0
    asked, wrong = 0, {}
    for path, found in commands(main_group):
        inputs = [one for one in found.params if isinstance(one, click.Argument) and one.name in INPUTS]
        if not inputs or path == ("restore",):  # a backup is opened by the library of zips
            continue
        asked += 1
        done = workbench(*words_of(path, found, broken))
        told = done.stderr.decode()
        if done.returncode != 1 or "Input/output error" not in told or "Traceback" in told:
            wrong[" ".join(path)] = (done.returncode, told[:300])
    assert wrong == {}
    assert asked >= 25


@pytest.mark.parametrize(
    "words",
    [
        ("pool", "bad.run"),
        ("score", "missing", "bm25.run"),
        ("agree", "qrels", "missing"),
        ("analyse", "missing"),
        ("plan", "bad.run"),
        ("consensus", "qrels"),
        ("check", "bm25.run", "--topics", "missing"),
        ("campaign", "show", "nothing", "--instance", "here"),
    ],
)
def test_with_json_a_refusal_is_json_and_nothing_else(
    words: tuple[str, ...], folder: Path, migrated_sqlite: Path
) -> None:
    new_instance(folder / "here", migrated_sqlite)
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
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"one file only" in done.stderr


def test_a_name_is_told_in_one_line_and_an_empty_one_as_such(folder: Path) -> None:
    (folder / "a\nb\x1b[2J").write_bytes(b"401\n")
    done = workbench("check", "a\nb\x1b[2J", "")
    empty, *_ = [line for line in done.stderr.decode().splitlines() if "empty" in line]
    assert empty.startswith('error: "": the name of the file is empty')
    assert done.stderr.decode().splitlines()[0].startswith(r"error: a\nb\x1b[2J:1: expected 6 columns")
    assert [row.split("\t")[1] for row in done.stdout.decode().splitlines()[1:]] == [r"a\nb\x1b[2J", '""']
