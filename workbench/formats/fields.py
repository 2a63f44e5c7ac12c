"""Text fields of topics and documents: white space, entities, subtopics; the headings of columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.identifiers import check_ids, trimmed
from workbench.formats.source import Readable, numbered_lines

_HEADINGS = frozenset(
    b"topic topic_id query query_id query-id qid docno doc_id doc-id docid did corpus-id rank score tag "
    b"run run_id runtag system iter iteration q0 grade rel relevance label judgment qrel".split()
)


def is_header(row: Sequence[bytes]) -> bool:
    """Whether a line names its columns instead of filling them."""
    return sum(cell.lower().lstrip(b"#") in _HEADINGS for cell in row) > max(1, len(row) / 2)


def headed_rows(
    stream: Readable,
    known: Mapping[str, str],
    needed: Sequence[str],
    remedy: str,
    errors: ErrorCollector,
    notes: list[str] | None = None,
) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a tab-separated file by the names of its columns, each with its line.

    `known` has the names in small letters and what they stand for; other columns are not read, which `notes`
    says. Raises InvalidInput for a header without a column that is `needed`, or with one twice.
    """
    header: list[str] = []
    for number, line in numbered_lines(stream, source=errors.source):
        if not line.strip():
            continue
        cells = [trimmed(cell) for cell in line.split("\t")]
        if not header:
            header = [known.get(cell.casefold(), "") for cell in cells]
            for at, name in enumerate(header):
                if name and name in header[:at]:
                    errors.add(number, "header", f"the header names two columns {shown(cells[at])}", remedy)
            if missing := [name for name in needed if name not in header]:
                errors.add(number, "header", f"there is no column {', '.join(missing)} in the header", remedy)
            errors.check()
            others = [shown(cell) for cell, name in zip(cells, header, strict=True) if not name]
            if others and notes is not None:
                notes.append(f"{errors.source}: columns that are not read: {', '.join(others)}")
        elif len(cells) != len(header):
            message = f"expected {len(header)} columns as in the header, found {len(cells)}"
            errors.add(number, "columns", message, "separate the columns by tabs")
        else:
            yield number, dict(zip(header, cells, strict=True))


_BLANK_LINES = re.compile(r"\n[ \t\r\f\v]*\n")
# Without the semicolon `AT&T` and `R&D` would be at the mercy of the entities' names.
_ENTITY = re.compile(r"&(#[0-9]{1,8}|#[xX][0-9a-fA-F]{1,8}|[A-Za-z][A-Za-z0-9]{0,31});")
# Entities of the Federal Register in TREC's disks, unknown to HTML.
_FEDERAL_REGISTER = {"blank": " ", "hyph": "-"}


def collapsed(text: str) -> str:
    """A text on one line: every stretch of white space becomes one space."""
    return " ".join(text.split())


def paragraphs(text: str) -> str:
    """A text whose paragraphs (parted by blank lines) stand on one line each, a blank line between them."""
    found = (collapsed(paragraph) for paragraph in _BLANK_LINES.split(text.replace("\r\n", "\n")))
    return "\n\n".join(paragraph for paragraph in found if paragraph)


def with_further(narrative: str, further: Iterable[tuple[str, str]]) -> str:
    """A narrative with what else a topic says below it, one paragraph each: `Name: text`.

    >>> with_further("In humans.", [("disclaimer", "None."), ("stance", " "), ("query_time", "noon")])
    'In humans.\\n\\nDisclaimer: None.\\n\\nQuery time: noon'
    """
    named = [(name.replace("_", " ").replace("-", " ").strip(), collapsed(text)) for name, text in further]
    texts = [f"{name[:1].upper()}{name[1:]}: {text}" if name else text for name, text in named if text]
    return "\n\n".join(part for part in (paragraphs(narrative), *texts) if part)


def statements(further: Iterable[tuple[str, str]], errors: ErrorCollector) -> list[tuple[str, str]]:
    """What else a topic says that is more than one word, under its name; the rest becomes notes.

    A single word or number tells about the topic (its type, the number of its relevant documents), and an
    assessor need not know it.
    """
    stated = []
    for name, text in further:
        if name and len(text.split()) == 1:
            errors.note(f"{shown(name)} is not shown to assessors: it is a single word or number")
        else:
            stated.append((name, text))
    return stated


def unescaped(text: str) -> str:
    """Entities with a semicolon decoded as in HTML; a bare & and unknown names stay as they are."""
    return _ENTITY.sub(_character, text)


def tidied(text: str) -> str:
    """A text with its lines kept, without white space around it, at their ends, and blank ones in a row."""
    lines = "\n".join(line.rstrip() for line in text.replace("\r\n", "\n").split("\n"))
    return re.sub(r"\n{3,}", "\n\n", lines).strip()


def check_texts(line: int | None, texts: tuple[str, ...], errors: ErrorCollector) -> bool:
    """Whether texts can be stored and shown as they are; bytes that are no UTF-8 and NUL become errors."""
    for text in texts:
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            if 0xDC80 <= ord(text[error.start]) <= 0xDCFF:
                byte = ord(text[error.start]) - 0xDC00
                remedy = "convert the file, for instance with iconv -f latin1 -t utf-8"
                errors.add(line, "encoding", f"the text is not UTF-8: byte 0x{byte:02x}", remedy)
            else:
                message = "the text contains half a character (a lone surrogate)"
                errors.add(line, "encoding", message, r"write both halves: \ud83d\ude00")
            return False
        if "\0" in text:
            errors.add(line, "nul", "the text contains a NUL character", r"delete it (\u0000 in JSON)")
            return False
    return True


def _character(match: re.Match[str]) -> str:
    # Imported where it is used: its table of entities is long, and qrels and judgments have none.
    from html import unescape

    return _FEDERAL_REGISTER.get(match[1]) or unescape(match[0])


MOST_SUBTOPICS = 100


def checked_subtopics(
    line: int, subtopics: Sequence[tuple[str, str]], errors: ErrorCollector
) -> tuple[tuple[str, str], ...]:
    """Ids and labels of a topic's subtopics; what is wrong with them becomes an error of the line."""
    if len(subtopics) > MOST_SUBTOPICS:
        errors.add(
            line, "subtopics", f"the topic has {len(subtopics)} subtopics", f"at most {MOST_SUBTOPICS}"
        )
    ids = [one for one, _ in subtopics]
    check_ids(line, ids, errors)
    for twice in sorted({one for one in ids if ids.count(one) > 1}) if len(ids) <= MOST_SUBTOPICS else ():
        errors.add(line, "subtopics", f"two subtopics are called {shown(twice)}", "give each id once")
    for one, label in subtopics:
        if not label.strip():
            errors.add(line, "subtopics", f"subtopic {shown(one)} has no label", "give it a label")
    return tuple(subtopics)
