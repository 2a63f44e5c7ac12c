"""Developing a topic by the client: from a draft to a topic of the campaign, and whose a draft is."""

from __future__ import annotations

import pytest

from tests.web import test_client_calls, test_drafts
from tests.web.test_client_calls import POOL, Of
from workbench.client import ApiError
from workbench.workflow.searching.fitness import TopicFitness

of, _allowed = test_client_calls.of, test_drafts._allowed


def refused(error: pytest.ExceptionInfo[ApiError]) -> int:
    return error.value.status


def test_a_draft_is_written_judged_and_becomes_a_topic_with_its_judgments(of: Of) -> None:
    ada, olga = of("Ada"), of("Olga")
    begun = ada.begin_draft("Spring tides")
    number = begun["draft"]
    assert (begun["author"], begun["state"], begun["revision"], begun["judged"]) == ("Ada", "open", 1, 0)
    changed = ada.change_draft(number, 1, description="How high?", narrative="Heights count.")
    assert (changed["title"], changed["description"], changed["revision"]) == ("Spring tides", "How high?", 2)
    with pytest.raises(ApiError) as late:
        ada.change_draft(number, 1, title="Neap tides")
    assert refused(late) == 409

    found = ada.search_for_draft(number, "spring")
    assert (len(found["hits"]), found["topic"], found["more"]) == (5, "", False)
    assert ada.open_draft_hit(number, found["search"], "new5")["title"] == "Spring tides"
    for docno, grade in (("new5", 2), ("new4", 0), ("new4", 1), ("new3", 0), ("new2", 0)):
        last = ada.judge_for_draft(number, found["search"], docno, grade)
    # From grade 2 on a document is relevant: one of the first four, where one or two are fit.
    assert (last["judged"], last["relevant"], last["verdict"]) == (4, 1, TopicFitness.FIT)
    hits = {hit["docno"]: hit["grade"] for hit in ada.draft_search(number, found["search"])["hits"]}
    assert hits == {"new5": 2, "new4": 1, "new3": 0, "new2": 0, "new1": None}
    assert [hit["docno"] for hit in ada.search_for_draft(number, "spring", among="new")["hits"]] == ["new1"]
    assert len(ada.more_draft_hits(number, found["search"])["hits"]) == 5  # there are no others
    assert [one["joined"] for one in ada.draft_searches(number)] == [4, 0]
    with pytest.raises(ApiError) as outside:
        ada.judge_for_draft(number, found["search"], "new1", 9)
    assert refused(outside) == 422

    assert ada.put_draft_aside(number, "for now")["reason"] == "for now"
    assert ada.take_draft_up(number)["state"] == "open"
    with pytest.raises(ApiError) as role:
        ada.take_draft(number, "T9")
    assert refused(role) == 403
    for _ in range(2):
        taken = olga.take_draft(number, "T9")
    assert (taken["state"], taken["topic"], taken["decided_by"]) == ("accepted", "T9", "Olga")
    (topic,) = (one for one in olga.topics() if one["topic"] == "T9")
    assert (topic["title"], topic["narrative"]) == ("Spring tides", "Heights count.")

    assert olga.keep_draft_judgments(number, POOL) == {"judgments": 4, "known": 0, "added": 4}
    kept = {one["docno"]: one["grade"] for one in olga.judgments()}
    assert kept == {"new5": 2, "new4": 1, "new3": 0, "new2": 0}
    assert [(one["draft"], one["pool"]) for one in olga.drafts()] == [(number, POOL)]
    # As on the page, its author learns of no pool.
    seen = ada.draft(number)
    assert (seen["pool"], [one["docno"] for one in seen["grades"]]) == (
        None,
        ["new5", "new4", "new3", "new2"],
    )


@pytest.mark.slow
def test_a_draft_and_its_searches_are_its_authors(of: Of) -> None:
    ada, ben, olga = of("Ada"), of("Ben"), of("Olga")
    number = ada.begin_draft()["draft"]
    search = ada.search_for_draft(number, "spring")["search"]
    assert (list(ben.drafts()), len(list(olga.drafts()))) == ([], 1)
    of_ben = ben.begin_draft()["draft"]
    for call in (
        lambda: ben.draft(number),
        lambda: ben.put_draft_aside(number, "no"),
        lambda: ben.search_for_draft(number, "spring"),
        lambda: ben.draft_search(of_ben, search),
        lambda: ben.judge_for_draft(of_ben, search, "new5", 1),
        # The organiser looks at a draft, and neither writes nor judges.
        lambda: olga.change_draft(number, 0, title="Hers"),
        lambda: olga.draft_search(number, search),
        lambda: olga.open_draft_hit(number, search, "new5"),
    ):
        with pytest.raises(ApiError) as nothing:
            call()
        assert refused(nothing) == 404
    assert olga.draft(number)["title"] == ""


def test_the_rules_of_development_change_by_name(of: Of) -> None:
    olga, ada = of("Olga"), of("Ada")
    assert ada.development_rules() == {"first": 4, "least": 1, "most": 2, "assessors": True}
    changed = olga.change_development_rules(most=3, assessors=False)
    assert changed == {"first": 4, "least": 1, "most": 3, "assessors": False}
    with pytest.raises(ApiError) as over:
        olga.change_development_rules(first=2)
    assert over.value.codes == ("most",)
    with pytest.raises(ApiError) as off:
        ada.begin_draft()
    assert refused(off) == 409
