"""Long documents in parts that a browser lays out only when scrolled near: 5 MB stay responsive."""

from __future__ import annotations

import re
from collections.abc import Iterator

LONG = 60_000
"""A document with this many characters of HTML or more is divided."""
PART = 24_000
PIECE = 6_000
"""Characters to which a very long paragraph is cut; its pieces are displayed as one paragraph."""

_CONTAINERS = frozenset({"div", "blockquote"})
_VOID = frozenset({"br", "hr"})
_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*+)[^<>]*+>")


def names(text: str) -> frozenset[str]:
    """The names of elements in a text, between blanks."""
    return frozenset(text.split())


INLINE = names("b i em strong u s sub sup small code kbd q cite var")


def pieces(text: str, size: int = PIECE) -> Iterator[str]:
    """A text cut about every `size` characters, after white space if possible."""
    start = 0
    while len(text) - start > size * 3 // 2:
        end = max(text.rfind(" ", start + size // 2, start + size), text.rfind("\n", start, start + size)) + 1
        if not end:
            end = start + size
        yield text[start:end]
        start = end
    yield text[start:]


def line_pieces(text: str, size: int = PIECE) -> Iterator[str]:
    """A text cut about every `size` characters at the ends of lines; a longer line as in `pieces`."""
    start = 0
    while len(text) - start > size * 3 // 2:
        end = text.rfind("\n", start, start + size) + 1 or text.find("\n", start) + 1 or len(text)
        yield from pieces(text[start:end], size)
        start = end
    if start < len(text):
        yield text[start:]


def in_parts(html: str) -> str:
    """Clean HTML with its blocks grouped into `<div class="part">`; short HTML is returned unchanged.

    Parts are made at the top level and within long containers; tables and lists are never divided.
    """
    if len(html) < LONG:
        return html
    divided = _containers_to_divide(html)
    out: list[str] = []
    stack: list[str] = []
    in_part = False
    size = position = 0
    leaf = 0  # how many of the open elements are not divided

    def text_until(end: int) -> None:
        nonlocal in_part, size
        content = html[position:end]
        if not content:
            return
        if not in_part and not leaf:
            if not content.strip():
                out.append(content)
                return
            out.append('<div class="part">')
            in_part, size = True, 0
        if len(content) > PIECE * 2 and stack and stack[-1] == "p" and leaf == 1:
            out.append('</p><p class="goes-on" dir="auto">'.join(_safe_pieces(content)))
        else:
            out.append(content)
        size += len(content)

    for match in _TAG.finditer(html):
        text_until(match.start())
        position = match.end()
        closing, name = match[1], match[2]
        if name in _VOID:
            out.append(match[0])
            continue
        if closing:
            stack.pop()
            if leaf:
                leaf -= 1
                out.append(match[0])
                size += len(match[0])
                if not leaf and in_part and size > PART and name not in INLINE | {"a", "span", "math"}:
                    out.append("</div>")
                    in_part = False
            else:
                if in_part:
                    out.append("</div>")
                    in_part = False
                out.append(match[0])
            continue
        stack.append(name)
        if not leaf and match.start() in divided:
            if in_part:
                out.append("</div>")
                in_part = False
            # Without dir="auto": finding the direction of a long text takes seconds, and its blocks have one.
            out.append(f"<{name}>")
            continue
        if not leaf and not in_part:
            out.append('<div class="part">')
            in_part, size = True, 0
        leaf += 1
        out.append(match[0])
    text_until(len(html))
    if in_part:
        out.append("</div>")
    return "".join(out)


def longest_text(html: str) -> int:
    """The length of the longest text between two tags, except in paragraphs, which can be cut."""
    longest = position = 0
    before = ""
    for match in _TAG.finditer(html):
        if before != "p" or match[2] != "p":
            longest = max(longest, match.start() - position)
        position = match.end()
        before = match[2] if not match[1] else ""
    return max(longest, len(html) - position)


def _safe_pieces(content: str) -> Iterator[str]:
    # A piece must not end within a character reference.
    rest = ""
    for piece in pieces(content):
        piece = rest + piece
        cut = piece.rfind("&")
        rest = ""
        if cut >= 0 and ";" not in piece[cut:]:
            piece, rest = piece[:cut], piece[cut:]
        if piece:
            yield piece
    if rest:
        yield rest


def _containers_to_divide(html: str) -> frozenset[int]:
    """The offsets of long containers that are nested in long containers only."""
    stack: list[tuple[str, int]] = []
    spans: dict[int, int] = {}
    parents: dict[int, int] = {}
    for match in _TAG.finditer(html):
        if match[2] in _VOID:
            continue
        if match[1]:
            _, start = stack.pop()
            spans[start] = match.end() - start
        else:
            parents[match.start()] = stack[-1][1] if stack else -1
            stack.append(
                (match[2] if match[2] in _CONTAINERS and "scroll" not in match[0] else "", match.start())
            )
            if not stack[-1][0]:
                spans[match.start()] = -1
    divided: set[int] = {-1}
    for start in sorted(parents):
        name = html[start + 1 : start + 11]
        if parents[start] in divided and spans.get(start, -1) > PART and name.startswith(tuple(_CONTAINERS)):
            divided.add(start)
    return frozenset(divided - {-1})
