"""Ids and lists of ids."""

from __future__ import annotations

import gzip

import pytest

from tests.formats.strategies import codes, stream
from workbench.errors import InvalidInput
from workbench.formats.identifiers import all_fit, fits, read_ids
from workbench.records import id_bytes


def test_a_list_holds_one_id_a_line_and_only_the_first_column_counts() -> None:
    content = b"\xef\xbb\xbfug7v899j\r\n\n  02tnwd4m some title\nd#\xff\n"
    expected = ("ug7v899j", "02tnwd4m", "d#\udcff")
    assert read_ids(stream(content), source="i") == expected
    assert read_ids(stream(gzip.compress(content)), source="i") == expected


def test_lists_in_error_are_refused() -> None:
    for content, expected in (("", [(None, "empty")]), ("a\n\x07b\n\x7f\n", [(2, "id"), (3, "id")])):
        with pytest.raises(InvalidInput) as refused:
            read_ids(stream(content), source="i")
        assert codes(refused.value) == expected


@pytest.mark.parametrize("identifier", ["007", "a#b/c:d", "é", "\u00a0", "\udcff", "MB001", "\U0001f600"])
def test_what_an_id_may_be(identifier: str) -> None:
    assert fits(identifier)
    assert all_fit(b"x\n" + id_bytes(identifier))


@pytest.mark.parametrize("identifier", ["a b", "a\tb", "\r", "\x00", "\x1b", "\x7f", "\ufeffa", "a\ufeff"])
def test_what_an_id_may_not_be(identifier: str) -> None:
    assert not fits(identifier)
    assert not all_fit(b"x\n" + id_bytes(identifier))


def test_neither_nothing_nor_half_a_character_is_an_id() -> None:
    assert not fits("")
    assert not fits("\n")
    assert not fits("\ud83d")
