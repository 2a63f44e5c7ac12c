"""Topics in any of the field's formats: the registry of the formats, and reading any of them."""

from __future__ import annotations

import io
from collections.abc import Mapping
from types import MappingProxyType

from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.fields import check_texts
from workbench.formats.identifiers import check_ids, read_ids
from workbench.formats.source import Readable, whole_bytes
from workbench.formats.text_formats import TopicFormat, in_words, known_format
from workbench.formats.topics_lines import JSON, TSV
from workbench.formats.topics_markup import TREC, XML
from workbench.records import Topic

TOPIC_FORMATS: Mapping[str, TopicFormat] = MappingProxyType({one.name: one for one in (TREC, XML, JSON, TSV)})
"""The formats by name, in the order in which they are tried; the last recognises every file."""

_MARKUP = (b"{", b"[", b"<")


def read_topics(
    stream: Readable, *, source: str, format: str | None = None, notes: list[str] | None = None
) -> tuple[Topic, ...]:
    """The topics of a plain or gzip file in file order; `format` is a name of `TOPIC_FORMATS`, None to look.

    White space in fields is collapsed; a narrative keeps its paragraphs, parted by a blank line.
    At the end `notes` gets sentences for people: what of the topics is not shown to assessors.
    Raises InvalidInput with every error: ids that are missing, repeated or hold white space, topics that ask
    nothing; WorkbenchError for an unknown format.
    """
    known_format(TOPIC_FORMATS, format)
    content = whole_bytes(stream, source=source)
    errors = ErrorCollector(source)
    topics: list[Topic] = []
    first: dict[str, int] = {}
    for line, topic in TOPIC_FORMATS[format or sniffed_topics(content)].read(content, errors):
        if check_ids(line, (topic.id,), errors) and first.setdefault(topic.id, line) != line:
            message = f"topic {shown(topic.id)} is already in the file, line {first[topic.id]}"
            errors.add(line, "duplicate", message, "give every topic an id of its own")
        if not topic.title and not topic.description:
            message = f"topic {shown(topic.id)} has neither title nor description"
            errors.add(line, "empty-topic", message, "write a title or a description")
        check_texts(line, (topic.title, topic.description, topic.narrative), errors)
        topics.append(topic)
    errors.require(topics, "the file contains no topics", f"formats: {in_words(TOPIC_FORMATS)}")
    if notes is not None:
        notes += errors.notes()
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
    """The name of the format that the content looks like."""
    start = content.lstrip()
    return next(name for name, one in TOPIC_FORMATS.items() if one.recognises(start))
