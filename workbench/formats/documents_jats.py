"""Articles in JATS, the XML of journals and of PubMed Central: one article or several a file.

HTML made here is cleaned when it is shown, like every other. Elements without a line here are transparent:
their content stands where they stood.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from html import escape
from html.entities import html5
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from workbench.formats.error_collector import ErrorCollector
from workbench.formats.fields import collapsed
from workbench.formats.identifiers import trimmed
from workbench.formats.source import LINE_LIMIT, Peekable
from workbench.formats.text_formats import JATS_TYPE, BinaryDocumentFormat, NumberedDocuments, record_original
from workbench.records import Document

# JATS to HTML, one for one. The elements of tables are those of HTML already.
_HTML_ELEMENTS = {
    name: name for name in ("sub", "sup", "table", "thead", "tbody", "tfoot", "tr", "td", "th")
} | {
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
    tag = _HTML_ELEMENTS.get(name)
    if tag is None:
        return html_of(element, level)
    spans = "".join(f' {span}="{escape(element.get(span, ""))}"' for span in _SPANS if element.get(span))
    return f"<{tag}{spans}>{html_of(element, level)}</{tag}>" + ("\n" if tag in ("p", "li", "div") else "")


def _section(element: Element, level: int) -> str:
    """A section, its label in front of its title."""
    label = text_of(_child(element, "label"))
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
    label = text_of(_child(element, "label"))
    caption = _child(element, "caption")
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
        if (child := _child(element, name)) is not None:
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
    words = text_of(_child(element, "alt-text")) or name
    return f'<img data-part="figure" src="{escape(name)}" alt="{escape(words)}">'


def _linked(element: Element) -> str:
    return next((value for key, value in element.attrib.items() if key.rpartition(":")[2] == "href"), "")


def _texts(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if name_of(child) not in ("fn", "xref"):
            yield from _texts(child)
        yield child.tail or ""


_DEPTH = 200
_ELEMENTS = 2_000_000
_IDS = ("pmc", "pmcid", "pmid", "doi", "publisher-id", "manuscript")
_ENCODING = re.compile(rb"<\?xml\s[^<>]*?\bencoding\s*=\s*[\"']([A-Za-z0-9._-]{1,40})[\"']")
_OWN_ATTRIBUTES = frozenset({"article-type", "dtd-version", "xmlns:mml"})


class _UnreadXml(Exception):
    """Well-formed XML that is not read: line, finding, remedy."""


def jats_articles(stream: Peekable, errors: ErrorCollector) -> NumberedDocuments:
    """The elements `article`, each with its number from 1.

    The docno is the first `article-id` of PubMed Central, PubMed, DOI or the publisher. The text is HTML:
    journal and authors, abstract, body, acknowledgements and references; formulas stay MathML. External
    entities are never read, and documents that declare entities are refused, since these can fill the memory.
    The original is the file, or of several articles the element.
    """
    content = stream.read(LINE_LIMIT + 1)
    if len(content) > LINE_LIMIT:
        errors.add(None, "too-large", f"the file is larger than {LINE_LIMIT // 2**20} MiB", "split it")
        return
    content = content.lstrip()
    try:
        root, places = _tree(content)
    except expat.ExpatError as error:
        message = f"this is not well-formed XML: {expat.ErrorString(error.code)}"
        errors.add(error.lineno, "xml", message, "write & as &amp; and < as &lt;, and close every element")
        return
    except _UnreadXml as error:
        errors.add(error.args[0], "xml", *error.args[1:])
        return
    declared = _ENCODING.match(content)
    charset = declared[1].decode("ascii") if declared else "utf-8"
    if name_of(root) == "article":
        articles, places = [root], [slice(None)]
    else:
        articles = list(_all(root, "article"))
    for number, (article, place) in enumerate(zip(articles, places, strict=True), 1):
        document = _document(number, article, errors)
        if document is not None:
            original = record_original(JATS_TYPE, content[place], charset)
            yield number, replace(document, original=original)


def _document(number: int, article: Element, errors: ErrorCollector) -> Document | None:
    meta = _first(article, "article-meta")
    ids = {one.get("pub-id-type"): text_of(one) for one in _children(meta, "article-id")}
    docno = next((ids[kind] for kind in _IDS if ids.get(kind)), "")
    if not docno:
        errors.add(number, "id", f"article {number} has no article-id", f"add one of {', '.join(_IDS)}")
        return None
    title = text_of(_first(meta, "article-title"))
    parts = [_origin(article, meta)]
    for abstract in _children(meta, "abstract"):
        heading = "<h2>Abstract</h2>\n" if _child(abstract, "title") is None else ""
        parts.append(f"<div>{heading}{html_of(abstract, 2)}</div>\n")
    for name in ("body", "back"):
        for one in _children(article, name):
            parts.append(html_of(one, 1))
    listed = "".join(f"<li>{escape(_reference(one))}</li>\n" for one in _all(article, "ref"))
    if listed:
        parts.append(f"<h2>References</h2>\n<ol>{listed}</ol>\n")
    return Document(trimmed(docno), title, "".join(parts).strip())


def _origin(article: Element, meta: Element | None) -> str:
    """The authors, and the journal with its year."""
    names = []
    for one in _all(meta, "contrib"):
        parts = [text_of(_first(one, part)) for part in ("given-names", "surname")]
        written = " ".join(part for part in parts if part) or text_of(_first(one, "collab"))
        if written and one.get("contrib-type", "author") == "author":
            names.append(written)
    journal = text_of(_first(article, "journal-title"))
    year = text_of(_first(_first(meta, "pub-date"), "year"))
    origin = ", ".join(part for part in (journal, year) if part)
    return "".join(f"<p>{escape(line)}</p>\n" for line in (", ".join(names), origin) if line)


def _reference(element: Element) -> str:
    """A reference as it is written, or where it is in parts only, these."""
    mixed = _first(element, "mixed-citation")
    return text_of(mixed) if mixed is not None else collapsed(" ".join(element.itertext()))


def _all(element: Element | None, name: str) -> Iterator[Element]:
    return _named(() if element is None else element.iter(), name)


def _first(element: Element | None, name: str) -> Element | None:
    return next(_all(element, name), None)


def _children(element: Element | None, name: str) -> Iterator[Element]:
    return _named(() if element is None else element, name)


def _child(element: Element | None, name: str) -> Element | None:
    return next(_children(element, name), None)


def _named(elements: Iterable[Element], name: str) -> Iterator[Element]:
    return (one for one in elements if name_of(one) == name)


def _tree(content: bytes) -> tuple[Element, list[slice]]:
    """The root, and where in the content each article stands, in the order in which they begin."""
    parser = expat.ParserCreate()
    builder = TreeBuilder()
    depth = elements = 0
    begun: list[int] = []
    places: list[slice] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth, elements
        depth += 1
        elements += 1
        line = parser.CurrentLineNumber
        if depth > _DEPTH:
            raise _UnreadXml(line, f"elements are nested deeper than {_DEPTH}", "close them")
        if elements > _ELEMENTS:
            raise _UnreadXml(line, f"there are more than {_ELEMENTS:,} elements", "split it")
        element = builder.start(name, attributes)
        if name_of(element) == "article":
            begun.append(len(places))
            places.append(slice(parser.CurrentByteIndex, None))

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        if name_of(builder.end(name)) == "article":
            number = begun.pop()
            # The parser stands at the tag that ends the element; of UTF-16 a byte may follow the bracket.
            after = content.index(b">", parser.CurrentByteIndex) + (2 if content[:2] == b"\xff\xfe" else 1)
            places[number] = slice(places[number].start, after)

    def declared(*_: object) -> None:
        remedy = "write the characters themselves"
        raise _UnreadXml(parser.CurrentLineNumber, "XML that declares entities is not read", remedy)

    def skipped(name: str, is_parameter: bool) -> None:
        # Of the document type only its name is read, so that its entities are unknown: they are HTML's.
        if not is_parameter:
            builder.data(html5.get(f"{name};", f"&{name};"))

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = declared
    parser.SkippedEntityHandler = skipped
    parser.UseForeignDTD(True)
    parser.ExternalEntityRefHandler = lambda *_: 1
    parser.buffer_text = True
    parser.Parse(content, True)
    return builder.close(), places


class _Begins(Exception):
    """What a file begins with: its document type or its first element; whether it is an article of JATS."""


def _recognised(head: bytes) -> bool:
    # By a parser, as it is read later: a pattern over comments and instructions took exponential time.
    parser = expat.ParserCreate()

    def doctype(name: str, *_: object) -> None:
        raise _Begins(name == "article")

    def element(name: str, attributes: dict[str, str]) -> None:
        article = name == "article" and not _OWN_ATTRIBUTES.isdisjoint(attributes)
        raise _Begins(article or name in {"articleset", "pmc-articleset"})

    parser.StartDoctypeDeclHandler = doctype
    parser.StartElementHandler = element
    try:
        parser.Parse(head.lstrip(), False)
    except _Begins as begins:
        return bool(begins.args[0])
    except expat.ExpatError:
        return False
    return False


JATS = BinaryDocumentFormat("jats", "JATS (PubMed Central)", jats_articles, _recognised)
