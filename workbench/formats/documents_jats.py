"""Articles in JATS, the XML of journals and of PubMed Central: one article or several a file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from html.entities import html5
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from workbench.formats.error_collector import ErrorCollector
from workbench.formats.fields import collapsed
from workbench.formats.identifiers import trimmed
from workbench.formats.jats_html import html_of, name_of, text_of
from workbench.formats.record_bytes import JATS_TYPE, record_original
from workbench.formats.source import LINE_LIMIT, Peekable
from workbench.formats.text_formats import BinaryDocumentFormat
from workbench.records import Document

_DEPTH = 200
_ELEMENTS = 2_000_000
_IDS = ("pmc", "pmcid", "pmid", "doi", "publisher-id", "manuscript")
_ENCODING = re.compile(rb"<\?xml\s[^<>]*?\bencoding\s*=\s*[\"']([A-Za-z0-9._-]{1,40})[\"']")
_OWN_ATTRIBUTES = frozenset({"article-type", "dtd-version", "xmlns:mml"})


class _UnreadXml(Exception):
    """Well-formed XML that is not read: line, finding, remedy."""


def jats_articles(stream: Peekable, errors: ErrorCollector) -> Iterator[tuple[int, Document]]:
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
        message = f"this is no well-formed XML: {expat.ErrorString(error.code)}"
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
        articles = [one for one in root.iter() if name_of(one) == "article"]
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
        errors.add(number, "id", f"article {number} has no article-id", f"one of {', '.join(_IDS)}")
        return None
    title = text_of(_first(meta, "article-title"))
    parts = [_origin(article, meta)]
    for abstract in _children(meta, "abstract"):
        heading = "" if _children(abstract, "title") else "<h2>Abstract</h2>\n"
        parts.append(f"<div>{heading}{html_of(abstract, 2)}</div>\n")
    for name in ("body", "back"):
        for one in _children(article, name):
            parts.append(html_of(one, 1))
    references = [one for one in article.iter() if name_of(one) == "ref"]
    if references:
        listed = "".join(f"<li>{escape(_reference(one))}</li>\n" for one in references)
        parts.append(f"<h2>References</h2>\n<ol>{listed}</ol>\n")
    return Document(trimmed(docno), title, "".join(parts).strip())


def _origin(article: Element, meta: Element | None) -> str:
    """The authors, and the journal with its year."""
    names = []
    for one in [] if meta is None else [e for e in meta.iter() if name_of(e) == "contrib"]:
        parts = [text_of(_first(one, part)) for part in ("given-names", "surname")]
        written = " ".join(part for part in parts if part) or text_of(_first(one, "collab"))
        if written and one.get("contrib-type", "author") == "author":
            names.append(written)
    journal = text_of(_first(article, "journal-title"))
    year = text_of(_first(_first(meta, "pub-date"), "year"))
    origin = ", ".join(part for part in (journal, year) if part)
    lines = (", ".join(names), origin)
    return "".join(f"<p>{escape(line)}</p>\n" for line in lines if line)


def _reference(element: Element) -> str:
    """A reference as it is written, or where it is in parts only, these."""
    mixed = _first(element, "mixed-citation")
    return text_of(mixed) if mixed is not None else collapsed(" ".join(element.itertext()))


def _first(element: Element | None, name: str) -> Element | None:
    found = [] if element is None else element.iter()
    return next((one for one in found if name_of(one) == name), None)


def _children(element: Element | None, name: str) -> list[Element]:
    return [] if element is None else [one for one in element if name_of(one) == name]


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
        if depth > _DEPTH:
            raise _UnreadXml(
                parser.CurrentLineNumber, f"elements are nested deeper than {_DEPTH}", "close them"
            )
        if elements > _ELEMENTS:
            raise _UnreadXml(
                parser.CurrentLineNumber, f"there are more than {_ELEMENTS:,} elements", "split it"
            )
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
