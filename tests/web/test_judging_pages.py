"""The desk: its forms by themselves, what it shows and never shows, and that nothing is doubled."""

from __future__ import annotations

import re
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import delete, select, update

from tests.cast import Cast
from workbench.storage.engine import Database
from workbench.storage.tables import DocumentRow, JudgmentEventRow, KeptAsideRow, PoolRow
from workbench.web.pages.judging.my_topics import REASONS
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.judging.assignments import revoke
from workbench.workflow.people.membership import Role, add_role, remove_role


def fields(page: str, form: str = "answers") -> dict[str, str]:
    """The hidden fields of a form, as a browser sends them back."""
    found = re.search(rf'<form class="{form}".*?</form>', page, re.DOTALL)
    assert found is not None
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', found[0]))


def shown(page: str) -> str:
    """The docno on the desk."""
    found = re.search(r'<div class="strip">\s*<span class="mono" dir="auto">(.*?)</span>', page)
    return found[1] if found else ""


def events(database: Database) -> list[tuple[str, str, int | None]]:
    with database.reading() as db:
        rows = db.execute(
            select(JudgmentEventRow.docno, JudgmentEventRow.answer, JudgmentEventRow.grade).order_by(
                JudgmentEventRow.id
            )
        ).all()
    return [(docno, answer, grade) for docno, answer, grade in rows]


def test_an_answer_without_scripts_leads_to_the_next_document(
    ada: FlaskClient, desk: str, sqlite_database: Database
) -> None:
    page = ada.get(desk).text
    first = shown(page)
    answer = ada.post(f"{desk}/answer", data=fields(page) | {"answer": "2", "active_ms": "1500"})

    assert (answer.status_code, answer.location) == (303, desk)
    page = ada.get(desk).text
    assert shown(page) != first
    assert "<b>1</b> of 3" in page
    with sqlite_database.reading() as db:
        (event,) = db.scalars(select(JudgmentEventRow)).all()
        kept = db.scalar(select(DocumentRow.sha256).where(DocumentRow.docno == first))
    assert (event.docno, event.answer, event.grade) == (first, "grade", 2)
    assert (event.active_ms, event.position, event.document_sha256) == (1500, 1, kept)


def test_the_same_form_sent_twice_is_recorded_once(
    ada: FlaskClient, desk: str, sqlite_database: Database
) -> None:
    form = fields(ada.get(desk).text) | {"answer": "3"}
    for _ in range(3):
        assert ada.post(f"{desk}/answer", data=form).status_code == 303
    assert len(events(sqlite_database)) == 1


def test_every_form_has_an_id_of_its_own(ada: FlaskClient, desk: str) -> None:
    ids = set()
    for _ in range(3):
        page = ada.get(desk).text
        ids |= {fields(page)["client_id"], fields(page, "undo")["client_id"]}
    assert len(ids) == 6


def test_undo_leads_back_to_the_document(ada: FlaskClient, desk: str, sqlite_database: Database) -> None:
    page = ada.get(desk).text
    first = shown(page)
    assert "disabled>Undo" in page
    page = ada.post(f"{desk}/answer", data=fields(page) | {"answer": "1"}, follow_redirects=True).text
    back = ada.post(f"{desk}/undo", data=fields(page, "undo"))

    assert back.status_code == 303
    assert shown(ada.get(back.location).text) == first
    assert [answer for _, answer, _ in events(sqlite_database)] == ["grade", "withdrawn"]


def test_an_undo_sent_twice_withdraws_one_answer(
    ada: FlaskClient, desk: str, sqlite_database: Database
) -> None:
    page = ada.get(desk).text
    for _ in range(2):
        page = ada.post(f"{desk}/answer", data=fields(page) | {"answer": "1"}, follow_redirects=True).text
    form = fields(page, "undo")
    for _ in range(2):
        assert ada.post(f"{desk}/undo", data=form).status_code == 303
    assert [answer for _, answer, _ in events(sqlite_database)].count("withdrawn") == 1


def test_unsure_and_cannot_judge_are_answers_without_a_grade(
    ada: FlaskClient, desk: str, sqlite_database: Database
) -> None:
    page = ada.get(desk).text
    page = ada.post(f"{desk}/answer", data=fields(page) | {"answer": "unsure"}, follow_redirects=True).text
    broken = fields(page) | {"answer": "cannot_judge", "reason": REASONS[0].value}
    page = ada.post(f"{desk}/answer", data=broken, follow_redirects=True).text
    blank = fields(page) | {"answer": "cannot_judge", "reason": "  "}
    page = ada.post(f"{desk}/answer", data=blank, follow_redirects=True).text
    page = ada.post(f"{desk}/undo", data=fields(page, "undo"), follow_redirects=True).text
    own_words = fields(page) | {"answer": "cannot_judge", "reason": " a table of\0 contents "}
    page = ada.post(f"{desk}/answer", data=own_words, follow_redirects=True).text

    assert [(answer, grade) for _, answer, grade in events(sqlite_database)] == [
        *(("unsure", None), ("cannot_judge", None), ("cannot_judge", None)),
        *(("withdrawn", None), ("cannot_judge", None)),
    ]
    with sqlite_database.reading() as db:
        reasons = db.scalars(select(JudgmentEventRow.reason).order_by(JudgmentEventRow.id)).all()
    assert reasons == ["", "broken", "other", "", "a table of\ufffd contents"]
    assert "0 graded, 1 unsure, 2 that cannot be judged" in " ".join(page.split())
    assert "Review unsure answers" in page


def test_answers_can_be_looked_at_and_changed(ada: FlaskClient, desk: str, sqlite_database: Database) -> None:
    page = ada.get(desk).text
    first = shown(page)
    page = ada.post(f"{desk}/answer", data=fields(page) | {"answer": "unsure"}, follow_redirects=True).text
    ada.post(f"{desk}/answer", data=fields(page) | {"answer": "3"})

    page = ada.get(f"{desk}/answers").text
    assert page.count(">Change</a>") == 2
    page = ada.get(f"{desk}/answers?only=unsure").text
    (change,) = re.findall(r'href="([^"]*\?docno=[^"]*)">Change', page)
    page = ada.get(change).text
    assert shown(page) == first
    assert 'value="unsure" aria-pressed="true"' in page
    ada.post(f"{desk}/answer", data=fields(page) | {"answer": "0"})
    assert events(sqlite_database)[-1] == (first, "grade", 0)


def test_one_can_look_ahead_and_back_without_judging(
    ada: FlaskClient, desk: str, sqlite_database: Database
) -> None:
    seen, address = [], desk
    for _ in range(3):
        page = ada.get(address, follow_redirects=True).text
        seen.append(shown(page))
        following = re.search(r'id="next" href="([^"]*)"', page)
        address = following[1] if following else ""
    assert sorted(seen) == ["d/4", "d1", "d2"]
    assert address == ""
    assert events(sqlite_database) == []


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"answer": "9"}, 422),
        ({"answer": ""}, 422),
        ({"answer": "-1"}, 422),
        ({"answer": "relevant"}, 422),
        ({"answer": "1" * 30}, 422),
        ({"docno": ""}, 404),
        ({"client_id": ""}, 422),
        ({"client_id": "x" * 65}, 422),
        ({"shown_sha256": "no hash"}, 422),
    ],
)
def test_a_form_that_was_tampered_with_records_nothing(
    ada: FlaskClient, desk: str, sqlite_database: Database, change: dict[str, str], status: int
) -> None:
    form = fields(ada.get(desk).text) | {"answer": "1"} | change
    assert ada.post(f"{desk}/answer", data=form).status_code == status
    assert events(sqlite_database) == []


def test_a_strange_time_is_no_time(ada: FlaskClient, desk: str, sqlite_database: Database) -> None:
    for active in ("-5", "1e9", "x", "9" * 40, ""):
        form = fields(ada.get(desk).text) | {"answer": "1", "active_ms": active}
        assert ada.post(f"{desk}/answer", data=form).status_code == 303
        ada.post(f"{desk}/undo", data=fields(ada.get(desk).text, "undo"))
    with sqlite_database.reading() as db:
        assert set(db.scalars(select(JudgmentEventRow.active_ms))) == {None}


def test_nobody_judges_at_the_desk_of_another(enter: Any, cast: Cast, desk: str, ada: FlaskClient) -> None:
    form = fields(ada.get(desk).text) | {"answer": "1"}
    ben = enter("Ben")
    assert ben.get(desk).status_code == 404
    assert ben.get(f"{desk}/answers").status_code == 404
    assert ben.post(f"{desk}/answer", data=form).status_code == 404
    assert ben.post(f"{desk}/undo", data=form).status_code == 404


def test_a_desk_belongs_to_one_campaign(ada: FlaskClient, cast: Cast, sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        elsewhere = campaign_by_slug(db, "elsewhere")
        add_role(db, elsewhere.id, cast.accounts["Ada"].id, Role.ASSESSOR)
    desk = f"/c/elsewhere/judge/{cast.assignments['Ada', 'T1']}"
    assert ada.get("/c/elsewhere/judge").status_code == 200
    assert ada.get(desk).status_code == 404
    assert ada.get(f"{desk}/answers").status_code == 404
    assert ada.post(f"{desk}/answer", data={"answer": "1", "docno": "d1"}).status_code == 404
    assert ada.post(f"{desk}/undo", data={"client_id": "12345678"}).status_code == 404


def test_an_assessor_sees_no_run_no_rank_and_no_colleague(enter: Any, cast: Cast, desk: str) -> None:
    ben_desk = f"/c/harbour/judge/{cast.assignments['Ben', 'T1']}"
    ben = enter("Ben")
    page = ben.get(ben_desk).text
    for _ in range(3):
        page = ben.post(f"{ben_desk}/answer", data=fields(page) | {"answer": "3"}, follow_redirects=True).text
    ada = enter("Ada")
    pages = [ada.get(path).text for path in ("/", "/c/harbour/judge", desk, f"{desk}/answers")]
    pages.append(
        ada.post(f"{desk}/answer", data=fields(pages[2]) | {"answer": "0"}, follow_redirects=True).text
    )
    for page in pages:
        for hidden in ("alpha", "beta", "Ben", "Olga", "best_rank", "brought"):
            assert hidden not in page
    assert 'aria-pressed="true"' not in pages[2]


def test_a_missing_text_is_said_plainly(ada: FlaskClient, desk: str, sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        db.execute(delete(DocumentRow))
    page = ada.get(desk).text
    assert "The text of this document is not loaded" in page
    assert ada.post(f"{desk}/answer", data=fields(page) | {"answer": "cannot_judge"}).status_code == 303
    with sqlite_database.reading() as db:
        assert db.scalar(select(JudgmentEventRow.document_sha256)) is None


def test_a_document_without_a_title_is_headed_by_its_docno(
    ada: FlaskClient, desk: str, sqlite_database: Database
) -> None:
    with sqlite_database.writing() as db:
        db.execute(update(DocumentRow).values(title=" ", text="<p>x</p><script>alert(1)</script>"))
    page = ada.get(desk).text
    assert f"<h2>{shown(page)}</h2>" in page
    assert "alert(1)" not in page


def test_a_closed_pool_can_be_read_and_not_judged(
    ada: FlaskClient, desk: str, sqlite_database: Database
) -> None:
    page = ada.get(desk).text
    with sqlite_database.writing() as db:
        db.execute(update(PoolRow).values(closed_at=db.scalar(select(PoolRow.created_at))))
    page_after = ada.post(f"{desk}/answer", data=fields(page) | {"answer": "1"}, follow_redirects=True).text
    assert "Your answer came too late and was not recorded: this pool is closed." in page_after
    page = ada.get(desk).text
    assert len(re.findall(r'<button class="grade[^>]* disabled>', page)) == 4
    assert "closed" in ada.get("/c/harbour/judge").text


def test_a_form_sent_after_the_topic_was_taken_back_is_stored_and_its_sender_told(
    ada: FlaskClient, desk: str, cast: Cast, sqlite_database: Database
) -> None:
    forms = []
    for answer in ("1", "2", "unsure"):
        forms.append(fields(ada.get(desk).text) | {"answer": answer})
        if answer == "1":
            ada.post(f"{desk}/answer", data=forms[0])
    with sqlite_database.writing() as db:
        revoke(db, cast.campaign_id, cast.assignments["Ada", "T1"])
    # What was recorded before is recognised, nothing is said of it.
    assert "too late" not in ada.post(f"{desk}/answer", data=forms[0], follow_redirects=True).text
    told = ada.post(f"{desk}/answer", data=forms[1], follow_redirects=True)
    assert "Your answer came too late and was not recorded: this is no longer assigned to you." in told.text
    assert "stored for the organiser" in told.text
    with sqlite_database.writing() as db:
        remove_role(db, cast.campaign_id, cast.accounts["Ada"].id, Role.ASSESSOR)
    told = ada.post(f"{desk}/answer", data=forms[2] | {"reason": "torn"}, follow_redirects=True)
    assert "no longer an assessor of this campaign" in told.text
    with sqlite_database.reading() as db:
        stored = [row.answer for row in db.scalars(select(KeptAsideRow).order_by(KeptAsideRow.id))]
    assert [(one["docno"], one["answer"], one["grade"], one["reason"]) for one in stored] == [
        (forms[1]["docno"], "grade", 2, ""),
        (forms[2]["docno"], "unsure", None, "torn"),
    ]
    assert len(events(sqlite_database)) == 1


def test_the_guidelines_and_the_scale_stand_beside_the_document(ada: FlaskClient, desk: str) -> None:
    page = ada.get(desk).text
    assert "<h3>How to judge</h3>" in page
    assert 'rel="noopener noreferrer"' in page
    for label in ("Not relevant", "Related", "Relevant", "Highly relevant"):
        assert f'<span dir="auto">{label}</span>' in page
    assert "Only tables of the harbour." in page
    assert page.count("Relevant from here up.") == 1


def test_an_organiser_who_judges_is_warned_that_answers_are_to_be_independent(
    ada: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    warning = "Judge a topic before you look at its judgments"
    assert warning not in ada.get("/c/harbour/judge").text
    with sqlite_database.writing() as db:
        add_role(db, cast.campaign_id, cast.accounts["Ada"].id, Role.ORGANISER)
    assert warning in ada.get("/c/harbour/judge").text
