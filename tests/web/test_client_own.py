"""The methods of the client for additions of assessors, and collections."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.cast import Cast
from tests.catalogue import small_collection
from tests.formats.image_files import image_document, png_file
from tests.web import test_client_calls, test_search
from tests.web.conftest import Enter
from tests.web.test_client_calls import Of
from workbench.client import ApiError
from workbench.formats.single_files import sha256_of
from workbench.records import Topic
from workbench.settings import Settings
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
    assert ada.add_to_own(mine, ["d6", "d1"], reason="I know of it.") == {
        "added": ["d6"],
        "passed": ["d1"],
        "without_text": 0,
    }
    assert ada.own_additions(mine) == [{"docno": "d6", "reason": "I know of it."}]
    assert "d6" in ada.work(mine)["order"]
    with pytest.raises(ApiError) as others:
        of("Ben").add_to_own(mine, ["d6"], reason="I know of it.")
    assert refused_with(others) == 404


def test_a_document_names_its_file_which_an_assessor_may_read(
    of: Of, cast: Cast, sqlite_database: Database, tmp_path: Path
) -> None:
    picture = png_file(1, 1)
    with sqlite_database.writing() as db:
        load_documents(db, cast.campaign_id, [image_document("picture")], source="picture")
    ada, mine = of("Ada"), cast.assignments["Ada", "T1"]
    ada.add_to_own(mine, ["picture"], reason="It shows the quay.")
    (document,) = ada.task_documents(mine, ["picture"])
    assert document["file"] == sha256_of(picture)
    assert ada.document_file(sha256_of(picture), tmp_path / "shown.png") == len(picture)
    assert of("Vera").original("picture", tmp_path / "original.png") == len(picture)
    assert (tmp_path / "shown.png").read_bytes() == (tmp_path / "original.png").read_bytes() == picture
    with pytest.raises(ApiError) as original:
        ada.original("picture", tmp_path / "refused.png")
    assert refused_with(original) == 403


def test_a_participant_sees_the_statements_of_the_topics_and_no_subtopics(
    of: Of, cast: Cast, sqlite_database: Database
) -> None:
    with sqlite_database.writing() as db:
        topics = [Topic("T1", "tides", "When is high water?", subtopics=(("1", "spring"), ("2", "neap")))]
        load_topics(db, cast.campaign_id, topics, source="topics")
    seen, whole = next(of("Petra").topics()), next(of("Vera").topics())
    assert (seen["description"], seen["subtopics"]) == ("When is high water?", [])
    assert whole == {**seen, "subtopics": [["1", "spring"], ["2", "neap"]]}


class TestCollections:
    """A worker does the jobs of the site."""

    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return replace(settings, worker=True)

    def test_a_collection_begins_to_be_loaded_and_says_how_far_it_is(self, of: Of, tmp_path: Path) -> None:
        olga, dataset = of("Olga"), small_collection(tmp_path)
        with pytest.raises(ApiError) as nothing:
            olga.dataset()
        assert refused_with(nothing) == 404
        with pytest.raises(ApiError) as lacking:
            olga.load_dataset(dataset, ["runs"])
        assert lacking.value.codes == ("part",)
        begun = olga.load_dataset(dataset, ["qrels", "topics"], assessor="NIST")
        assert (begun["state"], begun["parts"], begun["assessor"]) == ("waiting", ["topics", "qrels"], "NIST")
        assert olga.dataset() == begun
        with pytest.raises(ApiError) as busy:
            olga.load_dataset(dataset, ["topics"])
        assert refused_with(busy) == 409


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
    olga.more_hits(olga.search("T1", "spring")["search"])
    found = test_search.searched(ada, f"/c/harbour/judge/{mine}/search", "spring")
    assert ada.get(found).status_code == 200
    assert ada.post(f"{found}/more", headers=test_search.HTMX).status_code == 200
    assert seen == [False] * 4
