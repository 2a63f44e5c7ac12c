"""Who may open the organiser's pages: everybody named reads, assessors and outsiders never do."""

from __future__ import annotations

import pytest

from tests.cast import Cast
from tests.uploads import import_judgments
from tests.web.conftest import Enter

# Pages that show the state of a campaign, and those from which it is run.
READ = (
    "", "topics", "topics/topic?topic=T1", "documents", "documents/document?docno=d1", "runs",
    "runs/file?tag=alpha", "runs/run?tag=alpha", "runs/records.csv", "runs/records.tsv", "pools", "pools/1",
    "pools/1/topic?topic=T1", "pools/1/pairs.tsv", "pools/1/topics.csv", "pools/compare",
    "pools/compare?a=judged&b=1", "pools/compare/pairs.tsv?a=1&b=1",
    "agreement", "agreement/pair?first=X&second=Y", "agreement/pairs.csv", "qrels",
    "qrels/file", "scores", "scores?measures=AP", "scores/table.csv?measures=AP",
    "scores/run?tag=alpha&measures=AP",
)  # fmt: skip
RUN = (
    "groups", "groups/1", "runs/records", "settings", "assignments", "judgments", "judgments/all.tsv",
    "plan", "pools/1/close", "runs/remove?tag=alpha", "pools/1/open", "pools/1/draft",
    "pools/1/added?topic=T1",
)  # fmt: skip
CHANGE = (
    "runs/run", "runs/run/verdict", "runs/run/replace", "runs/accept", "runs/records", "groups",
    "groups/1/name", "groups/1/remove", "groups/1/invitations", "groups/1/members",
    "groups/1/members/1/remove", "pools/1/open", "pools/1/rename", "pools/1/rebuild", "pools/1/delete",
    "pools/1/added", "pools/1/added/out", "settings", "topics", "documents", "runs/checked", "runs/remove",
    "pools", "pools/1/close", "assignments/turn", "assignments/topics", "assignments/revoke", "judgments",
    "plan/guess", "plan/pack",
)  # fmt: skip
JUDGED = [
    ("T1", "d1", "X", "3"), ("T1", "d2", "X", "0"), ("T1", "d1", "Y", "3"), ("T1", "d2", "Y", "2"),
]  # fmt: skip


@pytest.fixture
def judged(enter: Enter, cast: Cast) -> None:
    assert import_judgments(enter("Olga"), JUDGED).status_code == 303


@pytest.mark.usefixtures("judged")
@pytest.mark.parametrize("name", ["Olga", "Judith", "Vera"])
@pytest.mark.parametrize("page", READ)
def test_organiser_adjudicator_and_viewer_read_it(enter: Enter, name: str, page: str) -> None:
    answer = enter(name).get(f"/c/harbour/{page}")
    assert answer.status_code == 200
    assert answer.text


@pytest.mark.parametrize("name", ["Ada", "Ben"])
@pytest.mark.parametrize("page", [*READ, *RUN])
def test_an_assessor_reads_nothing_of_it(enter: Enter, name: str, page: str) -> None:
    assert enter(name).get(f"/c/harbour/{page}").status_code == 403


@pytest.mark.parametrize("page", [*READ, *RUN])
def test_for_an_outsider_there_is_no_such_campaign(enter: Enter, page: str) -> None:
    assert enter("Otto").get(f"/c/harbour/{page}").status_code == 404


@pytest.mark.parametrize("name", ["Judith", "Vera", "Ada"])
@pytest.mark.parametrize("page", RUN)
def test_only_the_organiser_opens_the_pages_that_run_it(enter: Enter, name: str, page: str) -> None:
    assert enter(name).get(f"/c/harbour/{page}").status_code == 403


@pytest.mark.parametrize("name", ["Judith", "Vera", "Ada"])
@pytest.mark.parametrize("page", CHANGE)
def test_only_the_organiser_changes_anything(enter: Enter, name: str, page: str) -> None:
    assert enter(name).post(f"/c/harbour/{page}").status_code == 403


@pytest.mark.parametrize("page", ["topics", "documents", "runs", "pools", ""])
def test_a_viewer_is_offered_nothing_that_changes(enter: Enter, page: str) -> None:
    text = enter("Vera").get(f"/c/harbour/{page}").text
    assert text.count("<form") == text.count('method="get"') + 1  # signing out
    assert "What needs you" not in text
