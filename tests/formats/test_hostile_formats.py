"""Whatever bytes come, a reader gives records or one InvalidInput, and never another error."""

from __future__ import annotations

import contextlib
import gzip
import io
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import InvalidInput
from workbench.formats.documents import DOCUMENT_FORMATS, read_documents
from workbench.formats.identifiers import fits, read_ids
from workbench.formats.judgments import read_judgments
from workbench.formats.qrels import read_qrels
from workbench.formats.runs import read_run
from workbench.formats.topics import TOPIC_FORMATS, read_topic_ids, read_topics
from workbench.records import Document

# Pieces that mean something to some reader, one a line.
PIECES = st.sampled_from(
    [
        *(b"\n", b"\r\n", b" ", b"\t", b"\xef\xbb\xbf", b"\xff", b"\0", b"\x1f\x8b", b"\xc2\xa0", b"#"),
        *(b"1", b"a", b"Q0", b"-2", b"1e5", b"1 Q0 a 1 2 t\n", b"query-id\tcorpus-id\tscore\n"),
        *(b"topic\tdoc\tassessor\tgrade\n", b"1\ta\tw\t1\n", b"unsure"),
        *(b"<top>", b"</top>", b"<num>", b"Number:", b"<title>", b"<desc>", b"<narr>", b"<P>"),
        *(b"<", b">", b"&", b"&#0;", b"<!--", b"-->", b"<!DOCTYPE", b"]]>"),
        *(b"<?xml version='1.0'?>", b"<topic number='1'>", b"</topic>", b"<query>", b"</query>"),
        *(b"<DOC>", b"</DOC>", b"<DOCNO>", b"</DOCNO>", b"<TEXT>", b"</TEXT>", b"<DOC id='x'>"),
        *(b".I 1\n", b".I\n", b".T\n", b".W\n", b'{"id": "1", "text": "x"}\n'),
        *(b"{", b"}", b"[", b"]", b",", b":", b'"', b'"id":', b'"title":', b'"text":'),
        *(b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF89a", b"RIFF\x20\0\0\0WEBP", b"\0\0\0\rIHDR"),
        *(b"\\ud800", b"\\u0000", b"null", b"true", b"NaN"),
        *(b"WARC/1.0\r\nWARC-Type: response\r\n", b"Content-Length: 9\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n"),
    ]
)
CONTENTS = st.one_of(
    st.binary(max_size=60),
    st.lists(st.one_of(PIECES, st.binary(max_size=3)), max_size=25).map(b"".join),
)


def _documents(stream: io.BytesIO, *, format: str | None) -> list[Document]:
    return list(read_documents(stream, source="f", format=format))


READERS: dict[str, Callable[[io.BytesIO], object]] = {
    "run": lambda stream: read_run(stream, source="f"),
    "qrels": lambda stream: read_qrels(stream, source="f"),
    "judgments": lambda stream: read_judgments(stream, source="f", cannot_judge=(-2,)),
    "ids": lambda stream: read_ids(stream, source="f"),
    "topic ids": lambda stream: read_topic_ids(stream, source="f"),
    "topics": lambda stream: read_topics(stream, source="f"),
    "documents": partial(_documents, format=None),
    **{f"topics {name}": partial(read_topics, source="f", format=name) for name in TOPIC_FORMATS},
    # Not PDF: each file takes a process of its own, and test_documents_pdf has hostile ones.
    **{f"documents {name}": partial(_documents, format=name) for name in DOCUMENT_FORMATS if name != "pdf"},
}


@pytest.mark.parametrize("reader", READERS)
@given(content=CONTENTS)
def test_a_reader_gives_records_or_invalid_input(reader: str, content: bytes) -> None:
    for stored in (content, gzip.compress(content, 1), gzip.compress(content, 1)[:-5]):
        try:
            READERS[reader](io.BytesIO(stored))
        except InvalidInput as refused:
            told = refused.findings
            assert all(finding.source == "f" and finding.message and finding.remedy for finding in told)
            # What is told can be printed, whatever the file holds.
            assert all(str(finding).encode().isascii() or str(finding).isprintable() for finding in told)
            assert [finding.line or 0 for finding in told] == sorted(finding.line or 0 for finding in told)


@given(content=CONTENTS)
def test_ids_that_a_reader_gives_can_be_written_again(content: bytes) -> None:
    with contextlib.suppress(InvalidInput):
        run = read_run(io.BytesIO(content), source="f").run
        assert all(fits(topic) and all(map(fits, run.rankings[topic].docnos)) for topic in run.rankings)
    with contextlib.suppress(InvalidInput):
        assert all(fits(topic.id) for topic in read_topics(io.BytesIO(content), source="f"))
    with contextlib.suppress(InvalidInput):
        for document in read_documents(io.BytesIO(content), source="f"):
            assert fits(document.docno)
            document.text.encode()
