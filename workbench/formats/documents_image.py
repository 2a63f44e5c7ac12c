"""An image as a document: PNG, JPEG, GIF or WebP, one a file.

Only what says how large an image is, and where it ends, is read; nothing is decoded. An image that is cut, or
so large that a browser would need gigabytes for it, is refused before anybody has to open it. SVG is not
among them: it is a document with scripts and addresses of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

from workbench.errors import WorkbenchError
from workbench.formats.error_collector import ErrorCollector
from workbench.formats.source import Peekable
from workbench.formats.text_formats import (
    BinaryDocumentFormat,
    NumberedDocuments,
    docno_of,
    file_name,
    sha256_of,
    whole_file,
)
from workbench.frozen import frozen_dataclass
from workbench.records import Document, Original

LONGEST_SIDE = 20_000
MOST_PIXELS = 100_000_000
"""Of one frame; a browser needs four bytes for each."""
MOST_FRAMES = 2_000
LONGEST_IMAGE = 16 * 2**20
"""The largest image in bytes."""

_PNG = b"\x89PNG\r\n\x1a\n"
_GIF = (b"GIF87a", b"GIF89a")
# Start of frame: baseline, extended, progressive and so on; the others in this range are tables.
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_ALONE = frozenset((0x01, *range(0xD0, 0xD8)))

Size = tuple[int, int]


@frozen_dataclass
class ImageForm:
    """What an image is: its media type and its width and height in pixels."""

    media_type: str
    width: int
    height: int


class _Cut(Exception):
    """The bytes end before the image does."""


def image_form(content: bytes) -> ImageForm:
    """The type and size of an image.

    Raises WorkbenchError for what is none of the four types, is cut or damaged, or is larger than
    LONGEST_SIDE, MOST_PIXELS or MOST_FRAMES. Sources: PNG (W3C, 3rd edition), JPEG (ITU T.81, B.1), GIF89a,
    RFC 9649 (WebP).
    """
    media_type = image_type(content)
    if media_type is None:
        raise WorkbenchError("this is not a PNG, JPEG, GIF or WebP image", remedy="convert it to PNG")
    try:
        width, height = _SIZES[media_type](content)
    except (_Cut, IndexError):
        raise WorkbenchError("the image is truncated or damaged", remedy="copy it again") from None
    if not (0 < width <= LONGEST_SIDE and 0 < height <= LONGEST_SIDE and width * height <= MOST_PIXELS):
        most = f"{LONGEST_SIDE:,} pixels a side and {MOST_PIXELS // 10**6} million in all"
        raise WorkbenchError(
            f"the image has {width:,} × {height:,} pixels", remedy=f"scale it down to at most {most}"
        )
    return ImageForm(media_type, width, height)


def image_type(head: bytes) -> str | None:
    """The media type of an image that begins with these bytes, None for anything else."""
    if head.startswith(_PNG):
        return "image/png"
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith(_GIF):
        return "image/gif"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return None


def _png(content: bytes) -> Size:
    at, size = len(_PNG), None
    while True:
        length, kind = _number(content, at, 4), _bytes(content, at + 4, 4)
        if size is None:
            if kind != b"IHDR":
                raise _Cut
            size = _number(content, at + 8, 4), _number(content, at + 12, 4)
        if kind == b"IEND":
            return size
        at += 12 + length


def _jpeg(content: bytes) -> Size:
    at = 2
    while True:
        if content[at] != 0xFF:
            raise _Cut
        marker = content[at + 1]
        at += 1 if marker == 0xFF else 2
        if marker == 0xFF or marker in _JPEG_ALONE:
            continue
        if marker in (0xD9, 0xDA):  # the scan begins, or the image ends, before its size was said
            raise _Cut
        if marker in _JPEG_FRAMES:
            if content.rfind(b"\xff\xd9") < at:
                raise _Cut
            return _number(content, at + 5, 2), _number(content, at + 3, 2)
        at += _number(content, at, 2)


def _gif(content: bytes) -> Size:
    size = _little(content, 6, 2), _little(content, 8, 2)
    at, frames = 13 + _gif_colours(content[10]), 0
    while content[at] != 0x3B:
        if content[at] == 0x21:
            at += 2
        elif content[at] == 0x2C:
            frames += 1
            left, top, width, height = (_little(content, at + 1 + 2 * n, 2) for n in range(4))
            # Browsers grow the canvas to the frame.
            size = _larger(size, (left + width, top + height))
            at += 11 + _gif_colours(content[at + 9])
        else:
            raise _Cut
        _check_frames(frames)
        while content[at]:
            at += content[at] + 1
        at += 1
    return size


def _gif_colours(packed: int) -> int:
    """The bytes of a colour table."""
    return 3 * 2 ** ((packed & 7) + 1) if packed & 0x80 else 0


def _webp(content: bytes) -> Size:
    end = 8 + _little(content, 4, 4)
    if end > len(content):
        raise _Cut
    at, size, frames = 12, (0, 0), 0
    while at + 8 <= end:
        kind, length = _bytes(content, at, 4), _little(content, at + 4, 4)
        if kind == b"VP8X":
            size = 1 + _little(content, at + 12, 3), 1 + _little(content, at + 15, 3)
        elif kind == b"VP8 ":
            sides = (_little(content, at + 14 + 2 * n, 2) & 0x3FFF for n in range(2))
            size = _larger(size, (next(sides), next(sides)))
        elif kind == b"VP8L":
            bits = _little(content, at + 9, 4)
            size = _larger(size, (1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)))
        elif kind == b"ANMF":
            frames += 1
            _check_frames(frames)
        at += 8 + length + length % 2
    return size


_SIZES: dict[str, Callable[[bytes], Size]] = {
    "image/png": _png,
    "image/jpeg": _jpeg,
    "image/gif": _gif,
    "image/webp": _webp,
}


def _larger(one: Size, other: Size) -> Size:
    return max(one[0], other[0]), max(one[1], other[1])


def _check_frames(frames: int) -> None:
    if frames > MOST_FRAMES:
        raise WorkbenchError(f"the image has more than {MOST_FRAMES:,} frames", remedy="keep one of them")


def _bytes(content: bytes, at: int, length: int) -> bytes:
    found = content[at : at + length]
    if len(found) < length:
        raise _Cut
    return found


def _number(content: bytes, at: int, length: int, order: Literal["big", "little"] = "big") -> int:
    return int.from_bytes(_bytes(content, at, length), order)


_little = partial(_number, order="little")


def image_document(stream: Peekable, errors: ErrorCollector) -> NumberedDocuments:
    """The document that an image is: its docno is the file's name without extension; it has no text.

    Pages with an `img` of the file's whole name show it. Errors: an image that is cut, or too large.
    """
    content = whole_file(stream, errors, LONGEST_IMAGE, "the image")
    if content is None:
        return
    try:
        original = image_original(content, file_name(errors.source))
    except WorkbenchError as error:
        errors.add(None, "image", error.message, error.remedy)
        return
    yield 1, Document(docno_of(errors.source), "", "", original)


def image_original(content: bytes, address: str, *, beside: bool = False) -> Original:
    """The bytes of an image with what it is; raises WorkbenchError as `image_form`."""
    form = image_form(content)
    return Original(
        form.media_type,
        content,
        sha256_of(content),
        address,
        width=form.width,
        height=form.height,
        beside=beside,
    )


IMAGE = BinaryDocumentFormat(
    "image", "image (PNG, JPEG, GIF, WebP)", image_document, lambda head: image_type(head) is not None
)
