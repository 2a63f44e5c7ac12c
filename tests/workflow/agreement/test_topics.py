"""After a saved judgment the agreement on one topic is computed anew, and that of the others is as before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.workflow.agreement.test_people import NAMES, judged
from workbench.agreement import topics
from workbench.agreement.options import AgreementOptions
from workbench.agreement.ratings import Ratings
from workbench.agreement.ratings_by_topic import RatingsByTopic
from workbench.agreement.topics import TopicAgreement, by_topic, topic_agreement
from workbench.records import Judgment
from workbench.storage import Session
from workbench.storage.engine import Database
from workbench.workflow.agreement.selection import campaign_ratings
from workbench.workflow.agreement.topics import agreement_by_topic
from workbench.workflow.judging.importing import import_judgments

OPTIONS = AgreementOptions()


def figures(found: Sequence[TopicAgreement]) -> dict[int, tuple[object, ...]]:
    """All that is known of each topic, by its number."""
    return {
        one.place: (one.n, one.disputed, *((each.name, each.found, each.interval) for each in one.estimates))
        for one in found
    }


def in_one_table(db: Session, campaign_id: int, options: AgreementOptions) -> Ratings:
    """The ratings of all assessors and pairs, of which nothing is kept."""
    ratings = campaign_ratings(db, campaign_id, options).ratings
    assert isinstance(ratings, RatingsByTopic)
    return ratings.whole()


def test_one_topic_is_computed_anew_and_all_are_as_if_none_was_known(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed: list[float] = []

    def counted(own: Ratings, level: float) -> TopicAgreement:
        computed.append(level)
        return topic_agreement(own, level)

    monkeypatch.setattr(topics, "topic_agreement", counted)
    with database.writing() as db:
        campaign_id = judged(db, NAMES)
    for options, more in (
        (OPTIONS, 6),
        # Another coefficient to sort by is no other computation; another level is.
        (replace(OPTIONS, coefficient="gwet"), 0),
        (replace(OPTIONS, confidence=0.8), 6),
        (replace(OPTIONS, graded=True), 6),
    ):
        computed.clear()
        with database.reading() as db:
            found = agreement_by_topic(db, campaign_id, options)
            assert len(computed) == more
            whole = by_topic(in_one_table(db, campaign_id, options), options)
        assert figures([line.found for line in found.lines]) == figures(whole)
    # Two judge a further document of one topic alike, then one of them calls it not relevant.
    for name, grade in ((NAMES[0], 3), (NAMES[1], 3), (NAMES[1], 0)):
        computed.clear()
        with database.writing() as db:
            import_judgments(db, campaign_id, [Judgment(name, "T2", "d99", grade)], source=f"{name} {grade}")
        with database.reading() as db:
            found = agreement_by_topic(db, campaign_id, OPTIONS)
            assert computed == [0.95]
            whole = by_topic(in_one_table(db, campaign_id, OPTIONS), OPTIONS)
        assert figures([line.found for line in found.lines]) == figures(whole)
