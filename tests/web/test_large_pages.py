"""Pages of large campaigns: what a job has last made, how old it is, for whom, and the newer one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from flask import Flask

from tests.cast import Cast
from tests.uploads import import_judgments, text_of
from tests.web.conftest import Enter
from workbench.settings import Settings
from workbench.storage.engine import Database
from workbench.web.page_job import ALL_KINDS
from workbench.workflow import large_campaigns
from workbench.workflow.campaigns.archive import archive_campaign
from workbench.workflow.people.membership import Role, remove_role
from workbench.workflow.worker import do_waiting

OVERVIEW = "/c/harbour/"
COMPUTED = "The figures are being computed."
Work = Callable[[], None]


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return replace(settings, worker=True)


@pytest.fixture
def work(settings: Settings, sqlite_database: Database, monkeypatch: pytest.MonkeyPatch) -> Work:
    """The harbour as a large campaign; called, it does what waits for a worker."""
    monkeypatch.setattr(large_campaigns, "LARGE", 1)
    monkeypatch.setattr(large_campaigns, "YOUNG", timedelta())
    return lambda: do_waiting(settings, sqlite_database, ALL_KINDS)


def test_a_page_shows_at_once_what_there_is_and_how_old_that_is(work: Work, enter: Enter) -> None:
    olga = enter("Olga")
    assert COMPUTED in text_of(olga.get(OVERVIEW).text)
    work()
    page = text_of(olga.get(OVERVIEW).text)
    assert "0 of 6 pairs are judged." in page
    assert "As of" not in page
    assert import_judgments(olga, [("T1", "d1", "X", "3"), ("T2", "d/4", "X", "3")]).status_code == 303
    page = text_of(olga.get(OVERVIEW).text)
    assert "0 of 6 pairs are judged." in page
    assert ", 2 judgments ago. Newer figures are being computed." in page
    # What is told once is told above the older page as well.
    assert "2 judgments" in page.partition("As of")[0]
    work()
    page = text_of(olga.get(OVERVIEW).text)
    assert "2 of 6 pairs are judged." in page
    assert "As of" not in page


def test_the_browser_is_given_a_page_only_when_there_is_a_newer_one(work: Work, enter: Enter) -> None:
    olga = enter("Olga")

    def asked(page: str) -> tuple[int, str | None]:
        shown = page.partition('"Workbench-As-Of": "')[2].partition('"')[0]
        answer = olga.get(OVERVIEW, headers={"Workbench-As-Of": shown})
        return answer.status_code, answer.headers.get("HX-Refresh")

    first = olga.get(OVERVIEW).text
    assert asked(first) == (204, None)
    work()
    # Who has nothing loads all of it, with its scripts.
    assert asked(first) == (200, "true")
    import_judgments(olga, [("T1", "d1", "X", "3")])
    older = olga.get(OVERVIEW).text
    assert asked(older) == (204, None)
    work()
    assert asked(older) == (200, None)


def test_a_young_page_is_not_made_anew(work: Work, enter: Enter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_campaigns, "YOUNG", timedelta(hours=1))
    olga = enter("Olga")
    olga.get(OVERVIEW)
    work()
    import_judgments(olga, [("T1", "d1", "X", "3")])
    page = text_of(olga.get(OVERVIEW).text)
    assert ", 1 judgment ago." in page
    assert "being computed" not in page


def test_everybody_sees_the_page_of_their_own_role(
    work: Work, enter: Enter, cast: Cast, sqlite_database: Database
) -> None:
    olga, vera = enter("Olga"), enter("Vera")
    for one in (olga, vera):
        one.get(OVERVIEW)
    work()
    assert "Open the pool" not in vera.get(OVERVIEW).text
    assert "Vera" in vera.get(OVERVIEW).text
    assert "Olga" in olga.get(OVERVIEW).text
    assert enter("Ada").get(OVERVIEW).status_code == 403
    with sqlite_database.writing() as db:
        archive_campaign(db, cast.campaign_id)
    assert COMPUTED in text_of(olga.get(OVERVIEW).text)


def test_who_has_lost_the_role_no_longer_sees_it(
    work: Work, enter: Enter, cast: Cast, sqlite_database: Database
) -> None:
    vera = enter("Vera")
    vera.get(OVERVIEW)
    work()
    with sqlite_database.writing() as db:
        remove_role(db, cast.campaign_id, cast.accounts["Vera"].id, Role.VIEWER)
    assert vera.get(OVERVIEW).status_code == 404


def test_what_a_page_refuses_it_refuses_by_its_job_too(work: Work, enter: Enter) -> None:
    olga, address = enter("Olga"), "/c/harbour/agreement/topics/pairs?topic=T9"
    assert olga.get(address).status_code == 200
    work()
    refused = olga.get(address)
    assert refused.status_code == 404
    assert "There is no topic 'T9' in this campaign" in text_of(refused.text)


@pytest.mark.parametrize(
    "address",
    [
        "agreement", "agreement/assessors", "agreement/grades", "agreement/topics", "adjudication",
        "qrels", "qrels/rules", "scores", "scores/topics", "scores/run?tag=alpha",
        "scores/two?first=alpha&second=beta", "scores/pairs", "scores/curves", "topics", "pools/1",
    ],
)  # fmt: skip
def test_every_page_with_figures_of_all_judgments_is_made_so(work: Work, enter: Enter, address: str) -> None:
    olga = enter("Olga")
    address = f"/c/harbour/{address}"
    assert COMPUTED in text_of(olga.get(address).text)
    work()
    page = olga.get(address)
    assert page.status_code == 200
    assert COMPUTED not in text_of(page.text)


def test_nobody_can_say_that_a_job_asks(app: Flask, work: Work) -> None:
    stranger = app.test_client()
    for header in ("workbench.asked_by", "Workbench.Asked_By", "HTTP_WORKBENCH_ASKED_BY"):
        assert stranger.get(OVERVIEW, headers={header: "Olga"}).status_code == 303
