"""PDFs and images beside the text: who gets them, with which headers, and what a page may show of them."""

from __future__ import annotations

import json

import pytest
from flask.testing import FlaskClient

from tests.cast import Cast
from tests.formats.image_files import image_document, png_file
from tests.web.conftest import Enter
from workbench.formats.documents_image import image_original
from workbench.formats.text_formats import sha256_of
from workbench.records import Document, Original
from workbench.storage.engine import Database
from workbench.web.rendering import render_document
from workbench.web.security import FILE_HEADERS
from workbench.web.stand_ins import ImageAddress
from workbench.workflow.campaigns.collection import load_documents
from workbench.workflow.campaigns.originals import original_row, write_originals

PICTURE = png_file(5, 4)
PDF = b"%PDF-1.7 as it came"
SHOWN = b"%PDF-1.7 shown"
DRAWING = b"<svg onload='alert(1)'/>"
AT = f"/c/harbour/files/{sha256_of(PICTURE)}"
PDF_AT = f"/c/harbour/files/{sha256_of(PDF)}"


@pytest.fixture
def loaded(sqlite_database: Database, cast: Cast) -> None:
    """d1 is a PDF, d2 a picture, d/4 a page with the same picture."""
    page = (
        '<p>See <img src="fig.png" alt="the chart"> and <img src="http://x/y.png">.</p>'
        # Two figures of an article, named by what they were printed from; there is no d9.
        '<img data-part="figure" src="d2.tif" alt="d2.tif"><img data-part="figure" src="d9.tif" alt="d9.tif">'
    )
    pictured = image_document("d2", PICTURE).original
    documents = [
        Document("d1", "A report", "Ebb", Original("application/pdf", PDF, sha256_of(PDF), shown=SHOWN)),
        Document("d2", "", "", pictured),
        Document("d/4", "", page),
        # A crawl's image that no browser is given.
        Document("d5", "", "[No.]", Original("image/svg+xml", DRAWING, sha256_of(DRAWING))),
    ]
    with sqlite_database.writing() as db:
        load_documents(db, cast.campaign_id, documents, source="files")
        figure = Document("fig.png", "", "", image_original(PICTURE, "fig.png", beside=True))
        row = original_row(cast.campaign_id, figure)
        assert row is not None
        write_originals(db, cast.campaign_id, [row])


@pytest.mark.usefixtures("loaded")
def test_a_file_runs_nothing_wherever_it_is_opened_and_goes_to_members_only(enter: Enter) -> None:
    answer = enter("Ada").get(AT)
    assert (answer.data, answer.content_type) == (PICTURE, "image/png")
    for name, value in FILE_HEADERS.items():
        assert answer.headers[name] == value
    assert "sandbox" in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"].startswith("private")
    assert enter("Ada").get(PDF_AT).data == SHOWN
    assert enter("Petra").get(AT).status_code == 403
    assert enter("Ada").get(f"/c/harbour/files/{'0' * 64}").status_code == 404


@pytest.mark.usefixtures("loaded")
def test_the_original_is_a_download_byte_by_byte(enter: Enter) -> None:
    answer = enter("Olga").get("/c/harbour/files/original", query_string={"docno": "d1"})
    assert answer.data == PDF
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert answer.content_type == "application/octet-stream"
    assert enter("Olga").get("/c/harbour/files/original", query_string={"docno": "d/4"}).status_code == 404


@pytest.mark.usefixtures("loaded")
def test_the_desk_shows_a_pdf_beside_its_text_an_image_and_the_images_of_a_page(
    enter: Enter, cast: Cast
) -> None:
    ada: FlaskClient = enter("Ada")
    address = f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}/documents"
    answer = ada.get(address, query_string=[("docno", one) for one in ("d1", "d2", "d/4")])
    pdf, image, page = (one["html"] for one in json.loads(answer.data)["documents"])
    assert f'<iframe src="{PDF_AT}#' in pdf
    assert ">Ebb</p>" in pdf
    assert f'<img src="{AT}"' in image
    assert 'class="missing"' not in image
    assert f'<img class="of-page" src="{AT}" alt="" width="5" height="4">[Image: the chart]' in page
    assert f'<img class="of-page" src="{AT}" alt="" width="5" height="4">[Image: d2.tif]' in page
    assert page.count("<img") == 2
    assert 'aria-label="Figure not in the collection"></span>[Image: d9.tif]' in page
    assert page.count("left-out") == 1
    olga = enter("Olga")
    shown = olga.get("/c/harbour/documents/document", query_string={"docno": "d1"}).text
    assert PDF_AT in shown
    drawn = olga.get("/c/harbour/documents/document", query_string={"docno": "d5"}).text
    assert "[No.]" in drawn
    assert "/files/original" in drawn
    assert sha256_of(DRAWING) not in drawn
    assert olga.get(f"/c/harbour/files/{sha256_of(DRAWING)}").status_code == 404


def test_no_text_can_make_an_image_that_the_collection_does_not_have() -> None:
    images = {"a.png": ImageAddress("/a", 1, 1)}
    # An image in an attribute, the characters that stand for one, and markup in its words.
    for hostile in (
        '<p title="<img src=a.png>">x</p>',
        '<p>\ufde1\ufde9 <img src="b.png"></p>',
        '<a href="http://x/<img src=a.png>">x</a>',
    ):
        assert render_document(hostile, images).count("<img") <= hostile.count("<img src=a.png>")
    shown = str(render_document('<p><img src="a.png" alt="&lt;script&gt;" onerror="alert(1)"></p>', images))
    assert shown.count("<img") == 1
    assert "onerror" not in shown
    assert "<script" not in shown
    # Without the images the words are the same, so that passages stay where they are.
    text = '<p>One <img src="a.png" alt="two"> three</p>'
    with_image, without = str(render_document(text, images)), str(render_document(text))
    assert with_image.replace('<img class="of-page" src="/a" alt="" width="1" height="1">', "") == without
