"""Lists of docnos."""

from __future__ import annotations

import gzip
import io

import pytest

from workbench.errors import InvalidInput
from workbench.formats.identifiers import read_docnos


def test_docnos_come_once_with_their_first_line_whatever_parts_them() -> None:
    text = b"\xef\xbb\xbfd1  d2\td1\r\n\r\nFT911-3\nd/4 d#5"
    assert read_docnos(io.BytesIO(text), source="list") == {
        "d1": 1,
        "d2": 1,
        "FT911-3": 3,
        "d/4": 4,
        "d#5": 4,
    }


def test_other_white_space_and_bytes_outside_utf_8_belong_to_an_id() -> None:
    text = "a\u00a0b\n".encode() + b"\xff\n"
    assert list(read_docnos(io.BytesIO(text), source="list")) == ["a\u00a0b", "\udcff"]


def test_a_list_may_be_gzip() -> None:
    assert list(read_docnos(io.BytesIO(gzip.compress(b"d1\n")), source="list.gz")) == ["d1"]


@pytest.mark.parametrize("content", [b"", b" \n\t\r\n", b"d1\0"])
def test_a_list_without_a_docno_or_that_is_no_text_is_refused(content: bytes) -> None:
    with pytest.raises(InvalidInput):
        read_docnos(io.BytesIO(content), source="list")
