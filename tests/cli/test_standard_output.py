"""Where what a command prints goes: a terminal, a stream that fails, or nowhere."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

import pytest

from workbench.cli.main import main
from workbench.cli.output import (
    OutputFailed,
    announce,
    complain,
    progress_bar,
    say_table,
    standard_output,
    with_progress,
)
from workbench.errors import WorkbenchError


class Failing(io.RawIOBase):
    """A stream that takes nothing."""

    def __init__(self, number: int) -> None:
        self.number = number

    def writable(self) -> bool:
        return True

    def write(self, data: object, /) -> int:
        raise OSError(self.number, os.strerror(self.number))


def failing(number: int) -> TextIO:
    """A text stream that fails by an error number once it is flushed."""
    return io.TextIOWrapper(io.BufferedWriter(Failing(number)), encoding="utf-8")


@contextmanager
def stdout_as(stream: TextIO | None) -> Iterator[None]:
    """Have this standard output, or none, until the end; whatever took its place is closed."""
    before = sys.stdout
    sys.stdout = stream
    try:
        yield
    finally:
        for one in {sys.stdout, stream} - {None}:
            with suppress(OSError):
                one.close()  # type: ignore[union-attr]
        sys.stdout = before


def printing(error: BaseException | None = None) -> None:
    with standard_output():
        sys.stdout.write("half of a table")
        if error is not None:
            raise error


@pytest.mark.parametrize("error", [None, SystemExit(0)], ids=["at its end", "as it exits"])
def test_a_full_disk_is_told_and_that_the_output_is_not_complete(error: SystemExit | None) -> None:
    with stdout_as(failing(errno.ENOSPC)):
        with pytest.raises(OutputFailed, match="cannot be written: No space left on device") as failed:
            printing(error)
        # What the interpreter writes as it ends goes nowhere, or it would complain once more.
        print("anything", flush=True)
    assert "incomplete" in failed.value.remedy


def test_a_reader_that_left_ends_the_command_without_a_word() -> None:
    with stdout_as(failing(errno.EPIPE)), pytest.raises(SystemExit) as left:
        printing()
    assert left.value.code == 1


def test_an_error_after_something_was_printed_is_the_one_that_is_told() -> None:
    with stdout_as(failing(errno.EBADF)):
        with pytest.raises(WorkbenchError, match="one id is odd"):
            printing(WorkbenchError("one id is odd"))
        print("anything", flush=True)


def test_a_process_without_standard_output_is_told_only_if_it_prints() -> None:
    with stdout_as(None), pytest.raises(OutputFailed, match="the standard output is closed"):
        printing()
    with stdout_as(None), standard_output():
        pass


def test_a_question_that_nobody_answers_is_no_error_of_the_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The login name is asked for, which prints.
    monkeypatch.setattr(sys, "argv", ["workbench", "init", "--instance", str(tmp_path / "new")])
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    with stdout_as(None), pytest.raises(SystemExit) as left:
        main()
    assert (left.value.code, capsys.readouterr().err) == (130, "")


def test_a_file_that_fails_is_named() -> None:
    denied = PermissionError(errno.EACCES, os.strerror(errno.EACCES), "runs/one.run")
    with (
        stdout_as(io.StringIO()),
        pytest.raises(WorkbenchError, match=r"^runs/one\.run: Permission denied$"),
    ):
        printing(denied)


def test_a_line_that_nobody_needs_stops_no_server() -> None:
    stream = failing(errno.EBADF)
    with stdout_as(stream):
        announce("Workbench serves http://127.0.0.1:8765")
        announce("Stop with Ctrl-C.")
        assert sys.stdout is not stream


def test_an_error_is_no_second_error_where_the_error_stream_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = failing(errno.EBADF)
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stderr", stream)
        complain(WorkbenchError("one id is odd"))
        # Nothing of it was written, and nothing raised.
        with pytest.raises(OSError, match="Bad file descriptor"):
            stream.close()


def on_terminal(stream: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(getattr(sys, stream), "isatty", lambda: True)
    for name, value in {"TERM": "xterm", "COLUMNS": "60", "NO_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)


def test_a_terminal_gets_columns_with_numbers_to_the_right(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    on_terminal("stdout", monkeypatch)
    # What looks like rich's markup is a document's name.
    say_table(["doc", "grade"], [("[bold]d1", 3), ("d\x1b[2J", 12)], numeric=[1])
    heading, *lines = capsys.readouterr().out.splitlines()
    assert [word for word in ("doc", "grade") if word not in heading] == []
    assert [line.rstrip() for line in lines] == [r"[bold]d1      3", r"d\x1b[2J     12"]


def shown(capsys: pytest.CaptureFixture[str], items: list[str]) -> str:
    """What stands on the error stream after these items were gone through."""
    assert list(with_progress(items, "Scoring")) == items
    return capsys.readouterr().err


def test_progress_is_shown_on_a_terminal_and_for_more_than_one_item(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shown(capsys, ["one", "two"]) == ""
    on_terminal("stderr", monkeypatch)
    assert shown(capsys, ["one"]) == ""
    said = shown(capsys, ["one", "two"])
    assert "Scoring" in said
    assert "2/2" in said


def test_a_bar_draws_nothing_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar() as bar:
        assert list(bar.track(["one"], description="Scoring")) == ["one"]
    assert capsys.readouterr().err == ""
