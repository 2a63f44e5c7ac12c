"""Pairs sent back to their assessors: who sees them, what is kept, when they return."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from tests.builders import account
from tests.workflow.adjudication.disputed import AGREED, FAR, NEAR, Disputed, disputed_campaign
from workbench.errors import Conflict, InvalidInput, NotFound, WorkbenchError
from workbench.records import Answer
from workbench.storage import Session
from workbench.storage.events import append_events
from workbench.storage.tables import JudgmentEventRow
from workbench.workflow.adjudication.decisions import Decision, undo
from workbench.workflow.adjudication.discussions import discuss, discussion, discussions, mark_read
from workbench.workflow.adjudication.disputes import dispute_queue, disputed_pair
from workbench.workflow.adjudication.queue import State
from workbench.workflow.adjudication.rules import AdjudicationRules, save_adjudication_rules
from workbench.workflow.judging.submission import Passage, Submission
from workbench.workflow.people.membership import Role, add_role, remove_role


def state(db: Session, one: Disputed, pair: tuple[str, str]) -> State:
    return next(line.state for line in dispute_queue(db, one.id).lines if line.pair == pair)


def test_nobody_else_sees_a_discussion_and_no_other_pair_is_shown(db: Session) -> None:
    one = disputed_campaign(db)
    one.decide(db, FAR, Decision.BACK)
    cleo = account(db, "Cleo")
    add_role(db, one.id, cleo, Role.ASSESSOR)
    for who, pair in (
        (cleo, FAR),
        (one.judith, FAR),
        (one.made.accounts["Ada"], NEAR),
        (one.made.accounts["Ada"], AGREED),
    ):
        with pytest.raises(NotFound):
            discussion(db, one.id, who, pair)
    assert discussions(db, one.id, cleo) == ()
    # Who is no assessor any more is not asked, and is not waited for.
    remove_role(db, one.id, one.made.accounts["Ben"], Role.ASSESSOR)
    with pytest.raises(NotFound):
        discussion(db, one.id, one.made.accounts["Ben"], FAR)
    one.discuss(db, "Ada", FAR, 1)
    assert state(db, one, FAR) is State.OPEN


def test_a_discussion_ends_when_the_pair_is_decided_or_taken_back(db: Session) -> None:
    one = disputed_campaign(db)
    ada = one.made.accounts["Ada"]
    one.decide(db, FAR, Decision.BACK)
    undo(db, one.id, one.judith, client_id="undo-number-1")
    assert discussions(db, one.id, ada) == ()
    one.decide(db, FAR, Decision.BACK)
    one.decide(db, FAR, 2)
    with pytest.raises(NotFound, match="no longer"):
        one.discuss(db, "Ada", FAR, 2)
    # Sent back once more, it waits for answers once more.
    one.decide(db, NEAR, Decision.BACK)
    one.discuss(db, "Ada", NEAR, 2, "first round")
    one.discuss(db, "Ben", NEAR, 3)
    one.decide(db, NEAR, Decision.BACK)
    assert state(db, one, NEAR) is State.BACK
    # What was said in the round before is still there.
    one.discuss(db, "Ada", NEAR, 1)
    voices = disputed_pair(db, one.id, NEAR, one.judith).opinions
    assert [voice.earlier for voice in voices] == [("first round",), ()]


def test_an_answer_sent_twice_is_one_and_names_are_hidden_by_the_setting(db: Session) -> None:
    one = disputed_campaign(db)
    save_adjudication_rules(db, one.id, AdjudicationRules(names_hidden=True))
    one.decide(db, FAR, Decision.BACK)
    ada = one.made.accounts["Ada"]
    assert {voice.name for voice in discussion(db, one.id, ada, FAR).opinions} == {"A", "B"}

    def say(grade: int) -> bool:
        said = Submission(FAR[1], "one-and-only", answer=Answer.GRADE, grade=grade)
        return discuss(db, one.id, ada, FAR[0], said)

    assert (say(2), say(2)) == (True, False)
    with pytest.raises(Conflict):
        say(3)
    with pytest.raises(WorkbenchError, match="9 is not a grade"):
        one.discuss(db, "Ada", FAR, 9)
    with pytest.raises(WorkbenchError, match="SHA-256"):
        Submission(FAR[1], "another-one", answer=Answer.UNSURE, shown_sha256="x" * 65)


def test_what_was_marked_and_ticked_before_stays_with_the_answer_that_holds(db: Session) -> None:
    one = disputed_campaign(db)
    marked = db.scalars(
        select(JudgmentEventRow).where(
            JudgmentEventRow.assessor_id == one.made.assessors["Ada"], JudgmentEventRow.docno == "d1",
            JudgmentEventRow.topic == "T1",
        )
    ).one()  # fmt: skip
    row = {column.name: getattr(marked, column.name) for column in JudgmentEventRow.__table__.columns}
    del row["id"]
    append_events(
        db, [row | {"client_id": "with-evidence", "evidence": [[0, 4, "Text"]], "ratings": {"clear": 2}}]
    )
    one.decide(db, FAR, Decision.BACK)
    one.discuss(db, "Ada", FAR, 3)
    (voice,) = (v for v in disputed_pair(db, one.id, FAR, one.judith).opinions if v.name == "Ada")
    assert voice.now.evidence == (Passage(0, 4, "Text"),)
    latest = db.get_one(JudgmentEventRow, voice.event_id)
    assert (latest.purpose, latest.ratings) == ("discussion", {"clear": 2})


def test_new_answers_are_hidden_until_all_have_answered_and_then_counted_until_they_are_read(
    db: Session,
) -> None:
    one = disputed_campaign(db)
    ada, ben = one.made.accounts["Ada"], one.made.accounts["Ben"]
    one.decide(db, FAR, Decision.BACK)
    one.discuss(db, "Ada", FAR, 2, "the table says so")
    # Ben sees what Ada said before; of her new answer only that there is one.
    seen = discussion(db, one.id, ben, FAR)
    assert [(voice.name, voice.now.grade, voice.before) for voice in seen.opinions] == [
        ("Ada", 0, None),
        ("Ben", 3, None),
    ]
    assert (seen.hidden, seen.latest) == (1, 0)
    assert [(line.answered, line.replied) for line in discussions(db, one.id, ben)] == [(False, False)]
    one.discuss(db, "Ben", FAR, 3)
    for who, theirs in ((ada, 3), (ben, 2)):
        (line,) = discussions(db, one.id, who)
        assert (line.answered, line.replied, line.waiting) == (True, True, True)
        seen = discussion(db, one.id, who, FAR)
        assert [voice.now.grade for voice in seen.opinions if not voice.mine] == [theirs]
        mark_read(db, one.id, who, FAR, latest=seen.latest)
        assert not discussions(db, one.id, who)[0].waiting
    # Who changes the answer once more is heard again.
    one.discuss(db, "Ben", FAR, 2)
    assert discussions(db, one.id, ada)[0].replied
    with pytest.raises(NotFound):
        mark_read(db, one.id, one.judith, FAR, latest=1)


def test_in_turn_a_reply_is_seen_and_counted_at_once(db: Session) -> None:
    one = disputed_campaign(db)
    save_adjudication_rules(db, one.id, AdjudicationRules(blind_discussion=False, reasons_required=True))
    ada, ben = one.made.accounts["Ada"], one.made.accounts["Ben"]
    one.decide(db, FAR, Decision.BACK)
    with pytest.raises(InvalidInput, match="needs a reason"):
        one.discuss(db, "Ada", FAR, 2, " ")
    one.discuss(db, "Ada", FAR, 2, "the table says so")
    seen = discussion(db, one.id, ben, FAR)
    assert (seen.opinions[0].now.grade, seen.hidden) == (2, 0)
    assert discussions(db, one.id, ben)[0].replied
    assert not discussions(db, one.id, ada)[0].replied
