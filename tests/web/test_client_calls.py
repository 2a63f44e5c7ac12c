"""The methods of the client, one noun after the other, against the application in this process."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flask import Flask

from tests.api import token_of
from tests.cast import Cast
from tests.servers import WholeAnswers, served_here
from workbench.client import ApiError, CampaignClient, Client
from workbench.storage.engine import Database
from workbench.workflow.adjudication.discussions import discussions
from workbench.workflow.judging.desk_rules import save_allows_search

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
    assert olga.call("pools.rename", pool="Deeper", name="Deepest")["name"] == "Deepest"
    assert olga.call("pools.add_pairs", pool="Deepest", topic="T2", docnos=["d6"], reason="I know of it.")[
        "added"
    ] == ["d6"]
    rebuilt = olga.call("pools.rebuild", pool="Deepest")
    # To depth 3 T1 has d#3 besides, T2 é5; what was added stays.
    assert (rebuilt["pool"]["pairs"], rebuilt["entered"], rebuilt["kept"]) == (9, 0, 1)
    olga.call("pools.remove_pair", pool="Deepest", topic="T2", docno="d6")
    assert olga.call("pools.show", pool="Deepest")["pairs"] == 8
    olga.call("pools.remove", pool="Deepest")
    assert [one["name"] for one in olga.call("pools.index")] == [POOL]


def test_a_pool_becomes_a_queue_and_no_queue_again(of: Of, cast: Cast) -> None:
    olga = of("Olga")
    made = olga.call("queues.make", pool=POOL, per_pair=1, lease_minutes=30)
    # Both have the topics already: six pairs, one judgment each.
    assert (made["pairs"], made["needed"], made["lease_minutes"]) == (6, 6, 30)
    assert olga.call("queues.give", pool=POOL, assessors=["Ada"])["count"] == 0
    of("Ada").call("judging.show", assignment_id=cast.assignments["Ada", "T1"])
    out = olga.call("queues.show", pool=POOL)["out"]
    assert {(one["assessor"], one["topic"], one["abandoned"]) for one in out} == {("Ada", "T1", False)}
    assert (
        olga.call("queues.return_pairs", pool=POOL, assessor="Ada", topic="T1", docno=out[0]["docno"])[
            "count"
        ]
        == 1
    )
    assert olga.call("queues.return_pairs", pool=POOL, assessor="Ben")["count"] == 0
    assert olga.call("queues.return_pairs", pool=POOL)["count"] == len(out) - 1
    with pytest.raises(ApiError) as alone:
        olga.call("queues.return_pairs", pool=POOL, docno="d1")["count"]
    assert alone.value.codes == ("docno",)
    assert olga.call("queues.end", pool=POOL)["count"] == 0
    with pytest.raises(ApiError) as none:
        olga.call("queues.show", pool=POOL)
    assert none.value.status == 409


def test_invitations_are_renewed_and_withdrawn(of: Of) -> None:
    olga = of("Olga")
    (made,) = olga.call("people.invite", people=["Ida"], role="viewer")["invitations"]
    (renewed,) = olga.call("people.renew", invitations=[made["invitation"]])["invitations"]
    assert (renewed["person"], renewed["link"] == made["link"]) == ("Ida", False)
    assert olga.call("people.withdraw", invitations=[made["invitation"]])["count"] == 1
    assert [one["state"] for one in olga.call("people.invitation_list")] == ["withdrawn"]


def test_people_get_and_lose_roles_and_assignments(of: Of, cast: Cast) -> None:
    olga = of("Olga")
    assert olga.call("people.add_role", login="vera", role="assessor")["roles"] == ["assessor", "viewer"]
    olga.call("people.remove_role", login="vera", role="assessor")
    assert [one["roles"] for one in olga.call("people.index") if one["login"] == "vera"] == [["viewer"]]
    olga.call("assignments.remove", assignment_id=cast.assignments["Ben", "T2"])
    assert len(list(olga.call("assignments.index"))) == 3


def test_a_disputed_pair_is_sent_back_to_those_who_judged_it(
    of: Of, sqlite_database: Database, cast: Cast
) -> None:
    judged(of, cast, Ada=1, Ben=3)
    judith = of("Judith")
    assert of("Olga").call("disputes.change_rules", blind_discussion=False)["difference"] == "any"
    assert judith.call("disputes.rules")["blind_discussion"] is False
    (dispute,) = judith.call("disputes.index")["pairs"]
    assert [(one["assessor"], one["grade"]) for one in dispute["answers"]] == [("Ada", 1), ("Ben", 3)]
    assert judith.decide("T1", "d1", decision="back", reason="Look at the table.")["recorded"]
    with sqlite_database.reading() as db:
        (line,) = discussions(db, cast.campaign_id, cast.accounts["Ada"].id)
    assert (line.docno, line.answered) == ("d1", False)


def test_the_latest_decision_is_withdrawn(of: Of, cast: Cast) -> None:
    judged(of, cast, Ada=1, Ben=3)
    judith = of("Judith")
    assert judith.call("disputes.withdraw", client_id=str(uuid.uuid4())) == {"topic": None, "docno": None}
    judith.decide("T1", "d1", 2, reason="It is in between.")
    assert judith.call("disputes.withdraw", client_id=str(uuid.uuid4())) == {"topic": "T1", "docno": "d1"}
    assert judith.call("disputes.index")["counts"]["open"] == 1


def test_what_a_rule_settles_is_reported(of: Of, cast: Cast) -> None:
    judged(of, cast, Ada=1, Ben=3)
    of("Ada").judge(cast.assignments["Ada", "T1"], "d2", 2)
    report = of("Vera").call("qrels.qrels_report", rule="upper-median")
    # Both have graded d1, where 3 is the higher, and Ada d2.
    assert (report["lines"], report["by_grade"]["2"], report["by_grade"]["3"]) == (2, 1, 1)


def test_a_pool_is_planned_as_it_is_made(of: Of) -> None:
    olga = of("Olga")
    plan = olga.call("plans.pool", parameter=["depth=3"], per_pair=2)
    # To depth 3 four documents of each topic; 16 judgments of 30 s are 8 minutes.
    assert plan["by_depth"] == {"1": 3}
    assert (plan["pairs"], plan["certainty"], plan["seconds_from"]) == (8, "exact", "assumed")
    assert plan["hours"] == pytest.approx(16 * 30 / 3600)
    assert olga.make_pool(parameters={"depth": 3}, draft=True)["pairs"] == plan["pairs"]
    assert olga.call("plans.pool", run=["alpha"], parameter=["depth=1"])["pairs"] == 2
    with pytest.raises(ApiError) as refused:
        olga.call("plans.pool", parameter=["depth"])
    assert refused.value.codes == ("parameter",)


def test_an_organiser_searches_and_adds_what_was_found(of: Of, sqlite_database: Database, cast: Cast) -> None:
    olga = of("Olga")
    with pytest.raises(ApiError) as forbidden:
        olga.call("searches.search", topic="T1", query="text")
    assert forbidden.value.status == 409
    with sqlite_database.writing() as db:
        save_allows_search(db, cast.campaign_id, True)
    found = olga.call("searches.search", topic="T1", query="title d6", among="new")
    # Six documents, of which each has the word “title”; nobody has judged any.
    assert (found["documents"], found["found"], found["more"]) == (6, 6, False)
    (hit,) = [one for one in found["hits"] if one["docno"] == "d6"]
    assert (hit["rank"], hit["title"], hit["pooled"]) == (1, "Title of d6", False)
    assert olga.call("searches.add", search_id=found["search"], pool=POOL, docnos=["d6", "d1"])["added"] == [
        "d6"
    ]
    again = olga.call("searches.show", search_id=found["search"])
    assert [one["pooled"] for one in again["hits"] if one["docno"] == "d6"] == [True]
    with pytest.raises(ApiError) as empty:
        olga.call("searches.search", topic="T1")
    assert empty.value.codes == ("query",)
    with pytest.raises(ApiError) as nowhere:
        olga.call("searches.search", topic="T9", query="text")
    assert nowhere.value.status == 404
