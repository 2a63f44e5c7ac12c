"""Documents in web archives: WARC as of Heritrix, Common Crawl and ClueWeb, one page, PDF or image a record.

The reader is FastWARC (extra `warc`): maintained, typed, and forgiving toward the headers of ClueWeb09.
"""

from __future__ import annotations

import zlib
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from workbench.errors import WorkbenchError
from workbench.formats.documents_image import LONGEST_IMAGE, image_original, image_type
from workbench.formats.documents_pdf import LONGEST_PDF, check_installed, pdf_content
from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.fields import tidied
from workbench.formats.identifiers import trimmed
from workbench.formats.source import Peekable
from workbench.formats.text_formats import BinaryDocumentFormat, NumberedDocuments, sha256_of
from workbench.formats.web_pages import LONGEST_ADDRESS, PAGE_TYPES, page_text, web_page
from workbench.records import IMAGE_TYPES, PDF_TYPE, Document, Original

if TYPE_CHECKING:
    from typing import BinaryIO

    from fastwarc.warc import WarcRecord

INSTALL = "pip install 'ir-workbench[warc]'"
LONGEST_PAGE = 16 * 2**20
"""The largest page or image in bytes, also after it is decompressed; a PDF has `LONGEST_PDF`."""

_ID = "WARC-TREC-ID"
_ADDRESS = "WARC-Target-URI"
_CLUEWEB09 = b"WARC/0.18"


def warc_documents(stream: Peekable, errors: ErrorCollector) -> NumberedDocuments:
    """One document a record of a page, a plain text, a PDF or an image, with the record's number, from 1.

    The type that the response states decides the form. The docno is `WARC-TREC-ID`, or where there is none
    the address; the original is the content's bytes without the encodings of their transfer. Images without a
    `WARC-TREC-ID` come as what stands beside documents, for the pages that show them. A PDF or image that
    cannot be shown is a document whose text says so, since no one can repair a crawl. Requests, metadata,
    style sheets and failed responses without a `WARC-TREC-ID` are no documents.
    Raises WorkbenchError without the library, and at the first PDF without the one for these.
    """
    try:
        from fastwarc.warc import ArchiveIterator, WarcRecordType
    except ImportError:
        raise WorkbenchError("reading WARC needs FastWARC, which is not installed", remedy=INSTALL) from None
    kinds = WarcRecordType.response | WarcRecordType.resource | WarcRecordType.conversion
    # ClueWeb09's headers end with bare line feeds. Elsewhere leniency would pass over what is broken.
    lenient = stream.peek(len(_CLUEWEB09)).startswith(_CLUEWEB09)
    number = 0
    try:
        for record in ArchiveIterator(cast("BinaryIO", _Forward(stream)), quirks_mode=lenient):
            number += 1
            if record.record_type & kinds:
                document = _document(number, record, errors)
                if document is not None:
                    yield number, document
    except OSError as error:
        message = f"record {number + 1} is broken: {error}"
        errors.add(number + 1, "warc", message, "copy the file again, or rewrite it with a WARC tool")


def _document(number: int, record: WarcRecord, errors: ErrorCollector) -> Document | None:
    given, address = record.headers.get(_ID), record.headers.get(_ADDRESS)
    http = record.http_headers if record.is_http else None
    failed = http is not None and http.status_code is not None and not 200 <= http.status_code < 300
    kind = _kind(record)
    is_file = kind == PDF_TYPE or kind.startswith(IMAGE_TYPES)
    if given is None and kind.startswith(IMAGE_TYPES):
        return None if failed or not address else _image(record, trimmed(address))
    if (failed and given is None) or not (is_file or kind in PAGE_TYPES or kind == "text/plain"):
        return None
    docno = trimmed(given or address or "")
    if not docno:
        errors.add(number, "id", f"record {number} has neither {_ID} nor {_ADDRESS}", "add one of the two")
        return None
    length, most = record.content_length, LONGEST_PDF if kind == PDF_TYPE else LONGEST_PAGE
    block = record.reader.read(min(length, most)) if length else b""
    if length <= most and len(block) < length:
        message = f"record {number} ends after {len(block):,} of {length:,} bytes"
        errors.add(number, "warc", message, "copy the file again: it is truncated")
        return None
    body = _plain(block, *_encodings(record), most) if length <= most else None
    if body is None:
        message = f"the content of record {number}, {shown(docno)}, cannot be unpacked or is larger than "
        message += f"{most // 2**20} MiB"
        errors.add(number, "page", message, "leave the record out, or store it uncompressed")
        return None
    if is_file:
        return _file(docno, kind, body, trimmed(address or "")[:LONGEST_ADDRESS])
    charset = record.http_charset
    original = Original(kind, body, sha256_of(body), trimmed(address or ""), charset or "")
    if kind in PAGE_TYPES:
        return replace(web_page(docno, body, charset), original=original)
    return Document(docno, "", tidied(page_text(body, charset)), original)


def _file(docno: str, kind: str, body: bytes, address: str) -> Document:
    """A PDF or an image; of one that cannot be shown the text says why."""
    if kind == PDF_TYPE:
        check_installed()
    try:
        if kind == PDF_TYPE:
            return pdf_content(docno, body, address)
        return Document(docno, "", "", image_original(body, address))
    except WorkbenchError as error:
        # What the library says of the damage differs with its version, and would change the text.
        reason = error.message.partition(":")[0]
    text = f"[{reason[:1].upper()}{reason[1:]}. It cannot be shown here; its bytes are kept.]"
    return Document(docno, "", text, Original(kind, body, sha256_of(body), address))


def _image(record: WarcRecord, address: str) -> Document | None:
    """An image for the pages that show it; None for one that no browser would show, as there are many."""
    length = record.content_length
    if not length or length > LONGEST_IMAGE or len(address) > LONGEST_ADDRESS:
        return None
    body = _plain(record.reader.read(length), *_encodings(record), LONGEST_IMAGE)
    if body is None or image_type(body) is None:
        return None
    try:
        return Document(address, "", "", image_original(body, address, beside=True))
    except WorkbenchError:
        return None


def _encodings(record: WarcRecord) -> tuple[str, str]:
    """How the content of a response, and its transfer, are encoded."""
    http = record.http_headers if record.is_http else None
    if http is None:
        return "", ""
    names = ("Content-Encoding", "Transfer-Encoding")
    content, transfer = ((http.get(name) or "").strip().lower() for name in names)
    return content, transfer


def _kind(record: WarcRecord) -> str:
    """The media type of a record's content, without parameters; of a page that says none, HTML."""
    media = record.http_content_type if record.is_http else record.headers.get("Content-Type")
    kind = (media or ("text/html" if record.is_http else "")).partition(";")[0].strip().lower()
    return PDF_TYPE if kind == "application/x-pdf" else kind


def _plain(block: bytes, coding: str, transfer: str, most: int) -> bytes | None:
    """The content without its encodings; None where it is broken or has more than `most` bytes."""
    if "chunked" in transfer:
        # Some crawlers keep the header and store the content whole.
        block = _unchunked(block) or block
    if coding in ("", "identity"):
        return block
    if coding not in ("gzip", "x-gzip", "deflate"):
        return None
    # Of deflate browsers read both forms, with and without the header of zlib.
    for form in (32 + zlib.MAX_WBITS, -zlib.MAX_WBITS):
        unpacker = zlib.decompressobj(form)
        try:
            body = unpacker.decompress(block, most + 1)
        except zlib.error:
            continue
        return body if len(body) <= most else None
    # Or the page was stored unpacked, and its header was kept.
    return block if block.lstrip()[:1] == b"<" else None


def _unchunked(block: bytes) -> bytes | None:
    """The content of chunks, each after a line with its length in hexadecimal; None where it is not such."""
    parts: list[bytes] = []
    at = 0
    while True:
        end = block.find(b"\n", at, at + 200)
        try:
            size = int(block[at:end].partition(b";")[0], 16)
        except ValueError:
            return None
        if end < 0 or size < 0:
            return None
        if size == 0:
            return b"".join(parts)
        parts.append(block[end + 1 : end + 1 + size])
        at = end + 1 + size
        at += 2 if block[at : at + 2] == b"\r\n" else 1


class _Forward:
    """A stream as the library wants it: read forward only, with the position known."""

    def __init__(self, stream: Peekable) -> None:
        self._stream = stream
        self._at = 0

    def read(self, size: int = -1, /) -> bytes:
        data = self._stream.read(size)
        self._at += len(data)
        return data

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = 0, /) -> int:
        raise OSError("this stream is read forward only")

    def close(self) -> None:
        """Whoever opened the stream closes it."""


WARC = BinaryDocumentFormat("warc", "WARC", warc_documents, lambda head: head.startswith(b"WARC/"))
