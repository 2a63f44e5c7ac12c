"""A format of documents or topics that is added in one place is found in every other."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from importlib import import_module
from types import MappingProxyType

import pytest
from click.testing import CliRunner

from workbench.errors import InvalidInput, WorkbenchError
from workbench.formats import documents, topics
from workbench.formats.documents import read_documents
from workbench.formats.error_collector import ErrorCollector
from workbench.formats.text_formats import DocumentFormat, Lines, TopicFormat
from workbench.formats.topics import read_topics
from workbench.help.generated import GENERATED
from workbench.records import Document, Topic

COMMANDS = "workbench.cli.campaign.campaigns"


def _documents(lines: Lines, _errors: ErrorCollector) -> Iterator[tuple[int, Document]]:
    for number, line in lines:
        if line.startswith("@"):
            docno, text = line[1:].split("=", 1)
            yield number, Document(docno, "", text)


def _topics(content: bytes, _errors: ErrorCollector) -> Iterator[tuple[int, Topic]]:
    for number, line in enumerate(content.decode().splitlines(), 1):
        if line.startswith("@"):
            topic, title = line[1:].split("=", 1)
            yield number, Topic(topic, title)


@pytest.fixture(autouse=True)
def added(monkeypatch: pytest.MonkeyPatch) -> None:
    """One more format of each kind, in the registries alone; commands read them when they are imported."""
    one = DocumentFormat("at", "lines of @id=text", _documents, lambda line: line.startswith("@"))
    other = TopicFormat("at", "lines of @id=title", _topics, lambda content: content.startswith(b"@"))
    with_one = MappingProxyType({"at": one, **documents.DOCUMENT_FORMATS})
    with_other = MappingProxyType({"at": other, **topics.TOPIC_FORMATS})
    monkeypatch.setattr(documents, "DOCUMENT_FORMATS", with_one)
    monkeypatch.setattr(topics, "TOPIC_FORMATS", with_other)
    monkeypatch.delitem(sys.modules, COMMANDS, raising=False)


def test_it_is_recognised_and_read() -> None:
    read = read_documents(io.BytesIO(b"@d1=low tide\n"), source="f")
    assert list(read) == [Document("d1", "", "low tide")]
    assert read_topics(io.BytesIO(b"@T1=tides\n"), source="f") == (Topic("T1", "tides"),)
    # What others recognise stays theirs.
    assert [one.docno for one in read_documents(io.BytesIO(b"d2\tebb\n"), source="f")] == ["d2"]


def test_errors_name_it() -> None:
    for read in (lambda **how: list(read_documents(**how)), read_topics):
        with pytest.raises(WorkbenchError, match="at, "):
            read(stream=io.BytesIO(b"@d1=x\n"), source="f", format="none")
        with pytest.raises(InvalidInput) as refused:
            read(stream=io.BytesIO(b"\n"), source="f")
        assert "lines of @id=" in refused.value.findings[0].remedy


def test_the_commands_and_the_help_name_it() -> None:
    commands = import_module(COMMANDS)
    for command in (commands.documents, commands.topics):
        shown = " ".join(CliRunner().invoke(command, ["--help"], terminal_width=200).output.split())
        assert "lines of @id=t" in shown
        assert "[at|" in shown
    assert "lines of @id=text (`at`)" in GENERATED["document-formats"]()
    assert "lines of @id=title (`at`)" in GENERATED["topic-formats"]()
