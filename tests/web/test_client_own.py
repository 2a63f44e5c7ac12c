"""The methods of the client for additions of assessors, and collections."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cast import Cast
from tests.formats.image_files import image_document, png_file
from tests.web import test_client_calls, test_search
from tests.web.conftest import Enter
from tests.web.test_client_calls import Of
from workbench.client import ApiError
from workbench.formats.text_formats import sha256_of
from workbench.records import Topic
from workbench.storage import Session
from workbench.storage.engine import WRITES, Database
from workbench.workflow.campaigns.collection import load_documents, load_topics
from workbench.workflow.searching import found as found_hits

of, allowed = test_client_calls.of, test_search.allowed


def refused_with(error: pytest.ExceptionInfo[ApiError]) -> int:
    return error.value.status


def test_an_assessor_adds_documents_to_an_own_assignment(of: Of, cast: Cast) -> None:
    ada, mine = of("Ada"), cast.assignments["Ada", "T1"]
    # d1 is in the pool, and d6 has a text.
    assert ada.call("judging.add", assignment_id=mine, docnos=["d6", "d1"], reason="I know of it.") == {
        "added": ["d6"],
        "passed": ["d1"],
        "without_text": 0,
    }
    assert ada.call("judging.additions", assignment_id=mine)["additions"] == [
        {"docno": "d6", "reason": "I know of it."}
    ]
    assert "d6" in ada.call("judging.show", assignment_id=mine)["order"]
    with pytest.raises(ApiError) as others:
        of("Ben").call("judging.add", assignment_id=mine, docnos=["d6"], reason="I know of it.")
    assert refused_with(others) == 404


def test_a_document_names_its_file_which_an_assessor_may_read(
    of: Of, cast: Cast, sqlite_database: Database, tmp_path: Path
) -> None:
    picture = png_file(1, 1)
    with sqlite_database.writing() as db:
        load_documents(db, cast.campaign_id, [image_document("picture")], source="picture")
    ada, mine = of("Ada"), cast.assignments["Ada", "T1"]
    ada.call("judging.add", assignment_id=mine, docnos=["picture"], reason="It shows the quay.")
    (document,) = ada.call("judging.documents", assignment_id=mine, docno=["picture"])
    assert document["file"] == sha256_of(picture)
    assert ada.download("documents.file", tmp_path / "shown.png", sha256=sha256_of(picture)) == len(picture)
    assert of("Vera").download("documents.original", tmp_path / "original.png", docno="picture") == len(
        picture
    )
    assert (tmp_path / "shown.png").read_bytes() == (tmp_path / "original.png").read_bytes() == picture
    with pytest.raises(ApiError) as original:
        ada.download("documents.original", tmp_path / "refused.png", docno="picture")
    assert refused_with(original) == 403


def test_a_participant_sees_the_statements_of_the_topics_and_no_subtopics(
    of: Of, cast: Cast, sqlite_database: Database
) -> None:
    with sqlite_database.writing() as db:
        topics = [Topic("T1", "tides", "When is high water?", subtopics=(("1", "spring"), ("2", "neap")))]
        load_topics(db, cast.campaign_id, topics, source="topics")
    seen, whole = next(of("Petra").call("topics.index")), next(of("Vera").call("topics.index"))
    assert (seen["description"], seen["subtopics"]) == ("When is high water?", [])
    assert whole == {**seen, "subtopics": [["1", "spring"], ["2", "neap"]]}


@pytest.mark.usefixtures("allowed")
def test_no_sentence_is_looked_for_while_others_wait_to_write(
    of: Of, enter: Enter, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    olga, ada, mine = of("Olga"), enter("Ada"), cast.assignments["Ada", "T1"]
    marked, seen = found_hits._marked, list[bool]()

    def marking(db: Session, *asked: Any) -> Any:
        seen.append(WRITES in db.info)
        return marked(db, *asked)

    monkeypatch.setattr(found_hits, "_marked", marking)
    olga.call("searches.more", search_id=olga.call("searches.search", topic="T1", query="spring")["search"])
    found = test_search.searched(ada, f"/c/harbour/judge/{mine}/search", "spring")
    assert ada.get(found).status_code == 200
    assert ada.post(f"{found}/more", headers=test_search.HTMX).status_code == 200
    assert seen == [False] * 4
