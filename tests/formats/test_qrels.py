"""Qrels: four columns or BEIR's three, one grade a pair, and nothing else in the file."""

from __future__ import annotations

import contextlib
import gc
import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.strategies import IDS, codes, stream
from workbench.errors import InvalidInput, WorkbenchError
from workbench.formats.qrels import read_qrels, write_qrels
from workbench.records import Qrel, id_bytes


def errors(content: str | bytes) -> list[tuple[int | None, str]]:
    with pytest.raises(InvalidInput) as refused:
        read_qrels(stream(content), source="q")
    return codes(refused.value)


@pytest.mark.parametrize("content", ["1 0 d 1\n", "1 0 d\n"])
def test_the_collection_of_garbage_goes_on_after_reading(content: str) -> None:
    assert gc.isenabled()
    with contextlib.suppress(InvalidInput):
        read_qrels(stream(content), source="q")
    assert gc.isenabled()


def test_negative_grades_and_odd_ids_are_kept() -> None:
    content = "030 0 msmarco#a 1\n\n30\t0\tmsmarco#a\t-2\n30 Q0 b +3\r\n30 0.5 c 200"
    expected = (
        Qrel("030", "msmarco#a", 1),
        Qrel("30", "msmarco#a", -2),
        Qrel("30", "b", 3, "Q0"),
        Qrel("30", "c", 200, "0.5"),
    )
    assert read_qrels(stream(content), source="q") == expected
    assert read_qrels(stream(gzip.compress(content.encode())), source="q") == expected
    assert read_qrels(stream("\ufeff" + content), source="q") == expected


def test_the_header_of_beir_is_seen_and_needed() -> None:
    content = "query-id\tcorpus-id\tscore\nPLAIN-2\tMED-2427\t2\nPLAIN-2\tMED-10\t1\n"
    assert read_qrels(stream(content), source="q") == (
        Qrel("PLAIN-2", "MED-2427", 2),
        Qrel("PLAIN-2", "MED-10", 1),
    )
    assert errors("PLAIN-2\tMED-2427\t2\n") == [(1, "columns")]
    assert errors("query-id\tcorpus-id\tscore\nPLAIN-2\t0\tMED-2427\t2\n") == [(2, "columns")]
    assert errors("query-id\tcorpus-id\tscore\n") == [(None, "empty")]


@pytest.mark.parametrize("grade", ["1.9", "x", "1e0", "1_0", "٣", "--1", "9" * 19])
def test_grades_are_integers_of_plain_digits(grade: str) -> None:
    assert errors(f"1 0 a {grade}\n") == [(1, "grade")]


def test_a_header_is_named_and_the_lines_below_are_read() -> None:
    assert errors("topic iter docno rel\n1 0 a 1\n1 0 b\n") == [(1, "header"), (3, "columns")]
    assert errors("qid,did,score\n1 0 a 1\n") == [(1, "columns")]


def test_all_errors_are_told_and_a_duplicate_names_both_lines() -> None:
    content = "1 0 a 1\n1 0 a 0\n# c\n1 0 b\n1 0 c x\n1 0 d 1 1\n"
    with pytest.raises(InvalidInput) as refused:
        read_qrels(stream(content), source="q")
    assert codes(refused.value) == [
        (2, "duplicate"),
        (3, "comment"),
        (4, "columns"),
        (5, "grade"),
        (6, "columns"),
    ]
    assert str(refused.value.findings[0]) == (
        'q:2: document "a" is already in topic "1", line 1 '
        "(keep one of the lines: qrels have one grade per pair)"
    )


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_an_empty_file_is_refused(content: str) -> None:
    assert errors(content) == [(None, "empty")]


def test_qrels_are_written_sorted_by_bytes_and_nothing_else() -> None:
    # Bytewise B < a, 10 < 9, and the lone byte ff comes after é (c3 a9).
    qrels = [Qrel("9", "a", 0), Qrel("9", "B", 2), Qrel("10", "\udcff", -1), Qrel("10", "é", 1)]
    assert b"".join(write_qrels(qrels)) == b"10 0 \xc3\xa9 1\n10 0 \xff -1\n9 0 B 2\n9 0 a 0\n"
    assert list(write_qrels([])) == []


@pytest.mark.parametrize(
    "qrels",
    [
        [Qrel("1", "a b", 1)],
        [Qrel("", "a", 1)],
        [Qrel("1", "a\u0000", 1)],
        [Qrel("1", "a", 1), Qrel("1", "b", 1), Qrel("1", "a", 0)],
    ],
)
def test_what_no_scorer_would_read_is_not_written(qrels: list[Qrel]) -> None:
    with pytest.raises(WorkbenchError):
        list(write_qrels(qrels))


@given(
    st.dictionaries(st.tuples(IDS, IDS), st.integers(-(10**17), 10**17), min_size=1, max_size=8).map(
        lambda graded: [Qrel(topic, docno, grade) for (topic, docno), grade in graded.items()]
    )
)
def test_qrels_written_and_read_are_the_same_in_byte_order(qrels: list[Qrel]) -> None:
    expected = sorted(qrels, key=lambda qrel: (id_bytes(qrel.topic), id_bytes(qrel.docno)))
    assert list(read_qrels(io.BytesIO(b"".join(write_qrels(qrels))), source="q")) == expected


@pytest.mark.parametrize(
    "content",
    [
        b"1 0 a 1\n1 0 b -1\n2 0 a 0\n",
        b"1 0 a 1\n2 0 a 0",
        b"1\tQ0\ta\t+1\r\n1\tQ0\tb\t2\r\n",
        b"\xef\xbb\xbf1 0 a 1\n",
        b"1 0 d\xff 1\n1 0 \xc3\xa9 007\n",
        b"1 0 a 1\n\n1 0 b 1\n",
        b"1  0 a 1\n 1 0 b 1\n",
        b"1 a 1 0\n0 1 2\n0 1 2 3 4\n",
        b"1\n0\na\n1\n",
        b"1 0 a 1\n1 0 a 1\n",
        b"1 0 a 1\n1 1 a 2\n",
        b"1 0 a one\n",
        b"1 0 a\xe2\x80\x8b 1\n",
        b"1 0 a\x01 1\n",
        b"1 0 " + b"x" * 513 + b" 1\n",
        b"1 0 " + "é".encode() * 300 + b" 1\n",
    ],
)
def test_lines_that_are_alike_are_read_as_each_line_by_itself(content: bytes) -> None:
    # A first line with blanks around its columns sends the file to the reader of single lines.
    odd = b" 9  9  odd  1 \n" + content.removeprefix(b"\xef\xbb\xbf")
    assert _outcome(content) == _outcome(odd)


def _outcome(content: bytes) -> list[object]:
    """The qrels of a text but that of the odd line, or the codes of what is wrong with it."""
    try:
        return [qrel for qrel in read_qrels(io.BytesIO(content), source="q") if qrel.docno != "odd"]
    except InvalidInput as refused:
        return [finding.code for finding in refused.findings]
