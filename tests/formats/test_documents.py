"""Documents in the field's formats: streamed, titles and texts apart, every error told at the end."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import tracemalloc

import pytest

from tests.formats.strategies import codes, stream
from workbench.errors import InvalidInput, WorkbenchError
from workbench.formats.documents import read_documents
from workbench.records import Document


def read(content: str | bytes, format: str | None = None) -> list[Document]:
    return list(read_documents(stream(content), source="d", format=format))


def errors(content: str | bytes, format: str | None = None) -> list[tuple[int | None, str]]:
    with pytest.raises(InvalidInput) as refused:
        read(content, format)
    return codes(refused.value)


WIND = Document("d#1", "Wind", "It blows & blows.")
IN_EVERY_FORMAT = {
    "jsonl": '{"_id": "d#1", "title": "Wind", "text": "It blows & blows."}\n',
    "trec": "<DOC>\n<DOCNO> d#1 </DOCNO>\n<TITLE>Wind</TITLE>\n<TEXT>\nIt blows & blows.\n</TEXT>\n</DOC>\n",
    "smart": ".I d#1\n.T\nWind\n.W\nIt blows & blows.\n",
    "tsv": "d#1\tWind\tIt blows & blows.\n",
}


@pytest.mark.parametrize("format", IN_EVERY_FORMAT)
def test_every_format_gives_the_same_document_whatever_its_clothes(format: str) -> None:
    content = IN_EVERY_FORMAT[format]
    for dressed in (
        content,
        content.rstrip("\n"),
        content.replace("\n", "\r\n"),
        "\ufeff" + content,
        "\n" + content + "\n\n",
        gzip.compress(content.encode()),
    ):
        assert read(dressed) == [WIND]
        assert read(dressed, format) == [WIND]


def test_an_unknown_format_is_refused_before_anything_is_read() -> None:
    with pytest.raises(WorkbenchError, match="warc, pdf, image, jats, mail, jsonl, trec, smart, tsv"):
        read_documents(stream(""), source="d", format="csv")


def test_good_documents_come_first_and_all_errors_at_the_end() -> None:
    documents = read_documents(stream("a\tx\nb\n\ty\na\tz\nc d\tu\ne\tv\n"), source="d")
    assert next(documents) == Document("a", "", "x")
    assert next(documents) == Document("e", "", "v")
    with pytest.raises(InvalidInput) as refused:
        next(documents)
    assert codes(refused.value) == [(2, "columns"), (3, "id"), (4, "duplicate"), (5, "id")]
    assert all(word in refused.value.findings[2].message for word in ('"a"', "line 1"))


@pytest.mark.parametrize("content", ["", "\n\n", "docid\ttext\n", "<root></root>"])
def test_a_file_without_documents_is_refused(content: str) -> None:
    assert errors(content) == [(None, "empty")]


def test_a_large_collection_is_never_whole_in_memory() -> None:
    class Endless(io.RawIOBase):
        """32 MiB of documents, made as they are read."""

        parts = (f"{n}\t{'word ' * 200}\n".encode() for n in range(32 * 1024))
        rest = b""

        def read(self, size: int = -1, /) -> bytes:
            self.rest += b"".join(itertools.islice(self.parts, 100)) if len(self.rest) < size else b""
            taken, self.rest = self.rest[:size], self.rest[size:]
            return taken

    tracemalloc.start()
    try:
        count = sum(1 for _ in read_documents(Endless(), source="d"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 32 * 1024
    # Buffers of a few MiB, and 32 thousand docnos of some 100 bytes each with their lines.
    assert peak < 16 * 2**20


def test_more_than_a_thousand_errors_are_counted() -> None:
    with pytest.raises(InvalidInput) as refused:
        read("a\tb\n" * 2002)
    assert len(refused.value.findings) == 1001
    assert refused.value.findings[-1].message == "1,001 more errors are not listed: 1,001 duplicate"


# JSON lines


@pytest.mark.parametrize("name", ["id", "_id", "docno", "docid", "doc_id", "pid"])
@pytest.mark.parametrize("text", ["text", "body", "abstract", "contents"])
def test_ids_and_texts_in_json_have_many_names(name: str, text: str) -> None:
    assert read(json.dumps({name: 7, text: "a\n b", "year": 1999})) == [
        Document("7", "a" if text == "contents" else "", " b" if text == "contents" else "a\n b")
    ]


def test_the_id_of_a_passage_goes_before_that_of_its_page_and_the_choice_is_told() -> None:
    # As in MS MARCO v2; the segments of v2.1 have no other id.
    passage = '{"pid": "msmarco_passage_00_0", "passage": "p", "spans": "(0,1)", "docid": "msmarco_doc_00_0"}'
    segment = '{"docid": "msmarco_v2.1_doc_00_0#0_0", "title": "t", "segment": "s", "url": "http://x"}'
    notes: list[str] = []
    found = list(
        read_documents(
            stream(f"{passage}\n{segment}\n{segment.replace('#0', '#1')}"), source="d", notes=notes
        )
    )
    assert [(one.docno, one.title, one.text) for one in found] == [
        ("msmarco_passage_00_0", "", "p"),
        ("msmarco_v2.1_doc_00_0#0_0", "t", "s"),
        ("msmarco_v2.1_doc_00_0#1_0", "t", "s"),
    ]
    assert notes == [
        'd: the docno is "pid", not "docid": the first of these keys counts: '
        "id, _id, docno, pid, docid, doc_id (1 record)",
        'd: not shown to assessors, but kept in the originals: "spans" (1 record)',
        'd: not shown to assessors, but kept in the originals: "url" (2 records)',
    ]


def test_columns_that_are_not_shown_are_told() -> None:
    notes: list[str] = []
    (one,) = read_documents(stream("docno\turl\tsegment\n1\thttp://x\ta\n"), source="d", notes=notes)
    assert (one.docno, one.text) == ("1", "a")
    assert notes == ['d: not shown to assessors, but kept in the originals: the columns "url" (1 record)']
    # The same value twice leaves nothing to choose, and an empty key nothing to tell.
    list(
        read_documents(
            stream('{"id": "1", "docid": "1", "text": "a", "metadata": {}}'), source="d", notes=notes
        )
    )
    assert len(notes) == 1


def test_contents_begin_with_the_title_only_where_they_have_more_than_one_line() -> None:
    assert read('{"id": "1", "contents": "Wind\\nIt blows."}') == [Document("1", "Wind", "It blows.")]
    assert read('{"id": "1", "contents": "It blows.\\n"}') == [
        Document("1", "", "It blows.\\n".replace("\\n", "\n"))
    ]
    assert read('{"id": "1", "title": "T", "contents": "a\\nb"}') == [Document("1", "T", "a\nb")]


def test_texts_are_kept_as_they_are_and_may_be_empty() -> None:
    # Two documents of Cranfield are empty.
    assert read('{"id": "471", "title": "", "text": ""}\n{"id": "995", "title": null, "text": null}') == [
        Document("471"),
        Document("995"),
    ]
    assert read('{"id": "1", "title": " a\\n b ", "text": "  x <b>y</b>\\r\\n\\n\\nz "}') == [
        Document("1", "a b", "  x <b>y</b>\r\n\n\nz ")
    ]


def test_all_errors_of_json_documents_are_told() -> None:
    content = (
        '{"id": "1", "text": "a"}\n'
        '{"id": "1", "text": "b"}\n'
        '{"text": "c"}\n'
        '{"id": "2", "content": "d"}\n'
        '{"id": "3 4", "text": "e"}\n'
        '{"id": "5", "text": {"f": 1}}\n'
        "{'id': 6}\n"
        '"7"\n'
        '{"id": "8", "text": "\\udfff"}\n'
        '{"id": "9", "text": "\\u0000"}\n'
    )
    assert errors(content.encode() + b'{"id": "10", "text": "caf\xe9"}\n{"id": "caf\xe9", "text": ""}\n') == [
        (2, "duplicate"),
        (3, "id"),
        (4, "no-text"),
        (5, "id"),
        (6, "type"),
        (7, "json"),
        (8, "json"),
        (9, "encoding"),
        (10, "nul"),
        (11, "encoding"),
    ]
    with pytest.raises(InvalidInput, match='other keys: "content"'):
        read('{"id": "2", "content": "d"}')


def test_an_id_that_is_no_utf_8_survives() -> None:
    assert read(b'{"id": "caf\xe9", "text": "a"}') == [Document("caf\udce9", "", "a")]


def test_an_array_is_refused_with_the_way_to_lines() -> None:
    with pytest.raises(InvalidInput, match="jq -c"):
        read('[{"id": "1", "text": "a"}]')


# TREC


def test_the_documents_of_trec_s_disks_keep_title_and_paragraphs() -> None:
    content = """
<DOC>
<DOCNO> LA010189-0001 </DOCNO>
<DOCID> 1 </DOCID>
<DATE>
<P>
January 1, 1989, Sunday
</P>
</DATE>
<HEADLINE>
<P>
AT&T &amp; the &quot;rest&quot;;   a   <I>first</I>
</P>
</HEADLINE>
<!-- a <b>comment</b>
on two lines -->
<TEXT>
<P>
One H<sub>2</sub>O &lt;x&gt;
goes on.
</P>
<P>
Two &#8212; caf&eacute;, &unknown; 5 &hyph; 6.<BR>Three</P>
</TEXT>
</DOC>
"""
    assert read(content) == [
        Document(
            "LA010189-0001",
            'AT&T & the "rest"; a first',
            "One H2O <x>\ngoes on.\n\nTwo — café, &unknown; 5 - 6.\nThree",
        )
    ]


def test_lead_paragraphs_and_text_are_one_text() -> None:
    content = (
        "<DOC><DOCNO>W-1</DOCNO><HL> Headline </HL><IN> STK </IN><LP> Lead. </LP><TEXT> Body. </TEXT></DOC>"
    )
    assert read(content) == [Document("W-1", "Headline", "Lead.\n\n Body.")]


def test_several_headlines_are_one_title() -> None:
    content = "<DOC><DOCNO>AP-1</DOCNO><HEAD>One</HEAD><HEAD>Two</HEAD><TEXT>a</TEXT></DOC>"
    assert read(content) == [Document("AP-1", "One Two", "a")]


def test_a_page_of_the_web_loses_header_scripts_and_tags() -> None:
    content = (
        "<DOC>\n<DOCNO>GX000-00-0</DOCNO>\n<DOCHDR>\nhttp://x.gov\nHTTP/1.1 200 OK\n</DOCHDR>\n"
        "<!DOCTYPE html>\n<html><head><title>A page</title><script>if (a<b) { x('>') }</script></head>\n"
        "<body><h1>Wind</h1>It <a href='x'>blows</a>.<style>p {}</style></body></html>\n</DOC>"
    )
    assert read(content) == [Document("GX000-00-0", "A page", "Wind\n\nIt blows.")]


def test_without_text_tags_everything_else_is_text_and_an_empty_text_stays_empty() -> None:
    assert read("<doc><docno>1</docno><title>T</title>\nIt <author>blows</author>.\n</doc>") == [
        Document("1", "T", "It  blows .")
    ]
    assert read("<doc><docno>1</docno><author>A</author><text></text></doc>") == [Document("1")]


def test_documents_may_share_a_line_and_a_root() -> None:
    content = (
        '<?xml version="1.0"?>\n<root>\n<DOC><DOCNO>1</DOCNO>a</DOC><DOC><DOCNO>2</DOCNO>b</DOC>\n</root>'
    )
    assert read(content) == [Document("1", "", "a"), Document("2", "", "b")]


def test_gigaword_gives_the_id_in_the_tag() -> None:
    content = (
        '<DOC id="AFP_ENG_19940512.0004" type="story" >\n<HEADLINE>\nH\n</HEADLINE>\n'
        "<TEXT>\n<P>\na\n</P>\n</TEXT>\n</DOC>"
    )
    assert read(content) == [Document("AFP_ENG_19940512.0004", "H", "a")]


def test_a_title_that_is_not_closed_ends_where_the_text_begins() -> None:
    assert read("<DOC><DOCNO>1</DOCNO><TITLE>T <TEXT>a</TEXT></DOC>") == [Document("1", "T", "a")]


def test_a_comment_without_end_hides_nothing() -> None:
    assert read("<DOC><DOCNO>1</DOCNO><TEXT>a <!-- b</TEXT></DOC>") == [Document("1", "", "a  b")]


def test_all_errors_of_trec_documents_are_told() -> None:
    content = (
        "stray\n"
        "<DOC><DOCNO>1</DOCNO>a</DOC>\n"
        "<DOC>\n<DOCNO>1</DOCNO>b</DOC>\n"
        "<DOC>c</DOC>\n"
        "<DOC><DOCNO>2 3</DOCNO>d</DOC>\n"
        "<DOC><DOCNO>4</DOCNO>e\n"
        "<DOC><DOCNO>5</DOCNO>f</DOC>\n"
        "<DOC><DOCNO>6</DOCNO>g\n"
    )
    assert errors(content, "trec") == [
        (1, "outside"),
        (3, "duplicate"),
        (5, "id"),
        (6, "id"),
        (7, "unclosed"),
        (9, "unclosed"),
    ]
    assert errors(b"<DOC><DOCNO>1</DOCNO>caf\xe9</DOC>") == [(1, "encoding")]


def test_a_document_without_end_is_refused_in_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.formats.documents_trec.LINE_LIMIT", 1000)
    assert errors("<DOC><DOCNO>1</DOCNO>\n" + "a line\n" * 1000) == [(1, "too-large"), (1, "unclosed")]


# SMART


def test_author_and_bibliography_become_the_first_paragraph() -> None:
    content = (
        ".I 1\n.T\nOn\nwind\n.A\nAda, B.\n.B\nj. x 1, 1958.\n.W\nIt blows.\n\nAgain.\n.K\nkeys\n"
        ".I 2\n.W\nx\n.I 3\n"
    )
    assert read(content) == [
        Document("1", "On wind", "Ada, B. — j. x 1, 1958.\n\nIt blows.\n\nAgain."),
        Document("2", "", "x"),
        Document("3"),
    ]


def test_a_text_that_only_resembles_the_title_is_kept() -> None:
    assert read(".I 1\n.T\nOn wind\n.W\nOn windy days\n.I 2\n.T\nOn wind\n.W\nOn\n wind\n") == [
        Document("1", "On wind", "On windy days"),
        Document("2", "On wind", ""),
    ]


def test_all_errors_of_smart_documents_are_told() -> None:
    content = "stray\n.I 1\nstray\n.T\na\n.I 1\n.T\nb\n.I\n.T\nc\n.I 2 3\n"
    assert errors(content, "smart") == [
        (1, "outside"),
        (3, "outside"),
        (6, "duplicate"),
        (9, "id"),
        (12, "id"),
    ]


# Lines


def test_quotes_in_lines_are_characters_and_a_header_names_the_columns() -> None:
    assert read('0\tThe "presence\n1\t"of"\n') == [
        Document("0", "", 'The "presence'),
        Document("1", "", '"of"'),
    ]
    assert read("docid\turl\ttitle\tbody\nD1\thttp://x\tT\tb\n") == [Document("D1", "T", "b")]


def test_lines_with_another_number_of_columns_are_told() -> None:
    assert errors("1\ta\n2\ta\tb\n3\n") == [(2, "columns"), (3, "columns")]
    assert errors("no tab\n1\ta\n") == [(1, "columns")]
