"""What documents were read from is kept, shown by its hash, and proved by the hash of every judgment."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from tests.formats.image_files import image_document, png_file
from workbench.errors import InvalidInput, NotFound
from workbench.formats.documents_image import image_original
from workbench.formats.text_formats import sha256_of
from workbench.records import THREE_GRADES, Document, Judgment, Original, Topic
from workbench.storage.engine import Database
from workbench.storage.tables import CampaignRow, DocumentRow, OriginalRow
from workbench.workflow.campaigns.archive import delete_campaign
from workbench.workflow.campaigns.campaigns import create_campaign
from workbench.workflow.campaigns.collection import batches, document_count, load_documents, load_topics
from workbench.workflow.campaigns.loading import load_in_portions
from workbench.workflow.campaigns.originals import (
    NO_FORM,
    ShownForm,
    forms_of,
    original_bytes,
    original_size,
    shown_file,
)
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.upkeep.checks import check_document_counts, check_originals

PAGE = b'<p>The tide <img src="chart.png" alt="a chart"> <img src="http://y/other.png"></p>'
PICTURE = png_file(3, 2)


def web_page(docno: str, address: str) -> Document:
    return Document(docno, "", PAGE.decode(), Original("text/html", PAGE, sha256_of(PAGE), address))


def beside(address: str) -> Document:
    return Document(address, "", "", image_original(PICTURE, address, beside=True))


def pdf(docno: str, content: bytes) -> Document:
    original = Original("application/pdf", content, sha256_of(content), f"{docno}.pdf", shown=b"%PDF-shown")
    return Document(docno, "", "Ebb", original)


def campaign_in(database: Database) -> int:
    with database.writing() as db:
        campaign = create_campaign(db, name="Harbour", slug="harbour", scale=THREE_GRADES)
        load_topics(db, campaign.id, [Topic("T1", "tides")], source="topics")
        return campaign.id


@pytest.mark.engines
def form_of(db: Session, campaign_id: int, docno: str, text: str) -> ShownForm:
    return forms_of(db, campaign_id, {docno: text}).get(docno, NO_FORM)


def test_bytes_are_kept_and_a_page_shows_the_images_that_it_names(database: Database) -> None:
    campaign = campaign_in(database)
    files = [
        ("images", [beside("http://x/chart.png"), beside("http://x/unnamed.png")]),
        ("pages", [web_page("p1", "http://x/tides.html"), web_page("p2", "http://z/"), image_document("i1")]),
    ]
    loaded = load_in_portions(database, campaign, files)
    assert [one.added for _, one in loaded] == [0, 3]
    with database.reading() as db:
        assert set(db.scalars(select(OriginalRow.docno))) == {"http://x/chart.png", "p1", "p2", "i1"}
        assert original_bytes(db, campaign, "p1").content == PAGE
        assert original_size(db, campaign, "p1") == len(PAGE)
        assert db.scalar(select(OriginalRow.content).where(OriginalRow.docno == "p1")) != PAGE  # compressed
        form = form_of(db, campaign, "p1", PAGE.decode())
        assert {source: (one.sha256, one.width) for source, one in form.images.items()} == {
            "chart.png": (sha256_of(PICTURE), 3)
        }
        assert form_of(db, campaign, "p2", PAGE.decode()).images == {}
        assert shown_file(db, campaign, sha256_of(PICTURE)).content == PICTURE
        own = form_of(db, campaign, "i1", "").file
        assert own is not None
        assert (own.is_image, own.kept) == (True, True)
        # A page is never sent as a page, and what is not here is not found.
        for wrong in (sha256_of(PAGE), "0" * 64):
            with pytest.raises(NotFound):
                shown_file(db, campaign, wrong)
    delete_campaign(database, campaign, typed_name="Harbour")
    with database.reading() as db:
        assert db.scalars(select(OriginalRow)).all() == []


def test_an_image_of_a_crawl_is_a_document_where_it_is_pooled() -> None:
    image = beside("http://x/chart.png")
    assert list(batches([image], Counter(), None)) == []
    assert list(batches([image], Counter(), {"http://x/chart.png"})) == [[image]]


@pytest.mark.engines
def test_the_hash_of_what_is_shown_covers_the_bytes_of_a_pdf(database: Database) -> None:
    campaign = campaign_in(database)
    with database.writing() as db:
        load_documents(db, campaign, [pdf("d1", b"%PDF-one")], source="one")
        # By hand: title, NUL, text, NUL, the SHA-256 of the file.
        stated = hashlib.sha256(f"\0Ebb\0{hashlib.sha256(b'%PDF-one').hexdigest()}".encode()).hexdigest()
        assert db.scalar(select(DocumentRow.sha256)) == stated
        assert load_documents(db, campaign, [pdf("d1", b"%PDF-one")], source="again").unchanged == 1
        assert load_documents(db, campaign, [pdf("d1", b"%PDF-two")], source="other").changed == 1
        assert shown_file(db, campaign, sha256_of(b"%PDF-two")).content == b"%PDF-shown"
        assert original_bytes(db, campaign, "d1").content == b"%PDF-two"
        import_judgments(db, campaign, [Judgment("Ada", "T1", "d1", 1)], source="judgments")
        with pytest.raises(InvalidInput):
            load_documents(db, campaign, [pdf("d1", b"%PDF-three")], source="three")


def test_bytes_come_to_a_text_that_was_loaded_without_them(sqlite_database: Database) -> None:
    campaign = campaign_in(sqlite_database)
    with sqlite_database.writing() as db:
        load_documents(db, campaign, [Document("p1", "", PAGE.decode())], source="text")
        assert original_size(db, campaign, "p1") is None
        assert load_documents(db, campaign, [web_page("p1", "http://x/")], source="warc").unchanged == 1
        assert original_size(db, campaign, "p1") == len(PAGE)


def test_a_pdf_without_its_shown_form_is_never_sent_as_it_came(sqlite_database: Database) -> None:
    campaign = campaign_in(sqlite_database)
    with sqlite_database.writing() as db:
        content = b"%PDF-as-it-came"
        document = Document("d1", "", "", Original("application/pdf", content, sha256_of(content)))
        load_documents(db, campaign, [document], source="one")
        with pytest.raises(NotFound):
            shown_file(db, campaign, sha256_of(content))


def kept_rows(db: Session) -> dict[str, bool]:
    """The rows that have bytes themselves, by docno."""
    return {
        docno: content is not None
        for docno, content in db.execute(select(OriginalRow.docno, OriginalRow.content))
    }


@pytest.mark.engines
def test_the_same_bytes_are_stored_once_and_stay_as_long_as_a_document_has_them(database: Database) -> None:
    campaign = campaign_in(database)
    with database.writing() as db:
        load_documents(
            db, campaign, [web_page("p1", "http://x/"), web_page("p2", "http://x/2")], source="one"
        )
        load_documents(
            db, campaign, [web_page("p3", ""), pdf("d1", b"%PDF-1"), pdf("d2", b"%PDF-1")], source="two"
        )
        assert kept_rows(db) == {"p1": True, "p2": False, "p3": False, "d1": True, "d2": False}
        assert {original_bytes(db, campaign, docno).content for docno in ("p1", "p2", "p3")} == {PAGE}
        assert original_size(db, campaign, "p3") == len(PAGE)
        form = form_of(db, campaign, "d2", "Ebb").file
        assert form is not None
        assert form.shows
        # The page that has the bytes, and the next that would get them, are replaced together.
        other = b"<p>Flow</p>"
        replaced = [
            Document(docno, "", other.decode(), Original("text/html", other, sha256_of(other)))
            for docno in ("p1", "p2")
        ]
        load_documents(db, campaign, [*replaced, pdf("d1", b"%PDF-2")], source="three")
        assert kept_rows(db) == {"p1": True, "p2": False, "p3": True, "d1": True, "d2": True}
        assert original_bytes(db, campaign, "p3").content == PAGE
        assert original_bytes(db, campaign, "p2").content == other
        assert original_bytes(db, campaign, "d2").content == b"%PDF-1"
        assert shown_file(db, campaign, sha256_of(b"%PDF-1")).content == b"%PDF-shown"
        assert [*check_originals(db)] == []
        db.execute(update(OriginalRow).where(OriginalRow.docno == "p1").values(content=None))
        found = [*check_originals(db)]
    assert [(one.code, one.source.split(", ")[1]) for one in found] == [
        ("original-hash", "p1"), ("original-hash", "p2"),
    ]  # fmt: skip


@pytest.mark.engines
def test_the_number_of_documents_is_kept_and_recounted(database: Database) -> None:
    campaign = campaign_in(database)
    with database.writing() as db:
        other = create_campaign(db, name="Other", slug="other", scale=THREE_GRADES).id
        load_documents(db, campaign, [Document(docno, "", "Ebb") for docno in "abc"], source="one")
        load_documents(db, campaign, [Document(docno, "", "Flow") for docno in "bcd"], source="two")
    load_in_portions(database, campaign, [("three", [beside("http://x/chart.png"), Document("e")])])
    with database.writing() as db:
        assert (document_count(db, campaign), document_count(db, other)) == (5, 0)
        assert [*check_document_counts(db)] == []
        db.execute(update(CampaignRow).where(CampaignRow.id == campaign).values(documents=4))
        assert [one.code for one in check_document_counts(db)] == ["document-count"]
