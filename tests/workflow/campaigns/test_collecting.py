"""Topics and documents in a campaign."""

from __future__ import annotations

import pytest
from sqlalchemy.orm import Session

from tests.builders import campaign_with_people
from workbench.errors import InvalidInput
from workbench.records import Document, Topic
from workbench.storage.engine import Database
from workbench.workflow.campaigns.collection import (
    document,
    load_documents,
    load_topics,
    topics_of,
)


def test_topics_keep_the_order_of_their_file_and_their_ids_to_the_byte(db: Session) -> None:
    made = campaign_with_people(db)
    load_topics(db, made.campaign.id, [Topic("007", "spies"), Topic("MB001", "birds")], source="f")
    assert [topic.id for topic in topics_of(db, made.campaign.id)] == ["T1", "T2", "007", "MB001"]


def test_a_topic_id_that_is_not_utf8_is_refused_with_the_remedy(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
    with pytest.raises(InvalidInput, match="convert the file to UTF-8"), database.writing() as db:
        load_topics(db, made.campaign.id, [Topic("T\udcff", "broken")], source="f")


def test_what_no_database_keeps_in_a_text_is_shown_as_a_replacement(db: Session) -> None:
    made = campaign_with_people(db)
    load_documents(db, made.campaign.id, [Document("n", "a\0b", "c\ud800d")], source="f")
    found = document(db, made.campaign.id, "n")
    assert (found.title, found.text) == ("a\ufffdb", "c\ufffdd")
