"""The overlap planner: computed while one types, and drawn by one button."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

from tests.cast import Cast
from tests.uploads import import_judgments, links, text_of
from tests.web.conftest import Enter
from workbench.storage.engine import Database
from workbench.workflow.people.assessors import assessors_of
from workbench.workflow.pools.listing import pool_entries, pools_of

ADDRESS = "/c/harbour/agreement/overlap"
HTMX = {"HX-Request": "true", "HX-Request-Type": "partial"}


def refused_fields(page: str) -> list[str]:
    """The names of the fields that are marked as wrong."""
    return re.findall(r'<(?:input|select) id="(\w+)"[^>]* aria-invalid="true"', page)


def draw_errors(page: str) -> list[str]:
    """What is wrong with a draw, where it was asked for."""
    part = page[page.index('<section class="card" id="draw">') :]
    return [text_of(error).strip() for error in re.findall(r'(?s)<p class="error"[^>]*>(.*?)</p>', part)]


@pytest.fixture
def olga(enter: Enter) -> FlaskClient:
    """Somebody elsewhere judged sixty pairs of T1, every third relevant."""
    client = enter("Olga")
    rows = [("T1", f"n{number:02}", "X", "3" if number % 3 == 0 else "0") for number in range(60)]
    assert import_judgments(client, rows).status_code == 303
    return client


@pytest.fixture
def ben(cast: Cast, sqlite_database: Database) -> int:
    with sqlite_database.reading() as db:
        return next(one.id for one in assessors_of(db, cast.campaign_id) if one.name == "Ben")


def test_the_planner_computes_what_is_typed(olga: FlaskClient) -> None:
    # (1.96 / .1)^2 (1 - .5^2) = 288.1 at equal shares.
    typed = "kappa=0.5&prevalence=50%25&half_width=0.1"
    page = text_of(olga.get(f"{ADDRESS}?{typed}").text)
    assert "At a pooled kappa of 0.500 and 50.0 % relevant" in page
    assert "289 pairs drawn at random" in page
    assert "60 pairs of 1 topic" in page
    piece = olga.get(f"{ADDRESS}?{typed}", headers=HTMX).text
    assert piece.lstrip().startswith('<div class="stack" id="result"')
    assert "289" in piece


def test_the_plan_is_exported_as_it_was_asked_for(olga: FlaskClient) -> None:
    page = olga.get(f"{ADDRESS}?kappa=0.5&prevalence=50%25&half_width=0.1").text
    found = {kind: olga.get(links(page, f"plan.{kind}")[0]) for kind in ("csv", "tex", "json")}
    data = found["json"].json
    assert data is not None
    assert (data["draws"][0]["pairs"], data["kappa"], data["source"]) == (289, 0.5, "guessed")
    assert "At random & 289 &" in found["tex"].text
    assert "random,pooled kappa,0.5" in found["csv"].text
    assert olga.get(f"{ADDRESS}/plan.csv?kappa=many").status_code == 422


def test_several_assessors_are_planned_for_and_assigned_the_pairs(olga: FlaskClient, ben: int) -> None:
    # Three who agree by chance alone: the variance of a pair is 1/3, (1.96 / .1)^2 / 3 = 128.05.
    typed = "kappa=0&prevalence=50%25&half_width=0.1&assessors=3"
    page = text_of(olga.get(f"{ADDRESS}?{typed}").text)
    assert "129 pairs drawn at random" in page
    assert "Pairs to be judged by 3" in page
    assert "Hours of the 2 others together" in page
    refused = olga.get(f"{ADDRESS}?assessors=1")
    assert refused.status_code == 422
    assert refused_fields(refused.text) == ["assessors"]
    one = olga.post(f"{ADDRESS}/draw", data={"pairs": "5", "assessor": str(ben), "assessors": "3"})
    assert one.status_code == 422
    assert draw_errors(one.text) == ["Every pair needs 2 more assessors, but 1 selected: select 2 or more"]


def test_what_cannot_be_computed_is_refused_at_its_field(olga: FlaskClient) -> None:
    answer = olga.get(f"{ADDRESS}?half_width=wide&kappa=1")
    assert answer.status_code == 422
    assert refused_fields(answer.text) == ["half_width"]
    assert 'id="drawing"' not in answer.text
    answer = olga.get(f"{ADDRESS}?kappa=1")
    assert refused_fields(answer.text) == ["kappa"]
    piece = olga.get(f"{ADDRESS}?half_width=nan&assessors=4&coefficient=gwet", headers=HTMX)
    assert piece.status_code == 422
    # The button beside it draws nothing else than what stands in the fields: it is refused as well.
    form = dict(re.findall(r'form="drawing" name="(\w+)" value="([^"]*)"', piece.text))
    assert form == {"half_width": "nan", "assessors": "4", "coefficient": "gwet"}
    assert olga.post(f"{ADDRESS}/draw", data={**form, "pairs": "5"}).status_code == 422


def test_one_button_draws_and_gives_out(
    olga: FlaskClient, enter: Enter, cast: Cast, ben: int, sqlite_database: Database
) -> None:
    page = olga.get(ADDRESS).text
    (seed,) = re.findall(r'name="seed" value="(\d+)"', page)
    form = {"pairs": "30", "draw": "label", "assessor": str(ben), "seed": seed, "from": "2", "graded": "no"}
    done = olga.post(f"{ADDRESS}/draw", data=form)
    assert done.status_code == 303
    assert f"seed {seed}" in text_of(olga.get(done.location).text)
    with sqlite_database.reading() as db:
        pool = pools_of(db, cast.campaign_id)[-1]
        pairs = pool_entries(db, cast.campaign_id, pool.name)
    assert (pool.pairs, len(pairs)) == (30, 30)
    # No run contributed to it: its page has no share of a maximum, no tie rule and no table by run.
    about = text_of(olga.get(f"/c/harbour/pools/{pool.id}").text)
    assert "drawn from judged pairs" in about
    for meaningless in ("Of the maximum", "Ties", "By run", "Share"):
        assert meaningless not in about
    # The same form again is the same sample, of which the pool is there already.
    again = olga.post(f"{ADDRESS}/draw", data=form)
    assert again.status_code == 409
    assert "there is a pool" in again.text.casefold()
    # Nothing on the pages of the second assessor shows the first.
    desk = enter("Ben")
    topics = text_of(desk.get("/c/harbour/judge").text).partition("Start judging")[2]
    # Thirty pairs drawn beside the three of the pool.
    assert "0 of 33" in topics
    for said in ("overlap", "label", "second", " X "):
        assert said not in topics
    results = text_of(olga.get(ADDRESS).text)
    assert "0 of 30 undefined no pair was judged by both" in results


def test_a_draw_that_cannot_be_is_refused_where_it_was_asked(olga: FlaskClient, ben: int) -> None:
    for form, error in (
        ({"pairs": "61", "assessor": str(ben)}, "61 pairs cannot be drawn from 60: give 1 to 60"),
        ({"pairs": "5"}, "No assessor is selected: select at least one"),
    ):
        answer = olga.post(f"{ADDRESS}/draw", data=form)
        assert answer.status_code == 422
        assert draw_errors(answer.text) == [error]


def test_what_was_planned_is_drawn_and_a_refusal_loses_nothing_of_it(
    olga: FlaskClient, cast: Cast, ben: int, sqlite_database: Database
) -> None:
    typed = {"half_width": "0.1", "level": "0.9", "kappa": "0.9", "prevalence": "4%", "likeness": "0.2"}
    page = olga.get(ADDRESS, query_string=typed).text
    form = dict(re.findall(r'<input type="hidden" form="drawing" name="(\w+)" value="([^"]*)"', page))
    assert form.items() >= typed.items()
    refused = olga.post(f"{ADDRESS}/draw", data={**form, "pairs": "61", "assessor": str(ben)})
    assert refused.status_code == 422
    fields = dict(re.findall(r'<input id="(\w+)" name="\w+" type="text" value="([^"]*)"', refused.text))
    assert {name: fields[name] for name in typed} == typed
    # Where all is chance and both are as frequent both labels say as much: of 20 and 40 a fifth each.
    even = {**form, "kappa": "0", "prevalence": "50%", "pairs": "12", "assessor": str(ben), "draw": "label"}
    assert olga.post(f"{ADDRESS}/draw", data=even).status_code == 303
    with sqlite_database.reading() as db:
        pairs = pool_entries(db, cast.campaign_id, pools_of(db, cast.campaign_id)[-1].name)
    assert sorted(one.stratum or 0 for one in pairs) == [1] * 4 + [2] * 8


@pytest.mark.parametrize("name", ["Judith", "Vera", "Ada"])
def test_only_the_organiser_plans_and_draws(enter: Enter, name: str) -> None:
    client = enter(name)
    assert (client.get(ADDRESS).status_code, client.post(f"{ADDRESS}/draw").status_code) == (403, 403)


def test_another_coefficient_is_planned_for_drawn_for_and_shown(olga: FlaskClient, ben: int) -> None:
    typed = "kappa=0.5&prevalence=10%25&half_width=0.1&coefficient=gwet&missing=20%25"
    page = text_of(olga.get(f"{ADDRESS}?{typed}").text)
    # Observed .01 + .045 + .81 + .045 = .91, chance 2 x .1 x .9 = .18: AC1 .73 / .82.
    assert "At Gwet's AC1 of 0.890 (pooled kappa 0.500) and 10.0 % relevant" in page
    assert "Each of the others leaves out 20 % of the pairs" in page
    weighted = text_of(olga.get(f"{ADDRESS}?coefficient=unpooled&weights=linear&graded=yes&kappa=0.5").text)
    assert "At an unpooled kappa with linear weights of 0.500" in weighted
    low = olga.get(f"{ADDRESS}?assessors=4&kappa=-0.2&prevalence=20%25")
    assert low.status_code == 422
    assert refused_fields(low.text) == ["kappa"]
    assert "give -0.071 or more" in text_of(low.text)
    form = {"pairs": "9", "assessor": str(ben), "coefficient": "alpha", "missing": "0.2"}
    assert olga.post(f"{ADDRESS}/draw", data=form).status_code == 303
    assert "Krippendorff's alpha 0 of 9" in text_of(olga.get(ADDRESS).text)
