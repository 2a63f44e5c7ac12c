"""The bytes of the record that a document was read from, as they stood in its file.

Compression of the file, what separates its records and a byte order mark are no part of them.
"""

from __future__ import annotations

from workbench.formats.single_files import sha256_of
from workbench.records import Original

JSON_TYPE = "application/json"
TSV_TYPE = "text/tab-separated-values"
SGML_TYPE = "text/sgml"
SMART_TYPE = "text/x-smart"
MAIL_TYPE = "message/rfc822"
JATS_TYPE = "application/jats+xml"


def record_original(media_type: str, record: str | bytes, charset: str = "") -> Original:
    """A record's bytes; of text, those that it was decoded from."""
    content = record.encode("utf-8", "surrogateescape") if isinstance(record, str) else record
    return Original(media_type, content, sha256_of(content), charset=charset)
