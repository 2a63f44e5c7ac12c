"""Repeats, planted pairs and training: shown among the others, recorded as what they are, never holding."""

from __future__ import annotations

import pytest

from tests.workflow.probed import OTHERS, POOLED, probed
from workbench.errors import InvalidInput
from workbench.formats.graded_pairs import GradedPair
from workbench.storage.engine import Database
from workbench.storage.events import current_events
from workbench.storage.tables import KeptAsideRow, PoolRow
from workbench.workflow.agreement.repeats import Against, consistency
from workbench.workflow.desk.desk_work import documents_of, work_of
from workbench.workflow.desk.judging import undo
from workbench.workflow.desk.kept_aside import Settlement, kept_lines, settle
from workbench.workflow.desk.near_duplicates import near_answers
from workbench.workflow.desk.probe_places import PLANTED, REPEAT, TRAINING, Slot
from workbench.workflow.desk.probe_rules import (
    ProbeRules,
    keep_probe_rules,
    known_pairs,
    load_known_answers,
    remove_known_answers,
    rules_of_campaign,
)
from workbench.workflow.desk.worklists import worklist

EVERY_FIFTH = ProbeRules(one_in=5, distance=10)


def test_repeats_are_judged_as_new_and_never_hold(database: Database) -> None:
    with database.writing() as db:
        ada = probed(db)
        keep_probe_rules(db, ada.campaign, EVERY_FIFTH)
        total = ada.task(db).total
        shown = ada.judge_all(db, grade=2)
        # Six blocks of five; in the first two nothing lies ten documents back.
        repeats = [slot for slot in shown if slot.purpose == REPEAT]
        assert len(repeats) == 4
        assert len(shown) == total == 30 + len(repeats)
        assert [slot.docno for slot in shown if slot.purpose == "judging"] == list(POOLED)
        for slot in repeats:
            first = shown.index(Slot(slot.docno))
            between = shown[first + 1 : shown.index(slot)]
            assert sum(one.purpose == "judging" for one in between) >= 10
        held = current_events(db, ada.campaign)
        assert sorted(event.docno for event in held) == sorted(POOLED)
        line = worklist(db, ada.campaign, ada.ada)[0]
        assert (line.judged, line.total, line.done) == (total, total, True)
        found = dict(consistency(db, ada.campaign, rounds=10).assessors[0].found)
        assert (found[Against.REPEAT].n, found[Against.REPEAT].same) == (len(repeats), len(repeats))


def test_an_undo_of_a_repeat_takes_back_the_repeat_only(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        ada = probed(db)
        keep_probe_rules(db, ada.campaign, EVERY_FIFTH)
        while True:
            task = ada.task(db)
            key = task.coming
            assert key is not None
            slot = task.slot(key)
            receipt = ada.say(db, key, 3 if slot.purpose == REPEAT else 0)
            assert receipt.elsewhere is None  # nothing says that it was judged before
            if slot.purpose == REPEAT:
                break
        assert undo(db, ada.assignment, ada.ada, client_id="undo-repeat") == key
        assert ada.task(db).coming == key
        first = next(event for event in current_events(db, ada.campaign) if event.docno == slot.docno)
        assert first.grade == 0
        # What was said instead is what is compared: 0 before, 1 now; not the 3 that was taken back.
        ada.say(db, key, 1)
        report = consistency(db, ada.campaign, graded=True, rounds=10)
        assert [(one.stood, one.said) for one in report.contradictions] == [(0, 1)]


def test_a_change_of_the_rules_touches_nothing_that_was_judged(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        ada = probed(db)
        for docno in POOLED[:20]:
            ada.say(db, docno)
        keep_probe_rules(db, ada.campaign, ProbeRules(one_in=2, distance=3))
        task = ada.task(db)
        assert [task.slot(key) for key in task.order[:20]] == [Slot(docno) for docno in POOLED[:20]]
        # A page from before still sends docnos, and asks by them.
        assert documents_of(db, ada.assignment, ada.ada, ["n20"])[0].document.key == "n20"
        assert ada.say(db, POOLED[20]).outcome == "recorded"
        shown = ada.judge_all(db)
        answered = [slot for slot in shown if slot.purpose == REPEAT]
        assert len(answered) == 5
        keep_probe_rules(db, ada.campaign, ProbeRules())
        after = ada.task(db)
        assert after.coming is None
        assert {after.slot(key) for key in after.order} == {Slot(docno) for docno in POOLED} | set(answered)


def test_planted_pairs_come_once_and_one_in_the_pool_is_judged_as_every_other(
    sqlite_database: Database,
) -> None:
    with sqlite_database.writing() as db:
        ada = probed(db)
        ada.known(db, PLANTED, ("x1", 3), ("x2", 0), ("n05", 3))
        assert known_pairs(db, ada.campaign) == type(known_pairs(db, ada.campaign))(3, 0, 1, 0)
        shown = ada.judge_all(db, grade=3)
        assert len(shown) == 32
        assert {slot for slot in shown if slot.purpose == PLANTED} == {
            Slot("x1", PLANTED),
            Slot("x2", PLANTED),
        }
        assert {event.docno for event in current_events(db, ada.campaign)} == set(POOLED)
        found = dict(consistency(db, ada.campaign, rounds=10).assessors[0].found)
        # x1 and n05 as known, x2 not.
        assert (found[Against.PLANTED].n, found[Against.PLANTED].same) == (3, 2)
        assert remove_known_answers(db, ada.campaign, purpose=PLANTED) == 3
        assert len(ada.task(db).order) == 32


def test_training_comes_first_tells_the_known_grade_and_counts_once(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        ada = probed(db)
        ada.known(db, TRAINING, ("x1", 3), ("x2", 0))
        assert ada.task(db).slot(ada.task(db).order[0]).purpose == "judging"  # not asked for yet
        keep_probe_rules(db, ada.campaign, ProbeRules(training=True))
        task = ada.task(db)
        assert {task.slot(key) for key in task.order[:2]} == {Slot("x1", TRAINING), Slot("x2", TRAINING)}
        assert work_of(db, ada.assignment, ada.ada).training == tuple(task.order[:2])
        key = next(key for key in task.order if task.slot(key).docno == "x1")
        told = ada.say(db, key, 2).feedback
        assert told is not None
        assert (told.grade, told.same, told.why) == (3, False, "why x1")
        # The first answer counts: neither another one nor an undo.
        assert ada.say(db, key, 3).outcome == "kept_aside"
        assert ada.say(db, key, kind="undo").outcome == "kept_aside"
        assert undo(db, ada.assignment, ada.ada, client_id="undo-training") is None
        shown = ada.judge_all(db)
        assert [slot.purpose for slot in shown].count(TRAINING) == 1
        assert {event.docno for event in current_events(db, ada.campaign)} == set(POOLED)


def test_who_has_begun_is_not_trained(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        ada = probed(db)
        ada.say(db, "n00")
        ada.known(db, TRAINING, ("x1", 3))
        keep_probe_rules(db, ada.campaign, ProbeRules(training=True))
        assert work_of(db, ada.assignment, ada.ada).training == ()


def test_a_pool_with_a_queue_has_no_probes(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        ada = probed(db)
        keep_probe_rules(db, ada.campaign, EVERY_FIFTH)
        db.query(PoolRow).one().per_pair = 1
        db.flush()
        assert ada.task(db).slots == {}
        db.query(PoolRow).one().per_pair = None
        assert ada.task(db).slots != {}


def test_nothing_is_said_of_near_duplicates_of_a_probe(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        ada = probed(db)
        keep_probe_rules(db, ada.campaign, EVERY_FIFTH)
        ada.judge_all(db)
        task = ada.task(db)
        probes = [key for key in task.order if task.slot(key).purpose == REPEAT]
        assert near_answers(db, ada.assignment, ada.ada, probes) == {}


def test_a_probe_kept_aside_is_recorded_as_a_probe(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        ada = probed(db)
        keep_probe_rules(db, ada.campaign, EVERY_FIFTH)
        task = ada.task(db)
        key = next(key for key in task.order if task.slot(key).purpose == REPEAT)
        docno = task.slot(key).docno
        assert ada.say(db, key, 9).outcome == "kept_aside"  # no grade of the scale
        kept = db.query(KeptAsideRow).one()
        kept.answer = dict(kept.answer) | {"grade": 1}
        assert kept_lines(db, ada.campaign)[0].docno == docno
        settle(db, ada.campaign, kept.id, ada.made.organiser, settlement=Settlement.RECORDED)
        assert ada.events(db) == [(docno, REPEAT, "grade")]


@pytest.mark.parametrize("rules", [ProbeRules(one_in=1), ProbeRules(one_in=1001), ProbeRules(distance=0)])
def test_what_is_no_rate_is_refused(sqlite_database: Database, rules: ProbeRules) -> None:
    with sqlite_database.writing() as db:
        ada = probed(db)
        with pytest.raises(InvalidInput):
            keep_probe_rules(db, ada.campaign, rules)
        assert rules_of_campaign(db, ada.campaign) == ProbeRules()


def test_known_answers_that_cannot_be_are_refused_all_at_once(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        ada = probed(db)
        wrong = [("T9", "x1", 1), ("T1", "x1", 7), ("T1", "nowhere", 1)]
        answers = [GradedPair(topic, docno, grade, "", 2) for topic, docno, grade in wrong]
        with pytest.raises(InvalidInput) as refused:
            load_known_answers(db, ada.campaign, answers, purpose=PLANTED, source="k")
        assert [one.code for one in refused.value.findings] == ["unknown-topic", "grade", "no-text"]
        assert known_pairs(db, ada.campaign).planted == 0
        ada.known(db, PLANTED, *((docno, 1) for docno in OTHERS))
        again = [GradedPair("T1", "x1", 1, "why x1", 2), GradedPair("T1", "x2", 2, "why x2", 3)]
        loaded = load_known_answers(db, ada.campaign, again, purpose=PLANTED, source="k")
        assert (loaded.added, loaded.changed, loaded.unchanged) == (0, 1, 1)
