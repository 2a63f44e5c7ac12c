"""A file that is one document, such as a PDF or an image: its docno is the name of the file.

The bytes of a record are those in its file, without the file's compression, what separates its records, and a
byte order mark.
"""

from __future__ import annotations

import hashlib
import re

from workbench.formats.error_collector import ErrorCollector
from workbench.formats.identifiers import trimmed
from workbench.formats.source import Peekable
from workbench.records import Original, id_bytes

_PACKED = re.compile(r"\.gz$", re.IGNORECASE)
# Journals name their figures by what they were printed from, TIFF or EPS.
_EXTENSION = re.compile(r"\.(?:pdf|png|jpe?g|gif|webp|tiff?|eps)$", re.IGNORECASE)


def file_name(source: str) -> str:
    """The name of a file without its folders, and without `.gz`: what pages beside it call it."""
    return _PACKED.sub("", source[max(source.rfind("/"), source.rfind("\\")) + 1 :])


def docno_of(source: str) -> str:
    """The docno of a file: its name without extension, `reports/D-12.pdf.gz` gives `D-12`."""
    return trimmed(_EXTENSION.sub("", file_name(source)))


def whole_file(stream: Peekable, errors: ErrorCollector, most: int, what: str) -> bytes | None:
    """All bytes of a file; None, with an error of the code "too-large", for more than `most`."""
    content = stream.read(most + 1)
    if len(content) <= most:
        return content
    message = f"{what} is larger than {most // 2**20} MiB"
    errors.add(None, "too-large", message, "save it with smaller images, or leave it out")
    return None


def sha256_of(content: bytes) -> str:
    """The SHA-256 of bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


JSON_TYPE = "application/json"
TSV_TYPE = "text/tab-separated-values"
SGML_TYPE = "text/sgml"
SMART_TYPE = "text/x-smart"
MAIL_TYPE = "message/rfc822"
JATS_TYPE = "application/jats+xml"


def record_original(media_type: str, record: str | bytes, charset: str = "") -> Original:
    """A record's bytes; of text, those that it was decoded from."""
    content = id_bytes(record) if isinstance(record, str) else record
    return Original(media_type, content, sha256_of(content), charset=charset)
