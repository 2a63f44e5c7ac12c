"""TREC's topics: `<top> <num> Number: 301 <title> ... <desc> Description: ... <narr> Narrative: ... </top>`.

SGML by look only: fields are as a rule not closed, a bare & is legal, several fields may share a line, and
the labels came and went with the years. So the text is cut at its tags, wherever they stand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.fields import collapsed, statements, unescaped, with_further
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
