"""Topics and documents in a campaign."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.builders import TOPICS, campaign_with_people, pooled_campaign, send_runs
from workbench.errors import InvalidInput, NotFound, WorkbenchError
from workbench.pooling.strategies import PoolRecipe
from workbench.records import Answer, Document, Judgment, Topic
from workbench.storage.engine import Database
from workbench.workflow.campaigns.collection import (
    document,
    document_count,
    load_documents,
    load_topics,
    missing_documents,
    topics_of,
)
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.pools.making import make_pool


def test_topics_keep_the_order_of_their_file_and_their_ids_to_the_byte(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        load_topics(db, made.campaign.id, [Topic("007", "spies"), Topic("MB001", "birds")], source="f")
        assert [topic.id for topic in topics_of(db, made.campaign.id)] == ["T1", "T2", "007", "MB001"]


def test_loading_the_same_topics_again_changes_nothing(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        loaded = load_topics(db, made.campaign.id, TOPICS, source="f")
        assert (loaded.added, loaded.changed, loaded.unchanged) == (0, 0, 2)


def test_the_statement_of_a_judged_topic_cannot_change(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        import_judgments(db, made.campaign.id, [Judgment("X", "T1", "d1", 1)], source="x.tsv")
    with pytest.raises(InvalidInput, match="T1 is judged"), database.writing() as db:
        load_topics(db, made.campaign.id, [Topic("T1", "changed"), Topic("T9", "new")], source="f")
    with database.reading() as db:
        assert [topic.title for topic in topics_of(db, made.campaign.id)] == ["tides", "nets"]


def test_a_topic_id_that_is_not_utf8_is_refused_with_the_remedy(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
    with pytest.raises(InvalidInput, match="convert the file to UTF-8"), database.writing() as db:
        load_topics(db, made.campaign.id, [Topic("T\udcff", "broken")], source="f")


def test_documents_with_awkward_docnos_come_back_as_they_were(database: Database) -> None:
    awkward = ["a#b", "a/b", "a:b", "KÜSTE-12", "日本", "a%b_c"]
    with database.writing() as db:
        made = campaign_with_people(db)
        load_documents(db, made.campaign.id, [Document(d, d, "x") for d in awkward], source="f")
    with database.reading() as db:
        assert [document(db, made.campaign.id, d).title for d in awkward] == awkward


def test_what_no_database_keeps_in_a_text_is_shown_as_a_replacement(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        load_documents(db, made.campaign.id, [Document("n", "a\0b", "c\ud800d")], source="f")
        found = document(db, made.campaign.id, "n")
        assert (found.title, found.text) == ("a\ufffdb", "c\ufffdd")


def test_pooled_loading_keeps_only_what_the_pool_needs_and_names_what_is_missing(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        send_runs(db, made.campaign.id, alpha={"T1": ("d1", "z9", "z3")})
        make_pool(db, made.campaign.id, PoolRecipe(parameters={"depth": 3}))
        assert missing_documents(db, made.campaign.id) == ("z3", "z9")
        loaded = load_documents(
            db,
            made.campaign.id,
            [Document("z3", "", "x"), Document("other", "", "y")],
            source="f",
            pooled=True,
        )
        assert (loaded.read, loaded.added, loaded.passed_over, loaded.missing) == (2, 1, 1, ("z9",))
        with pytest.raises(NotFound):
            document(db, made.campaign.id, "other")


def test_pooled_loading_without_a_pool_says_so(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        with pytest.raises(WorkbenchError, match="no pool yet"):
            load_documents(db, made.campaign.id, [], source="f", pooled=True)


def test_a_file_that_fails_at_its_end_leaves_none_of_its_documents(database: Database) -> None:
    def broken() -> Iterator[Document]:
        for number in range(1200):
            yield Document(f"n{number}", "", "x")
        raise InvalidInput([])

    with database.writing() as db:
        made = campaign_with_people(db)
    with pytest.raises(InvalidInput), database.writing() as db:
        load_documents(db, made.campaign.id, broken(), source="f")
    with database.reading() as db:
        assert document_count(db, made.campaign.id) == 6


def test_the_text_of_a_judged_document_stays_and_others_may_change(database: Database) -> None:
    with database.writing() as db:
        made, _ = pooled_campaign(db)
        import_judgments(
            db, made.campaign.id, [Judgment("X", "T1", "d1", None, Answer.UNSURE)], source="x.tsv"
        )
        loaded = load_documents(db, made.campaign.id, [Document("d2", "new", "text")], source="f")
        assert loaded.changed == 1
        with pytest.raises(InvalidInput, match="d1 is judged"):
            load_documents(db, made.campaign.id, [Document("d1", "new", "text")], source="f")
