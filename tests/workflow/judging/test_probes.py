"""Repeats, planted pairs and training: shown among the others, recorded as what they are, never holding."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session

from tests.workflow.judging.probed import OTHERS, POOLED, Probed, probed
from workbench.agreement.options import AgreementOptions
from workbench.errors import InvalidInput, NotFound
from workbench.formats.graded_pairs import GradedPair, write_probe_answers
from workbench.storage.engine import Database
from workbench.storage.events import PLANTED, REPEAT, TRAINING, current_events
from workbench.storage.tables import CampaignRow, DocumentRow, KeptAsideRow, PoolRow
from workbench.workflow.agreement.probe_answers import Against, probe_json, probe_lines
from workbench.workflow.agreement.self_consistency import consistency
from workbench.workflow.judging.desk_view import documents_of, work_of
from workbench.workflow.judging.near_duplicates import keep_sketches, missing_sketches, near_duplicates_in
from workbench.workflow.judging.quality_checks import CheckRules, check_rules_of
from workbench.workflow.judging.quality_settings import (
    known_pairs,
    load_known_answers,
    remove_known_answers,
    save_check_rules,
)
from workbench.workflow.judging.record import undo_last
from workbench.workflow.judging.task import Slot
from workbench.workflow.judging.trainees import trainees
from workbench.workflow.judging.training import TrainingRound, pass_mark, waive_training
from workbench.workflow.judging.unrecorded import Settlement, settle, unrecorded_lines
from workbench.workflow.judging.worklists import answers, worklist

EVERY_FIFTH = CheckRules(one_in=5, distance=10)


def test_repeats_are_judged_as_new_and_never_hold(db: Session) -> None:
    ada = probed(db)
    save_check_rules(db, ada.campaign, EVERY_FIFTH)
    total = ada.task(db).total
    shown = ada.judge_all(db, grade=2)
    # Six blocks of five; while nothing lies ten documents back it is owed, and comes later.
    repeats = [slot for slot in shown if slot.purpose == REPEAT]
    assert len(repeats) == 6
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
    # The list of own answers does not tell what was repeated: one line a document.
    assert sorted(one.docno for one in answers(db, ada.assignment, ada.ada)) == sorted(POOLED)
    found = dict(consistency(db, ada.campaign, AgreementOptions()).assessors[0].found)
    assert (found[Against.REPEAT].n, found[Against.REPEAT].same) == (len(repeats), len(repeats))


def test_an_undo_of_a_repeat_takes_back_the_repeat_only(db: Session) -> None:
    ada = probed(db)
    save_check_rules(db, ada.campaign, EVERY_FIFTH)
    while True:
        task = ada.task(db)
        key = task.coming
        assert key is not None
        slot = task.slot(key)
        receipt = ada.say(db, key, 3 if slot.purpose == REPEAT else 0)
        assert receipt.elsewhere is None  # nothing says that it was judged before
        if slot.purpose == REPEAT:
            break
    assert undo_last(db, ada.assignment, ada.ada, client_id="undo-repeat") == key
    assert ada.task(db).coming == key
    first = next(event for event in current_events(db, ada.campaign) if event.docno == slot.docno)
    assert first.grade == 0
    # What was said first is what is compared, 3 against 0: nobody becomes consistent by a second look.
    ada.say(db, key, 0)
    report = consistency(db, ada.campaign, AgreementOptions(graded=True))
    assert [(one.stood, one.given) for one in report.contradictions] == [(0, 3)]
    assert report.changed_later == 1


def test_a_change_of_the_rules_touches_nothing_that_was_judged(db: Session) -> None:
    ada = probed(db)
    for docno in POOLED[:20]:
        ada.say(db, docno)
    save_check_rules(db, ada.campaign, CheckRules(one_in=2, distance=3))
    task = ada.task(db)
    assert [task.slot(key) for key in task.order[:20]] == [Slot(docno) for docno in POOLED[:20]]
    # A page from before still sends docnos, and asks by them.
    assert documents_of(db, ada.assignment, ada.ada, ["n20"])[0].document.key == "n20"
    assert ada.say(db, POOLED[20]).outcome == "recorded"
    shown = ada.judge_all(db)
    answered = [slot for slot in shown if slot.purpose == REPEAT]
    assert len(answered) == 5
    save_check_rules(db, ada.campaign, CheckRules())
    after = ada.task(db)
    assert after.coming is None
    assert {after.slot(key) for key in after.order} == {Slot(docno) for docno in POOLED} | set(answered)


def test_planted_pairs_come_once_and_one_in_the_pool_is_judged_as_every_other(db: Session) -> None:
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
    found = dict(consistency(db, ada.campaign, AgreementOptions()).assessors[0].found)
    # x1 and n05 as known, x2 not.
    assert (found[Against.PLANTED].n, found[Against.PLANTED].same) == (3, 2)
    assert remove_known_answers(db, ada.campaign, purpose=PLANTED) == 3
    assert len(ada.task(db).order) == 32


def test_training_comes_first_tells_the_known_grade_and_counts_once(db: Session) -> None:
    ada = probed(db)
    # n05 she is to judge: training would show its grade just before.
    ada.known(db, TRAINING, ("x1", 3), ("x2", 0), ("n05", 3))
    assert ada.task(db).slot(ada.task(db).order[0]).purpose == "judging"  # not asked for yet
    save_check_rules(db, ada.campaign, CheckRules(training=True))
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
    assert undo_last(db, ada.assignment, ada.ada, client_id="undo-training") is None
    shown = ada.judge_all(db)
    assert [slot.purpose for slot in shown].count(TRAINING) == 1
    assert {event.docno for event in current_events(db, ada.campaign)} == set(POOLED)


def round_of_training(db: Session, ada: Probed, *grades: int) -> TrainingRound | None:
    """Answer the open round in the order of docnos; gives what the last receipt says of the round."""
    task = ada.task(db)
    keys = {task.slot(key).docno: key for key in task.order if key not in task.answers}
    receipts = [ada.say(db, key, grade) for (_, key), grade in zip(sorted(keys.items()), grades, strict=True)]
    assert {receipt.outcome for receipt in receipts} == {"recorded"}
    assert [receipt.elsewhere for receipt in receipts] == [None] * len(receipts)
    told = [receipt.feedback for receipt in receipts]
    assert [one.round for one in told[:-1] if one] == [None] * (len(told) - 1)
    assert told[-1] is not None
    return told[-1].round


@pytest.fixture
def trainee(sqlite_database: Database) -> Iterator[tuple[Session, Probed]]:
    """Ada before three training pairs with grades 3, 0, 1, of which 60 % (so two) open the work."""
    with sqlite_database.writing() as db:
        ada = probed(db)
        ada.known(db, TRAINING, ("x1", 3), ("x2", 0), ("x3", 1))
        save_check_rules(db, ada.campaign, CheckRules(training=True, least=60))
        yield db, ada


def test_the_work_opens_with_the_share_that_is_asked_for(trainee: tuple[Session, Probed]) -> None:
    db, ada = trainee
    task, work = ada.task(db), work_of(db, ada.assignment, ada.ada)
    assert [task.slot(key).purpose for key in task.order] == [TRAINING] * 3
    assert (task.total, work.total, len(work.order)) == (33, 33, 3)
    assert not worklist(db, ada.campaign, ada.ada)[0].done
    # One of three is right: the training comes again, and the first round stays as it was said.
    assert round_of_training(db, ada, 3, 3, 3) == TrainingRound(1, right=1, answered=3, total=3, needed=2)
    task = ada.task(db)
    assert [task.slot(key).round for key in task.order] == [1, 1, 1, 2, 2, 2]
    assert (len(task.answers), task.total) == (3, 36)
    assert round_of_training(db, ada, 3, 0, 0) == TrainingRound(2, right=2, answered=3, total=3, needed=2)
    task = ada.task(db)
    assert (task.gate, len(task.order), task.total) == (None, 36, 36)
    assert [slot.docno for slot in ada.judge_all(db)] == list(POOLED)
    assert [purpose for _, purpose, _ in ada.events(db)] == [TRAINING] * 6 + ["judging"] * 30
    # What was said after the right grades had been told measures nothing.
    found = dict(consistency(db, ada.campaign, AgreementOptions(graded=True)).assessors[0].found)
    assert (found[Against.TRAINING].n, found[Against.TRAINING].same) == (3, 1)


def test_answers_to_probes_are_written_with_what_they_are_compared_with(db: Session) -> None:
    ada = probed(db)
    ada.known(db, TRAINING, ("x1", 3), ("x2", 0))
    ada.known(db, PLANTED, ("x3", 2), ("n05", 3))
    save_check_rules(db, ada.campaign, CheckRules(one_in=5, distance=10, training=True, least=100))
    round_of_training(db, ada, 3, 1)
    round_of_training(db, ada, 3, 0)
    shown = ada.judge_all(db, grade=1)
    lines = list(probe_lines(db, ada.campaign))
    rounds = [(one.docno, one.round, one.given[:2], one.known) for one in lines[:4]]
    assert sorted(rounds) == [
        ("x1", 1, ("grade", 3), 3), ("x1", 2, ("grade", 3), 3),
        ("x2", 1, ("grade", 1), 0), ("x2", 2, ("grade", 0), 0),
    ]  # fmt: skip
    repeats = [slot.docno for slot in shown if slot.purpose == REPEAT]
    assert [one.docno for one in lines if one.purpose == REPEAT] == repeats
    assert all(one.first and one.first[:2] == ("grade", 1) for one in lines if one.purpose == REPEAT)
    planted = {one.docno: (one.judged, one.given[1], one.known) for one in lines if one.purpose == PLANTED}
    assert planted == {"x3": (False, 1, 2), "n05": (True, 1, 3)}
    written = [line.decode().rstrip("\n").split("\t") for line in write_probe_answers(lines)]
    assert {len(line) for line in written} == {14}
    row = dict(zip(written[0], written[1], strict=True))
    assert (row["assessor"], row["machine"], row["purpose"], row["round"]) == ("Ada", "no", "training", "1")
    assert (row["first_answer"], row["first_at"]) == ("", "")
    again = probe_json(lines[-1])
    assert again["said"]["recorded_at"] == written[-1][12]


def test_behind_the_training_nothing_can_be_read_or_judged_and_no_answer_is_lost(
    trainee: tuple[Session, Probed],
) -> None:
    db, ada = trainee
    gate = ada.task(db).gate
    assert gate is not None
    assert len(gate.withheld) == 30
    for asked in (next(iter(gate.withheld)), "n00"):
        with pytest.raises(NotFound):
            documents_of(db, ada.assignment, ada.ada, [asked])
        receipt = ada.say(db, asked)
        assert (receipt.outcome, receipt.why) == ("kept_aside", "the training of this topic comes first")
    assert ada.events(db) == []
    assert unrecorded_lines(db, ada.campaign)[1].docno == "n00"


def test_whoever_is_let_through_begins_and_keeps_what_was_answered(trainee: tuple[Session, Probed]) -> None:
    db, ada = trainee
    # What Ada judges in the pool is no pair that she trains with, here as at her desk.
    ada.known(db, TRAINING, ("n00", 2))
    (before,) = trainees(db, ada.campaign)
    assert (before.begun, before.last, before.now.needed, before.now.total) == (False, None, 2, 3)
    round_of_training(db, ada, 0, 3, 0)
    late = ada.task(db).order[3]
    ada.say(db, late, 0)
    (waits,) = trainees(db, ada.campaign)
    assert waits.last is not None
    assert (waits.assessor, waits.topic, waits.last.right, waits.now.answered) == ("Ada", "T1", 0, 1)
    unsent = ada.task(db).order[4]
    waive_training(db, ada.campaign, waits.assignment_id, by=ada.made.organiser)
    waive_training(db, ada.campaign, waits.assignment_id, by=ada.made.organiser)
    assert len(db.get_one(CampaignRow, ada.campaign).desk_rules["let_through"]) == 1
    assert [one.waived for one in trainees(db, ada.campaign)] == [True]
    task = ada.task(db)
    assert [task.slot(key).purpose for key in task.order] == [TRAINING] * 4 + ["judging"] * 30
    # One more answer of the training was on its way: it arrives, and says nothing of a round.
    receipt = ada.say(db, unsent, 0)
    assert (receipt.outcome, receipt.feedback and receipt.feedback.round) == ("recorded", None)
    ada.judge_all(db)
    assert trainees(db, ada.campaign) == ()
    with pytest.raises(NotFound):
        waive_training(db, ada.campaign, waits.assignment_id + 1)


def test_a_known_answer_that_is_put_right_decides_anew_until_the_work_is_begun(
    trainee: tuple[Session, Probed],
) -> None:
    db, ada = trainee
    round_of_training(db, ada, 3, 1, 0)
    assert ada.task(db).gate is not None
    ada.known(db, TRAINING, ("x2", 1))
    task = ada.task(db)
    assert (task.gate, len(task.order)) == (None, 33)
    assert task.coming is not None
    ada.say(db, task.coming)
    ada.known(db, TRAINING, ("x2", 0))
    assert ada.task(db).gate is None


@pytest.mark.parametrize(
    ("total", "least", "needed"), [(5, 70, 4), (10, 70, 7), (3, 100, 3), (3, 1, 1), (3, None, 0)]
)
def test_a_share_is_rounded_up(total: int, least: int | None, needed: int) -> None:
    # 3.5 of 5; 7 of 10; 3 of 3; .03 of 3.
    assert pass_mark(total, least) == needed


def test_who_has_begun_is_not_trained(db: Session) -> None:
    ada = probed(db)
    ada.say(db, "n00")
    ada.known(db, TRAINING, ("x1", 3))
    save_check_rules(db, ada.campaign, CheckRules(training=True))
    assert work_of(db, ada.assignment, ada.ada).training == ()


def test_a_pool_with_a_queue_has_no_probes(db: Session) -> None:
    ada = probed(db)
    save_check_rules(db, ada.campaign, EVERY_FIFTH)
    db.query(PoolRow).one().per_pair = 1
    db.flush()
    assert ada.task(db).slots == {}
    db.query(PoolRow).one().per_pair = None
    assert ada.task(db).slots != {}


def test_nothing_is_said_of_near_duplicates_of_a_probe(db: Session) -> None:
    ada = probed(db)
    save_check_rules(db, ada.campaign, EVERY_FIFTH)
    ada.judge_all(db)
    task = ada.task(db)
    probes = [key for key in task.order if task.slot(key).purpose == REPEAT]
    assert probes
    db.execute(update(DocumentRow).values(text="The same text of six words.", sha256="0" * 64))
    keep_sketches(db, ada.assignment, ada.ada, missing_sketches(db, ada.assignment, ada.ada))
    assert near_duplicates_in(db, ada.task(db), probes) == {}
    others = near_duplicates_in(db, ada.task(db), task.order)
    assert len(others) == len(POOLED)
    assert not {key for near in others.values() for key, _ in near} & set(probes)


def test_a_probe_kept_aside_is_recorded_as_a_probe(db: Session) -> None:
    ada = probed(db)
    save_check_rules(db, ada.campaign, EVERY_FIFTH)
    task = ada.task(db)
    key = next(key for key in task.order if task.slot(key).purpose == REPEAT)
    docno = task.slot(key).docno
    assert ada.say(db, key, 9).outcome == "kept_aside"  # no grade of the scale
    kept = db.query(KeptAsideRow).one()
    kept.answer = dict(kept.answer) | {"grade": 1}
    assert unrecorded_lines(db, ada.campaign)[0].docno == docno
    settle(db, ada.campaign, kept.id, ada.made.organiser, settlement=Settlement.RECORDED)
    assert ada.events(db) == [(docno, REPEAT, "grade")]


@pytest.mark.parametrize(
    "rules",
    [CheckRules(one_in=1), CheckRules(one_in=1001), CheckRules(distance=0), CheckRules(least=101)],
)
def test_what_is_no_rate_is_refused(rules: CheckRules, db: Session) -> None:
    ada = probed(db)
    with pytest.raises(InvalidInput):
        save_check_rules(db, ada.campaign, rules)
    assert check_rules_of(db, ada.campaign) == CheckRules()


def test_known_answers_that_cannot_be_are_refused_all_at_once(db: Session) -> None:
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
