"""The files of the commands, by name or `-`: an input is read once, an output appears once it is whole."""

from __future__ import annotations

import gzip
import io
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import BinaryIO, TypeVar, cast

import click

from workbench.errors import Finding, InvalidInput, WorkbenchError, rejected
from workbench.formats.source import Readable

STANDARD_INPUT = "standard input"
Content = TypeVar("Content")
ONCE = "standard input can be used for one file only"
_NAMED = "workbench.cli.files: the standard input was named"
_READ = "workbench.cli.files: the standard input was read"


class InputName(click.ParamType[str]):
    """The name of a file, or `-` for the standard input; this may stand for one of a command's files only."""

    def __init__(self, name: str) -> None:
        self.name = name

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name as it is; raises UsageError for a second `-`."""
        if value == "-" and ctx is not None:
            if _NAMED in ctx.meta:
                raise click.UsageError(ONCE)
            ctx.meta[_NAMED] = True
        return value


FILE = InputName("file")
QRELS = InputName("qrels")
file_argument = partial(click.argument, type=FILE)
file_option = partial(click.option, type=FILE)
QRELS_FILE = file_argument("qrels")


@contextmanager
def open_input(name: str) -> Iterator[tuple[BinaryIO, str]]:
    """Open a file for reading, or the standard input for `-`; gives the stream and the name for messages.

    Raises InvalidInput where the file is missing, is a folder or may not be read, where reading it fails
    later, and where the standard input is closed; click's UsageError where this command has read it before.
    Gzip is left to the readers of formats, which look at the content.
    """
    if name == "-":
        stream = _Input(_standard_input(), STANDARD_INPUT)
        yield cast(BinaryIO, io.BufferedReader(stream)), STANDARD_INPUT
        return
    try:
        if not name:
            raise FileNotFoundError
        opened = Path(name).open("rb", buffering=0)  # noqa: SIM115 - it is closed below
    except (OSError, ValueError) as error:
        raise InvalidInput([_unopened(name, error)]) from error
    with opened, io.BufferedReader(_Input(opened, name)) as buffered:
        yield cast(BinaryIO, buffered), name


def read_input(name: str, read: Callable[..., Content]) -> Content:
    """What a reader of a format makes of an input; it is called with the stream and with `source`."""
    with open_input(name) as (stream, source):
        return read(stream, source=source)


def read_each(names: Iterable[str], read: Callable[..., Content]) -> list[tuple[str, Content]]:
    """What `read` makes of each input, with its name for messages; raises InvalidInput with all findings."""
    refused: list[Finding] = []
    done: list[tuple[str, Content]] = []
    for name in names:
        try:
            with open_input(name) as (stream, source):
                done.append((source, read(stream, source=source)))
        except InvalidInput as error:
            refused.extend(error.findings)
    if refused:
        raise InvalidInput(refused)
    return done


def opened_each(names: Iterable[str]) -> Iterator[tuple[str, Readable]]:
    """Each input's name for messages and its stream, open until the next; what cannot be opened fails as it
    is read, so that the others are read all the same.
    """
    for name in names:
        try:
            with open_input(name) as (stream, source):
                yield source, stream
        except InvalidInput as refused:
            yield name, _Unopened(refused)


class _Unopened:
    def __init__(self, refused: InvalidInput) -> None:
        self._refused = refused

    def read(self, size: int, /) -> bytes:
        raise self._refused


def is_file(name: str) -> bool:
    """Whether an input is an ordinary file, whose name says something about it; no pipe, no device."""
    try:
        return name != "-" and stat.S_ISREG(Path(name).stat().st_mode)
    except (OSError, ValueError):
        return False


class _Input(io.RawIOBase):
    """An opened input; where reading it fails, that is a finding about it as any other."""

    def __init__(self, stream: io.FileIO | io.BufferedReader, source: str) -> None:
        self._stream = stream
        self._source = source

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._stream.seekable()

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        return self._stream.seek(offset, whence)

    def readinto(self, buffer: object, /) -> int:
        try:
            return self._stream.readinto(cast(bytearray, buffer)) or 0
        except (OSError, ValueError) as error:
            message = f"reading failed: {_reason(error)}"
            remedy = "check the disk or the connection, or copy the file and try again"
            raise rejected(self._source, None, "not-read", message, remedy) from error


def _standard_input() -> io.BufferedReader:
    context = click.get_current_context(silent=True)
    read = {} if context is None else context.meta
    if sys.stdin is None:
        remedy = "name a file, or pipe the content into the command"
        raise rejected(STANDARD_INPUT, None, "closed", "it is closed", remedy)
    if _READ in read:
        raise click.UsageError(ONCE)
    read[_READ] = True
    return cast(io.BufferedReader, sys.stdin.buffer)


def _unopened(name: str, error: Exception) -> Finding:
    if not name:
        remedy = "check whether a variable in the command is not set"
        return Finding('""', None, "not-found", "the name of the file is empty", remedy)
    if isinstance(error, FileNotFoundError):
        return Finding(name, None, "not-found", "there is no such file", "check the name and the folder")
    if isinstance(error, IsADirectoryError):
        return Finding(name, None, "is-a-folder", "this is a folder, not a file", f"name its files: {name}/*")
    if isinstance(error, PermissionError):
        return Finding(
            name, None, "not-allowed", "you do not have permission to read this file", f"chmod u+r {name}"
        )
    message, remedy = f"the file cannot be opened: {_reason(error)}", "check the name and the disk"
    return Finding(name, None, "not-opened", message, remedy)


def _reason(error: Exception) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


def write_out(parts: Iterable[bytes], output: Path | None) -> None:
    """Write bytes to a file, or to the standard output, which is `-` too; raises WorkbenchError if it cannot.

    A file has its name only once it is complete; what is no file, such as a pipe, is written to as it is. A
    name that ends with .gz has gzip.
    """
    if output is None or str(output) == "-":
        sys.stdout.buffer.writelines(parts)
        return
    if output.suffix == ".gz":
        # Without the time, so that the same content has the same bytes.
        parts = [gzip.compress(b"".join(parts), mtime=0)]
    try:
        if output.exists() and not output.is_file():
            with output.open("wb") as file:
                file.writelines(parts)
        else:
            _write_whole(parts, output.resolve())
    except OSError as error:
        raise WorkbenchError(f"{output} cannot be written: {error.strerror}") from None


def _write_whole(parts: Iterable[bytes], output: Path) -> None:
    partial = output.with_name(f".{output.name}.{os.getpid()}.partial")
    try:
        with partial.open("xb") as file:
            file.writelines(parts)
        if output.exists():
            partial.chmod(output.stat().st_mode & 0o777)
        partial.replace(output)
    except BaseException:
        with suppress(OSError):
            partial.unlink()
        raise
