"""WARC: pages of the web as documents, in any packing; what is broken or hostile is told by record."""

from __future__ import annotations

import gzip
import io
import tracemalloc
from dataclasses import replace

import pytest

from tests.formats import pdf_files
from tests.formats.image_files import png_file
from workbench.errors import InvalidInput
from workbench.formats.documents import read_documents
from workbench.formats.documents_warc import LONGEST_PAGE
from workbench.formats.recognition import FileKind, recognised
from workbench.formats.web_pages import page_text
from workbench.records import Document

PAGE = b"<html><head><title>Tides &amp;\n nets</title></head><body><h1>High</h1></body></html>"


def response(body: bytes, headers: bytes = b"Content-Type: text/html", status: bytes = b"200 OK") -> bytes:
    return b"HTTP/1.1 %b\r\n%b\r\n\r\n%b" % (status, headers, body)


def record(block: bytes, *, kind: bytes = b"response", fields: bytes = b"", cut: int = 0) -> bytes:
    media = b"application/http;msgtype=response" if kind == b"response" else b"text/plain"
    head = b"WARC/1.0\r\nWARC-Type: %b\r\nContent-Type: %b\r\n%bContent-Length: %d\r\n\r\n"
    return (
        head % (kind, media, fields, len(block)) + block[: len(block) - cut] + (b"" if cut else b"\r\n\r\n")
    )


def trec(docno: bytes) -> bytes:
    return b"WARC-TREC-ID: %b\r\n" % docno


def at(address: bytes) -> bytes:
    return b"WARC-Target-URI: %b\r\n" % address


def read(content: bytes, format: str | None = None) -> list[Document]:
    return list(read_documents(io.BytesIO(content), source="f", format=format))


def plain(document: Document) -> Document:
    """The document without the bytes that it was read from."""
    return replace(document, original=None)


def refused(content: bytes) -> list[tuple[int | None, str]]:
    with pytest.raises(InvalidInput) as error:
        read(content)
    return [(finding.line, finding.code) for finding in error.value.findings]


def test_pages_and_plain_texts_are_documents_and_nothing_else_is() -> None:
    content = b"".join(
        (
            record(b"software: x", kind=b"warcinfo"),
            record(b"GET / HTTP/1.1\r\n\r\n", kind=b"request", fields=at(b"http://x/")),
            record(response(PAGE), fields=trec(b"cw-1") + at(b"http://x/")),
            record(response(PAGE), fields=at(b"http://x/2")),
            record(response(b"gone", status=b"404 Not Found"), fields=at(b"http://x/3")),
            record(response(b"\x89PNG", b"Content-Type: image/png"), fields=at(b"http://x/i.png")),
            record(b"Low tide\nat noon\n", kind=b"conversion", fields=at(b"http://x/4")),
        )
    )
    first, second, third = read(content)
    # By hand: the title's entity is decoded and its line break collapsed; the text is the page, whole.
    assert plain(first) == Document("cw-1", "Tides & nets", PAGE.decode())
    assert (second.docno, plain(third)) == ("http://x/2", Document("http://x/4", "", "Low tide\nat noon"))
    packed = b"".join(
        gzip.compress(part) for part in (content[:50], content[50:])
    )  # members, as archives have
    assert read(packed) == read(content, "warc") == [first, second, third]
    assert recognised(content).kind is FileKind.DOCUMENTS


def test_the_headers_of_clueweb09_are_read() -> None:
    content = (
        b"WARC/0.18\nWARC-Type: response\nWARC-TREC-ID: clueweb09-en0000-00-00000\n"
        b"Content-Type: application/http;msgtype=response\nContent-Length: %d\n\n" % len(response(PAGE))
    )
    assert [one.docno for one in read(content + response(PAGE) + b"\n\n")] == ["clueweb09-en0000-00-00000"]


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (b"Content-Type: text/html\r\nContent-Encoding: gzip", gzip.compress(PAGE, mtime=0)),
        (
            b"Content-Type: text/html\r\nTransfer-Encoding: chunked",
            b"%x\r\n%b\r\n0\r\n\r\n" % (len(PAGE), PAGE),
        ),
        # Stored unpacked, with the headers as they came.
        (b"Content-Type: text/html\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked", PAGE),
    ],
)
def test_encodings_of_the_transfer_are_undone(headers: bytes, body: bytes) -> None:
    assert read(record(response(body, headers), fields=trec(b"d")))[0].text == PAGE.decode()


@pytest.mark.parametrize(
    ("body", "charset", "text"),
    [
        ("café".encode(), None, "café"),
        ("café".encode("latin-1"), None, "café"),
        (b"\x93caf\xe9\x94", "ISO-8859-1", "“café”"),  # as browsers read it: Windows-1252
        ('<meta charset="shift_jis">港'.encode("shift_jis"), None, '<meta charset="shift_jis">港'),
        ("\ufeff港".encode("utf-16"), "latin1", "港"),
        (b"a\\u0041", "unicode_escape", "a\\u0041"),  # no encoding of the web: not used
        (b"a\0b\xff", "utf-8", "a\ufffdb\ufffd"),
    ],
)
def test_a_page_is_decoded_as_a_browser_would(body: bytes, charset: str | None, text: str) -> None:
    assert page_text(body, charset).lstrip("\ufeff") == text


def test_errors_name_their_records_and_the_good_ones_come_first() -> None:
    good = record(response(PAGE), fields=trec(b"d1"))
    assert refused(good + good) == [(2, "duplicate")]
    assert refused(good + record(response(PAGE))) == [(2, "id")]
    assert refused(good + b"garbage\r\n\r\n" + good) == [(2, "warc")]
    assert refused(good + record(response(PAGE), fields=trec(b"d2"), cut=5)) == [(2, "warc")]
    assert refused(good.replace(b"Content-Length: ", b"Content-Length: 9999999999999999"))[-1][1] in {
        "warc",
        "page",
    }
    assert refused(record(b"x", kind=b"warcinfo")) == [(None, "empty")]
    spaced = record(response(PAGE), fields=at(b"http://x/a b"))
    assert refused(good + spaced)[0][0] == 2


def test_a_page_that_grows_when_it_is_unpacked_takes_bounded_memory() -> None:
    bomb = gzip.compress(b"<p>" * (2 * LONGEST_PAGE))
    content = record(response(bomb, b"Content-Type: text/html\r\nContent-Encoding: gzip"), fields=trec(b"d"))
    tracemalloc.start()
    try:
        assert refused(content) == [(1, "page")]
        assert tracemalloc.get_traced_memory()[1] < 4 * LONGEST_PAGE
    finally:
        tracemalloc.stop()


def test_the_bytes_of_a_page_stay_and_images_come_beside_the_pages() -> None:
    picture = png_file(3, 2)
    content = b"".join(
        (
            record(response(picture, b"Content-Type: image/png"), fields=at(b"http://x/i.png")),
            record(response(picture[:20], b"Content-Type: image/png"), fields=at(b"http://x/cut.png")),
            record(response(b"<svg/>", b"Content-Type: image/svg+xml"), fields=at(b"http://x/i.svg")),
            record(response(picture, b"Content-Type: image/png", b"404 No"), fields=at(b"http://x/no.png")),
            record(
                response("<p>ébb".encode("latin-1"), b"Content-Type: text/html; charset=latin1"),
                fields=at(b"http://x/"),
            ),
        )
    )
    image, page = read(content)
    assert image.original is not None
    assert page.original is not None
    assert (image.original.beside, image.original.address) == (True, "http://x/i.png")
    assert (image.original.width, image.original.height) == (3, 2)
    assert page.original.content == b"<p>\xe9bb"
    assert (page.original.charset, page.original.address, page.original.is_text) == (
        "latin1", "http://x/", True,
    )  # fmt: skip


def test_the_type_of_a_response_decides_the_form_and_the_bytes_are_the_original() -> None:
    pytest.importorskip("pypdf", reason="the extra pdf is not installed")
    pdf, picture = pdf_files.acting(), png_file(3, 2)
    packed = b"Content-Type: application/pdf\r\nContent-Encoding: gzip"
    content = b"".join(
        (
            record(response(gzip.compress(pdf), packed), fields=at(b"http://x/tides.pdf")),
            record(
                response(picture, b"Content-Type: image/png"), fields=trec(b"cw-2") + at(b"http://x/i.png")
            ),
            record(
                response(pdf, b"Content-Type: application/pdf", b"404 No"), fields=at(b"http://x/gone.pdf")
            ),
        )
    )
    report, image = read(content)
    assert (report.docno, report.text) == ("http://x/tides.pdf", "Low tide")
    assert report.original is not None
    assert (report.original.media_type, report.original.content) == ("application/pdf", pdf)
    assert report.original.shown is not None
    assert b"evil" not in report.original.shown
    assert (image.docno, image.text) == ("cw-2", "")
    assert image.original is not None
    assert (image.original.content, image.original.address) == (picture, "http://x/i.png")
    assert (image.original.beside, image.original.width) == (False, 3)


@pytest.mark.parametrize(
    ("media", "body", "reason"),
    [
        (b"application/pdf", b"%PDF-1.4 cut", "PDF is damaged"),
        (b"application/x-pdf", pdf_files.encrypted(), "PDF is encrypted"),
        (b"image/png", png_file(3, 2)[:30], "truncated or damaged"),
        (b"image/svg+xml", b"<svg onload='alert(1)'/>", "not a PNG"),
    ],
)
def test_a_file_of_a_crawl_that_cannot_be_shown_is_a_document_that_says_so(
    media: bytes, body: bytes, reason: str
) -> None:
    pytest.importorskip("pypdf", reason="the extra pdf is not installed")
    good = record(response(PAGE), fields=trec(b"d1"))
    _, found = read(good + record(response(body, b"Content-Type: %b" % media), fields=trec(b"d2")))
    assert reason in found.text
    assert found.original is not None
    assert (found.original.content, found.original.shown, found.original.width) == (body, None, None)
