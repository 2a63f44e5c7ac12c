"""Who may open the organiser's pages: everybody named reads, assessors and outsiders never do."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from flask.testing import FlaskClient

from tests.cast import Cast
from tests.uploads import import_judgments
from tests.web.conftest import Enter

# Pages that show the state of a campaign, and those from which it is run.
READ = (
    "", "topics", "topics/topic?topic=T1", "documents", "documents/document?docno=d1", "runs",
    "runs/file?tag=alpha", "runs/run?tag=alpha", "runs/records.csv", "pools", "pools/1",
    "pools/1/topic?topic=T1", "pools/1/pairs.tsv", "pools/1/topics.csv",
    "agreement", "agreement/pair?first=X&second=Y",
    "agreement/grades", "agreement/assessors", "agreement/report.csv", "agreement/report.tex",
    "agreement/report.json", "qrels",
    "qrels/file", "scores", "scores?measures=AP", "scores/table.csv?measures=AP",
    "scores/run?tag=alpha&measures=AP",
)  # fmt: skip
RUN = (
    "groups", "groups/1", "settings", "assignments", "judgments", "judgments/all.tsv",
    "pools/plan", "pools/1/close", "runs/remove?tag=alpha", "pools/1/open", "pools/1/draft",
    "pools/1/added?topic=T1", "runs/rules", "runs/checked/a-batch",
)  # fmt: skip
CHANGE = (
    "runs/run", "runs/run/verdict", "runs/run/replace", "runs/accept", "groups",
    "groups/1/name", "groups/1/remove", "groups/1/invitations", "groups/1/members",
    "groups/1/members/1/remove", "pools/1/open", "pools/1/rename", "pools/1/rebuild", "pools/1/delete",
    "pools/1/added", "pools/1/added/out", "settings", "topics", "documents", "runs/checked", "runs/remove",
    "runs/rules", "runs/rules/list", "runs/checked/a-batch/keep", "runs/checked/a-batch/discard",
    "pools", "pools/1/close", "assignments/turn", "assignments/topics", "judgments",
)  # fmt: skip
JUDGED = [
    ("T1", "d1", "X", "3"), ("T1", "d2", "X", "0"), ("T1", "d1", "Y", "3"), ("T1", "d2", "Y", "2"),
]  # fmt: skip


@pytest.fixture
def judged(enter: Enter, cast: Cast) -> None:
    assert import_judgments(enter("Olga"), JUDGED).status_code == 303


def statuses(client: FlaskClient, pages: Iterable[str], *, method: str = "GET") -> dict[str, int]:
    """What each of these pages answers; one test asks for many, since making a campaign takes its time."""
    return {page: client.open(f"/c/harbour/{page}", method=method).status_code for page in pages}


@pytest.mark.usefixtures("judged")
@pytest.mark.parametrize("name", ["Olga", "Judith", "Vera"])
def test_organiser_adjudicator_and_viewer_read_it(enter: Enter, name: str) -> None:
    client = enter(name)
    assert statuses(client, READ) == dict.fromkeys(READ, 200)
    assert all(client.get(f"/c/harbour/{page}").data for page in READ)


@pytest.mark.parametrize("name", ["Ada", "Ben"])
def test_an_assessor_reads_nothing_of_it(enter: Enter, name: str) -> None:
    assert statuses(enter(name), (*READ, *RUN)) == dict.fromkeys((*READ, *RUN), 403)


def test_for_an_outsider_there_is_no_such_campaign(enter: Enter) -> None:
    assert statuses(enter("Otto"), (*READ, *RUN)) == dict.fromkeys((*READ, *RUN), 404)


@pytest.mark.parametrize("name", ["Judith", "Vera", "Ada"])
def test_only_the_organiser_opens_the_pages_that_run_it(enter: Enter, name: str) -> None:
    assert statuses(enter(name), RUN) == dict.fromkeys(RUN, 403)


@pytest.mark.parametrize("name", ["Judith", "Vera", "Ada"])
def test_only_the_organiser_changes_anything(enter: Enter, name: str) -> None:
    assert statuses(enter(name), CHANGE, method="POST") == dict.fromkeys(CHANGE, 403)


@pytest.mark.parametrize("page", ["topics", "documents", "runs", "pools", ""])
def test_a_viewer_is_offered_nothing_that_changes(enter: Enter, page: str) -> None:
    text = enter("Vera").get(f"/c/harbour/{page}").text
    assert text.count("<form") == text.count('method="get"') + 1  # signing out
    assert 'class="todo"' not in text
