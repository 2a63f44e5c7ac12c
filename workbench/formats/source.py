"""Bytes -> lines: gzip by its magic bytes, byte order mark, line ends; what is no text is refused."""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Iterator
from typing import IO, BinaryIO, Protocol, cast

from workbench.errors import rejected

LINE_LIMIT = 64 * 2**20
"""The longest line, and the largest file that is read as a whole, in bytes."""

_CHUNK = 2**20
# A text of records shrinks to a fifth or a twentieth; what grows a hundredfold beyond this size is no text.
_BOMB_BYTES, _BOMB_RATIO = 32 * 2**20, 100
_IN_MEMORY = 16 * 2**20
BOM = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_ARCHIVES = (
    (b"PK\x03\x04", "a zip archive", "unzip it and give the files"),
    (b"PK\x05\x06", "an empty zip archive", "unzip it and give the files"),
    (b"BZh", "compressed by bzip2", "decompress it with bunzip2, or compress it with gzip"),
    (b"\xfd7zXZ\x00", "compressed by xz", "decompress it with unxz, or compress it with gzip"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it and give the files"),
    (b"Rar!\x1a\x07", "a rar archive", "unpack it and give the files"),
)
_PDF = re.compile(rb"%PDF-\d\.\d[\r\n]")
_TAR_AT, _TAR = 257, b"ustar"
_ZSTD = b"\x28\xb5\x2f\xfd"
_BZIP2_BLOCK = b"1AY&SY"


class Readable(Protocol):
    """Anything that gives bytes when read."""

    def read(self, size: int, /) -> bytes: ...


class Peekable(Protocol):
    """A binary stream that can be looked at before it is read."""

    def read(self, size: int = -1, /) -> bytes: ...
    def peek(self, size: int = 0, /) -> bytes: ...
    def readline(self, size: int = -1, /) -> bytes: ...


def open_source(stream: Readable, source: str, *, pdf: bool = False) -> Peekable:
    """The plain bytes of a stream, decompressed as they are read where it holds gzip, in bounded memory.

    Raises InvalidInput at once for an archive that is not gzip, for gzip in gzip and, unless `pdf`, for a PDF
    document; while reading for broken gzip and for one that grows beyond all measure.
    """
    head = _head(stream, 10)
    _refuse_archives(head, source, pdf=pdf)
    whole = io.BufferedReader(_Rejoined(head, stream), _CHUNK)
    if not head.startswith(_GZIP):
        return whole
    plain = io.BufferedReader(_Gunzip(_Counted(whole), source), _CHUNK)
    inside = plain.peek(10)[:10]
    _refuse_archives(inside, source, pdf=pdf)
    if inside.startswith(_GZIP):
        raise rejected(source, None, "archive", "the file was compressed twice", "decompress it once")
    return plain


def with_head(stream: Peekable, size: int) -> tuple[bytes, Peekable]:
    """So many first bytes, fewer only where there are no more, and the stream from its beginning."""
    head = _head(stream, size)
    return head, io.BufferedReader(_Rejoined(head, stream), _CHUNK)


class Bounded:
    """A stream of which no more than `limit` bytes may be read; more raises InvalidInput."""

    def __init__(self, stream: Readable, *, source: str, limit: int) -> None:
        self._stream = stream
        self._source = source
        self._limit = limit
        self._left = limit

    def read(self, size: int, /) -> bytes:
        """The next bytes."""
        data = self._stream.read(size)
        self._left -= len(data)
        if self._left < 0:
            message = f"the file contains more than {-(-self._limit // 2**20):,} MiB"
            remedy = "check that this is the right file: a run has one line per topic and document"
            raise rejected(self._source, None, "too-large", message, remedy)
        return data


def byte_lines(
    stream: Readable, *, source: str, line_limit: int | None = None, returns: bool = False
) -> Iterator[tuple[int, bytes]]:
    r"""Numbered lines (from 1) of a plain or gzip stream, without ends (\n or \r\n) and byte order mark.

    With `returns` a line that ended with \r\n keeps its \r, for whoever keeps the bytes of lines.

    Raises InvalidInput for NUL bytes, broken gzip, a file whose lines end with \r alone, and lines longer
    than `line_limit` bytes, `LINE_LIMIT` if none is given.
    """
    limit = LINE_LIMIT if line_limit is None else line_limit
    plain = open_source(stream, source)
    upcoming = 1
    rest = b""
    chunk = plain.read(_CHUNK).removeprefix(BOM)
    _refuse_returns(chunk, source)
    while chunk:
        _refuse_binary(chunk, source, upcoming)
        first, *others = chunk.split(b"\n")
        if len(rest) + len(first) > limit:
            message = f"the line is longer than {limit // 2**20} MiB"
            remedy = "check that this is a text file with one record per line"
            raise rejected(source, upcoming, "line-too-long", message, remedy)
        lines = [rest + first, *others]
        rest = lines.pop()
        for number, line in enumerate(lines, upcoming):
            yield number, line[:-1] if line[-1:] == b"\r" and not returns else line
        upcoming += len(lines)
        chunk = plain.read(_CHUNK)
    if rest:
        yield upcoming, rest if returns else rest.removesuffix(b"\r")


def numbered_lines(stream: Readable, *, source: str, returns: bool = False) -> Iterator[tuple[int, str]]:
    """The lines of `byte_lines` decoded from UTF-8; bytes that are none become surrogates."""
    for number, line in byte_lines(stream, source=source, returns=returns):
        yield number, line.decode("utf-8", "surrogateescape")


def whole_bytes(stream: Readable, *, source: str) -> bytes:
    """The whole plain content, for formats that cannot be read by the line, without byte order mark.

    Raises InvalidInput for NUL bytes, broken gzip and more than `LINE_LIMIT` bytes.
    """
    content = open_source(stream, source).read(LINE_LIMIT + 1)
    if len(content) > LINE_LIMIT:
        message = f"the file is larger than {LINE_LIMIT // 2**20} MiB"
        raise rejected(source, None, "too-large", message, "check that this is the right file, or split it")
    _refuse_binary(content, source, 1)
    return content.removeprefix(BOM)


class Twice:
    """A stream that can be read from its beginning again; one that cannot seek is remembered."""

    def __init__(self, stream: Readable, source: str) -> None:
        self._stream = stream
        self._source = source
        self._begin = stream.tell() if isinstance(stream, io.IOBase) and stream.seekable() else None
        self._memory = None if self._begin is not None else _memory()

    def read(self, size: int, /) -> bytes:
        """The next bytes."""
        if self._memory is None:
            return self._stream.read(size)
        if remembered := self._memory.read(size):
            return remembered
        data = self._stream.read(size)
        try:
            self._memory.write(data)
        except OSError as error:
            raise rejected(
                self._source,
                None,
                "not-kept",
                f"the temporary copy of the input cannot be written: {error.strerror}",
                "free disk space, or give a file instead of standard input",
            ) from error
        return data

    def rewind(self) -> None:
        """Go back to the beginning."""
        if self._memory is not None:
            self._memory.seek(0)
        elif self._begin is not None and isinstance(self._stream, io.IOBase):
            self._stream.seek(self._begin)

    def close(self) -> None:
        """Give back the memory or the disk that a stream which cannot seek took."""
        if self._memory is not None:
            self._memory.close()


def _memory() -> IO[bytes]:
    # Imported here, since it imports every compression that there is, and few streams cannot seek.
    import tempfile

    return tempfile.SpooledTemporaryFile(_IN_MEMORY)


class _Passing(io.RawIOBase):
    """A stream whose bytes come from elsewhere."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object, /) -> int:
        view = memoryview(cast(bytearray, buffer)).cast("B")
        data = self.take(len(view))
        view[: len(data)] = data
        return len(data)

    def take(self, size: int) -> bytes:
        """At most so many bytes."""
        raise NotImplementedError


class _Rejoined(_Passing):
    """A stream whose first bytes were already taken from it, put together again."""

    def __init__(self, head: bytes, stream: Readable) -> None:
        self._head = head
        self._stream = stream

    def take(self, size: int) -> bytes:
        data = self._head or self._stream.read(size)
        self._head = data[size:]
        return data[:size]


class _Counted(_Passing):
    """A stream that knows how many bytes were read of it."""

    def __init__(self, stream: Peekable) -> None:
        self._stream = stream
        self.consumed = 0

    def take(self, size: int) -> bytes:
        data = self._stream.read(size)
        self.consumed += len(data)
        return data


_TEST_GZIP = "test it with gzip -t; copy it again"


class _Gunzip(io.RawIOBase):
    """The content of a gzip stream, member after member; what is broken is told as InvalidInput."""

    def __init__(self, stream: _Counted, source: str) -> None:
        self._packed = stream
        self._given = 0
        self._plain, self._broken = _inflated(cast(BinaryIO, stream))
        self._source = source

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object, /) -> int:
        if self._given > _BOMB_BYTES and self._given > _BOMB_RATIO * self._packed.consumed:
            raise rejected(
                self._source,
                None,
                "gzip-bomb",
                f"the gzip file grows more than {_BOMB_RATIO} times when it is decompressed",
                "give the uncompressed text: no file of records compresses that well",
            )
        try:
            given = self._plain.readinto(cast(bytearray, buffer))
        except EOFError as error:
            message = "the gzip file ends too early, or something else stands after its end"
            raise rejected(self._source, None, "gzip", message, _TEST_GZIP) from error
        except (gzip.BadGzipFile, self._broken) as error:
            message = f"the gzip file is broken: {error}"
            raise rejected(self._source, None, "gzip", message, _TEST_GZIP) from error
        self._given += given
        return given


def _inflated(stream: BinaryIO) -> tuple[io.BufferedIOBase, type[Exception]]:
    """The content of a gzip stream, and what reading it raises where it is broken.

    By ISA-L, which takes half of zlib's time, where it is installed (extra `isal`).
    """
    try:
        # Imported here, since many files are plain.
        from isal import igzip, isal_zlib
    except ImportError:
        return gzip.GzipFile(fileobj=stream, mode="rb"), zlib.error
    return igzip.IGzipFile(fileobj=stream, mode="rb"), isal_zlib.error


def _head(stream: Readable, size: int) -> bytes:
    head = b""
    while len(head) < size and (more := stream.read(size - len(head))):
        head += more
    return head


def _refuse_archives(head: bytes, source: str, *, pdf: bool) -> None:
    for magic, what, remedy in _ARCHIVES:
        if head.startswith(magic) and (magic != b"BZh" or head[4:10] == _BZIP2_BLOCK):
            raise rejected(source, None, "archive", f"the file is {what}", remedy)
    if not pdf and _PDF.match(head):
        raise rejected(source, None, "archive", "the file is a PDF document", "give the text file itself")


def _refuse_returns(chunk: bytes, source: str) -> None:
    if b"\n" not in chunk and b"\r" in chunk.rstrip(b"\r"):
        message = "the lines end with carriage returns alone, as on old Macs"
        remedy = "convert the line ends, for example with tr '\\r' '\\n'"
        raise rejected(source, None, "line-ends", message, remedy)


def _refuse_binary(chunk: bytes, source: str, line: int) -> None:
    at = chunk.find(b"\0")
    if at < 0:
        return
    line += chunk.count(b"\n", 0, at)
    if line == 1:
        if chunk[:4] in (b"\xff\xfe\0\0", b"\0\0\xfe\xff"):
            raise rejected(source, None, "utf-32", "the file is encoded in UTF-32", "save it as UTF-8")
        if chunk[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise rejected(source, None, "utf-16", "the file is encoded in UTF-16", "save it as UTF-8")
        if chunk[_TAR_AT : _TAR_AT + len(_TAR)] == _TAR:
            message = "the file is a tar archive"
            raise rejected(source, None, "archive", message, "unpack it and give the files")
        if chunk.startswith(_ZSTD):
            # Only here, since these four bytes alone could begin an id.
            remedy = "decompress it with unzstd, or compress it with gzip"
            raise rejected(source, None, "archive", "the file is compressed by zstd", remedy)
    remedy = "give a text file in UTF-8, plain or gzip; an archive must be unpacked first"
    raise rejected(source, line, "binary", "the file contains NUL bytes, so it is not text", remedy)
