"""Taking out of a pool what was added by hand."""

from __future__ import annotations

import pytest

from tests.builders import pooled_campaign
from tests.workflow.pools.test_additions import add, given
from workbench.errors import Conflict, NotFound
from workbench.records import Answer
from workbench.storage.engine import Database
from workbench.workflow.judging.judging import record, undo
from workbench.workflow.pools.additions import add_by_hand
from workbench.workflow.pools.listing import pool_report
from workbench.workflow.pools.pool_pairs import pool_entries
from workbench.workflow.pools.pooling import make_pool
from workbench.workflow.pools.taken_out import answered_additions, take_out, taken_out


def test_an_addition_is_taken_out_as_long_as_nobody_said_anything_of_it(database: Database) -> None:
    with database.writing() as db:
        made, report = pooled_campaign(db)
        campaign_id, ada = made.campaign.id, made.accounts["Ada"]
        task = given(db, made, report)
        add(db, made, "d6", "é5")
        record(db, task, ada, docno="é5", answer=Answer.UNSURE, grade=None, client_id="an-answer-1")
        undo(db, task, ada, client_id="an-undo-1")
        take_out(db, campaign_id, "depth 2", topic="T1", docno="d6", by=made.organiser)
        assert pool_report(db, campaign_id, "depth 2").pool.pairs == 7
        assert answered_additions(db, campaign_id, "depth 2", topic="T1") == {"é5"}
        for docno, wrong, said in (
            ("é5", Conflict, "has been judged"),
            ("d1", NotFound, "not added by hand"),
            ("d6", NotFound, "not added by hand"),
        ):
            with pytest.raises(wrong, match=said):
                take_out(db, campaign_id, "depth 2", topic="T1", docno=docno)


def test_what_was_taken_out_leaves_who_when_which_and_why(database: Database) -> None:
    with database.writing() as db:
        made, _ = pooled_campaign(db)
        campaign_id = made.campaign.id
        make_pool(db, campaign_id, parameters={"depth": 1}, name="plan", draft=True)
        for docnos, reason in (({"d6": 1}, "seen"), ({"é5": 1}, "it names the quay")):
            by = made.accounts["Ada"]
            add_by_hand(db, campaign_id, "plan", topic="T1", docnos=docnos, reason=reason, added_by=by)
        added = {one.docno: one.added for one in pool_entries(db, campaign_id, "plan") if one.added}
        take_out(db, campaign_id, "plan", topic="T1", docno="é5", by=made.organiser)
        take_out(db, campaign_id, "plan", topic="T1", docno="d6")
    with database.reading() as db:
        first, second = taken_out(db, campaign_id, "plan", topic="T1")
        assert (first.topic, first.docno, first.added, first.by) == ("T1", "é5", added["é5"], "Olga")
        assert (first.added.by, first.added.reason) == ("Ada", "it names the quay")
        assert (second.docno, second.by) == ("d6", "")  # from the terminal
        assert added["é5"].at <= first.at <= second.at
        assert taken_out(db, campaign_id, "plan", topic="T2") == ()
        kept = pool_report(db, campaign_id, "plan").recipe["taken_out"]
        assert [one["docno"] for one in kept] == ["é5", "d6"]
