"""PDF: text and title come out, what acts does not, and hostile files end in one error with a place."""

from __future__ import annotations

import gzip
import io
import json
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


def told(content: bytes, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """What the process writes first about a PDF that it gets, done here and without bounds of its own."""
    written = io.BytesIO()
    monkeypatch.setattr(pdf_process, "confine", lambda: None)
    monkeypatch.setattr("logging.disable", lambda: None)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, write_through=True))
    pdf_process.main()
    found: dict[str, object] = json.loads(written.getvalue().partition(b"\n")[0])
    return found


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (MemoryError(), "the PDF needs too much memory"),
        (RecursionError(), "the PDF is nested too deeply"),
        (ValueError("a\nb " * 100), "the PDF is damaged: a b a b"),
        (KeyError(), "the PDF is damaged: KeyError"),
    ],
    ids=lambda one: type(one).__name__ if isinstance(one, Exception) else "",
)
def test_whatever_reading_fails_with_is_said_in_a_line(
    error: Exception, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: bytes) -> None:
        raise error

    monkeypatch.setattr(pdf_process, "read_pdf", fail)
    found = told(pdf_files.one_page(), monkeypatch)
    assert str(found["error"]).startswith(says)
    assert len(str(found["error"])) <= 221  # 200 characters of the library's reason
    assert found["remedy"] == "save it again with another program"


def test_a_page_whose_text_cannot_be_read_is_shown_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from pypdf import PageObject

    def fail(*_: object) -> str:
        raise KeyError("/ToUnicode")

    monkeypatch.setattr(PageObject, "extract_text", fail)
    facts, shown = read_pdf(pdf_files.many_pages(2))
    assert (facts["pages"], facts["read"], facts["text"]) == (2, 2, "\f")
    assert shown.count(b"/Type /Page\n") == 2


def test_too_many_parts_of_an_object_and_a_document_without_pages_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    empty = {1: b"<< /Type /Catalog /Pages 2 0 R >>", 2: b"<< /Type /Pages /Kids [] /Count 0 >>"}
    assert told(pdf_files.pdf_file(empty), monkeypatch)["error"] == "the PDF has no pages"
    monkeypatch.setattr(pdf_process, "MOST_OBJECTS", 3)
    refused = told(pdf_files.one_page(), monkeypatch)
    assert refused["error"] == "the PDF has an object with too many parts"


def test_the_process_bounds_its_memory_its_time_and_what_it_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    bounds: dict[int, tuple[int, int]] = {}
    monkeypatch.setattr(resource, "setrlimit", lambda which, limits: bounds.update({which: limits}))
    pdf_process.confine()
    assert bounds == {
        resource.RLIMIT_AS: (2**30, 2**30),
        resource.RLIMIT_CPU: (30, 31),
        resource.RLIMIT_FSIZE: (0, 0),
        resource.RLIMIT_CORE: (0, 0),
    }
    monkeypatch.setitem(sys.modules, "resource", None)  # as on Windows
    pdf_process.confine()


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
