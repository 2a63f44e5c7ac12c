"""A document in a release."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.records import IMAGE_TYPES, PDF_TYPE


@dataclass(frozen=True, slots=True)
class ReleasedDocument:
    """A pooled or judged document; `sha256` is of the text shown, None if that is not known.

    `title` and `text` are None unless documents are included. Of a PDF or an image `original` is then the
    SHA-256 of its bytes, which `sha256` covers as well. Where originals are included it is that of every
    document whose bytes are kept, `content` are these, and `address` and `charset` what is known of them.
    """

    docno: str
    sha256: str | None
    title: str | None = None
    text: str | None = None
    media_type: str = ""
    original: str = ""
    address: str = ""
    charset: str = ""
    content: bytes | None = None

    @property
    def shown(self) -> str:
        """The SHA-256 of the bytes where these are what is shown; empty where the text is."""
        is_file = self.media_type == PDF_TYPE or self.media_type.startswith(IMAGE_TYPES)
        return self.original if is_file else ""
