"""What a format of documents or topics is, and what readers of several formats share.

That is JSON objects as text fields; files that are one document, such as a PDF or an image, whose docno is
the name of the file; and the original of a record: its bytes as in the file, without the file's compression,
what separates its records, and a byte order mark.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, NoReturn, TypeVar

from workbench.errors import WorkbenchError
from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.identifiers import trimmed
from workbench.formats.source import Peekable
from workbench.frozen import frozen_dataclass
from workbench.records import Document, Original, Topic, id_bytes

Lines = Iterable[tuple[int, str]]
NumberedDocuments = Iterator[tuple[int, Document]]
NumberedTopics = Iterator[tuple[int, Topic]]
Formats = Mapping[str, "DocumentFormat | BinaryDocumentFormat"] | Mapping[str, "TopicFormat"]


Given = TypeVar("Given")
Looked = TypeVar("Looked")
Found = TypeVar("Found")


@frozen_dataclass
class _Format(Generic[Given, Looked, Found]):
    name: str
    words: str
    read: Callable[[Given, ErrorCollector], Iterator[tuple[int, Found]]]
    recognises: Callable[[Looked], bool]


class DocumentFormat(_Format[Lines, str, Document]):
    """A format of documents.

    `read` turns numbered lines into documents, each with the line where it starts, and puts errors into the
    collector; a line that ended with a carriage return has it, since the document's original is what stood in
    the file. `recognises` looks at the first line with text.
    """

    __slots__ = ()


class BinaryDocumentFormat(_Format[Peekable, bytes, Document]):
    """A format of documents that is not of lines of text.

    `read` turns the plain bytes into documents, each with the number of its record, and puts errors into the
    collector. `recognises` looks at the first bytes.
    """

    __slots__ = ()


class TopicFormat(_Format[bytes, bytes, Topic]):
    """A format of topics; `read` and `recognises` take a file's whole content."""

    __slots__ = ()


def known_format(formats: Formats, name: str | None) -> None:
    """Raise WorkbenchError for the name of a format that does not exist; None stands for any."""
    if name is not None and name not in formats:
        raise WorkbenchError(f"unknown format {shown(name)}", remedy=f"use one of {', '.join(formats)}")


def in_words(formats: Formats) -> str:
    """The formats as a list for people: "TREC SGML, SMART or TSV"."""
    *others, last = (one.words for one in formats.values())
    return f"{', '.join(others)} or {last}" if others else last


_PACKED = re.compile(r"\.gz$", re.IGNORECASE)
# Journals name their figures by what they were printed from, TIFF or EPS.
_EXTENSION = re.compile(r"\.(?:pdf|png|jpe?g|gif|webp|tiff?|eps)$", re.IGNORECASE)


def file_name(source: str) -> str:
    """The name of a file without its folders, and without `.gz`: what pages beside it call it."""
    return _PACKED.sub("", source[max(source.rfind("/"), source.rfind("\\")) + 1 :])


def docno_of(source: str) -> str:
    """The docno of a file: its name without extension, `reports/D-12.pdf.gz` gives `D-12`."""
    return trimmed(_EXTENSION.sub("", file_name(source)))


def whole_file(stream: Peekable, errors: ErrorCollector, most: int, what: str) -> bytes | None:
    """All bytes of a file; None, with an error of the code "too-large", for more than `most`."""
    content = stream.read(most + 1)
    if len(content) <= most:
        return content
    message = f"{what} is larger than {most // 2**20} MiB"
    errors.add(None, "too-large", message, "save it with smaller images, or leave it out")
    return None


def sha256_of(content: bytes) -> str:
    """The SHA-256 of bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


JSON_TYPE = "application/json"
TSV_TYPE = "text/tab-separated-values"
SGML_TYPE = "text/sgml"
SMART_TYPE = "text/x-smart"
MAIL_TYPE = "message/rfc822"
JATS_TYPE = "application/jats+xml"


def record_original(media_type: str, record: str | bytes, charset: str = "") -> Original:
    """A record's bytes; of text, those that it was decoded from."""
    content = id_bytes(record) if isinstance(record, str) else record
    return Original(media_type, content, sha256_of(content), charset=charset)


Record = Mapping[str, Any]


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=_no_number)
_OPENING = re.compile(r"\s*\[\s*(\]?)\s*")
_GAP = re.compile(r"\s*([,\]])\s*")


def parsed(line: int, text: str, errors: ErrorCollector) -> Any:
    """The JSON value of a line, numbers as they are written; None and an error where it is none.

    Numbers stay text, since ids are strings: 1e3 is another topic than 1000.
    """
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        errors.add(line, "json", _complaint(error), "write one whole JSON object on one line")
        return None


def array_items(text: str, errors: ErrorCollector) -> Iterator[tuple[int, Any]]:
    """The items of a text that is one JSON array, each with its line; the reading ends at the first error."""
    line, at = 1, 0
    gap = _OPENING.match(text)
    while gap and gap[1] != "]":
        line += text.count("\n", at, gap.end())
        at = gap.end()
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            line = error.lineno if isinstance(error, json.JSONDecodeError) else line
            errors.add(line, "json", _complaint(error), "fix the array there")
            return
        yield line, value
        line += text.count("\n", at, end)
        at = end
        gap = _GAP.match(text, at)
    if not gap or gap.end() != len(text):
        errors.add(
            line, "json", "the array is not closed, or something follows it", "separate objects by commas"
        )


def as_record(line: int, value: Any, errors: ErrorCollector) -> Record | None:
    """The value if it is a JSON object; otherwise None and an error."""
    if isinstance(value, dict):
        return value
    if value is not None:
        errors.add(line, "json", "this is not a JSON object", 'write one object per line: {"id": ..., ...}')
    return None


def first_of(line: int, record: Record, names: Sequence[str], errors: ErrorCollector) -> str | None:
    """The text under the first of these names that holds something; "" for one that is there but empty.

    None where no name is there. A number becomes the text it is written with; null is empty; true, false,
    lists and objects are errors.
    """
    found: str | None = None
    for name in names:
        if name not in record:
            continue
        value = record[name]
        if isinstance(value, str) and value:
            return value
        if value is not None and not isinstance(value, str):
            errors.add(line, "type", f"{shown(name)} is not text", "write a string in double quotes")
        found = ""
    return found


def key_of(record: Record, names: Sequence[str]) -> str | None:
    """Which of these names `first_of` takes the text from; None where none of them holds any."""
    return next((name for name in names if isinstance(record.get(name), str) and record[name]), None)


def as_text(value: Any, deepest: int = 20) -> str:
    """Any value of a record as text: lists and objects by their items, one nested too deeply as a mark."""
    if isinstance(value, str):
        return value
    if value is None or value in ([], {}):
        return ""
    if not isinstance(value, list | dict):
        return str(value).lower()
    if not deepest:
        return "…"
    if isinstance(value, list):
        return "; ".join(filter(None, (as_text(one, deepest - 1) for one in value)))
    return "; ".join(f"{name}: {text}" for name, one in value.items() if (text := as_text(one, deepest - 1)))


def unknown_keys(record: Record, known: Iterable[str]) -> str:
    """The names of a record that nobody asked for, to be told in an error."""
    return ", ".join(shown(name) for name in sorted(set(record) - set(known))[:5]) or "no others"


def _complaint(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"this is not JSON: {error.msg} at character {error.colno}"
    return (
        "this JSON is nested too deeply"
        if isinstance(error, RecursionError)
        else f"this is not JSON: {error}"
    )
