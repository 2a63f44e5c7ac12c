"""Subtopics: what topics may be made of, and judgments of them as ndeval reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.identifiers import check_ids, plain
from workbench.records import id_bytes

MOST = 100


def checked_subtopics(
    line: int, subtopics: Sequence[tuple[str, str]], errors: ErrorCollector
) -> tuple[tuple[str, str], ...]:
    """Ids and labels of a topic's subtopics; what is wrong with them becomes an error of the line."""
    if len(subtopics) > MOST:
        errors.add(line, "subtopics", f"the topic has {len(subtopics)} subtopics", f"at most {MOST}")
    ids = [one for one, _ in subtopics]
    check_ids(line, ids, errors)
    for twice in sorted({one for one in ids if ids.count(one) > 1}) if len(ids) <= MOST else ():
        errors.add(line, "subtopics", f"two subtopics are called {shown(twice)}", "each id once")
    for one, label in subtopics:
        if not label.strip():
            errors.add(line, "subtopics", f"subtopic {shown(one)} has no label", "say what it is about")
    return tuple(subtopics)


def write_subtopic_qrels(lines: Iterable[tuple[str, str, str, int]]) -> Iterator[bytes]:
    """Lines `topic subtopic docno judgment` as TREC's diversity tasks have them, sorted as bytes.

    `ndeval` takes them where topics and subtopics are whole numbers. Raises WorkbenchError for ids that would
    not survive (empty, white space).
    """
    for topic, subtopic, docno, judgment in sorted(lines, key=_place):
        ids = (plain(topic, "topic"), plain(subtopic, "subtopic"), plain(docno, "docno"))
        yield b"%b %b %b %d\n" % (*ids, judgment)


def _place(line: tuple[str, str, str, int]) -> tuple[bytes, ...]:
    return id_bytes(line[0]), id_bytes(line[1]), id_bytes(line[2])
