"""Qrels read as arrays: the lines that the plain reader has, or none."""

from __future__ import annotations

import io
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import InvalidInput
from workbench.formats.packed_lines import NotUnderstood
from workbench.formats.qrels import PackedQrels, read_packed_qrels, read_qrels, read_qrels_arrays
from workbench.records import Qrel, id_bytes

IDS = st.one_of(
    st.text(st.sampled_from("ab\u00e9\u4e00-#"), min_size=1, max_size=20).map(id_bytes),
    st.sampled_from([b"a" * 128, b"a" * 129, b"\xff", b"a\x01b", b"a\xc2\xa0b", b"query-id"]),
)
GRADES = st.sampled_from(
    [b"0", b"1", b"-1", b"+2", b"007", b"12345678", b"1.0", b"1e1", b"x", b"\xef\xbb\xbf1"]
)
GAPS = st.sampled_from([b" ", b" ", b" ", b"\t", b"  "])
ENDS = st.sampled_from([b"\n", b"\n", b"\r\n", b" \n", b"\n\n"])
LINES = st.lists(st.tuples(IDS, st.sampled_from([b"0", b"0", b"Q0"]), IDS, GRADES, GAPS, ENDS), max_size=8)


def pairs(read: PackedQrels) -> list[Qrel]:
    docnos = [docno.decode("utf-8", "surrogateescape") for docno in read.docnos.tolist()]
    topics = [read.topics[number] for number in read.numbers.tolist()]
    return list(map(Qrel, topics, docnos, read.grades.tolist()))


def plainly(content: bytes) -> list[Qrel] | None:
    try:
        return [Qrel(one.topic, one.docno, one.grade) for one in read_qrels(io.BytesIO(content), source="q")]
    except InvalidInput:
        return None


@given(LINES, st.booleans(), st.sampled_from([3, 40, 2**20]))
def test_what_is_read_as_arrays_is_what_the_plain_reader_has(
    lines: list[tuple[bytes, ...]], begins: bool, block: int
) -> None:
    written = [
        gap.join((topic, second, docno, grade)) + end for topic, second, docno, grade, gap, end in lines
    ]
    content = (b"\xef\xbb\xbf" if begins else b"") + b"".join(written)
    try:
        with patch("workbench.formats.qrels.BLOCK", block):
            read = read_packed_qrels(io.BytesIO(content), source="q")
    except NotUnderstood:
        return
    assert pairs(read) == plainly(content)


@pytest.mark.parametrize(
    "content", [b"", b"1 0 a 1\n1 0 a 1\n", b"1 0 a 1\n1 1 a 0\n", b"1 0 a\n", b"1 0 a 1.0\n"]
)
def test_what_is_wrong_is_left_to_the_plain_reader_and_its_findings(content: bytes) -> None:
    with pytest.raises(NotUnderstood):
        read_packed_qrels(io.BytesIO(content), source="q")
    with pytest.raises(InvalidInput) as expected:
        read_qrels(io.BytesIO(content), source="q")
    with pytest.raises(InvalidInput) as refused:
        read_qrels_arrays(io.BytesIO(content), source="q")
    assert refused.value.findings == expected.value.findings
