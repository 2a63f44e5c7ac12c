"""Topics on lines: as JSON objects or as TSV.

JSON objects (`{"id": ..., "title": ...}`) stand one a line as in BEIR's queries, or in one array. Each turn
of a conversation (TREC CAsT and iKAT) becomes a topic. TSV is id, title, and perhaps description and
narrative between tabs; or `id:title`. Keys and columns that are none of a topic's own are added to its
narrative.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.fields import checked_subtopics, collapsed, statements, with_further
from workbench.formats.identifiers import trimmed
from workbench.formats.text_formats import (
    NumberedTopics,
    Record,
    TopicFormat,
    array_items,
    as_record,
    as_text,
    first_of,
    key_of,
    parsed,
    unknown_keys,
)
from workbench.records import Topic, id_text

_IDS = ("id", "_id", "identifier", "qid", "query_id", "topic_id", "number", "num")
_TITLES = ("title", "text", "query")
_DESCRIPTIONS = ("description", "desc", "question")
_NARRATIVES = ("narrative", "narr")
_TURNS = ("turn", "turns")
_TURN_IDS = ("number", "turn_id", *_IDS)
_UTTERANCES = ("raw_utterance", "utterance", *_TITLES)
_RESOLVED = ("manual_rewritten_utterance", "resolved_utterance", *_DESCRIPTIONS)
MOST_TURNS = 200
_TURN = 'such as {"number": 1, "raw_utterance": "..."}'
_LABELS = ("label", *_TITLES, "name", *_DESCRIPTIONS)
_SUBTOPICS = 'such as "subtopics": ["history", "today"], or objects with "id" and "label"'


def json_topics(content: bytes, errors: ErrorCollector) -> NumberedTopics:
    """One topic an object, or one each turn of a conversation; numbers as ids become text.

    Turn 2 of conversation 31 is topic `31_2`: its title is what was said, its description that without
    references to other turns, where the file has it, and its narrative has the turns before.
    """
    for line, value in _values(id_text(content), errors):
        record = as_record(line, value, errors)
        if record is None:
            continue
        turns = next((record[name] for name in _TURNS if isinstance(record.get(name), list)), None)
        topics = [_topic(line, record, errors)] if turns is None else _turns(line, record, turns, errors)
        yield from ((line, topic) for topic in topics if topic is not None)


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
        errors.add(line, "id", f"the topic has no id (other keys: {keys})", f"add one of {', '.join(_IDS)}")
        return None
    title, description, narrative = (
        first_of(line, record, names, errors) or "" for names in (_TITLES, _DESCRIPTIONS, _NARRATIVES)
    )
    if errors.count > before:
        return None
    subtopics = _subtopics(line, record.get("subtopics"), errors)
    if errors.count > before:
        return None
    further = _further(record, (_IDS, _TITLES, _DESCRIPTIONS, _NARRATIVES), ("subtopics",))
    return Topic(
        trimmed(identifier),
        collapsed(title),
        collapsed(description),
        with_further(narrative, statements(further, errors)),
        subtopics,
    )


def _further(
    record: Record, read: Sequence[Sequence[str]], others: Sequence[str] = ()
) -> list[tuple[str, str]]:
    """What a record has beside the keys that are read: of each kind the first that holds text."""
    used = {key_of(record, names) for names in read} | set(others)
    return [(name, as_text(value)) for name, value in record.items() if name not in used]


def _turns(line: int, record: Record, turns: list[Any], errors: ErrorCollector) -> Iterator[Topic]:
    """The turns of a conversation, each with what was said before."""
    conversation = first_of(line, record, _IDS, errors)
    if conversation is None:
        errors.add(line, "id", "the conversation has no id", f"add one of {', '.join(_IDS)}")
        return
    if len(turns) > MOST_TURNS:
        message = f"the conversation has {len(turns):,} turns"
        errors.add(line, "turns", message, f"split it: at most {MOST_TURNS}")
        return
    about = _further(record, (_IDS,), _TURNS)
    before: list[tuple[str, str]] = []
    for number, turn in enumerate(turns, 1):
        if not isinstance(turn, dict):
            errors.add(line, "turns", f"turn {number} of {shown(conversation)} is not a JSON object", _TURN)
            continue
        count = errors.count
        given = first_of(line, turn, _TURN_IDS, errors) or str(number)
        utterance, resolved = (
            first_of(line, turn, names, errors) or "" for names in (_UTTERANCES, _RESOLVED)
        )
        if errors.count > count:
            continue
        # What a system said is no topic.
        if utterance:
            own = _further(turn, (_TURN_IDS, _UTTERANCES, _RESOLVED))
            earlier = [("conversation", as_text(dict(about))), *before]
            yield Topic(
                f"{trimmed(conversation)}_{trimmed(given)}",
                collapsed(utterance),
                collapsed(resolved),
                with_further("", (*earlier, *own)),
            )
        before.append((f"turn {given}", utterance or as_text(turn)))
        if utterance and turn.get("response"):
            before.append((f"response {given}", as_text(turn["response"])))


def _subtopics(line: int, found: Any, errors: ErrorCollector) -> tuple[tuple[str, str], ...]:
    """Labels, numbered from 1, or objects with an id and a label."""
    if found is None:
        return ()
    if not isinstance(found, list):
        errors.add(line, "subtopics", "the subtopics are not a list", _SUBTOPICS)
        return ()
    read: list[tuple[str, str]] = []
    for number, one in enumerate(found, 1):
        if isinstance(one, str):
            read.append((str(number), collapsed(one)))
        elif isinstance(one, dict):
            given = first_of(line, one, _IDS, errors) or str(number)
            read.append((trimmed(given), collapsed(first_of(line, one, _LABELS, errors) or "")))
        else:
            errors.add(line, "subtopics", f"subtopic {number} is not text", _SUBTOPICS)
    return checked_subtopics(line, read, errors)


JSON = TopicFormat("jsonl", "JSON lines", json_topics, lambda content: content.startswith((b"{", b"[")))


_ID_COLUMNS = (*_IDS, "query-id", "queryid", "topic", "topicid")
_NAMES = {
    **dict.fromkeys((*_TITLES, "topic_title"), "title"),
    **dict.fromkeys(_DESCRIPTIONS, "description"),
    **dict.fromkeys(_NARRATIVES, "narrative"),
}
_ORDER = ("title", "description", "narrative")
_CSV = re.compile(r'[,"]')
_SIGNS = {",": "comma", '"': "quotation mark"}
_REMEDY = "write id, title, and perhaps description and narrative, separated by tabs"


def tsv_topics(content: bytes, errors: ErrorCollector) -> NumberedTopics:
    """One topic a line; a quote is a character, as in MS MARCO; the first line may name the columns.

    Lines without a tab are cut at the first colon, as in the web tracks.
    """
    order: tuple[str, ...] = _ORDER
    started = False
    for line, text in enumerate(id_text(content).split("\n"), 1):
        if not text.strip():
            continue
        cells = text.rstrip("\r").split("\t") if "\t" in text else text.split(":", 1)
        header = None if started else _header(cells)
        started = True
        if header is not None:
            order = header
        elif len(cells) < 2:
            errors.add(line, "columns", "there is neither a tab nor a colon in the line", _REMEDY)
        elif "\t" not in text and (sign := _CSV.search(cells[0])):
            message = (
                f"the id {shown(cells[0])} before the colon has a {_SIGNS[sign[0]]}: the file looks like CSV"
            )
            errors.add(line, "columns", message, _REMEDY)
        elif len(cells) > len(order) + 1:
            message = f"expected at most {len(order) + 1} columns, found {len(cells)}"
            errors.add(line, "columns", message, _REMEDY)
        else:
            named = list(zip(order, cells[1:], strict=False))
            fields = dict(reversed(named))
            further = statements([one for one in named if one[0] not in _ORDER], errors)
            topic = Topic(
                trimmed(cells[0]),
                collapsed(fields.get("title", "")),
                collapsed(fields.get("description", "")),
                with_further(fields.get("narrative", ""), further),
            )
            yield line, topic


def _header(cells: list[str]) -> tuple[str, ...] | None:
    """What the columns after the id are, others by their own names; None where the line is no header."""
    names = [cell.strip().casefold() for cell in cells]
    if names[0] not in _ID_COLUMNS or len(names) < 2 or names[1] not in _NAMES:
        return None
    kinds = [_NAMES.get(name, "") for name in names[1:]]
    # The first of a kind is it: a query beside a title is kept under its own name.
    return tuple(
        kind if kind and kind not in kinds[:at] else cell.strip()
        for at, (kind, cell) in enumerate(zip(kinds, cells[1:], strict=True))
    )


TSV = TopicFormat("tsv", "TSV", tsv_topics, lambda _: True)
