"""What a format of documents or topics is: its name in code and in words, its reader, how to recognise it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from workbench.errors import WorkbenchError
from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.source import Peekable
from workbench.records import Document, Topic

Lines = Iterable[tuple[int, str]]
NumberedDocuments = Iterator[tuple[int, Document]]
NumberedTopics = Iterator[tuple[int, Topic]]
Formats = Mapping[str, "DocumentFormat | BinaryDocumentFormat"] | Mapping[str, "TopicFormat"]


Given = TypeVar("Given")
Looked = TypeVar("Looked")
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
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
