"""Pages of the organiser's way that end with the one next task."""

from __future__ import annotations

import re

from flask.testing import FlaskClient

from tests.uploads import import_judgments
from tests.web.conftest import Enter

HARBOUR = "/c/harbour"
NEXT = re.compile(r'Next: <a href="([^"]+)">')
RULES = {"difference": "any", "steps": "1", "discussion": "blind", "measure": "AP"}


def after_rules(client: FlaskClient) -> list[str]:
    """The link in the notice after the settings of adjudication were saved."""
    assert client.post(f"{HARBOUR}/adjudication/rules", data=RULES).status_code == 303
    page = client.get(f"{HARBOUR}/adjudication").text
    return re.findall(r'<p class="notice good"[^>]*>[^<]*<a href="([^"]+)"', page)


def test_new_links_name_what_comes_after_sending_them(olga: FlaskClient) -> None:
    # The campaign of the cast lacks nothing that judging needs.
    sent = {"role": "assessor", "people": "Carla"}
    made = olga.post(f"{HARBOUR}/people/invitations", data=sent).text
    assert NEXT.findall(made) == [f"{HARBOUR}/"]
    assert NEXT.findall(olga.get(f"{HARBOUR}/people").text) == []


def next_of_qrels(client: FlaskClient) -> str:
    """Where the one dark button of the page on qrels leads."""
    (address,) = re.findall(r'class="button primary" href="([^"]+)"', client.get(f"{HARBOUR}/qrels").text)
    return str(address)


def test_disputes_come_before_qrels_and_scores_after_them(olga: FlaskClient) -> None:
    assert import_judgments(olga, [("T1", "d1", "X", "1"), ("T1", "d1", "Y", "1")]).status_code == 303
    assert after_rules(olga) == [f"{HARBOUR}/qrels"]
    assert next_of_qrels(olga) == f"{HARBOUR}/qrels/file?rule=majority"
    assert import_judgments(olga, [("T1", "d2", "X", "0"), ("T1", "d2", "Y", "3")]).status_code == 303
    assert after_rules(olga) == [f"{HARBOUR}/adjudicate"]
    assert next_of_qrels(olga) == f"{HARBOUR}/adjudicate"
    # Nobody decides in an archived campaign.
    assert olga.post(f"{HARBOUR}/settings/archive").status_code == 303
    assert next_of_qrels(olga).startswith(f"{HARBOUR}/qrels/file")


def test_a_viewer_is_not_sent_to_the_desk_of_an_adjudicator(olga: FlaskClient, enter: Enter) -> None:
    rows = [("T1", "d1", "X", "3"), ("T1", "d1", "Y", "3"), ("T1", "d2", "X", "0"), ("T1", "d2", "Y", "3")]
    assert import_judgments(olga, rows).status_code == 303
    assert next_of_qrels(enter("Vera")).startswith(f"{HARBOUR}/qrels/file")
