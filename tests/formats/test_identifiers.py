"""Ids and lists of ids."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable

import pytest

from tests.formats.strategies import codes, stream
from workbench.errors import InvalidInput
from workbench.formats.documents import read_documents
from workbench.formats.identifiers import all_fit, fits, read_ids
from workbench.formats.judgments import read_judgments
from workbench.formats.qrels import read_qrels, write_qrels
from workbench.formats.runs import read_run, read_run_top
from workbench.formats.topics import read_topics
from workbench.records import Qrel, id_bytes


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


@pytest.mark.parametrize(
    "identifier",
    ["007", "a#b/c:d", "é", "\udcff", "MB001", "\U0001f600", "\u0645\u06cc\u200c\u06a9\u0646\u0645"],
)
def test_what_an_id_may_be(identifier: str) -> None:
    assert fits(identifier)
    assert all_fit(b"x\n" + id_bytes(identifier))


@pytest.mark.parametrize("identifier", ["a b", "a\tb", "\r", "\x00", "\x1b", "\x7f", "\ufeffa", "a\ufeff"])
def test_what_an_id_may_not_be(identifier: str) -> None:
    assert not fits(identifier)
    assert not all_fit(b"x\n" + id_bytes(identifier))


@pytest.mark.parametrize(
    "unseen", ["\u00a0", "\u200b", "\u202e", "\u3000", "\u00ad", "\u2028", "\u200d", "\x85", "\U000e0041"]
)
@pytest.mark.parametrize("reader", ["run", "qrels", "judgments", "list", "topics", "documents"])
def test_what_cannot_be_seen_in_an_id_is_refused_by_every_reader(reader: str, unseen: str) -> None:
    identifier = f"d{unseen}1"
    given = {
        "run": f"1 Q0 {identifier} 1 2 t\n",
        "qrels": f"1 0 {identifier} 1\n",
        "judgments": f"topic\tdoc\tassessor\tgrade\n1\t{identifier}\tann\t1\n",
        "list": f"{identifier}\n",
        "topics": f'{{"id": "{identifier}", "title": "one"}}\n',
        "documents": f'{{"id": "{identifier}", "contents": "one"}}\n',
    }[reader]
    read: dict[str, Callable[[io.BytesIO], object]] = {
        "run": lambda content: read_run(content, source="r"),
        "qrels": lambda content: read_qrels(content, source="r"),
        "judgments": lambda content: read_judgments(content, source="r"),
        "list": lambda content: read_ids(content, source="r"),
        "topics": lambda content: read_topics(content, source="r"),
        "documents": lambda content: list(read_documents(content, source="r")),
    }
    with pytest.raises(InvalidInput) as refused:
        read[reader](stream(given))
    (finding,) = refused.value.findings
    assert (finding.line, finding.code) == (2 if reader == "judgments" else 1, "id")
    assert f"U+{ord(unseen):04X}" in finding.message
    # The fast reader leaves it to the plain one, and what was stored before can still be written.
    with pytest.raises(InvalidInput):
        read_run_top(stream(f"1 Q0 {identifier} 1 2 t\n"), source="r", depth=1)
    assert list(write_qrels([Qrel("1", identifier, 1)])) == [f"1 0 {identifier} 1\n".encode()]


def test_a_long_id_is_refused_at_its_line() -> None:
    # Characters are counted, not bytes: so the database does.
    fine, long = "é" * 512, "é" * 513
    assert read_qrels(stream(f"1 0 {fine} 1\n"), source="q")[0].docno == fine
    for content in (f"1 Q0 a 1 2 t\n1 Q0 {long} 2 1 t\n", f"1 Q0 a 1 2 t\n{long} Q0 a 2 1 t\n"):
        with pytest.raises(InvalidInput) as refused:
            read_run(stream(content), source="r")
        assert codes(refused.value) == [(2, "id-length")]


def test_neither_nothing_nor_half_a_character_is_an_id() -> None:
    assert not fits("")
    assert not fits("\n")
    assert not fits("\ud83d")
