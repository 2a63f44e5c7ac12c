"""The page of machines against people."""

from __future__ import annotations

import csv

import pytest
from flask.testing import FlaskClient

from tests.uploads import import_judgments, text_of
from tests.web.conftest import Enter

ADDRESS = "/c/harbour/agreement/machines"


@pytest.fixture
def olga(enter: Enter) -> FlaskClient:
    """X and Y judge four pairs, alike on three; the robot three of them and one that nobody else has."""
    client = enter("Olga")
    people = {"X": "3300", "Y": "3320"}
    rows = [("T1", f"n{at}", name, grade) for name, said in people.items() for at, grade in enumerate(said)]
    assert import_judgments(client, rows).status_code == 303
    robot = [("T1", f"n{at}", "robot", grade) for at, grade in ((0, "3"), (1, "0"), (2, "2"), (9, "3"))]
    assert import_judgments(client, robot, machine="yes").status_code == 303
    return client


def test_a_machine_stands_against_the_majority_and_each_person(olga: FlaskClient) -> None:
    page = text_of(olga.get(ADDRESS).text)
    # The majority has n0 and n1 relevant, n3 not, and is tied on n2: of n0 and n1 the robot has n0.
    assert "4 pairs graded." in page
    assert "1 pair on which people are tied is left out, and on 0 only one person gave a grade." in page
    assert "Majority of people 2 1 topic 0.500" in page
    # Of X: n0 the same, n1 and n2 not, 1/3; of Y n0 and n2 the same, n1 not, 2/3.
    assert "X 3 1 topic 0.333" in page
    assert "Y Kappa" not in page
    assert "Y 3 1 topic 0.667" in page
    assert "count toward qrels only where" in page


def test_the_whole_scale_is_weighted_too(olga: FlaskClient) -> None:
    assert "Quadratic weights" in olga.get(f"{ADDRESS}?graded=yes").text
    rows = list(csv.DictReader(olga.get(f"{ADDRESS}/table.csv?graded=yes").text.splitlines()))
    assert [(row["against"], row["person"], row["n"]) for row in rows] == [
        ("majority", "", "2"), ("person", "X", "3"), ("person", "Y", "3"),
    ]  # fmt: skip
    # Quadratic over 3, 2, 1, 0, X against the robot: 3-3, 3-0, 0-2: disagreements 0, 1, 4/9.
    assert float(rows[1]["observed"]) == pytest.approx(1 / 3)
    assert rows[1]["quadratic_unpooled"] != ""


def test_without_a_machine_the_page_says_so(enter: Enter) -> None:
    assert "No machine judgments yet" in enter("Vera").get(ADDRESS).text
    assert enter("Ada").get(ADDRESS).status_code == 403
