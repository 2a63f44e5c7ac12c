"""TREC's topics: as text with tags, and as XML.

`<top> <num> Number: 301 <title> ... <desc> Description: ... <narr> Narrative: ... </top>` is SGML by look
only: fields are as a rule not closed, a bare & is legal, several fields may share a line, and the labels came
and went with the years. So the text is cut at its tags, wherever they stand. The web and COVID tracks have
XML: `<topic number="1"><query>...</query><description>...`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.fields import checked_subtopics, collapsed, statements, unescaped, with_further
from workbench.formats.identifiers import trimmed
from workbench.formats.text_formats import NumberedTopics, TopicFormat
from workbench.records import Topic, id_text

_TOP = re.compile(rb"<top(?:\s[^<>]*)?>", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9_-]*+)[^<>]*+>")
_FIELDS = {
    "num": "number",
    "number": "number",
    "identifier": "number",
    "title": "title",
    "query": "title",
    "desc": "description",
    "description": "description",
    "narr": "narrative",
    "narrative": "narrative",
}
_LABELS = {
    "number": re.compile(r"\s*+Number\s*+:", re.IGNORECASE),
    "title": re.compile(r"\s*+Topic\s*+:", re.IGNORECASE),
    "description": re.compile(r"\s*+Description\s*+:", re.IGNORECASE),
    "narrative": re.compile(r"\s*+Narrative\s*+:", re.IGNORECASE),
}
# Further fields, which begin wherever they stand; other unknown tags begin one only where they begin a line.
_FURTHER = {
    "head": "",
    "dom": "domain",
    "smry": "summary",
    "con": "concepts",
    "fac": "factors",
    "def": "definitions",
    "nat": "nationality",
    "time": "time",
    "aut": "author",
    "date": "date",
    "querytime": "query time",
    "querytweettime": "query tweet time",
}
# The same in every topic.
_HEAD = "Tipster Topic Description"
_LABEL = re.compile(r"\s*+[A-Z][a-z]++(?:\([a-z]++\))?\s*+:")
_BREAKS = frozenset(("p", "br"))


@dataclass(slots=True)
class _OpenTopic:
    """A topic that is being read: its fields so far, and where text goes now, "" outside of any field.

    `further` are the fields that are none of a topic's own, and what stands outside of fields.
    """

    line: int
    fields: dict[str, list[str]] = field(default_factory=dict)
    further: list[tuple[str, list[str]]] = field(default_factory=list)
    current: str = ""

    def add(self, text: str) -> None:
        """Add text to the field that is open now."""
        if self.current in self.fields:
            self.fields[self.current].append(text)
        elif self.further and self.further[-1][0] == self.current:
            self.further[-1][1].append(text)
        elif text.strip():
            self.further.append((self.current, [text]))

    def topic(self, errors: ErrorCollector) -> Topic:
        texts = {name: unescaped("".join(parts)) for name, parts in self.fields.items()}
        texts = {name: _unlabelled(name, text) for name, text in texts.items()}
        return Topic(
            trimmed(texts.get("number", "")),
            collapsed(texts.get("title", "")),
            collapsed(texts.get("description", "")),
            with_further(texts.get("narrative", ""), statements(map(_further, self.further), errors)),
        )


def _further(found: tuple[str, list[str]]) -> tuple[str, str]:
    """The name and the text of a further field, which may begin with a label of its own."""
    name, text = found[0], unescaped("".join(found[1]))
    if name in ("", "head") and collapsed(text) == _HEAD:
        return "", ""
    return ("" if name in _FURTHER and _LABEL.match(text) else _FURTHER.get(name, name)), text


def _unlabelled(name: str, text: str) -> str:
    label = _LABELS[name].match(text)
    return text[label.end() :] if label else text


def trec_topics(content: bytes, errors: ErrorCollector) -> NumberedTopics:
    """The topics from `<top>` to the next `</top>` or `<top>`, tags in any case.

    Unknown fields, and text outside of fields, are added to the narrative.
    """
    text = id_text(content)
    topic: _OpenTopic | None = None
    line, at = 1, 0
    for tag in _TAG.finditer(text):
        between = text[at : tag.start()]
        if topic:
            topic.add(between)
        line += between.count("\n")
        begins_line = ("\n" in between or not at) and not between.rpartition("\n")[2].strip()
        closing, name = bool(tag[1]), tag[2].lower()
        if name == "top":
            if topic:
                yield topic.line, topic.topic(errors)
            topic = None if closing else _OpenTopic(line)
        elif topic:
            _turn(topic, name, closing, begins_line, line, errors)
        elif name in _FIELDS and not closing:
            errors.add(
                line, "outside", f"the field <{name}> is outside <top>", "begin every topic with <top>"
            )
        line += text.count("\n", tag.start(), tag.end())
        at = tag.end()
    if topic:
        topic.add(text[at:])
        yield topic.line, topic.topic(errors)


def _turn(
    topic: _OpenTopic, name: str, closing: bool, begins_line: bool, line: int, errors: ErrorCollector
) -> None:
    """Turn to the field that a tag inside a topic opens, or close the one that is open."""
    known = _FIELDS.get(name)
    if known and not closing:
        if known in topic.fields:
            message = f"the topic of line {topic.line} has a second field {shown(name)}"
            errors.add(
                line, "repeated-field", message, "end every topic with </top>, and give each field once"
            )
        topic.fields.setdefault(known, [])
        topic.current = known
    elif known or (closing and (name in _FURTHER or name == topic.current)):
        topic.current = ""
    elif name in _BREAKS:
        topic.add("\n\n")
    elif not closing and (name in _FURTHER or begins_line):
        topic.current = name


def _recognised(content: bytes) -> bool:
    is_xml = content[:5].lower() == b"<?xml"
    return content.startswith(b"<") and not is_xml and bool(_TOP.search(content))


TREC = TopicFormat("trec", "TREC <top> text", trec_topics, _recognised)


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
