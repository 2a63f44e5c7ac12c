"""TREC's topics: `<top> <num> Number: 301 <title> ... <desc> Description: ... <narr> Narrative: ... </top>`.

SGML by look only: fields are as a rule not closed, a bare & is legal, several fields may share a line, and
the labels came and went with the years. So the text is cut at its tags, wherever they stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.fields import collapsed, paragraphs, unescaped
from workbench.formats.identifiers import trimmed
from workbench.formats.text_formats import TopicFormat
from workbench.records import Topic

_TOP = re.compile(rb"<top(?:\s[^<>]*)?>", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9_-]*+)[^<>]*+>")
_FIELDS = {
    "num": "number",
    "number": "number",
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
# Fields of the early TRECs that are not kept; other unknown tags end a field only where they begin a line.
_IGNORED = frozenset(
    ("head", "dom", "smry", "con", "fac", "def", "nat", "time", "aut", "date", "querytime", "querytweettime")
)
_BREAKS = frozenset(("p", "br"))


@dataclass(slots=True)
class _OpenTopic:
    """A topic that is being read: its fields so far, and the one that text goes into now."""

    line: int
    fields: dict[str, list[str]] = field(default_factory=dict)
    current: str | None = None

    def topic(self) -> Topic:
        texts = {name: unescaped("".join(parts)) for name, parts in self.fields.items()}
        texts = {name: _unlabelled(name, text) for name, text in texts.items()}
        return Topic(
            trimmed(texts.get("number", "")),
            collapsed(texts.get("title", "")),
            collapsed(texts.get("description", "")),
            paragraphs(texts.get("narrative", "")),
        )


def _unlabelled(name: str, text: str) -> str:
    label = _LABELS[name].match(text)
    return text[label.end() :] if label else text


def trec_topics(content: bytes, errors: ErrorCollector) -> Iterator[tuple[int, Topic]]:
    """The topics from `<top>` to the next `</top>` or `<top>`, tags in any case, unknown fields left out."""
    text = content.decode("utf-8", "surrogateescape")
    topic: _OpenTopic | None = None
    line, at = 1, 0
    for tag in _TAG.finditer(text):
        between = text[at : tag.start()]
        if topic and topic.current:
            topic.fields[topic.current].append(between)
        line += between.count("\n")
        begins_line = ("\n" in between or not at) and not between.rpartition("\n")[2].strip()
        closing, name = bool(tag[1]), tag[2].lower()
        if name == "top":
            if topic:
                yield topic.line, topic.topic()
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
        if topic.current:
            topic.fields[topic.current].append(text[at:])
        yield topic.line, topic.topic()


def _turn(
    topic: _OpenTopic, name: str, closing: bool, begins_line: bool, line: int, errors: ErrorCollector
) -> None:
    """Turn to the field that a tag inside a topic opens, or close the one that is open."""
    known = _FIELDS.get(name)
    if known and not closing:
        if known in topic.fields:
            message = f"the topic of line {topic.line} has a second field {shown(name)}"
            errors.add(line, "repeated-field", message, "end topics with </top>; one field of a kind")
        topic.fields.setdefault(known, [])
        topic.current = known
    elif known or name in _IGNORED:
        topic.current = None
    elif name in _BREAKS:
        if topic.current:
            topic.fields[topic.current].append("\n\n")
    elif begins_line:
        topic.current = None


def _recognised(content: bytes) -> bool:
    is_xml = content[:5].lower() == b"<?xml"
    return content.startswith(b"<") and not is_xml and bool(_TOP.search(content))


TREC = TopicFormat("trec", "TREC <top> text", trec_topics, _recognised)
