"""Documents that are fetched ahead have the images that the collection has by then; on both engines."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from tests.cast import CHEAP, Cast, assemble, signed_in_client
from tests.formats.image_files import image_document, png_file
from tests.web.test_desk_api import JSON, Desk
from workbench.formats.documents_image import image_original
from workbench.formats.text_formats import sha256_of
from workbench.records import Document, Original
from workbench.settings import read_settings
from workbench.storage.engine import Database
from workbench.web.context import Context, init_app
from workbench.workflow.campaigns.loading import load_in_portions

pytestmark = pytest.mark.engines


@pytest.fixture
def cast(database: Database) -> Cast:
    return assemble(database)


@pytest.fixture
def ada(shared_app: Flask, database: Database, cast: Cast) -> Desk:
    init_app(shared_app, Context(read_settings({}), database, CHEAP))
    client = signed_in_client(shared_app, database, cast.accounts["Ada"])
    return Desk(client, f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}")


def test_an_image_and_a_page_that_names_one_are_shown_whole_whoever_asked_before(
    ada: Desk, database: Database, cast: Cast
) -> None:
    ahead = f"{ada.address}/documents?docno=d1&docno=d2&docno=d/4"
    content = b'<p>The tide <img src="chart.png" alt="a chart"></p>'
    original = Original("text/html", content, sha256_of(content), "http://x/tides.html")
    page = Document("d2", "", content.decode(), original)
    chart = image_original(png_file(3, 2), "http://x/chart.png", beside=True)

    def load(*documents: Document) -> None:
        load_in_portions(database, cast.campaign_id, [("files", documents)])

    load(page, image_document("d1"))

    def shown() -> list[dict[str, Any]]:
        found = ada.client.get(ahead, headers=JSON).get_json()
        return list(found["documents"])

    without = shown()
    load(Document(chart.address, "", "", chart), page)
    short = shown()
    images = [[one["html"].count("/c/harbour/files/") for one in each] for each in (without, short)]
    assert [(one[0] > 0, *one[1:]) for one in images] == [(True, 0, 0), (True, 1, 0)]
