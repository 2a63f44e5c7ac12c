"""Ids in URLs and forms: a docno may contain any byte, a URL and an HTML page may not."""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes

from werkzeug.exceptions import NotFound
from werkzeug.routing import BaseConverter, IntegerConverter, UnicodeConverter

from workbench.workflow.checks import storable

# Characters that a form, a path or an encoder would change: controls, bytes outside UTF-8.
_UNSAFE = re.compile(r"[\x00-\x20\x7f%\\\u0080-\u00a0\u2028\u2029\ud800-\udfff]")


def write_id(identifier: str) -> str:
    """The id as plain text without control characters; `read_id` restores it to the byte."""
    if identifier in {".", ".."}:
        return identifier.replace(".", "%2E")
    return _UNSAFE.sub(_escaped, identifier)


def read_id(text: str) -> str:
    """The id that `write_id` wrote; any other text becomes an id that does not exist."""
    return unquote_to_bytes(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogateescape")


LARGEST = 2**63 - 1
"""What a database keeps of a number: there is nothing at an address with a larger one."""


# Of a segment that a converter finds invalid, Werkzeug may say that its address does not take that method, as
# another rule of the same address does not. So those that name nothing are not found, by whatever method.


class NumberConverter(IntegerConverter):
    """A number of a row as one segment of a path."""

    def to_python(self, value: str) -> int:
        """The number of a segment."""
        # Python refuses to convert more digits than a limit of its own.
        if len(value) > len(str(LARGEST)) or int(value) > LARGEST:
            raise NotFound
        return int(value)


class TextConverter(UnicodeConverter):
    """One segment of a path; what no database stores is at no address."""

    def to_python(self, value: str) -> str:
        """The text of a segment."""
        return _stored(value)


class IdConverter(BaseConverter):
    """An id as one segment of a path: `/c/<slug>/topics/<id:topic>`."""

    def to_python(self, value: str) -> str:
        """The id of a segment."""
        return _stored(read_id(value))

    def to_url(self, value: str) -> str:
        """The segment of an id."""
        return super().to_url(write_id(value).replace("/", "%2F"))


def _stored(text: str) -> str:
    if storable(text) != text:
        raise NotFound
    return text


def _escaped(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "surrogateescape"))
