"""WARC that lies about itself: one error with the record, in bounded memory."""

from __future__ import annotations

import gzip
import io
import tracemalloc

import pytest

from tests.formats.test_documents_warc import PAGE, at, record, response
from workbench.errors import InvalidInput
from workbench.formats.documents import read_documents

MOST_MEMORY = 96 * 2**20
GOOD = record(response(PAGE), fields=at(b"http://x/good"))
HEAD = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http;msgtype=response\r\n"


def lying(length: bytes) -> bytes:
    """A record whose length is not that of what follows."""
    return HEAD + at(b"http://x/lie") + b"Content-Length: %b\r\n\r\n" % length + response(PAGE) + b"\r\n\r\n"


def packed(size: int) -> bytes:
    """A page of gzip that unpacks to so many bytes."""
    body = gzip.compress(bytes(size), 9)
    return record(
        response(body, b"Content-Type: text/html\r\nContent-Encoding: gzip"), fields=at(b"http://x/bomb")
    )


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (GOOD + lying(b"99999"), "warc"),
        (GOOD + lying(b"18446744073709551615"), None),
        (GOOD + lying(b"-1"), None),
        (GOOD + lying(b"0x10"), None),
        (GOOD + lying(b"10"), None),
        (GOOD + packed(64 * 2**20), "page"),
        (GOOD + gzip.compress(b"WARC/1.0\r\n" + b"A: b\r\n" * 100_000), None),
        (GOOD + b"WARC/1.0\r\n" + b"X" * 2**20, None),
        (b"WARC/1.0\r\n", None),
    ],
    ids=["too long", "giant", "negative", "no number", "too short", "bomb", "headers", "no end", "nothing"],
)
def test_a_lie_is_an_error_or_no_document_and_takes_bounded_memory(content: bytes, code: str | None) -> None:
    tracemalloc.start()
    docnos: list[str] = []
    findings = []
    try:
        for one in read_documents(io.BytesIO(content), source="x.warc"):
            docnos.append(one.docno)
    except InvalidInput as error:
        findings = list(error.findings)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MOST_MEMORY
    assert set(docnos) <= {"http://x/good", "http://x/lie"}
    assert len(findings) <= 1
    if code:
        assert [(one.source, one.line, one.code) for one in findings] == [("x.warc", 2, code)]
        assert docnos == ["http://x/good"]
