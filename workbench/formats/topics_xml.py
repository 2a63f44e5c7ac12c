"""Topics in XML: `<topic number="1"><query>...</query><description>...` as in TREC's web and COVID tracks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.fields import checked_subtopics, collapsed, statements, with_further
from workbench.formats.identifiers import trimmed
from workbench.formats.text_formats import NumberedTopics, TopicFormat
from workbench.records import Topic

_DEPTH = 50
_ELEMENTS = 1_000_000
_IDS = ("number", "num", "id", "identifier", "qid", "topic_id", "query_id")
_TITLES = ("title", "query", "content")
_DESCRIPTIONS = ("description", "desc", "question")
_NARRATIVES = ("narrative", "narr")
_BLOCKS = frozenset(("p", "br", "div", "li"))


class _Refused(Exception):
    """The content may be well-formed XML, but not such as is read here: line, finding, remedy."""


def xml_topics(content: bytes, errors: ErrorCollector) -> NumberedTopics:
    """The elements `topic` or `top`, or where there are none those named `query` under the root.

    The id is an attribute or an element of its own. Elements `subtopic` are numbered by their attribute, else
    from 1. Other attributes and elements of a topic are added to its narrative by their names.
    Documents with a DTD are refused, since entities can be made to fill the memory.
    """
    # An XML declaration must stand first; blank lines before it are forgiven, but counted.
    blank = len(content) - len(content.lstrip())
    before = content.count(b"\n", 0, blank)
    try:
        root, lines = _tree(content[blank:])
    except expat.ExpatError as error:
        message = f"this is not well-formed XML: {expat.ErrorString(error.code)}"
        remedy = "write & as &amp; and < as &lt;, and close every element"
        errors.add(before + error.lineno, "xml", message, remedy)
        return
    except _Refused as error:
        errors.add(before + error.args[0], "xml", *error.args[1:])
        return
    found = [element for element in root.iter() if _name(element) in ("topic", "top")]
    for element in found or [child for child in root if _name(child) == "query"]:
        topic = _topic(element, before + lines[element], errors)
        if topic is not None:
            yield before + lines[element], topic


def _topic(element: Element, line: int, errors: ErrorCollector) -> Topic | None:
    attributes = {name.rpartition("}")[2].lower(): value for name, value in element.attrib.items()}
    parts = [*attributes.items(), *((_name(child), _content(child)) for child in element if _is_text(child))]
    if element.text and element.text.strip():
        # A topic that is nothing but text, as in TREC's clinical tracks, describes the need.
        parts.append(("" if len(element) else _DESCRIPTIONS[0], element.text))
    parts += [("", child.tail or "") for child in element]
    given = _first(parts[: len(attributes)], _IDS)
    used = [_first(parts, _IDS) if given is None else given]
    used += [_first(parts, names) for names in (_TITLES, _DESCRIPTIONS, _NARRATIVES)]
    identifier, title, description, narrative = (parts[at][1] if at is not None else "" for at in used)
    if not identifier.strip():
        names = ", ".join(shown(name) for name in dict.fromkeys(name for name, _ in parts[:50] if name))
        message = f"the topic has no id (found: {names or 'nothing'})"
        errors.add(line, "id", message, f"add one of {', '.join(_IDS)}, as an attribute or an element")
        return None
    further = [one for at, one in enumerate(parts) if at not in used]
    subtopics = []
    for number, child in enumerate((one for one in element.iter() if _name(one) == "subtopic"), 1):
        named = {name.lower(): value for name, value in child.attrib.items()}
        own = next((named[name] for name in _IDS if name in named), str(number))
        subtopics.append((trimmed(own), collapsed(_content(child))))
    return Topic(
        trimmed(identifier),
        collapsed(title),
        collapsed(description),
        with_further(narrative, statements(further, errors)),
        checked_subtopics(line, subtopics, errors),
    )


def _first(parts: Sequence[tuple[str, str]], names: tuple[str, ...]) -> int | None:
    """Where the text is that has the first of these names."""
    found = [at for at, (name, text) in enumerate(parts) if name in names and text.strip()]
    return min(found, key=lambda at: names.index(parts[at][0]), default=None)


def _is_text(element: Element) -> bool:
    """Whether an element is read as text: not where it is a topic by itself, or has subtopics."""
    return not any(_name(one) in ("topic", "top", "subtopic") for one in element.iter())


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


XML = TopicFormat("xml", "TREC XML", xml_topics, lambda content: content.startswith(b"<"))
