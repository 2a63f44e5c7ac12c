"""E-mail: an mbox and a single message; what is hostile or lacks an id is told by message."""

from __future__ import annotations

import gzip
import io

import pytest

from workbench.errors import InvalidInput
from workbench.formats.documents import read_documents
from workbench.formats.documents_mail import LONGEST_HEADER, LONGEST_MESSAGE, MOST_NESTED
from workbench.formats.recognition import FileKind, recognised
from workbench.records import Document

PLAIN = (
    b"From ada@example.org Mon Mar  4 09:00:00 2024\n"
    b"Message-ID: <1@example.org>\nFrom: Ada Quist <ada@example.org>\nTo: crew@example.org\n"
    b"Subject: =?utf-8?q?Caf=C3=A9?=\n at noon\nContent-Type: text/plain; charset=iso-8859-1\n\n"
    b"The caf\xe9 is open.\n\n>From noon on.\nFrom here to the quay.\n\n"
)
MIXED = (
    b"From ben@example.org Tue Mar  5 09:00:00 2024\n"
    b"Message-ID: <2@example.org>\nSubject: Tables\nMIME-Version: 1.0\n"
    b'Content-Type: multipart/mixed; boundary="x"\n\n'
    b"--x\nContent-Type: text/html\n\n<p>See <script>alert(1)</script>below</p>\n"
    b'--x\nContent-Type: application/pdf; name="t.pdf"\nContent-Disposition: attachment\n\nJVBERi0=\n--x--\n'
)


def read(content: bytes) -> list[Document]:
    return list(read_documents(io.BytesIO(content), source="f"))


def codes(content: bytes) -> list[tuple[int | None, str]]:
    with pytest.raises(InvalidInput) as refused:
        read(content)
    return [(one.line, one.code) for one in refused.value.findings]


def test_every_message_of_an_mbox_is_a_document() -> None:
    plain, mixed = read(PLAIN + MIXED)
    # By hand: the subject is decoded and unfolded, the quoted "From " loses its mark, the other is text.
    assert plain == Document(
        "1@example.org",
        "Café at noon",
        "From: Ada Quist <ada@example.org>\nTo: crew@example.org\n\n"
        "The café is open.\n\nFrom noon on.\nFrom here to the quay.",
    )
    assert (mixed.docno, mixed.title) == ("2@example.org", "Tables")
    assert mixed.text.startswith("<p>See <script>")  # as it came: it is cleaned when it is shown
    assert mixed.text.endswith("<p>[Attachment: t.pdf]</p>\n")
    assert read(gzip.compress(PLAIN + MIXED)) == [plain, mixed]
    assert recognised(PLAIN).kind is FileKind.DOCUMENTS


def test_one_message_by_itself_is_a_document() -> None:
    assert [one.docno for one in read(PLAIN.split(b"\n", 1)[1])] == ["1@example.org"]


def test_what_cannot_be_read_is_told_and_memory_is_bounded() -> None:
    assert codes(PLAIN + PLAIN) == [(2, "duplicate")]
    assert codes(PLAIN + MIXED.replace(b"Message-ID", b"X-ID")) == [(2, "id")]
    assert codes(PLAIN + MIXED + b"a" * (LONGEST_MESSAGE + 1)) == [(2, "too-large")]
    nested = b"".join(b"Content-Type: multipart/mixed; boundary=%d\n\n--%d\n" % (n, n) for n in range(3000))
    deep = b"From a@b Mon Mar  4 09:00:00 2024\nMessage-ID: <3@x>\n" + nested
    assert codes(PLAIN + deep) == [(2, "mail")]


def test_a_header_of_thousands_of_receivers_is_cut_and_says_so() -> None:
    receivers = ", ".join(f"reader{number}@example.org" for number in range(2000))
    (document,) = read(f"Message-ID: <1@x>\nTo: {receivers}\nSubject: Tides\n\nHigh.\n".encode())
    to, text = document.text.split("\n\n")
    assert (document.title, text) == ("Tides", "High.")
    assert to.startswith("To: reader0@example.org, reader1@")
    assert to.endswith(" … (cut)")
    assert len(to) < LONGEST_HEADER + 20


def test_parts_within_parts_within_parts_are_refused_at_some_depth() -> None:
    parts = "".join(
        f'Content-Type: multipart/mixed; boundary="{n}"\n\n--{n}\n' for n in range(MOST_NESTED + 1)
    )
    assert codes(f"Message-ID: <1@x>\n{parts}".encode()) == [(1, "mail")]
