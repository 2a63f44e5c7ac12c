"""What a file is by its content: topics, documents, a run, or something that is loaded elsewhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from statistics import mean

from workbench.formats.documents import recognised_binary
from workbench.formats.source import Readable, open_source
from workbench.frozen import frozen_dataclass

HEAD_BYTES = 2**16
"""So much of the plain content is looked at."""

WORDS_OF_A_DOCUMENT = 40
"""On average documents have more words than these, and statements of topics fewer."""


class FileKind(StrEnum):
    """The kinds of files; the last three are not loaded by setting up a campaign."""

    TOPICS = "topics"
    DOCUMENTS = "documents"
    RUN = "run"
    QRELS = "qrels"
    JUDGMENTS = "judgments"
    UNKNOWN = "unknown"


@frozen_dataclass
class Recognised:
    """The kind of a file, and whether it can be no other; else the likelier of topics and documents."""

    kind: FileKind
    sure: bool = True


def head_of(stream: Readable, *, source: str) -> bytes:
    """The first bytes of the plain content; raises InvalidInput for an archive that is not gzip."""
    return open_source(stream, source, pdf=True).read(HEAD_BYTES)


def recognised(head: bytes) -> Recognised:
    """The kind of a file that begins with these plain bytes.

    >>> recognised(b"1 Q0 d7 1 12.5 bm25").kind.value, recognised(b"<top> <num> 1 <title> tides").kind.value
    ('run', 'topics')
    """
    if recognised_binary(head) is not None:
        return Recognised(FileKind.DOCUMENTS)
    text = head.decode("utf-8", "replace").removeprefix("\N{BYTE ORDER MARK}").lstrip()
    if not text or "\0" in text:
        return Recognised(FileKind.UNKNOWN)
    if text.startswith(("{", "[")):
        return _of_objects(text, whole=len(head) < HEAD_BYTES)
    if text.startswith("<"):
        return _of_markup(text)
    if re.match(r"\.I\s+\S", text):
        return Recognised(FileKind.DOCUMENTS)
    lines = [line for line in text.split("\n") if line.strip()]
    # The last line may have been cut.
    return _of_lines(lines[:-1] if len(lines) > 1 and len(head) == HEAD_BYTES else lines)


def _of_markup(text: str) -> Recognised:
    first = re.search(r"<\s*(top|topics?|quer(?:y|ies)|docs?|docno|docid|documents?)\b", text, re.IGNORECASE)
    if first is None:
        return Recognised(FileKind.UNKNOWN)
    return Recognised(FileKind.DOCUMENTS if first[1].lower().startswith("doc") else FileKind.TOPICS)


_TOPIC_KEYS = frozenset(
    ("query", "qid", "query_id", "topic_id", "number", "num", "desc", "description", "question", "narrative")
) | {"narr", "subtopics", "identifier", "turn", "turns"}
_DOCUMENT_KEYS = frozenset(
    ("docno", "docid", "doc_id", "pid", "body", "abstract", "passage", "contents", "headline", "segment")
)


def _of_objects(text: str, *, whole: bool) -> Recognised:
    found: list[Mapping[str, object]] = []
    decoder, at = json.JSONDecoder(), 0
    while match := re.compile(r"[\s,\[]*").match(text, at):
        try:
            record, at = decoder.raw_decode(text, match.end())
        except (ValueError, RecursionError):
            break
        if not isinstance(record, dict):
            break
        found.append({str(key).lower(): value for key, value in record.items()})
    if not found:
        # One record that is longer than what was looked at: no statement of a topic is.
        return Recognised(FileKind.UNKNOWN if whole else FileKind.DOCUMENTS)
    keys = {key for one in found for key in one}
    is_topic, is_document = bool(keys & _TOPIC_KEYS), bool(keys & _DOCUMENT_KEYS)
    if is_topic != is_document:
        return Recognised(FileKind.TOPICS if is_topic else FileKind.DOCUMENTS)
    if not keys & {"title", "text"}:
        return Recognised(FileKind.UNKNOWN)
    texts = [" ".join(str(value) for value in one.values() if isinstance(value, str)) for one in found]
    # Of BEIR's two files only the corpus has a title beside the text.
    return _by_length(texts, sure={"title", "text"} <= keys and not is_topic)


_WHOLE = re.compile(r"-?\d+")
_NAMES_OF_DOCUMENTS = frozenset(("docno", "docid", "doc_id", "pid", "doc", "document"))
_NAMES_OF_TOPICS = frozenset(("qid", "query_id", "query-id", "topic", "topic_id", "query", "number", "num"))


def _of_lines(lines: list[str]) -> Recognised:
    first = lines[0].strip().lower().split("\t")
    if "assessor" in first and {"topic", "doc"} & set(first):
        return Recognised(FileKind.JUDGMENTS)
    columns = [line.split() for line in lines]
    if _most(len(row) == 6 and _number(row[3]) and _number(row[4]) for row in columns):
        return Recognised(FileKind.RUN)
    # A run with a column too few or too many is a run, and the check says what is wrong with it.
    if _most(4 <= len(row) <= 7 and row[1].upper() == "Q0" for row in columns if len(row) > 1):
        return Recognised(FileKind.RUN)
    if _most(len(row) == 4 and _WHOLE.fullmatch(row[3]) is not None for row in columns):
        return Recognised(FileKind.QRELS)
    rows = [line.split("\t") for line in lines]
    if _most(len(row) > 1 for row in rows):
        if first[0] in _NAMES_OF_DOCUMENTS or first[0] in _NAMES_OF_TOPICS:
            return Recognised(FileKind.DOCUMENTS if first[0] in _NAMES_OF_DOCUMENTS else FileKind.TOPICS)
        return _by_length([" ".join(row[1:]) for row in rows], sure=False)
    if _most(re.match(r"[^\s:]+:\s*\S", line) is not None for line in lines):
        return Recognised(FileKind.TOPICS, sure=False)
    return Recognised(FileKind.UNKNOWN)


def _by_length(texts: list[str], *, sure: bool) -> Recognised:
    if sure:
        return Recognised(FileKind.DOCUMENTS)
    words = mean(len(text.split()) for text in texts)
    return Recognised(FileKind.DOCUMENTS if words > WORDS_OF_A_DOCUMENT else FileKind.TOPICS, sure=False)


def _most(each: Iterable[bool]) -> bool:
    found = list(each)
    return bool(found) and sum(found) * 2 > len(found)


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
