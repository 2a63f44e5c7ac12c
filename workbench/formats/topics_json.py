"""Topics as JSON objects (`{"id": ..., "title": ...}`), one a line as in BEIR's queries, or in one array."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workbench.formats.error_collector import ErrorCollector
from workbench.formats.fields import checked_subtopics, collapsed, paragraphs
from workbench.formats.identifiers import trimmed
from workbench.formats.json_lines import Record, array_items, as_record, first_of, parsed, unknown_keys
from workbench.formats.text_formats import TopicFormat
from workbench.records import Topic

_IDS = ("id", "_id", "qid", "query_id", "topic_id", "number", "num")
_TITLES = ("title", "text", "query")
_DESCRIPTIONS = ("description", "desc", "question")
_NARRATIVES = ("narrative", "narr")
_LABELS = ("label", *_TITLES, "name", *_DESCRIPTIONS)
_SUBTOPICS = 'such as "subtopics": ["history", "today"], or objects with "id" and "label"'


def json_topics(content: bytes, errors: ErrorCollector) -> Iterator[tuple[int, Topic]]:
    """One topic an object; numbers as ids become text."""
    for line, value in _values(content.decode("utf-8", "surrogateescape"), errors):
        record = as_record(line, value, errors)
        if record is not None:
            topic = _topic(line, record, errors)
            if topic is not None:
                yield line, topic


def _values(text: str, errors: ErrorCollector) -> Iterator[tuple[int, Any]]:
    if text.lstrip().startswith("["):
        yield from array_items(text, errors)
        return
    for line, one in enumerate(text.split("\n"), 1):
        if one.strip():
            yield line, parsed(line, one, errors)


def _topic(line: int, record: Record, errors: ErrorCollector) -> Topic | None:
    before = errors.count
    identifier = first_of(line, record, _IDS, errors)
    if identifier is None:
        keys = unknown_keys(record, (*_TITLES, *_DESCRIPTIONS, *_NARRATIVES))
        errors.add(line, "id", f"the topic has no id (other keys: {keys})", f"one of {', '.join(_IDS)}")
        return None
    title, description, narrative = (
        first_of(line, record, names, errors) or "" for names in (_TITLES, _DESCRIPTIONS, _NARRATIVES)
    )
    if errors.count > before:
        return None
    subtopics = _subtopics(line, record.get("subtopics"), errors)
    if errors.count > before:
        return None
    return Topic(
        trimmed(identifier), collapsed(title), collapsed(description), paragraphs(narrative), subtopics
    )


def _subtopics(line: int, found: Any, errors: ErrorCollector) -> tuple[tuple[str, str], ...]:
    """Labels, numbered from 1, or objects with an id and a label."""
    if found is None:
        return ()
    if not isinstance(found, list):
        errors.add(line, "subtopics", "the subtopics are no list", _SUBTOPICS)
        return ()
    read: list[tuple[str, str]] = []
    for number, one in enumerate(found, 1):
        if isinstance(one, str):
            read.append((str(number), collapsed(one)))
        elif isinstance(one, dict):
            given = first_of(line, one, _IDS, errors) or str(number)
            read.append((trimmed(given), collapsed(first_of(line, one, _LABELS, errors) or "")))
        else:
            errors.add(line, "subtopics", f"subtopic {number} is no text", _SUBTOPICS)
    return checked_subtopics(line, read, errors)


def _recognised(content: bytes) -> bool:
    return content.startswith((b"{", b"["))


JSON = TopicFormat("jsonl", "JSON lines", json_topics, _recognised)
