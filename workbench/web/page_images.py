"""The images of a page: those in the collection are shown, every other is a link that nobody follows unasked.

An image keeps its words, `[Image: …]`, as its caption, whether it is shown or not: the offsets of passages in
a document do not depend on which images the campaign has.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape

from workbench.formats.web_pages import IMAGE_TAG, image_attributes
from workbench.web.left_out import NO_FIGURE

LONGEST_NAME = 200
# A number in these characters, which no text can contain, outlives the cleaning where an image is to stand.
_DIGITS = "\ufde1\ufde2\ufde3\ufde4\ufde5\ufde6\ufde7\ufde8"
_END = "\ufde9"
# A tag, whose attributes may hold anything, or a stand-in.
_PIECE = re.compile(
    rf"<[a-z/](?:\"[^\"]*+\"|[^\"<>])*+>|([{_DIGITS}]+){_END}|[{_DIGITS}{_END}]", re.IGNORECASE
)
_SIGNS = re.compile(f"[{_DIGITS}{_END}]")


@dataclass(frozen=True, slots=True)
class ImageAddress:
    """Where the server has an image, and its size in pixels."""

    address: str
    width: int | None = None
    height: int | None = None


@dataclass(slots=True)
class PageImages:
    """The images that one page may show, by what stands in their `src`."""

    known: Mapping[str, ImageAddress] = field(default_factory=dict)
    found: list[ImageAddress] = field(default_factory=list)

    def as_links(self, html: str) -> str:
        """HTML with every image replaced by its words, before them a stand-in; call it before cleaning."""
        return IMAGE_TAG.sub(self._as_link, html)

    def shown(self, clean: str) -> str:
        """Cleaned HTML with an image for every stand-in in its text."""
        return _PIECE.sub(self._image, clean) if self.found else clean

    def _as_link(self, match: re.Match[str]) -> str:
        attributes = image_attributes(match[1])
        words = " ".join(attributes.get("alt", "").split())[:LONGEST_NAME]
        caption = f"[{escape(f'Image: {words}' if words else 'Image')}]"
        source = attributes.get("src", "")
        if source in self.known:
            self.found.append(self.known[source])
            return f"{_number(len(self.found) - 1)}{caption}"
        if not source.lower().startswith(("http://", "https://")):
            return f"{NO_FIGURE}{caption}" if attributes.get("data-part") == "figure" else caption
        return f'<a href="{escape(source)}">{caption}</a>'

    def _image(self, match: re.Match[str]) -> str:
        if match[1] is None:
            return _SIGNS.sub("", match[0])
        number = int("".join(str(_DIGITS.index(one)) for one in match[1]), 8)
        if number >= len(self.found):
            return ""
        one = self.found[number]
        size = f' width="{one.width}" height="{one.height}"' if one.width and one.height else ""
        # Its words follow it, so that a reader hears them once.
        return f'<img class="of-page" src="{escape(one.address)}" alt=""{size}>'


def _number(number: int) -> str:
    return "".join(_DIGITS[int(digit)] for digit in f"{number:o}") + _END
