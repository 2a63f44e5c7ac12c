"""The queue of a large campaign, which shows the influence on the ranking once that is computed."""

from __future__ import annotations

import pytest

from tests.cast import Cast
from tests.web.conftest import Enter
from tests.web.test_adjudication import DESK, QUEUE, SAID, say_all
from workbench.storage.engine import Database
from workbench.workflow.adjudication import influence
from workbench.workflow.adjudication.decisions import Decision, DecisionSubmission, decide
from workbench.workflow.adjudication.disputes import Waiting, dispute_queue
from workbench.workflow.jobs import JobState, latest


@pytest.fixture(autouse=True)
def said(sqlite_database: Database, cast: Cast) -> None:
    """Three disputes."""
    with sqlite_database.writing() as db:
        say_all(db, cast)


def test_the_influence_of_a_large_campaign_is_computed_beside_its_queue(
    enter: Enter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(influence, "SMALL_LINES", 0)
    judith, step = enter("Judith"), f"{QUEUE}/influence?order=influence"
    page = judith.get(QUEUE).text
    assert step in page
    assert "the largest difference comes first" in page
    assert "it could reorder" not in page
    assert "has been computed" in judith.get(step).text
    page = judith.get(QUEUE).text
    assert step not in page
    assert "it could reorder" in page
    assert enter("Ada").get(step).status_code == 403


def test_the_desk_has_an_order_computed_that_stays_while_pairs_are_decided(
    enter: Enter, sqlite_database: Database, cast: Cast
) -> None:
    judith = enter("Judith")
    with sqlite_database.reading() as db:
        assert latest(db, cast.campaign_id, influence.JOB) is None
    assert judith.get(DESK).status_code == 200
    with sqlite_database.reading() as db:
        job = latest(db, cast.campaign_id, influence.JOB)
        assert job is not None
        computed = dispute_queue(db, cast.campaign_id, waiting=Waiting.DESK).influence_at
    assert job.state is JobState.DONE
    judith.get(DESK)
    with sqlite_database.reading() as db:
        assert dispute_queue(db, cast.campaign_id, waiting=Waiting.DESK).influence_at == computed


def test_the_queue_says_what_the_open_disputes_could_change_alone_and_together(
    enter: Enter, sqlite_database: Database, cast: Cast
) -> None:
    judith = enter("Judith")
    page = " ".join(judith.get(QUEUE).text.split())
    # Of the three disputes that on d1, of which both runs have a place of their own, swaps the two runs.
    assert "3 disputed pairs need a decision." in page
    assert (
        "1 of them could change the order of two runs; all together could change it for at most 1 of "
        "1 pair of runs." in page
    )
    with sqlite_database.writing() as db:
        for number, (topic, docno) in enumerate(SAID):
            if SAID[topic, docno] != (1, 1):
                done = DecisionSubmission(Decision.GRADE, f"{number}-of-the-queue-decided", grade=1)
                decide(db, cast.campaign_id, cast.accounts["Judith"].id, (topic, docno), done)
    page = " ".join(judith.get(QUEUE).text.split())
    assert "No disputed pair is left to decide.</b> 3 pairs are decided.</p>" in page
