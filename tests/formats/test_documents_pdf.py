"""PDF: text and title come out, what acts does not, and hostile files end in one error with a place."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.formats import pdf_files
from tests.tree import ROOT
from workbench.errors import InvalidInput
from workbench.formats import documents_pdf, pdf_process
from workbench.formats.documents import read_documents
from workbench.formats.pdf_process import read_pdf
from workbench.formats.recognition import FileKind, recognised
from workbench.records import Document

pytestmark = pytest.mark.skipif(find_spec("pypdf") is None, reason="the extra pdf is not installed")
HELD = (b"JavaScript", b"Launch", b"SubmitForm", b"GoToR", b"Embedded", b"FileAttachment", b"XFA", b"run.exe")


def read(content: bytes, source: str = "reports/D-12.pdf") -> Document:
    (found,) = read_documents(io.BytesIO(content), source=source)
    return found


def refused(content: bytes) -> list[tuple[str, str]]:
    with pytest.raises(InvalidInput) as error:
        read(content)
    return [(one.source, one.code) for one in error.value.findings]


def test_a_pdf_is_a_document_with_its_text_and_its_bytes() -> None:
    content = pdf_files.acting()
    found = read(gzip.compress(content), "reports/D-12.pdf.gz")
    assert (found.docno, found.text) == ("D-12", "Low tide")
    original = found.original
    assert original is not None
    assert (original.content, original.media_type, original.address) == (
        content, "application/pdf", "D-12.pdf",
    )  # fmt: skip
    assert original.shown is not None
    assert recognised(content[:100]).kind is FileKind.DOCUMENTS


def test_what_acts_is_not_in_the_pdf_that_is_shown() -> None:
    facts, shown = read_pdf(pdf_files.acting())
    assert (facts["pages"], facts["text"]) == (1, "Low tide")
    assert [one for one in HELD if one in shown] == []
    assert b"evil" not in shown
    # Links within the document and to addresses stay, as in a page.
    assert shown.count(b"/GoTo\n") == 1
    assert shown.count(b"/URI\n") == 1
    assert shown.count(b"/S /") == 2


def test_pages_are_separated_and_only_the_first_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_process, "MOST_PAGES", 2)
    facts, shown = read_pdf(pdf_files.many_pages(3))
    assert (facts["pages"], facts["read"], facts["text"]) == (3, 2, "Ebb\fEbb")
    assert shown.count(b"/Type /Page\n") == 3


@pytest.mark.parametrize(
    "content",
    [
        pdf_files.of_itself(),
        pdf_files.deep(20_000),
        pdf_files.encrypted(),
        pdf_files.acting()[:700],
        b"%PDF-1.7\n" + b"\xff" * 1000,
        pdf_files.pdf_file({1: b"<< /Type /Catalog >>"}),
    ],
    ids=["of itself", "deep", "encrypted", "cut", "junk", "no pages"],
)
def test_a_hostile_pdf_ends_in_one_error(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    # As the process does, without starting one for each.
    class Answered:
        returncode = 0
        stdout = b""

    def answered(_command: list[str], *, input: bytes, **_more: object) -> Answered:
        written = io.BytesIO()
        monkeypatch.setattr(pdf_process, "confine", lambda: None)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(input)))
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, write_through=True))
        pdf_process.main()
        Answered.stdout = written.getvalue()
        return Answered()

    monkeypatch.setattr(subprocess, "run", answered)
    monkeypatch.setattr("logging.disable", lambda: None)
    assert refused(content) == [("reports/D-12.pdf", "pdf")]


def test_a_process_that_is_ended_or_hangs_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Killed:
        returncode, stdout = -24, b""  # SIGXCPU

    monkeypatch.setattr(subprocess, "run", lambda *_, **__: Killed())
    assert refused(pdf_files.one_page()) == [("reports/D-12.pdf", "pdf")]

    def hang(*_: object, **__: object) -> None:
        raise subprocess.TimeoutExpired("pdf", 1)

    monkeypatch.setattr(subprocess, "run", hang)
    assert refused(pdf_files.one_page()) == [("reports/D-12.pdf", "pdf")]


def test_a_pdf_that_is_too_long_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents_pdf, "LONGEST_PDF", 100)
    assert refused(pdf_files.one_page()) == [("reports/D-12.pdf", "too-large")]


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, 3])
def test_a_bomb_takes_bounded_memory(times: int) -> None:
    # In a process of its own, since the memory of whoever starts one counts as its own.
    program = (
        "import io, resource; from tests.formats.pdf_files import bomb; "
        "from workbench.formats.documents import read_documents; "
        "from workbench.errors import InvalidInput\n"
        f"try: print(len(list(read_documents(io.BytesIO(bomb(2**30, times={times})), source='x.pdf'))))\n"
        "except InvalidInput as error: print(*(one.code for one in error.findings))\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    outcome, kibibytes = done.stdout.split()
    assert outcome in ("1", "pdf")
    assert int(kibibytes) < pdf_process.MEMORY // 1024
