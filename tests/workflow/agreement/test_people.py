"""How far people agree, summed over topics, is what the table of all assessors by all pairs gives."""

from __future__ import annotations

import random

import pytest

from tests.builders import campaign_with_people
from workbench.agreement.estimates import chosen, coefficients_of
from workbench.agreement.options import AgreementOptions
from workbench.agreement.pairwise import assessor_pairs
from workbench.records import FOUR_GRADES, Answer, Judgment, Topic
from workbench.storage import Session
from workbench.storage.engine import Database
from workbench.workflow.agreement.people import people_by_topic
from workbench.workflow.agreement.selection import campaign_ratings
from workbench.workflow.campaigns.collection import load_topics
from workbench.workflow.judging.importing import import_judgments

NAMES = ("Zoe", "Ann", "Bea", "Cyd")


def judged(db: Session, names: tuple[str, ...]) -> int:
    """A campaign in which these people and a machine judged parts of six topics; some pairs one alone."""
    made = campaign_with_people(db, scale=FOUR_GRADES)
    load_topics(db, made.campaign.id, [Topic(f"T{one}", "more") for one in range(3, 7)], source="topics")
    lot = random.Random(7)
    for name in (*names, "robot"):
        given = [
            Judgment(name, f"T{topic}", f"d{docno}", grade)
            if (grade := lot.choice([0, 0, 1, 2, 3, None])) is not None
            else Judgment(name, f"T{topic}", f"d{docno}", None, Answer.UNSURE)
            for topic in range(1, 7)
            for docno in range(20)
            if lot.random() < 0.5
        ]
        import_judgments(db, made.campaign.id, given, source=name, machines=[name] if name == "robot" else [])
    return made.campaign.id


def test_sums_of_topics_give_what_all_pairs_at_once_give(database: Database) -> None:
    with database.writing() as db:
        campaign_id = judged(db, NAMES)
    options = AgreementOptions()
    with database.reading() as db:
        found = people_by_topic(db, campaign_id)
        whole = campaign_ratings(db, campaign_id, options)
        together = chosen(coefficients_of(whole, options)[1], "pooled")
        pairs = assessor_pairs(whole.ratings.shared(), options, with_intervals=False)
    assert found is not None
    assert found.names == tuple(one.name for one in whole.assessors) == tuple(sorted(NAMES))
    # The same sums in another order: the last digit may differ.
    assert found.together.found.n == together.found.n
    assert found.together.value == pytest.approx(together.value, abs=1e-12)
    mine, whole_interval = found.together.interval, together.interval
    assert mine is not None
    assert whole_interval is not None
    assert (mine.low, mine.high) == pytest.approx((whole_interval.low, whole_interval.high), abs=1e-12)
    # So many topics that the bounds are numbers.
    assert mine.low is not None
    assert (mine.units, mine.undefined) == (whole_interval.units, whole_interval.undefined) == (6, "")
    assert mine.effective == pytest.approx(whole_interval.effective)
    for one, other in zip(found.pairs, pairs, strict=True):
        assert (one.first, one.second, one.table, one.n) == (other.first, other.second, other.table, other.n)
        assert [each.value for each in one.estimates] == [each.value for each in other.estimates]
    assert len(pairs) == 6


def test_of_two_people_the_table_of_what_both_judged_is_left_to_the_whole(database: Database) -> None:
    with database.writing() as db:
        campaign_id = judged(db, NAMES[:2])
    with database.reading() as db:
        assert people_by_topic(db, campaign_id) is None
