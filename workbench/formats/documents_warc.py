"""Documents in web archives: WARC as of Heritrix, Common Crawl and ClueWeb, one page a record.

The reader is FastWARC (extra `warc`): maintained, typed, and forgiving toward the headers of ClueWeb09.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from workbench.errors import WorkbenchError
from workbench.formats.documents_image import image_original
from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.fields import tidied
from workbench.formats.identifiers import trimmed
from workbench.formats.images import LONGEST_IMAGE, image_type
from workbench.formats.single_files import sha256_of
from workbench.formats.source import Peekable
from workbench.formats.text_formats import BinaryDocumentFormat
from workbench.formats.web_pages import LONGEST_ADDRESS, PAGE_TYPES, page_text, web_page
from workbench.records import Document, Original

if TYPE_CHECKING:
    from typing import BinaryIO

    from fastwarc.warc import WarcRecord

INSTALL = "pip install 'ir-workbench[warc]'"
LONGEST_PAGE = 16 * 2**20
"""The largest page in bytes, also after it is decompressed."""

_ID = "WARC-TREC-ID"
_ADDRESS = "WARC-Target-URI"
_CLUEWEB09 = b"WARC/0.18"


def warc_documents(stream: Peekable, errors: ErrorCollector) -> Iterator[tuple[int, Document]]:
    """One document a record of a page or a plain text, with the number of the record, from 1.

    The docno is `WARC-TREC-ID`, or where there is none the address; the original is the page's bytes without
    the encodings of their transfer. Images come as what stands beside documents, for the pages that show
    them. Requests, metadata, style sheets and failed responses without a `WARC-TREC-ID` are no documents.
    Raises WorkbenchError without the library.
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
        errors.add(number + 1, "warc", message, "copy the file again, or write it anew with a tool for WARC")


def _document(number: int, record: WarcRecord, errors: ErrorCollector) -> Document | None:
    given, address = record.headers.get(_ID), record.headers.get(_ADDRESS)
    http = record.http_headers if record.is_http else None
    failed = http is not None and http.status_code is not None and not 200 <= http.status_code < 300
    kind = _kind(record)
    if kind.startswith("image/"):
        return None if failed or not address else _image(record, trimmed(address))
    if (failed and given is None) or (kind not in PAGE_TYPES and kind != "text/plain"):
        return None
    docno = trimmed(given or address or "")
    if not docno:
        errors.add(number, "id", f"record {number} has neither {_ID} nor {_ADDRESS}", "add one of the two")
        return None
    length = record.content_length
    block = record.reader.read(min(length, LONGEST_PAGE)) if length else b""
    if length <= LONGEST_PAGE and len(block) < length:
        message = f"record {number} ends after {len(block):,} of {length:,} bytes"
        errors.add(number, "warc", message, "the file was cut: copy it again")
        return None
    body = _plain(block, *_encodings(record)) if length <= LONGEST_PAGE else None
    if body is None:
        message = f"the page of record {number}, {shown(docno)}, cannot be unpacked or is larger than "
        message += f"{LONGEST_PAGE // 2**20} MiB"
        errors.add(number, "page", message, "leave the record out, or store the page uncompressed")
        return None
    charset = record.http_charset
    original = Original(kind, body, sha256_of(body), trimmed(address or ""), charset or "")
    if kind in PAGE_TYPES:
        return replace(web_page(docno, body, charset), original=original)
    return Document(docno, "", tidied(page_text(body, charset)), original)


def _image(record: WarcRecord, address: str) -> Document | None:
    """An image for the pages that show it; None for one that no browser would show, as there are many."""
    length = record.content_length
    if not length or length > LONGEST_IMAGE or len(address) > LONGEST_ADDRESS:
        return None
    body = _plain(record.reader.read(length), *_encodings(record))
    if body is None or len(body) > LONGEST_IMAGE or image_type(body) is None:
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
    return (media or ("text/html" if record.is_http else "")).partition(";")[0].strip().lower()


def _plain(block: bytes, coding: str, transfer: str) -> bytes | None:
    """The content of a response without its transfer and content encodings; None where it is broken."""
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
            body = unpacker.decompress(block, LONGEST_PAGE + 1)
        except zlib.error:
            continue
        return body if len(body) <= LONGEST_PAGE else None
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


def _recognised(head: bytes) -> bool:
    return head.startswith(b"WARC/")


WARC = BinaryDocumentFormat("warc", "WARC", warc_documents, _recognised)
