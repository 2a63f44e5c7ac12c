"""Topics in any of the field's formats: the one list of those formats, and how they are told apart."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from workbench.errors import WorkbenchError
from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.fields import check_texts
from workbench.formats.identifiers import check_ids, read_ids
from workbench.formats.source import Readable, whole_bytes
from workbench.formats.topics_json import json_topics
from workbench.formats.topics_trec import trec_topics
from workbench.formats.topics_tsv import tsv_topics
from workbench.formats.topics_xml import xml_topics
from workbench.records import Topic

TopicReader = Callable[[bytes, ErrorCollector], Iterator[tuple[int, Topic]]]
"""From a file's content and the place for its errors to topics, each with the line where it starts."""

TOPIC_FORMATS: Mapping[str, TopicReader] = MappingProxyType(
    {"trec": trec_topics, "xml": xml_topics, "jsonl": json_topics, "tsv": tsv_topics}
)

_MARKUP = (b"{", b"[", b"<")
_TOP = re.compile(rb"<top(?:\s[^<>]*)?>", re.IGNORECASE)


def read_topics(stream: Readable, *, source: str, format: str | None = None) -> tuple[Topic, ...]:
    """The topics of a plain or gzip file in file order; `format` is a name of `TOPIC_FORMATS`, None to look.

    White space in fields is collapsed; a narrative keeps its paragraphs, parted by a blank line.
    Raises InvalidInput with every error: ids that are missing, repeated or hold white space, topics that ask
    nothing; WorkbenchError for an unknown format.
    """
    if format is not None and format not in TOPIC_FORMATS:
        raise WorkbenchError(
            f"{shown(format)} is no format of topics", remedy=f"one of {', '.join(TOPIC_FORMATS)}"
        )
    content = whole_bytes(stream, source=source)
    errors = ErrorCollector(source)
    topics: list[Topic] = []
    first: dict[str, int] = {}
    for line, topic in TOPIC_FORMATS[format or sniffed_topics(content)](content, errors):
        _check(line, topic, first, errors)
        topics.append(topic)
    if not topics and not errors:
        known = "TREC <top>, XML <topic>, JSON lines, or id and title separated by a tab"
        errors.add(None, "empty", "the file holds no topic", f"formats: {known}")
    errors.check()
    return tuple(topics)


def read_topic_ids(stream: Readable, *, source: str) -> tuple[str, ...]:
    """The ids of a file of topics in any format, or of a plain list with one id a line.

    Raises InvalidInput as `read_topics` and `read_ids` do.
    """
    content = whole_bytes(stream, source=source)
    if all(len(line.split()) < 2 for line in content.split(b"\n")) and content.lstrip()[:1] not in _MARKUP:
        return read_ids(io.BytesIO(content), source=source)
    return tuple(topic.id for topic in read_topics(io.BytesIO(content), source=source))


def sniffed_topics(content: bytes) -> str:
    """The name of the format that the content looks like; what looks like nothing else is tab-separated."""
    start = content.lstrip()
    if start[:1] in (b"{", b"["):
        return "jsonl"
    if start[:5].lower() == b"<?xml":
        return "xml"
    if start[:1] == b"<":
        return "trec" if _TOP.search(start) else "xml"
    return "tsv"


def _check(line: int, topic: Topic, first: dict[str, int], errors: ErrorCollector) -> None:
    if check_ids(line, (topic.id,), errors) and first.setdefault(topic.id, line) != line:
        message = f"topic {shown(topic.id)} was there already, line {first[topic.id]}"
        errors.add(line, "duplicate", message, "give every topic an id of its own")
    if not topic.title and not topic.description:
        message = f"topic {shown(topic.id)} has neither title nor description"
        errors.add(line, "empty-topic", message, "say what is looked for")
    check_texts(line, (topic.title, topic.description, topic.narrative), errors)
