"""Topics in XML: `<topic number="1"><query>...</query><description>...` as in TREC's web and COVID tracks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from workbench.formats.error_collector import ErrorCollector
from workbench.formats.fields import checked_subtopics, collapsed, paragraphs
from workbench.formats.identifiers import trimmed
from workbench.formats.text_formats import TopicFormat
from workbench.records import Topic

_DEPTH = 50
_ELEMENTS = 1_000_000
_IDS = ("number", "num", "id", "qid", "topic_id", "query_id")
_TITLES = ("title", "query", "content")
_DESCRIPTIONS = ("description", "desc", "question")
_NARRATIVES = ("narrative", "narr")
_BLOCKS = frozenset(("p", "br", "div", "li"))


class _Refused(Exception):
    """The content may be well-formed XML, but not such as is read here: line, finding, remedy."""


def xml_topics(content: bytes, errors: ErrorCollector) -> Iterator[tuple[int, Topic]]:
    """The elements `topic` or `top`, or where there are none those named `query` under the root.

    The id is an attribute or an element of its own; elements not known are left out. Elements
    `subtopic` are numbered by their attribute, else from 1.
    Documents with a DTD are refused, since entities can be made to fill the memory.
    """
    # An XML declaration must stand first; blank lines before it are forgiven, but counted.
    blank = len(content) - len(content.lstrip())
    before = content.count(b"\n", 0, blank)
    try:
        root, lines = _tree(content[blank:])
    except expat.ExpatError as error:
        message = f"this is no well-formed XML: {expat.ErrorString(error.code)}"
        remedy = "write & as &amp; and < as &lt;, and close every element"
        errors.add(before + error.lineno, "xml", message, remedy)
        return
    except _Refused as error:
        errors.add(before + error.args[0], "xml", *error.args[1:])
        return
    found = [element for element in root.iter() if _name(element) in ("topic", "top")]
    for element in found or [child for child in root if _name(child) == "query"]:
        yield before + lines[element], _topic(element, before + lines[element], errors)


def _topic(element: Element, line: int, errors: ErrorCollector) -> Topic:
    parts = {_name(child): child for child in reversed(element)}
    attributes = {name.lower(): value for name, value in element.attrib.items()}
    given = next((attributes[name] for name in _IDS if name in attributes), None)
    title, description, narrative = (_text(parts, names) for names in (_TITLES, _DESCRIPTIONS, _NARRATIVES))
    return Topic(
        trimmed(given if given is not None else _text(parts, _IDS)),
        collapsed(title),
        # A topic that is nothing but text, as in TREC's clinical tracks, describes the need.
        collapsed(description or ("" if len(element) else element.text or "")),
        paragraphs(narrative),
        _subtopics(element, line, errors),
    )


def _subtopics(element: Element, line: int, errors: ErrorCollector) -> tuple[tuple[str, str], ...]:
    found = []
    for number, child in enumerate((one for one in element.iter() if _name(one) == "subtopic"), 1):
        attributes = {name.lower(): value for name, value in child.attrib.items()}
        given = next((attributes[name] for name in _IDS if name in attributes), str(number))
        found.append((trimmed(given), collapsed(_content(child))))
    return checked_subtopics(line, found, errors)


def _text(parts: Mapping[str, Element], names: tuple[str, ...]) -> str:
    return next((text for name in names if name in parts and (text := _content(parts[name])).strip()), "")


def _content(element: Element) -> str:
    """The text of an element and all it holds; block elements part paragraphs."""
    pieces = [element.text or ""]
    for child in element:
        gap = "\n\n" if _name(child) in _BLOCKS else ""
        pieces += [gap, _content(child), gap, child.tail or ""]
    return "".join(pieces)


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2].lower()


def _tree(content: bytes) -> tuple[Element, Mapping[Element, int]]:
    """The root, and the line of every element; expat is driven by hand since ElementTree keeps no lines."""
    parser = expat.ParserCreate(namespace_separator="}")
    builder = TreeBuilder()
    lines: dict[Element, int] = {}
    depth = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        line = parser.CurrentLineNumber
        if depth > _DEPTH:
            raise _Refused(line, f"elements are nested deeper than {_DEPTH}", "close them")
        if len(lines) >= _ELEMENTS:
            raise _Refused(line, f"there are more than {_ELEMENTS:,} elements", "split the file")
        lines[builder.start(name, attributes)] = line

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(name)

    def doctype(*_: object) -> None:
        line = parser.CurrentLineNumber
        raise _Refused(line, "XML with a document type (DTD) is not read", "delete <!DOCTYPE ...>")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = doctype
    parser.buffer_text = True
    parser.Parse(content, True)
    return builder.close(), lines


def _recognised(content: bytes) -> bool:
    return content.startswith(b"<")


XML = TopicFormat("xml", "TREC XML", xml_topics, _recognised)
