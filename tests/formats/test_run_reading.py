"""Runs as they are read: strictly, all errors at once, ids to the byte."""

from __future__ import annotations

import gzip
import io
from typing import Unpack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.strategies import IDS, Expected, codes, read_as, stream
from workbench.errors import InvalidInput, WorkbenchError
from workbench.formats.run_check import check_run
from workbench.formats.run_rules import RunRules
from workbench.formats.run_table import COLUMNS
from workbench.formats.runs import RunReading, read_run, write_run
from workbench.records import Ranking, Run

PLAIN = "401 Q0 FT911-3 1 9.5 tagX\n401 Q0 FT911-4 2 8.5 tagX\n402 Q0 FT911-3 1 1e3 tagX\n"
PLAIN_RUN = Run(
    "tagX",
    {"401": Ranking(("FT911-3", "FT911-4"), (9.5, 8.5)), "402": Ranking(("FT911-3",), (1000.0,))},
)


def read(content: str | bytes, **expected: Unpack[Expected]) -> RunReading:
    return read_as(stream(content), source="r", **expected)


def errors(content: str | bytes, **expected: Unpack[Expected]) -> list[tuple[int | None, str]]:
    with pytest.raises(InvalidInput) as refused:
        read(content, **expected)
    assert all(finding.source == "r" and finding.message for finding in refused.value.findings)
    return codes(refused.value)


@pytest.mark.parametrize(
    "content",
    [
        PLAIN,
        PLAIN.rstrip("\n"),
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace(" ", "\t"),
        PLAIN.replace(" ", "  \t"),
        "\ufeff" + PLAIN,
        "\n\n" + PLAIN.replace("\n", "\n \n"),
        gzip.compress(PLAIN.encode(), mtime=0),
    ],
    ids=["plain", "no final newline", "CRLF", "tabs", "wide", "byte order mark", "blank lines", "gzip"],
)
def test_the_same_run_in_other_clothes_is_the_same_run(content: str | bytes) -> None:
    reading = read(content)
    assert reading.run == PLAIN_RUN
    assert list(reading.run.rankings) == ["401", "402"]
    assert reading.lines == 3
    assert [finding.code for finding in reading.findings] == ["short-topics"]


def test_topics_keep_the_order_of_the_file_also_where_they_interleave() -> None:
    reading = read("2 Q0 a 1 3 t\n1 Q0 a 1 3 t\n2 Q0 b 2 2 t\n1 Q0 b 2 2 t\n")
    assert list(reading.run.rankings) == ["2", "1"]
    assert reading.run.rankings["2"] == Ranking(("a", "b"), (3.0, 2.0))
    assert reading.findings == ()


def test_ids_survive_to_the_byte() -> None:
    reading = read(b"007 Q0 msmarco#1/a:b 1 2 t\n007 Q0 caf\xe9 2 1 t\n\xe4\xb8\x80 Q0 d\xc3\xa9e 1 1 t\n")
    assert list(reading.run.rankings) == ["007", "一"]
    assert reading.run.rankings["007"].docnos == ("msmarco#1/a:b", "caf\udce9")
    assert reading.run.rankings["一"].docnos == ("dée",)
    # Files of any bytes can be scored; only a campaign cannot store them.
    assert "encoding" in {finding.code for finding in reading.findings}


@pytest.mark.parametrize(
    "score",
    [
        *("abc", "nan", "NaN", "inf", "-Infinity", "infinity", "1e999"),
        *("1_000", "1,5", "0x10", "1e", "e5", "-", ".", "٣", "1.5.2", "--1", "1d5"),
    ],
)
def test_other_scores_are_refused_though_python_or_atof_take_some(score: str) -> None:
    assert errors(f"1 Q0 a 1 2 t\n1 Q0 b 2 {score} t\n1 Q0 c 3 1 t\n") == [(2, "score")]


def test_all_errors_are_told_at_once_in_the_order_of_the_lines() -> None:
    content = (
        "1 Q0 a 1 9 t\n"
        "1 Q0 b 2 high t\n"
        "1 Q0 c 3\n"
        "2 Q0 a 1 9 u\n"
        "1 Q0 a 4 6 t\n"
        "# a comment\n"
        "1 Q0 d 5 5 t extra\n"
        "9 Q0 zz 1 1 t\n"
    )
    assert errors(content, topics=["1", "2"], docnos={"a", "b", "c", "d"}) == [
        (2, "score"),
        (3, "columns"),
        (4, "tags"),
        (5, "duplicate"),
        (6, "comment"),
        (7, "columns"),
        (8, "unknown-topic"),
        (8, "unknown-document"),
    ]


def test_a_finding_names_place_finding_and_remedy() -> None:
    with pytest.raises(InvalidInput) as refused:
        read_run(stream("1 Q0 a 1 9\n1 Q0 a 1 9 t\n2 Q0 a 1 9 t\n1 Q0 a 1 8 t\n"), source="bm25.run")
    short, repeated = refused.value.findings
    assert str(short) == f"bm25.run:1: expected 6 columns, found 5 ({COLUMNS})"
    assert (repeated.source, repeated.line, repeated.column, repeated.code) == ("bm25.run", 4, 3, "duplicate")
    # It names the document, the topic, and the line that was first.
    assert all(word in repeated.message for word in ('"a"', '"1"', "line 2"))
    assert str(repeated) == f"bm25.run:4, column 3: {repeated.message} ({repeated.remedy})"


@pytest.mark.parametrize("content", ["", "\n \n", "\ufeff"])
def test_an_empty_file_is_refused(content: str) -> None:
    assert errors(content) == [(None, "empty")]


def test_topics_are_compared_as_text() -> None:
    assert errors("030 Q0 a 1 1 t\n030 Q0 b 2 0 t\n", topics=["30"]) == [(1, "unknown-topic")]


def test_the_depth_is_refused_at_the_first_line_beyond_it() -> None:
    content = "".join(f"1 Q0 d{n} {n} {100 - n} t\n" for n in range(1, 13))
    assert errors(content, rules=RunRules(max_per_topic=10)) == [(11, "too-many")]
    assert read(content, rules=RunRules(max_per_topic=12)).lines == 12


def test_a_byte_order_mark_inside_a_file_is_seen() -> None:
    # As it comes from `cat a.run b.run`: trec_eval would silently take it for another topic.
    assert errors("1 Q0 a 1 2 t\n\ufeff1 Q0 b 2 1 t\n") == [(2, "id")]
    assert errors("1 Q0 a\x1b[2J 1 2 t\n") == [(1, "id")]


def test_control_characters_do_not_reach_a_message() -> None:
    with pytest.raises(InvalidInput) as refused:
        read(b"1 Q0 a 1 \x1b[2J\xff t\n")
    assert refused.value.findings[0].message == r'the score "\u001b[2J\xff" is not a finite decimal number'


def test_long_values_are_cut_in_messages() -> None:
    with pytest.raises(InvalidInput) as refused:
        read("1 Q0 a 1 " + "x" * 10_000 + " t\n")
    assert len(str(refused.value)) < 200


def test_only_the_first_thousand_errors_are_told_and_the_rest_counted() -> None:
    content = "".join(f"1 Q0 d{n} {n} none t\n" for n in range(1, 1501)) + "2 Q0 a\n"
    with pytest.raises(InvalidInput) as refused:
        read(content)
    *told, last = refused.value.findings
    assert [finding.line for finding in told] == list(range(1, 1001))
    assert last.message == "501 more errors are not listed: 1 columns, 500 score"
    assert check_run(stream(content), source="r").error_count == 1501


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ('{"q1": {"d1": 0.5}, "q2": {}}\n', "json"),
        ('[{"a": 1, "b": 2, "c": 3}]\n', "json"),
        ("{\n", "json"),
        ("<html>\n", "markup"),
        ("1 Q0 a 1 2 t\r1 Q0 b 2 1 t\r", "line-ends"),
    ],
)
def test_another_kind_of_file_is_named_once(content: str, code: str) -> None:
    assert errors(content) == [(None, code)]


@pytest.mark.parametrize(
    "header", ["query_id Q0 doc_id rank score tag", "qid docid rank score", "topic\titer\tdocno"]
)
def test_a_header_is_named_and_the_lines_below_are_read(header: str) -> None:
    assert errors(f"{header}\n{PLAIN}") == [(1, "header")]
    # A topic, document or tag may be called so.
    assert read("topic Q0 docno 1 2 score\n").run.tag == "score"


def test_lines_are_joined_and_split_again_when_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = "".join(f"{n % 3} Q0 d{n} {n} {-n} t\n" + "\n" * (n % 2) for n in range(50)) + PLAIN.replace(
        "tagX", "t"
    )
    whole = check_run(stream(plain), source="r"), read(plain)
    for loose in (1, 2, 7):
        monkeypatch.setattr("workbench.formats.run_table._LOOSE", loose)
        assert (check_run(stream(plain), source="r"), read(plain)) == whole
    repeated = plain + "1 Q0 d1 1 -1 t\n"
    # Blank lines count as lines of the file: it has 50 and 25 of the first part, and 3 of the second.
    assert errors(repeated) == [(79, "duplicate")]


def test_a_broken_stream_is_one_error() -> None:
    assert errors(gzip.compress(PLAIN.encode())[:-4]) == [(None, "gzip")]
    check = check_run(stream(b"PK\x03\x04"), source="r")
    assert (check.tag, check.error_count, codes(InvalidInput(check.errors))) == (None, 1, [(None, "archive")])


def test_a_refused_run_keeps_its_warnings_in_a_check() -> None:
    check = check_run(stream("1 0 a 1 2 t\n1 0 a 2 1 t\n"), source="r")
    assert check.tag is None
    assert [finding.code for finding in check.errors] == ["duplicate"]
    assert [finding.code for finding in check.warnings] == ["second-column"]
    assert (check.topics, check.lines) == (1, 2)


RUNS = st.builds(
    Run,
    IDS,
    st.dictionaries(
        IDS,
        st.dictionaries(IDS, st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5).map(
            lambda scored: Ranking(tuple(scored), tuple(scored.values()))
        ),
        min_size=1,
        max_size=4,
    ),
)


@given(RUNS)
def test_a_run_written_and_read_is_the_same_run(run: Run) -> None:
    reading = read_run(io.BytesIO(b"".join(write_run(run))), source="r")
    assert reading.run == run
    assert list(reading.run.rankings) == list(run.rankings)
    # The rank that is written is that of the one order.
    assert not {"rank", "rank-order", "rank-repeated", "second-column"} & {f.code for f in reading.findings}


@pytest.mark.parametrize(
    "run",
    [
        Run("two words", {"1": Ranking(("a",), (1.0,))}),
        Run("t", {"": Ranking(("a",), (1.0,))}),
        Run("t", {"1": Ranking(("a\n2 Q0 b",), (1.0,))}),
        Run("t", {"1": Ranking(("\ufeffa",), (1.0,))}),
        Run("t", {"1": Ranking(("\ud800",), (1.0,))}),
        Run("t", {"1": Ranking(("a",), (float("nan"),))}),
    ],
)
def test_what_would_not_survive_is_not_written(run: Run) -> None:
    with pytest.raises(WorkbenchError):
        list(write_run(run))
