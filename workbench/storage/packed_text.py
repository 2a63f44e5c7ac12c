"""The texts of documents as they are stored: compressed, on every database alike.

Half of the bytes of short passages, a fifth of those of pages of the web; unpacking takes some microseconds.
"""

from __future__ import annotations

import zlib
from typing import Any

from sqlalchemy import LargeBinary, TypeDecorator

PLAIN, COMPRESSED = b"\0", b"\1"
"""The first byte of a stored text says what follows: its UTF-8, or that compressed by zlib."""
DAMAGED = "\ufffd"
"""What a stored text that cannot be unpacked reads as: its hash is another one then, which `verify` tells."""


def pack_text(text: str) -> bytes:
    """A text as it is stored; compressed where that makes it shorter."""
    plain = text.encode()
    compressed = zlib.compress(plain)
    return COMPRESSED + compressed if len(compressed) < len(plain) else PLAIN + plain


def unpack_text(stored: bytes) -> str:
    """The text of stored bytes; DAMAGED for what `pack_text` never made."""
    try:
        if stored[:1] == COMPRESSED:
            return zlib.decompress(stored[1:]).decode()
        return stored[1:].decode() if stored[:1] == PLAIN else DAMAGED
    except (zlib.error, UnicodeDecodeError):
        return DAMAGED


class PackedText(TypeDecorator[str]):
    """A column of long texts; the database sees bytes, so that it cannot search in them."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> bytes | None:
        """The bytes to store."""
        return None if value is None else pack_text(value)

    def process_result_value(self, value: bytes | None, dialect: Any) -> str | None:
        """The stored text."""
        return None if value is None else unpack_text(value)
