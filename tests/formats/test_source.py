"""Bytes -> lines: whatever people send, text comes out or one clear refusal."""

from __future__ import annotations

import gzip
import io
import sys
import tracemalloc
import zipfile
from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import InvalidInput
from workbench.formats import source
from workbench.formats.source import byte_lines, numbered_lines, open_source, whole_bytes


def lines(content: bytes) -> list[tuple[int, str]]:
    return list(numbered_lines(io.BytesIO(content), source="f"))


def refusal(content: bytes) -> tuple[int | None, str, str]:
    with pytest.raises(InvalidInput) as refused:
        lines(content)
    (finding,) = refused.value.findings
    assert finding.source == "f"
    assert finding.remedy
    return finding.line, finding.code, finding.message


@pytest.mark.parametrize(
    "content", [b"a\nb\n", b"a\nb", b"a\r\nb\r\n", b"a\r\nb", b"\xef\xbb\xbfa\nb\n", b"\xef\xbb\xbfa\r\nb\r"]
)
def test_line_ends_and_the_byte_order_mark_are_no_part_of_a_line(content: bytes) -> None:
    assert lines(content) == [(1, "a"), (2, "b")]
    assert lines(gzip.compress(content)) == [(1, "a"), (2, "b")]


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", gzip.compress(b"", mtime=0)])
def test_an_empty_file_has_no_lines(content: bytes) -> None:
    assert lines(content) == []


def test_blank_lines_are_counted_and_only_line_feeds_end_a_line() -> None:
    # str.splitlines would also cut at U+0085 and U+2028, which documents hold.
    assert lines("\n\na\u0085b\u2028c\x0bd\n".encode()) == [(1, ""), (2, ""), (3, "a\u0085b\u2028c\x0bd")]


def test_bytes_that_are_no_utf_8_survive_to_the_byte() -> None:
    [(_, line)] = lines(b"caf\xe9 \xff\n")
    assert line.encode("utf-8", "surrogateescape") == b"caf\xe9 \xff"


def test_gzip_is_known_by_its_first_bytes_and_may_have_several_members() -> None:
    assert lines(gzip.compress(b"a\nb") + gzip.compress(b"c\n")) == [(1, "a"), (2, "bc")]


def test_truncated_gzip_is_told_as_such() -> None:
    whole = gzip.compress(b"401 Q0 FT911-3 1 9.5 t\n" * 1000)
    for cut in (2, 5, 20, len(whole) - 3):
        assert refusal(whole[:cut]) == (
            *(None, "gzip"), "the gzip file ends too early, or something else stands after its end",
        )  # fmt: skip


@pytest.mark.parametrize("faster", [False, True])
def test_zlib_and_isal_read_the_same_and_refuse_the_same(
    monkeypatch: pytest.MonkeyPatch, faster: bool
) -> None:
    if faster:
        pytest.importorskip("isal", reason="the extra isal is not installed")
    else:
        monkeypatch.setitem(sys.modules, "isal", None)
    whole = gzip.compress(b"".join(b"%d\n" % n for n in range(5000)))
    assert lines(whole + whole) == [(n + 1, str(n % 5000)) for n in range(10_000)]
    # Cut; a bit turned among the data; another checksum; what is no gzip behind it.
    damaged = (whole[:-9], _turned(whole, 200), _turned(whole, -6), whole + b"rubbish of some length")
    assert [refusal(content)[1] for content in damaged] == ["gzip"] * 4


def _turned(content: bytes, at: int) -> bytes:
    turned = bytearray(content)
    turned[at] ^= 0x10
    return bytes(turned)


def test_broken_gzip_is_told_as_such() -> None:
    whole = bytearray(gzip.compress(b"".join(b"%d\n" % n for n in range(5000))))
    whole[len(whole) // 2] ^= 0xFF
    assert refusal(bytes(whole))[1] == "gzip"
    assert refusal(gzip.compress(b"a\n") + b"rubbish")[1] == "gzip"


def test_other_archives_are_named_with_their_remedy() -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("run", "a")
    assert refusal(archive.getvalue()) == (None, "archive", "the file is a zip archive")
    assert refusal(gzip.compress(archive.getvalue()))[1] == "archive"
    # The first bytes of `echo | bzip2`, `echo | xz` and `echo | zstd`.
    assert "bzip2" in refusal(b"BZh91AY&SY\x28\x5f\x7c\x39")[2]
    assert "xz" in refusal(b"\xfd7zXZ\x00\x00\x04")[2]
    assert "zstd" in refusal(b"\x28\xb5\x2f\xfd\x04\x58\x00")[2]


def test_a_topic_may_be_called_like_the_mark_of_an_archive() -> None:
    assert lines(b"BZh9 Q0 d 1 1 t\n") == [(1, "BZh9 Q0 d 1 1 t")]
    assert lines(b"\x28\xb5\x2f\xfd 0 d 1\n") == [(1, "(\udcb5/\udcfd 0 d 1")]


def test_binary_files_are_refused_at_the_line_of_the_first_nul() -> None:
    assert refusal(b"a\nb\nc\0d\n") == (3, "binary", "the file contains NUL bytes, so it is not text")
    assert refusal(b"a\n" * 700_000 + b"\0")[0] == 700_001


def test_utf_16_and_32_are_named() -> None:
    assert refusal("401 Q0".encode("utf-16"))[1] == "utf-16"
    assert refusal("401 Q0".encode("utf-32"))[1] == "utf-32"
    assert refusal(b"\0\0\xfe\xff" + "401".encode("utf-32-be"))[1] == "utf-32"


def test_lines_that_end_with_carriage_returns_alone_are_named() -> None:
    assert refusal(b"401 0 a 1\r401 0 b 1\r") == (
        None, "line-ends", "the lines end with carriage returns alone, as on old Macs",
    )  # fmt: skip
    # One line, with whatever ends it.
    assert list(byte_lines(io.BytesIO(b"a b\r"), source="s")) == [(1, b"a b")]


def test_a_stream_that_gives_little_at_a_time_is_read_whole() -> None:
    class Drops(io.RawIOBase):
        rest = gzip.compress(b"\xef") + gzip.compress(b"\xbb\xbfa\nb\n")

        def readable(self) -> bool:
            return True

        def read(self, size: int = -1, /) -> bytes:
            drop, self.rest = self.rest[:1], self.rest[1:]
            return drop

    assert list(numbered_lines(Drops(), source="f")) == [(1, "a"), (2, "b")]


def test_a_line_without_end_is_refused_in_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    # 128 MiB of one letter are 128 KiB of gzip; the limit here is 2 MiB, so that the test is quick.
    monkeypatch.setattr(source, "LINE_LIMIT", 2 * 2**20)
    bomb = gzip.compress(b"short\n") + gzip.compress(b"a" * (2 * 2**20), 1) * 64
    tracemalloc.start()
    try:
        with pytest.raises(InvalidInput) as refused:
            lines(bomb)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [(f.line, f.code) for f in refused.value.findings] == [(2, "line-too-long")]
    # Two chunks, the line so far, its extension: about 8 MiB; the whole would be 128.
    assert peak < 16 * 2**20


def test_a_gzip_bomb_is_refused_before_it_has_grown() -> None:
    # 64 MiB of lines of 1 KiB are less than 256 KiB of gzip; no line is too long.
    bomb = gzip.compress((b"a" * 1023 + b"\n") * 2**12, 9) * 16
    tracemalloc.start()
    latest: deque[int] = deque([0], maxlen=1)
    try:
        with pytest.raises(InvalidInput, match="grows more than 100 times") as refused:
            latest.extend(number for number, _ in byte_lines(io.BytesIO(bomb), source="f"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [f.code for f in refused.value.findings] == ["gzip-bomb"]
    assert 0 < latest[0] < 40 * 2**10
    assert peak < 16 * 2**20


def test_a_bomb_within_a_bomb_is_refused_unopened() -> None:
    with pytest.raises(InvalidInput, match="compressed twice"):
        lines(gzip.compress(gzip.compress(b"\n" * 2**22)))


def test_a_stream_may_be_bounded() -> None:
    bounded = source.Bounded(io.BytesIO(b"a\n" * 2**20), source="f", limit=2**20)
    with pytest.raises(InvalidInput, match="contains more than 1 MiB"):
        list(byte_lines(bounded, source="f"))
    exact = source.Bounded(io.BytesIO(b"a\n" * 2**19), source="f", limit=2**20)
    assert sum(1 for _ in byte_lines(exact, source="f")) == 2**19


def test_a_file_read_as_a_whole_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "LINE_LIMIT", 100)
    assert whole_bytes(io.BytesIO(b"\xef\xbb\xbf" + b"a" * 97), source="f") == b"a" * 97
    with pytest.raises(InvalidInput, match="larger than"):
        whole_bytes(io.BytesIO(gzip.compress(b"a" * 101)), source="f")


def test_the_stream_given_is_not_closed() -> None:
    stream = io.BytesIO(gzip.compress(b"a\n"))
    assert open_source(stream, "f").read() == b"a\n"
    assert not stream.closed


@given(st.lists(st.binary().map(lambda line: line.translate(None, b"\0\n"))))
def test_lines_joined_by_line_feeds_are_read_as_they_were(written: list[bytes]) -> None:
    # A line in front, so that nothing random can look like a byte order mark or an archive.
    content = b"".join(line + b"\n" for line in [b"first", *written])
    expected = [line[:-1] if line.endswith(b"\r") else line for line in [b"first", *written]]
    for stored in (content, gzip.compress(content)):
        read = list(byte_lines(io.BytesIO(stored), source="f"))
        assert [line for _, line in read] == expected
        assert [number for number, _ in read] == list(range(1, len(expected) + 1))
