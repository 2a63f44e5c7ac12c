"""A page of the web as it was crawled: its bytes as HTML text, its title, the images that it names.

The text stays whole, scripts and all: it is what the hash of a document proves. What assessors see of it is
cleaned each time that it is shown.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from urllib.parse import urljoin, urlsplit

from workbench.formats.fields import collapsed
from workbench.formats.identifiers import trimmed
from workbench.outside import unescaped_html
from workbench.records import Document

# Python knows encodings that take quadratic time or are not of text (punycode, unicode_escape); pages of the
# web have these, by the names of the WHATWG's standard.
_CHARSET = re.compile(
    r"(?:utf-?8|utf-?16(?:le|be)?|us-ascii|ascii|latin-?1|iso[-_]?8859-\d{1,2}|windows-\d{3,4}|cp\d{3,4}|koi8-[ru]|"
    r"gb2312|gbk|gb18030|big5(?:-hkscs)?|euc-(?:jp|kr)|shift[-_]jis|iso-2022-jp|tis-620|macintosh|mac-cyrillic)",
    re.IGNORECASE,
)
# As browsers read them.
_INSTEAD = {"ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030"} | {
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
}
_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_META = re.compile(rb"<meta\b[^<>]{0,200}?charset\s*+=\s*+[\"']?\s*+([A-Za-z0-9_-]{2,20})", re.IGNORECASE)
_META_WITHIN = 4096
_TITLE = re.compile(r"<title\b[^<>]*>([^<]*)", re.IGNORECASE)
_TITLE_WITHIN = 100_000
_LONGEST_TITLE = 1000


def web_page(docno: str, body: bytes, charset: str | None = None) -> Document:
    """The document that a page is; `charset` is of its HTTP header and goes first, as in a browser."""
    text = page_text(body, charset)
    return Document(trimmed(docno), page_title(text), text)


def page_text(body: bytes, charset: str | None = None) -> str:
    """The text of a page: by its byte order mark, `charset`, its `meta` element, as UTF-8 or Windows-1252."""
    marked = next((codec for mark, codec in _MARKS if body.startswith(mark)), None)
    meta = _META.search(body[:_META_WITHIN])
    for name in (marked, _codec(charset), _codec(meta[1].decode("ascii")) if meta else None):
        if name is not None:
            return body.decode(name, "replace").replace("\0", "\ufffd")
    try:
        return body.decode("utf-8").replace("\0", "\ufffd")
    except UnicodeDecodeError:
        return body.decode("cp1252", "replace").replace("\0", "\ufffd")


def page_title(text: str) -> str:
    """What stands in the first `title` element, on one line."""
    found = _TITLE.search(text[:_TITLE_WITHIN])
    return collapsed(unescaped_html(found[1]))[:_LONGEST_TITLE] if found else ""


PAGE_TYPES = ("text/html", "application/xhtml+xml")
IMAGE_TAG = re.compile(r"<im(?:g|age)\b([^<>]*)>", re.IGNORECASE)
# Possessive and only from where a name begins: from every letter of a long word it would take quadratic time.
_ATTRIBUTE = re.compile(
    r"""(?<![a-z-])([a-z-]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'=<>`]++))""", re.IGNORECASE
)
MOST_IMAGES = 500
"""Of one page; further ones are links."""
LONGEST_ADDRESS = 512


def image_attributes(written: str) -> Mapping[str, str]:
    """The attributes of an `img` from what stands in its tag, by their names in lower case."""
    found: dict[str, str] = {}
    for name, *values in _ATTRIBUTE.findall(written):
        found.setdefault(name.lower(), unescaped_html("".join(values)).strip())
    return found


def image_addresses(text: str, page: str = "") -> dict[str, str]:
    """Where the images of a page are, by what stands in their `src`; `page` is the page's own address.

    A relative address without a page stays as it is, so that it can name a file. `srcset`, `base` and
    addresses of other kinds than http and https are not followed.
    """
    found: dict[str, str] = {}
    for tag in IMAGE_TAG.finditer(text):
        source = image_attributes(tag[1]).get("src", "")
        address = _joined(page, source) if source else ""
        if address and len(address) <= LONGEST_ADDRESS:
            found[source] = address
        if len(found) == MOST_IMAGES:
            break
    return found


def _joined(page: str, source: str) -> str:
    try:
        address = urljoin(page, source).partition("#")[0]
        scheme = urlsplit(address).scheme
    except ValueError:
        return ""
    return address if scheme in ("", "http", "https") else ""


def _codec(charset: str | None) -> str | None:
    """Python's name of an encoding; None for one that no page has."""
    if charset is None or not _CHARSET.fullmatch(charset.strip()):
        return None
    try:
        name = codecs.lookup(charset.strip()).name
    except LookupError:
        return None
    return _INSTEAD.get(name, name)
