"""The inside of a JATS article as HTML: what the article's elements are on a page.

HTML made here is cleaned when it is shown, like every other. Elements without a line here are transparent:
their content stands where they stood.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from xml.etree.ElementTree import Element

from workbench.formats.fields import collapsed

# JATS to HTML, one for one. The elements of tables are those of HTML already.
_ELEMENTS = {name: name for name in ("sub", "sup", "table", "thead", "tbody", "tfoot", "tr", "td", "th")} | {
    "p": "p",
    "italic": "i",
    "bold": "b",
    "monospace": "code",
    "underline": "u",
    "strike": "s",
    "disp-quote": "blockquote",
    "boxed-text": "blockquote",
    "list-item": "li",
    "def-list": "dl",
    "term": "dt",
    "def": "dd",
    "preformat": "pre",
    "code": "pre",
    "disp-formula": "div",
    "statement": "div",
    "verse-line": "div",
    "speech": "div",
    "fn": "div",
}
_BREAKS = {"break": "<br>", "hr": "<hr>"}
_LEFT_OUT = {"object-id", "related-article", "self-uri", "ref-list"}
_SPANS = ("colspan", "rowspan")
_DEEPEST_HEADING = 6


def name_of(element: Element) -> str:
    """The name of an element without its prefix."""
    return element.tag.rpartition(":")[2].lower()


def text_of(element: Element | None) -> str:
    """The text of an element on one line; footnotes of a title are no part of it."""
    return "" if element is None else collapsed("".join(_texts(element)))


def html_of(element: Element, level: int) -> str:
    """What an element holds, as HTML; titles of its sections are headings of this level."""
    parts = [escape(element.text or "", quote=False)]
    for child in element:
        parts.append(_element(child, level))
        parts.append(escape(child.tail or "", quote=False))
    return "".join(parts)


def _element(element: Element, level: int) -> str:
    name = name_of(element)
    if name in _LEFT_OUT:
        return ""
    if name in _BREAKS:
        return _BREAKS[name]
    if name == "math":
        return _math(element)
    if name in ("sec", "app", "ack", "abstract", "notes", "glossary"):
        return _section(element, min(level + 1, _DEEPEST_HEADING))
    if any(name_of(child) == "title" for child in element):  # a box has its heading below its section's
        level = min(level + 1, _DEEPEST_HEADING)
    if name == "title":
        return f"<h{level}>{html_of(element, level)}</h{level}>\n"
    if name == "label":
        return f"{html_of(element, level)} "
    if name == "list":
        kind = "ol" if element.get("list-type") in ("order", "alpha-lower", "roman-lower") else "ul"
        return f"<{kind}>{html_of(element, level)}</{kind}>\n"
    if name in ("fig", "table-wrap", "supplementary-material", "media"):
        return _captioned(element, level)
    if name in ("graphic", "inline-graphic"):
        return _image(element)
    if name == "alternatives":
        return _alternative(element, level)
    if name == "tex-math":
        return f"<code>{escape(text_of(element))}</code>"
    if name == "ext-link" and (address := _linked(element)).startswith(("http://", "https://")):
        return f'<a href="{escape(address)}">{html_of(element, level)}</a>'
    tag = _ELEMENTS.get(name)
    if tag is None:
        return html_of(element, level)
    spans = "".join(f' {span}="{escape(element.get(span, ""))}"' for span in _SPANS if element.get(span))
    return f"<{tag}{spans}>{html_of(element, level)}</{tag}>" + ("\n" if tag in ("p", "li", "div") else "")


def _section(element: Element, level: int) -> str:
    """A section, its label in front of its title."""
    label = text_of(next((child for child in element if name_of(child) == "label"), None))
    parts = []
    for child in element:
        if name_of(child) == "title":
            title = " ".join(part for part in (escape(label), html_of(child, level).strip()) if part)
            parts.append(f"<h{level}>{title}</h{level}>\n")
        elif name_of(child) != "label":
            parts.append(_element(child, level))
    return f"<div>{''.join(parts)}</div>\n"


def _captioned(element: Element, level: int) -> str:
    """A figure or a table: its label and caption first, as one paragraph of its own."""
    label = text_of(next((child for child in element if name_of(child) == "label"), None))
    caption = next((child for child in element if name_of(child) == "caption"), None)
    heading = " ".join(
        part for part in (f"<b>{escape(label)}</b>" if label else "", _inline(caption)) if part
    )
    rest = "".join(_element(child, level) for child in element if name_of(child) not in ("label", "caption"))
    return (f"<p>{heading}</p>\n" if heading else "") + rest + "\n"


def _inline(caption: Element | None) -> str:
    if caption is None:
        return ""
    return " ".join(html_of(child, _DEEPEST_HEADING).strip() for child in caption)


def _alternative(element: Element, level: int) -> str:
    """Of several forms of one thing the best that a page can show: a formula, a table, TeX, a picture."""
    for name in ("math", "table", "tex-math"):
        for child in element:
            if name_of(child) == name:
                return _element(child, level)
    return _element(element[0], level) if len(element) else ""


def _math(element: Element) -> str:
    """A formula as MathML without prefixes; the page keeps what of it is safe."""
    name = name_of(element)
    attributes = "".join(
        f' {key}="{escape(value)}"'
        for key, value in element.attrib.items()
        if ":" not in key and key != "xmlns"
    )
    inside = escape(element.text or "", quote=False)
    inside += "".join(_math(child) + escape(child.tail or "", quote=False) for child in element)
    return f"<{name}{attributes}>{inside}</{name}>"


def _image(element: Element) -> str:
    """A picture by the name of its file; `page_images` marks a figure that is not in the collection."""
    name = _linked(element)
    words = text_of(next((child for child in element if name_of(child) == "alt-text"), None)) or name
    return f'<img data-part="figure" src="{escape(name)}" alt="{escape(words)}">'


def _linked(element: Element) -> str:
    return next((value for key, value in element.attrib.items() if key.rpartition(":")[2] == "href"), "")


def _texts(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if name_of(child) not in ("fn", "xref"):
            yield from _texts(child)
        yield child.tail or ""
