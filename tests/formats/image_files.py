"""Images written by hand: their size is right, and whoever wants them cut or giant makes them so."""

from __future__ import annotations

import struct
import zlib

from workbench.formats.documents_image import image_original
from workbench.records import Document


def chunk(kind: bytes, content: bytes) -> bytes:
    """A chunk of a PNG."""
    check = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)


def png_file(width: int, height: int, colour: tuple[int, int, int] = (30, 90, 160)) -> bytes:
    """A PNG of one colour; of a giant only the header says how large it is."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = (b"\0" + bytes(colour) * width) * height if width * height < 10**6 else b""
    parts = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def jpeg_file(width: int, height: int) -> bytes:
    """The segments of a JPEG, which shows nothing; a thumbnail of another size stands before its own."""
    thumbnail = b"\xff\xe1" + struct.pack(">H", 14) + b"Exif\0\0\xff\xc0\xff\xd9\0\0"
    frame = b"\xff\xc0" + struct.pack(">HBHHB", 11, 8, height, width, 1) + b"\x01\x11\0"
    return b"\xff\xd8" + thumbnail + frame + b"\xff\xda" + struct.pack(">H", 2) + b"\0\0\xff\xd9"


def gif_file(width: int, height: int, *, frames: int = 1, frame: tuple[int, int] | None = None) -> bytes:
    """A GIF whose frames may be larger than its canvas."""
    sides = frame or (width, height)
    one = b"," + struct.pack("<HHHHB", 0, 0, *sides, 0) + b"\x02\x02\x4c\x01\0"
    return b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + bytes(6) + one * frames + b";"


def webp_file(width: int, height: int) -> bytes:
    """A lossless WebP of a header."""
    bits = struct.pack("<I", (width - 1) | (height - 1) << 14)
    body = b"WEBPVP8L" + struct.pack("<I", 6) + b"\x2f" + bits + b"\0"
    return b"RIFF" + struct.pack("<I", len(body)) + body


def image_document(docno: str, content: bytes | None = None) -> Document:
    """A document that is an image, of one pixel unless another is given."""
    return Document(docno, "", "", image_original(content or png_file(1, 1), f"{docno}.png"))
