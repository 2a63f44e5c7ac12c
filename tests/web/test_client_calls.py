"""The methods of the client, one noun after the other, against the application in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flask import Flask

from tests.api import token_of
from tests.cast import Cast
from tests.searches import stored_search
from tests.servers import WholeAnswers, served_here
from workbench.client import ApiError, CampaignClient, Client
from workbench.storage.engine import Database
from workbench.workflow.adjudication.discussions import discussions
from workbench.workflow.judging.desk_rules import save_allows_search
from workbench.workflow.searching.joining import add_found
from workbench.workflow.searching.searches import Searcher

Of = Callable[[str], CampaignClient]
POOL = "depth 2"
"""The pool of the cast: d1, d2 and d/4 of T1 and of T2."""


@pytest.fixture
def of(app: Flask, sqlite_database: Database, cast: Cast) -> Iterator[Of]:
    """The campaign of the cast as the program of somebody sees it."""
    with served_here(WholeAnswers(app)) as address:
        yield lambda name: Client(address, token_of(sqlite_database, cast.accounts[name])).campaign(cast.slug)


def table(folder: Path, *lines: str) -> Path:
    """A file of these lines."""
    file = folder / "file.tsv"
    file.write_text("".join(f"{line}\n" for line in lines))
    return file


def judged(of: Of, cast: Cast, **grades: int) -> None:
    """Let assessors grade d1 of T1, whose grades differ where these do."""
    for name, grade in grades.items():
        receipt = of(name).judge(cast.assignments[name, "T1"], "d1", grade)
        assert receipt["outcome"] == "recorded", receipt


def test_a_draft_is_renamed_rebuilt_and_deleted(of: Of) -> None:
    olga = of("Olga")
    olga.make_pool(parameters={"depth": 3}, name="Deeper", draft=True)
    assert olga.rename_pool("Deeper", "Deepest")["name"] == "Deepest"
    assert olga.add_pairs("Deepest", "T2", ["d6"], reason="I know of it.")["added"] == ["d6"]
    rebuilt = olga.rebuild_pool("Deepest")
    # To depth 3 T1 has d#3 besides, T2 é5; what was added stays.
    assert (rebuilt["pool"]["pairs"], rebuilt["entered"], rebuilt["kept"]) == (9, 0, 1)
    olga.remove_pair("Deepest", "T2", "d6")
    assert olga.pool("Deepest")["pairs"] == 8
    olga.delete_pool("Deepest")
    assert [one["name"] for one in olga.pools()] == [POOL]


def test_a_pool_becomes_a_queue_and_no_queue_again(of: Of, cast: Cast) -> None:
    olga = of("Olga")
    made = olga.make_queue(POOL, 1, lease_minutes=30)
    # Both have the topics already: six pairs, one judgment each.
    assert (made["pairs"], made["needed"], made["lease_minutes"]) == (6, 6, 30)
    assert olga.give_queue(POOL, ["Ada"]) == 0
    of("Ada").work(cast.assignments["Ada", "T1"])
    out = olga.queue(POOL)["out"]
    assert {(one["assessor"], one["topic"], one["abandoned"]) for one in out} == {("Ada", "T1", False)}
    assert olga.return_to_queue(POOL, assessor="Ada", topic="T1", docno=out[0]["docno"]) == 1
    assert olga.return_to_queue(POOL, assessor="Ben") == 0
    assert olga.return_to_queue(POOL) == len(out) - 1
    with pytest.raises(ApiError) as alone:
        olga.return_to_queue(POOL, docno="d1")
    assert alone.value.codes == ("docno",)
    assert olga.end_queue(POOL) == 0
    with pytest.raises(ApiError) as none:
        olga.queue(POOL)
    assert none.value.status == 409


def test_invitations_are_renewed_and_withdrawn(of: Of) -> None:
    olga = of("Olga")
    (made,) = olga.invite(["Ida"], role="viewer")
    (renewed,) = olga.renew_invitations([made["invitation"]])
    assert (renewed["person"], renewed["link"] == made["link"]) == ("Ida", False)
    assert olga.withdraw_invitations([made["invitation"]]) == 1
    assert [one["state"] for one in olga.invitations()] == ["withdrawn"]


def test_people_get_and_lose_roles_and_assignments(of: Of, cast: Cast) -> None:
    olga = of("Olga")
    assert olga.add_role("vera", "assessor")["roles"] == ["assessor", "viewer"]
    olga.remove_role("vera", "assessor")
    assert [one["roles"] for one in olga.people() if one["login"] == "vera"] == [["viewer"]]
    olga.revoke(cast.assignments["Ben", "T2"])
    assert len(list(olga.assignments())) == 3


def test_a_disputed_pair_is_sent_back_to_those_who_judged_it(
    of: Of, sqlite_database: Database, cast: Cast
) -> None:
    judged(of, cast, Ada=1, Ben=3)
    judith = of("Judith")
    assert of("Olga").change_dispute_rules(blind_discussion=False)["difference"] == "any"
    assert judith.dispute_rules()["blind_discussion"] is False
    (dispute,) = judith.disputes()["pairs"]
    assert [(one["assessor"], one["grade"]) for one in dispute["answers"]] == [("Ada", 1), ("Ben", 3)]
    assert judith.send_back("T1", "d1", reason="Look at the table.")["recorded"]
    with sqlite_database.reading() as db:
        (line,) = discussions(db, cast.campaign_id, cast.accounts["Ada"].id)
    assert (line.docno, line.answered) == ("d1", False)


def test_the_latest_decision_is_withdrawn(of: Of, cast: Cast) -> None:
    judged(of, cast, Ada=1, Ben=3)
    judith = of("Judith")
    assert judith.withdraw_decision() == {"topic": None, "docno": None}
    judith.decide("T1", "d1", 2, reason="It is in between.")
    assert judith.withdraw_decision() == {"topic": "T1", "docno": "d1"}
    assert judith.disputes()["counts"]["open"] == 1


def test_what_a_rule_settles_is_reported(of: Of, cast: Cast) -> None:
    judged(of, cast, Ada=1, Ben=3)
    of("Ada").judge(cast.assignments["Ada", "T1"], "d2", 2)
    report = of("Vera").qrels_report("upper-median")
    # Both have graded d1, where 3 is the higher, and Ada d2.
    assert (report["lines"], report["by_grade"]["2"], report["by_grade"]["3"]) == (2, 1, 1)


def test_a_pool_is_planned_as_it_is_made(of: Of) -> None:
    olga = of("Olga")
    plan = olga.plan_pool(parameter=["depth=3"], per_pair=2)
    # To depth 3 four documents of each topic; 16 judgments of 30 s are 8 minutes.
    assert plan["by_depth"] == {"1": 3}
    assert (plan["pairs"], plan["certainty"], plan["seconds_from"]) == (8, "exact", "assumed")
    assert plan["hours"] == pytest.approx(16 * 30 / 3600)
    assert olga.make_pool(parameters={"depth": 3}, draft=True)["pairs"] == plan["pairs"]
    assert olga.plan_pool(run=["alpha"], parameter=["depth=1"])["pairs"] == 2
    with pytest.raises(ApiError) as refused:
        olga.plan_pool(parameter=["depth"])
    assert refused.value.codes == ("parameter",)


def test_a_late_run_shows_its_holes_and_has_them_filled(of: Of, cast: Cast) -> None:
    judged(of, cast, Ada=1)
    olga = of("Olga")
    holes = olga.holes("beta")
    # beta has d2, d/4, d1, d6 of T1, of which d1 is judged, and d/4, d2 of T2.
    assert (holes["topics"][0]["retrieved"], sum(holes["unjudged"][-1:])) == (4, 5)
    filled = olga.fill_holes("beta", 10)
    # Of these only d6 of T1 is in no open pool; Ada has judged the topic.
    assert (filled["pool"]["pairs"], filled["assigned"], filled["unassigned"]) == (1, 1, 0)


def test_a_sample_says_what_the_pools_may_have_missed(of: Of) -> None:
    olga = of("Olga")
    assert (olga.missed()["topics"], olga.missed()["of_topics"]) == ([], 2)
    drawn = olga.draw_missed(POOL, 2, topics=["T1"], seed=7)
    # Six documents, of which three of T1 are pooled.
    assert drawn["collection"] == 6
    (topic,) = drawn["topics"]
    assert (topic["topic"], topic["unpooled"], len(topic["new"])) == ("T1", 3, 2)
    (line,) = olga.missed()["topics"]
    assert (line["drawn"], line["judged"], line["seed"]) == (2, 0, 7)


def test_what_only_searching_found_is_told(of: Of, sqlite_database: Database, cast: Cast) -> None:
    who = Searcher(cast.campaign_id, "T1", cast.accounts["Olga"].id)
    with sqlite_database.writing() as db:
        number = stored_search(db, who, ["d1", "é5"])
        # No run has é5 for T1; d1 is pooled already.
        add_found(db, who, number, POOL, ["d1", "é5"])
    report = of("Olga").found_by_search()
    (document,) = report["documents"]
    assert (document["docno"], document["rank"], document["by"], document["relevant"]) == (
        "é5",
        2,
        "Olga",
        None,
    )
    assert [(one["topic"], one["no_run"], one["judged"]) for one in report["topics"]] == [("T1", 1, 0)]
    assert [(one["by"], one["no_run"]) for one in report["people"]] == [("Olga", 1)]


def test_an_organiser_searches_and_adds_what_was_found(of: Of, sqlite_database: Database, cast: Cast) -> None:
    olga = of("Olga")
    with pytest.raises(ApiError) as forbidden:
        olga.search("T1", "text")
    assert forbidden.value.status == 409
    with sqlite_database.writing() as db:
        save_allows_search(db, cast.campaign_id, True)
    found = olga.search("T1", "title d6", among="new")
    # Six documents, of which each has the word “title”; nobody has judged any.
    assert (found["documents"], found["found"], found["more"]) == (6, 6, False)
    (hit,) = [one for one in found["hits"] if one["docno"] == "d6"]
    assert (hit["rank"], hit["title"], hit["pooled"]) == (1, "Title of d6", False)
    assert olga.add_hits(found["search"], POOL, ["d6", "d1"])["added"] == ["d6"]
    again = olga.shown_search(found["search"])
    assert [one["pooled"] for one in again["hits"] if one["docno"] == "d6"] == [True]
    with pytest.raises(ApiError) as empty:
        olga.search("T1")
    assert empty.value.codes == ("query",)
    with pytest.raises(ApiError) as nowhere:
        olga.search("T9", "text")
    assert nowhere.value.status == 404
