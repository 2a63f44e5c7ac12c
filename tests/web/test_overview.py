from __future__ import annotations

import io
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import update

from tests.assigned import assign
from tests.builders import invite
from tests.cast import Cast
from tests.uploads import check_files, import_judgments, keep_all, links, text_of, upload, upload_runs
from workbench.pooling.strategies import PoolRecipe
from workbench.records import BINARY, Answer, Topic
from workbench.storage.engine import Database
from workbench.storage.tables import AssignmentRow, JudgmentEventRow, RunRow
from workbench.workflow.adjudication.decisions import Decision, DecisionSubmission, decide
from workbench.workflow.campaigns.campaigns import create_campaign
from workbench.workflow.campaigns.collection import load_topics
from workbench.workflow.judging.assignments import assignments_of, revoke
from workbench.workflow.judging.record import record
from workbench.workflow.judging.submission import Submission
from workbench.workflow.people.membership import Role, assessors_of
from workbench.workflow.pools.making import make_pool
from workbench.workflow.runs.store import add_runs


def to_do(page: str) -> list[tuple[str, str]]:
    """The label and the address of everything that needs attention."""
    listed = page.partition('<ul class="todo">')[2].partition("</ul>")[0]
    return re.findall(r'<span class="pill[^"]*">([^<]+)</span>.*?<a href="([^"]+)">', listed, re.DOTALL)


def next_step(page: str) -> list[str]:
    """The address of the one dark button."""
    return re.findall(r'<a class="button primary" href="([^"]+)">', page)


def six_topics(database: Database, cast: Cast) -> None:
    """Add four topics to the two of the campaign, so that there can be intervals over topics."""
    with database.writing() as db:
        more = [Topic(f"T{number}", "more") for number in range(3, 7)]
        load_topics(db, cast.campaign_id, more, source="topics")


def bounds(coefficients: dict[str, Any]) -> list[str]:
    """The bounds of the pooled kappa, as they are written."""
    interval = coefficients["pooled"]["interval"]
    return [f"{interval[end]:.2f}".replace("-", "−") for end in ("low", "high")]


def test_it_names_the_campaign_its_topics_and_its_scale(olga: FlaskClient) -> None:
    text = text_of(olga.get("/c/harbour/").text)
    assert "Harbour 2 topics, grades 0 to 3, relevant from 2" in text


def test_the_steps_count_runs_pairs_and_answers(olga: FlaskClient) -> None:
    # The cast's pool has six pairs of the largest possible eight; two assessors have all of it.
    text = text_of(olga.get("/c/harbour/").text)
    assert "Runs 2" in text
    assert "Pool 6 pairs depth 2, 75 %" in text
    assert "0 of 6 pairs are judged. 12 of 12 judgments are left: 0.1 hours at 30 s each" in text
    assert "Agreement –" in text


def test_agreement_is_that_of_people_and_machines_are_marked(olga: FlaskClient) -> None:
    # X and Y on four pairs, relevant from 2: both, X alone, neither twice. Observed 3/4; relevant are 3 of
    # the 8 grades, so expected is (3/8)^2 + (5/8)^2 = 34/64, and kappa (48 - 34) / (64 - 34) = 0.467.
    said = (("d1", "3", "2"), ("d2", "3", "0"), ("d/4", "0", "0"), ("d6", "1", "1"))
    import_judgments(olga, [("T1", d, "X", x) for d, x, _ in said] + [("T1", d, "Y", y) for d, _, y in said])
    import_judgments(olga, [("T1", d, "robot", "0") for d, _, _ in said], machine="yes")
    page = text_of(olga.get("/c/harbour/").text)
    # Of one topic there is no interval, and so no kappa.
    assert "Agreement too uncertain 4 pairs judged twice, too few topics for an interval" in page
    assert "0.47" not in page
    assert "robot machine" in page
    assert "X – 4 –" in page
    assert "Disputed 2 50 % of 4 pairs judged twice" in page


def test_the_disputed_share_is_of_pairs_judged_twice_and_kappa_has_its_pairs_and_interval(
    olga: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    # Of 24 pairs X and Y agree on 11 relevant and 11 not, and on one each of the others has it alone:
    # observed 22/24, half of all grades relevant, so expected 1/2 and kappa (22/24 - 1/2) / (1/2) = 0.833.
    # X alone judged 16 more: 2 of 24 are disputed, not 2 of 40. Six topics have two relevant documents each.
    six_topics(sqlite_database, cast)
    both = [(n, "3" if n < 12 else "0", "3" if n < 11 or n == 22 else "0") for n in range(24)]
    rows = [(f"T{1 + n % 6}", f"b{n}", who, grade) for n, x, y in both for who, grade in (("X", x), ("Y", y))]
    rows += [("T1", f"a{n}", "X", "0") for n in range(16)]
    import_judgments(olga, [*rows, ("T2", "d1", "X", "unsure")])
    page = olga.get("/c/harbour/").text
    text = text_of(page)
    assert "Disputed 2 8 % of 24 pairs judged twice" in text
    low, high = bounds(olga.get("/c/harbour/agreement/report.json").get_json()["coefficients"])
    assert f"κ 0.83 {low} to {high}, pooled, 24 pairs; too uncertain" in text
    # What is unsure stands under the name, not after it.
    assert "X 1 unsure – 40 –" in text
    assert re.search(r'>X</bdi>\s*<div class="small muted">1 unsure</div>', page)
    assert "Y – 24 –" in text


def test_an_undefined_agreement_says_why(olga: FlaskClient) -> None:
    import_judgments(olga, [("T1", "d1", who, "0") for who in ("X", "Y")])
    text = text_of(olga.get("/c/harbour/").text)
    assert "undefined everyone gave the same grade, so agreement by chance is already 1" in text
    assert "nan" not in text.lower()


def test_a_new_campaign_is_led_from_step_to_step(
    olga: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    with sqlite_database.writing() as db:
        made = create_campaign(db, name="New", scale=BINARY, organiser=cast.accounts["Olga"].id)
    page = olga.get("/c/new/").text
    assert to_do(page) == [("First", "/c/new/set-up")]
    assert next_step(page) == ["/c/new/set-up"]
    with sqlite_database.writing() as db:
        load_topics(db, made.id, [Topic("1", "one")], source="topics")
    assert to_do(olga.get("/c/new/").text) == [("Next", "/c/new/set-up")]
    run = upload("a.txt", "1 Q0 d1 1 2.0 a\n")
    keep_all(olga, check_files(olga, run, campaign="new"))
    assert to_do(olga.get("/c/new/").text) == [("Next", "/c/new/pools")]
    pool = olga.post("/c/new/pools", data={"depth": "5", "ties": "trec_eval", "run": ["a"]})
    assert pool.status_code == 303
    assert to_do(olga.get("/c/new/").text) == [("Next", f"{pool.location}/open")]
    assert olga.post(f"{pool.location}/open").status_code == 303
    page = olga.get("/c/new/").text
    assert to_do(page) == [("Missing", "/c/new/documents"), ("Assessors", "/c/new/people")]
    assert "1 pooled document" in text_of(page)


def test_what_needs_somebody_until_the_release_has_one_line_and_one_link_each(
    olga: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    # Ada and Ben have six pairs each since six days ago. Ada judged her last one five days ago, Ben none.
    # Both graded d2 of T1, differently; an adjudicator has returned d1. Gamma came after the pool with one
    # document of two that nobody pooled; delta is received, and an invitation was never accepted.
    now = datetime.now(UTC)
    with sqlite_database.writing() as db:
        db.execute(update(AssignmentRow).values(assigned_at=now - timedelta(days=6, hours=1)))
        ada = cast.assignments["Ada", "T1"]
        for docno, grade in (("d1", 1), ("d2", 2)):
            sent = Submission(docno, f"of-ada-{docno}", answer=Answer.GRADE, grade=grade, active_ms=30_000)
            record(db, ada, cast.accounts["Ada"].id, sent)
        db.execute(update(JudgmentEventRow).values(recorded_at=now - timedelta(days=5, hours=1)))
        invite(db, cast.campaign_id, role=Role.ADJUDICATOR, invited_by=cast.accounts["Olga"].id)
    import_judgments(olga, [("T1", "d2", "X", "0"), ("T1", "d1", "X", "3")])
    with sqlite_database.writing() as db:
        back = DecisionSubmission(Decision.BACK, "back-of-the-test", reason="read it again")
        decide(db, cast.campaign_id, cast.accounts["Olga"].id, ("T1", "d1"), back)
    upload_runs(olga, gamma={"T1": ["d1", "nobody-pooled-it"]})
    checked = check_files(olga, upload("epsilon.txt", "T1 Q0 d1 1 2.0 epsilon\n"))
    page = olga.get("/c/harbour/").text
    found = dict(to_do(page))
    assert found.keys() == {"Not added", "Invited", "Slow", "Holes", "Disputes", "Discussion"}
    assert found["Not added"] == checked
    assert found["Slow"] == "/c/harbour/assignments/reminders"
    assert found["Holes"] == "/c/harbour/runs/holes?tag=gamma"
    assert found["Disputes"] == "/c/harbour/adjudication"
    assert found["Discussion"] == "/c/harbour/adjudication?state=back"
    assert next_step(page) == ["/c/harbour/assignments/reminders"]
    assert found["Invited"] == "/c/harbour/people"
    text = text_of(page)
    assert "Ben : not started, 6 days after the assignment; 6 pairs in 2 topics left." in text
    assert "Ada : no judgment for 5 days; 4 pairs in 2 topics left." in text
    assert "Run gamma came after the pool: 50 % of its first 10 (1 of 2 pairs) is neither pooled nor" in text
    assert "1 disputed pair not decided yet." in text
    assert "1 pair is with their assessors for discussion." in text
    assert "1 invitation not accepted yet." in text
    assert "1 checked file is not added as runs." in text


def test_the_pace_and_the_end_follow_from_the_judgments_of_the_last_week(
    olga: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    # 30 documents for Ada and Ben. Ada has judged 20 of them at 30 s each, two days ago: 10 a day.
    # 40 judgments are left of these and 12 of the cast's pool: 5.2 days, 0.4 hours.
    docnos = [f"n{n:02}" for n in range(30)]
    upload_runs(olga, gamma={"T1": docnos})
    now = datetime.now(UTC)
    with sqlite_database.writing() as db:
        pool = make_pool(db, cast.campaign_id, PoolRecipe(parameters={"depth": 30}, tags=["gamma"])).pool
        people = [one.id for one in assessors_of(db, cast.campaign_id)]
        assign(db, pool.id, topics=["T1"], assessor_ids=people)
        lines = assignments_of(db, cast.campaign_id)
        ada = next(one.id for one in lines if one.assessor == "Ada" and one.pool == pool.name)
        for docno in docnos[:20]:
            sent = Submission(docno, f"of-ada-{docno}", answer=Answer.GRADE, grade=1, active_ms=30_000)
            record(db, ada, cast.accounts["Ada"].id, sent)
        db.execute(update(JudgmentEventRow).values(recorded_at=now - timedelta(days=2)))
    text = text_of(olga.get("/c/harbour/").text)
    assert "52 of 72 judgments are left: 0.4 hours at 30 s each (the median of 20 timed answers)." in text
    end = now + timedelta(days=5.2)
    assert f"At 10 a day, judging ends about {end.day} {end:%B %Y}" in text
    assert "Ada 20 of 36 20 30" in text


def test_only_runs_that_can_be_pooled_are_counted(
    olga: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    with sqlite_database.writing() as db:
        made = create_campaign(db, name="New", scale=BINARY, organiser=cast.accounts["Olga"].id)
        load_topics(db, made.id, [Topic("1", "one")], source="topics")
        runs = [(f"{tag}.txt", io.BytesIO(f"1 Q0 {tag} 1 2.0 {tag}\n".encode())) for tag in "abc"]
        add_runs(db, made.id, runs)
        verdicts = update(RunRow).where(RunRow.campaign_id == made.id)
        db.execute(verdicts.where(RunRow.tag == "b").values(verdict="received"))
        db.execute(verdicts.where(RunRow.tag == "c").values(verdict="set_aside"))
    page = olga.get("/c/new/").text
    assert to_do(page) == [("Next", "/c/new/pools"), ("Received", "/c/new/runs?verdict=received")]
    assert "1 run can be pooled" in text_of(page)
    with sqlite_database.writing() as db:
        db.execute(verdicts.values(verdict="received"))
    page = olga.get("/c/new/").text
    assert to_do(page) == [("Next", "/c/new/runs")]
    assert "3 runs received, none accepted" in text_of(page)


def disagreeing(olga: FlaskClient, agreed: tuple[int, ...]) -> None:
    """X finds the odd ones of sixty documents of six topics relevant, Y the even ones and these as X does."""
    both = [(n, "3" if n % 2 else "0", "3" if n % 2 == (n in agreed) else "0") for n in range(60)]
    import_judgments(
        olga, [(f"T{1 + n // 10}", f"x{n}", who, g) for n, x, y in both for who, g in (("X", x), ("Y", y))]
    )


def test_low_agreement_and_odd_answers_need_the_organiser(
    olga: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    # They agree on two of the sixty, one relevant and one not: observed 1/30, half of all grades relevant, so
    # kappa 2/30 - 1 = -0.933.
    six_topics(sqlite_database, cast)
    disagreeing(olga, agreed=(3, 14))
    import_judgments(olga, [("T2", "d1", "X", "unsure"), ("T2", "d2", "Y", "cannot_judge")])
    page = olga.get("/c/harbour/").text
    (pair,) = olga.get("/c/harbour/agreement/report.json").get_json()["pairs"]
    low, high = bounds(pair["coefficients"])
    said = f"Pooled κ −0.93 ({low} to {high}) between X and Y on 60 pairs that both judged."
    assert said in text_of(page)
    assert [label for label, _ in to_do(page)] == ["Low agreement", "Disputes", "Unsure", "Cannot judge"]
    assert olga.get(links(page, "agreement/pair")[0]).status_code == 200
    assert "1 answer “unsure”" in text_of(page)
    assert "1 answer “cannot judge”" in text_of(page)
    assert "T2 d1 X unsure" in text_of(olga.get(links(page, "answer=unsure")[0]).text)


def test_a_low_kappa_that_may_be_chance_needs_nobody(
    olga: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    # The same in two topics of the six alone: of so few nobody knows how low it is.
    six_topics(sqlite_database, cast)
    said = [(n, "3" if n % 2 else "0", "0" if n % 2 else "3") for n in range(20)]
    rows = [(f"T{1 + n // 10}", f"x{n}", who, g) for n, x, y in said for who, g in (("X", x), ("Y", y))]
    import_judgments(olga, rows)
    assert [label for label, _ in to_do(olga.get("/c/harbour/").text)] == ["Disputes"]
    # They agree in all of three topics and in none of the others: a kappa of 0 whose interval is wide.
    disagreeing(olga, agreed=tuple(range(30)))
    page = olga.get("/c/harbour/").text
    (pair,) = olga.get("/c/harbour/agreement/report.json").get_json()["pairs"]
    kappa = pair["coefficients"]["pooled"]
    assert kappa["value"] == pytest.approx(0, abs=1e-12)
    assert kappa["interval"]["high"] > 0.4
    assert [label for label, _ in to_do(page)] == ["Disputes"]
    assert next_step(page) == ["/c/harbour/adjudication"]


def test_when_all_is_judged_a_release_is_next(
    olga: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    with sqlite_database.writing() as db:
        for assignment in cast.assignments.values():
            revoke(db, cast.campaign_id, assignment)
    pairs = [(topic, docno) for topic in ("T1", "T2") for docno in ("d1", "d2", "d/4")]
    import_judgments(olga, [(topic, docno, "X", "2") for topic, docno in pairs])
    assert to_do(olga.get("/c/harbour/").text) == [
        ("Ready", "/c/harbour/qrels"),
        ("Next", "/c/harbour/releases/new"),
    ]
    assert next_step(olga.get("/c/harbour/").text) == ["/c/harbour/releases/new"]
    made = olga.post("/c/harbour/releases/new?rule=majority", data={"version": "1.0", "title": "Harbour"})
    assert made.status_code == 303
    assert to_do(olga.get("/c/harbour/").text) == [("Release", "/c/harbour/releases/v/1.0")]
    assert olga.post("/c/harbour/releases/v/1.0/publish").status_code == 303
    assert to_do(olga.get("/c/harbour/").text) == []
    assert next_step(olga.get("/c/harbour/").text) == []


def test_an_illustrative_campaign_is_marked(olga: FlaskClient, cast: Cast, sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        create_campaign(db, name="Shown", scale=BINARY, organiser=cast.accounts["Olga"].id, illustrative=True)
    assert olga.get("/c/shown/").text.count("illustrative") == 1


def test_titles_and_names_of_any_script_are_escaped_and_find_their_direction(
    olga: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    title = "متى يكون المد عالياً <script>alert(1)</script> " + "طويل " * 60
    with sqlite_database.writing() as db:
        load_topics(db, cast.campaign_id, [Topic("T3", title)], source="topics")
    import_judgments(olga, [("T3", "d1", "نورا <i>", "1")])
    for address in ("/c/harbour/", "/c/harbour/topics", "/c/harbour/topics/topic?topic=T3"):
        page = olga.get(address).text
        assert "<script>alert" not in page
        assert "<i>" not in page.replace('<i class="swatch', "")
        assert 'dir="auto">متى' in page
    assert 'dir="auto">نورا &lt;i&gt;' in olga.get("/c/harbour/").text
