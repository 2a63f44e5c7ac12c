"""What a document contains and no page shows: a mark stands where it stood, and says what it was.

`with_stand_ins` puts a character that no text can contain before each such element; it outlives the
cleaning, which drops the element, and `marks_shown` replaces it. The mark has no text of its own, so that the
offsets of passages in a document stay what they are.
"""

from __future__ import annotations

import re
from html import escape

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
# From here to U+FDE0 nobody else has any: `page_images` has those above.
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
