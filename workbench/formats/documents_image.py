"""An image as a document: PNG, JPEG, GIF or WebP, one a file."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.errors import WorkbenchError
from workbench.formats.error_collector import ErrorCollector
from workbench.formats.images import LONGEST_IMAGE, image_form, image_type
from workbench.formats.single_files import docno_of, file_name, sha256_of, whole_file
from workbench.formats.source import Peekable
from workbench.formats.text_formats import BinaryDocumentFormat
from workbench.records import Document, Original


def image_document(stream: Peekable, errors: ErrorCollector) -> Iterator[tuple[int, Document]]:
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


def _recognised(head: bytes) -> bool:
    return image_type(head) is not None


IMAGE = BinaryDocumentFormat("image", "image (PNG, JPEG, GIF, WebP)", image_document, _recognised)
