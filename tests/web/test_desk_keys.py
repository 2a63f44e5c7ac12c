"""The page on which an assessor chooses keys, by a form."""

from __future__ import annotations

import re
from typing import Any

from flask.testing import FlaskClient

from tests.cast import Cast


def keys_of(page: str) -> set[tuple[str, str]]:
    """The fields of the form of keys, with what stands in them."""
    return set(re.findall(r'name="(\w+)"\s+value="([^"]*)"', page))


def test_chosen_keys_stand_on_the_page_and_on_the_desk(ada: FlaskClient, cast: Cast) -> None:
    desk = f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}"
    answer = ada.post("/account/keys", data={"unsure": "q", "grade_3": "é", "next": desk})
    assert (answer.status_code, answer.location) == (303, desk)
    assert ("unsure", "q") in keys_of(ada.get("/account/keys").text)
    page = ada.get(desk).text
    assert '<kbd class="key">Q</kbd>' in page
    assert '<kbd class="key">É</kbd>' in page
    assert '"unsure": "q"' in page
    ada.post("/account/keys", data={"act": "reset", "unsure": "q"})
    assert '"unsure": "u"' in ada.get(desk).text


def test_keys_that_clash_are_refused_and_stay_in_the_form(ada: FlaskClient, cast: Cast) -> None:
    answer = ada.post("/account/keys", data={"later": "u", "undo": "w"})
    assert answer.status_code == 422
    assert "U is already the key of “unsure”" in answer.text
    assert {("later", "u"), ("undo", "w")} <= keys_of(answer.text)
    assert ("undo", "z") in keys_of(ada.get("/account/keys").text)


def test_nobody_is_led_elsewhere_after_choosing(enter: Any, cast: Cast) -> None:
    answer = enter("Ada").post("/account/keys", data={"next": "https://example.org/"})
    assert answer.location == "/account/keys"
