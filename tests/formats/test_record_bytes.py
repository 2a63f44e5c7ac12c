"""Every reader keeps the bytes of the record that a document was read from, whatever is shown of it."""

from __future__ import annotations

import gzip
import hashlib
import io
import mailbox
from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.formats.test_documents_jats import ARTICLE, DOCTYPE
from workbench.formats.documents import read_documents
from workbench.formats.text_formats import JATS_TYPE, JSON_TYPE, MAIL_TYPE, SGML_TYPE, SMART_TYPE, TSV_TYPE

SECOND = ARTICLE.replace("PMC12", "PMC13").replace("Short.", "Long – er.")
SGML = [
    b"<DOC>\r\n<DOCNO> a </DOCNO>\r\n<TEXT>Ebb &amp; flow\r\n\r\n</TEXT></DOC>",
    b"<doc id='b'>High\n</Doc>",
]
RECORDS = {
    "JSON lines": (JSON_TYPE, b"%s\r\n%s", [b'{"id": 1.0, "text":"a" }', b'{"_id":"\xc3\xa9","body":""}']),
    "TSV": (TSV_TYPE, b"docno\ttext\n%s\r\n\n%s\n", [b" a\t one two ", b"b\t\xe6\xbd\xae"]),
    "TREC on lines": (SGML_TYPE, b"\xef\xbb\xbf%s\n\n%s\n", SGML),
    "TREC on one line": (SGML_TYPE, b"<root> %s %s</root>", SGML),
    "SMART": (SMART_TYPE, b"\n%s\r\n%s", [b".I 1\r\n.T\r\nTides\r\n.X\r\n7 8", b".I 2\n.W\nEbb\n  flow"]),
    "JATS": (JATS_TYPE, b"%s", [(DOCTYPE + ARTICLE).encode()]),
    "JATS set": (
        JATS_TYPE,
        b"<?xml version='1.0'?><pmc-articleset>\xc3\xa9%s\n <other/>%s</pmc-articleset>",
        [ARTICLE.replace("</article>", "</article\n>").encode(), SECOND.encode()],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RECORDS)
def test_the_bytes_of_a_record_are_kept_as_they_stood_in_the_file(name: str) -> None:
    media_type, around, records = RECORDS[name]
    for content in (around % tuple(records), gzip.compress(around % tuple(records))):
        originals = [one.original for one in read_documents(io.BytesIO(content), source="f")]
        assert [one and one.content for one in originals] == records
        for one in originals:
            assert one is not None
            assert (one.media_type, one.is_text) == (media_type, True)
            assert one.sha256 == hashlib.sha256(one.content or b"").hexdigest()


def test_an_article_in_utf_16_and_its_encoding_are_kept() -> None:
    whole = ('<?xml version="1.0" encoding="UTF-16"?>' + DOCTYPE.split("\n", 1)[1] + ARTICLE).encode("utf-16")
    (found,) = read_documents(io.BytesIO(whole), source="f", format="jats")
    assert found.original is not None
    assert found.original.content == whole
    latin = whole.decode("utf-16").replace("UTF-16", "ISO-8859-1").encode("latin-1")
    (found,) = read_documents(io.BytesIO(latin), source="f")
    assert found.original is not None
    assert (found.original.content, found.original.charset) == (latin, "ISO-8859-1")


def test_a_message_is_kept_with_its_attachments_and_without_what_an_mbox_adds(tmp_path: Path) -> None:
    sent = EmailMessage()
    sent["Message-ID"], sent["Subject"] = "<m1@harbour>", "Tides"
    sent.set_content("From the pier.\nEbb.\n")
    sent.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="gauge.png")
    # The standard library's mbox writes `>From`, and a line that begins each message.
    box = mailbox.mbox(tmp_path / "box")
    box.add(sent)
    box.add(sent.as_bytes().replace(b"m1@", b"m2@"))
    box.close()
    stored = (tmp_path / "box").read_bytes()
    assert b"\n>From the pier" in stored
    kept = [one.original for one in read_documents(io.BytesIO(stored), source="box")]
    assert [one and one.media_type for one in kept] == [MAIL_TYPE, MAIL_TYPE]
    # A blank line parts the messages of a box.
    second = sent.as_bytes().replace(b"m1@", b"m2@")
    assert [one and (one.content or b"").rstrip(b"\n") for one in kept] == [
        sent.as_bytes().rstrip(b"\n"), second.rstrip(b"\n"),
    ]  # fmt: skip
