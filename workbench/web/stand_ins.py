"""Stand-ins: what marks the images of a page, and what it contains and no page shows, while it is cleaned.

`with_stand_ins` puts a character that no text can contain before each element that is left out; it outlives
the cleaning, which drops the element, and `marks_shown` replaces it by a mark that says what was there. The
mark has no text of its own, so that the offsets of passages in a document stay what they are.

Images in the collection are shown, every other is a link that nobody follows unasked. An image keeps its
words, `[Image: …]`, as its caption, whether it is shown or not: those offsets do not depend on which images
the campaign has.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape

from workbench.formats.web_pages import IMAGE_TAG, image_attributes
from workbench.frozen import frozen_dataclass

# What is said of one and of many, and the elements.
_KINDS = (
    ("Script left out", "scripts left out", "script"),
    ("Embedded page left out", "embedded pages left out", "iframe frame portal"),
    ("Embedded object left out", "embedded objects left out", "object embed applet"),
    ("Drawing left out", "drawings left out", "svg canvas"),
    ("Video left out", "videos left out", "video"),
    ("Sound left out", "sounds left out", "audio bgsound"),
    ("Form, shown as text", "forms, shown as text", "form"),
    ("Form field left out", "form fields left out", "input select textarea"),
    ("Content for pages without scripts left out", "contents without scripts left out", "noscript"),
    ("Figure not in the collection", "figures not in the collection", ""),
)
LAYOUT = (
    '<span class="left-out" role="img" aria-label="Layout left out: too large or too deeply nested"></span>'
)
# From here to U+FDE0 nobody else has any: those above stand for images.
_FIRST = 0xFDD7
_BY_ELEMENT = {
    name: chr(_FIRST + at) for at, (_, _, elements) in enumerate(_KINDS) for name in elements.split()
}
_BY_STAND_IN = {chr(_FIRST + at): (one, many) for at, (one, many, _) in enumerate(_KINDS)}
NO_FIGURE = chr(_FIRST + len(_KINDS) - 1)
"""Stands before the words of a figure that the collection does not have."""
_SIGNS = f"[{chr(_FIRST)}-{chr(_FIRST + len(_KINDS) - 1)}]"
# A field that nobody sees is nothing that is missing.
_ELEMENT = re.compile(
    rf"<({'|'.join(_BY_ELEMENT)})(?=[\s/>])(?![^<>]*\btype\s*=\s*[\"']?hidden)", re.IGNORECASE
)
# A tag, whose attributes may hold anything, or marks of one kind in a row.
_PIECE = re.compile(rf"<[a-z/](?:\"[^\"]*+\"|[^\"<>])*+>|({_SIGNS})(?:\s*\1)*", re.IGNORECASE)
_SIGN = re.compile(_SIGNS)


def with_stand_ins(text: str) -> str:
    """HTML with a stand-in before every element that is left out; call it before cleaning."""
    return _ELEMENT.sub(lambda match: _BY_ELEMENT[match[1].lower()] + match[0], text)


def marks_shown(clean: str) -> str:
    """Cleaned HTML with a mark for every stand-in; those of one kind in a row become one mark."""
    return _PIECE.sub(_mark, clean)


def _mark(match: re.Match[str]) -> str:
    if match[1] is None:
        return _SIGN.sub("", match[0])
    (one, many), count = _BY_STAND_IN[match[1]], match[0].count(match[1])
    words = one if count == 1 else f"{count} {many}"
    return f'<span class="left-out" role="img" aria-label="{escape(words)}"></span>'


LONGEST_NAME = 200
# A number in these characters, which no text can contain, outlives the cleaning where an image is to stand.
_DIGITS = "\ufde1\ufde2\ufde3\ufde4\ufde5\ufde6\ufde7\ufde8"
_END = "\ufde9"
# A tag, whose attributes may hold anything, or a stand-in.
_IMAGE_PIECE = re.compile(
    rf"<[a-z/](?:\"[^\"]*+\"|[^\"<>])*+>|([{_DIGITS}]+){_END}|[{_DIGITS}{_END}]", re.IGNORECASE
)
_IMAGE_SIGNS = re.compile(f"[{_DIGITS}{_END}]")


@frozen_dataclass
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
        return _IMAGE_PIECE.sub(self._image, clean) if self.found else clean

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
            return _IMAGE_SIGNS.sub("", match[0])
        number = int("".join(str(_DIGITS.index(one)) for one in match[1]), 8)
        if number >= len(self.found):
            return ""
        one = self.found[number]
        size = f' width="{one.width}" height="{one.height}"' if one.width and one.height else ""
        # Its words follow it, so that a reader hears them once.
        return f'<img class="of-page" src="{escape(one.address)}" alt=""{size}>'


def _number(number: int) -> str:
    return "".join(_DIGITS[int(digit)] for digit in f"{number:o}") + _END
