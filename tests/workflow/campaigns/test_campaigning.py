"""Campaigns: making, naming, changing."""

from __future__ import annotations

import pytest
from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.records import BINARY, FOUR_GRADES
from workbench.storage.engine import Database
from workbench.workflow.campaigns.campaigns import (
    campaign_by_slug,
    create_campaign,
    scale_from_json,
    scale_to_json,
)


def test_a_campaign_is_found_by_the_short_name_made_from_its_name(db: Session) -> None:
    first = create_campaign(db, name="  Klinische   Suche, Zürich 2026 ", scale=BINARY)
    second = create_campaign(db, name="Klinische Suche: Zürich (2026)", scale=BINARY)
    third = create_campaign(db, name="臨床検索", scale=BINARY)
    assert (first.name, first.slug) == ("Klinische Suche, Zürich 2026", "klinische-suche-zurich-2026")
    assert (second.slug, third.slug) == ("klinische-suche-zurich-2026-2", "campaign")
    assert campaign_by_slug(db, "campaign") == third
    with pytest.raises(NotFound):
        campaign_by_slug(db, "nowhere")


@pytest.mark.parametrize("slug", ["Ümlaut", "a b", "-a", "a--b", ""])
def test_a_short_name_that_cannot_stand_in_an_address_is_refused(database: Database, slug: str) -> None:
    with database.writing() as db, pytest.raises(WorkbenchError, match="cannot be used in a URL"):
        create_campaign(db, name="X", scale=BINARY, slug=slug)


def test_names_are_checked(db: Session) -> None:
    with pytest.raises(WorkbenchError, match="name is missing"):
        create_campaign(db, name="  ", scale=BINARY)
    with pytest.raises(WorkbenchError, match="201 characters"):
        create_campaign(db, name="x" * 201, scale=BINARY)
    create_campaign(db, name="X", scale=BINARY, slug="taken")
    with pytest.raises(Conflict, match="taken"):
        create_campaign(db, name="Y", scale=BINARY, slug="taken")


def test_a_scale_survives_its_json() -> None:
    for scale in (BINARY, FOUR_GRADES):
        assert scale_from_json(scale_to_json(scale)) == scale


def test_a_scale_may_leave_keys_and_weights_out() -> None:
    short = {"relevant_from": 1, "grades": [{"label": "No"}, {"label": "So so"}, {"label": "Yes"}]}
    grades = scale_from_json(short).grades
    # Weights spread over 0 to 3: 3 x 0/2, 3 x 1/2 rounded to even, 3 x 2/2.
    assert [(grade.value, grade.key, grade.weight) for grade in grades] == [
        (0, "0", 0),
        (1, "1", 2),
        (2, "2", 3),
    ]


@pytest.mark.parametrize(
    ("scale", "said"),
    [
        ([], "an object with a list of grades"),
        ({"grades": [], "relevant_from": 1}, "at least two grades"),
        ({"grades": [{"label": "a"}, {"label": "a"}], "relevant_from": 1}, "share one label"),
        (
            {"grades": [{"label": "a", "key": "x"}, {"label": "b"}], "relevant_from": 1},
            "must be one character",
        ),
        (
            {"grades": [{"label": "a", "value": -1}, {"label": "b", "value": 1}], "relevant_from": 1},
            "negative",
        ),
        ({"grades": [{"label": "a"}, {"label": "b"}], "relevant_from": 0}, "lowest relevant grade"),
        ({"grades": [{"label": "a"}, {"label": "b"}]}, "relevant_from must be"),
        ({"grades": [{"label": "a"}, "b"], "relevant_from": 1}, "grade 2 of the scale"),
        ({"grades": [{"label": "a"}, {"label": ""}], "relevant_from": 1}, "has no label"),
        ({"grades": [{"label": "a", "weight": 9}, {"label": "b"}], "relevant_from": 1}, "0, 1, 2 or 3"),
    ],
)
def test_what_is_no_scale_is_refused_with_the_place(scale: object, said: str) -> None:
    with pytest.raises(WorkbenchError, match=said):
        scale_from_json(scale)
