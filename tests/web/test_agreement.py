"""The pages on agreement: what they show, what they explain, and what can be chosen."""

from __future__ import annotations

import csv
import json
import re

import pytest
from flask.testing import FlaskClient

from tests.cast import Cast
from tests.uploads import import_judgments, links, text_of
from workbench.records import Topic
from workbench.storage.engine import Database
from workbench.storage.events import append_events
from workbench.workflow.campaigns.collection import load_topics
from workbench.workflow.clock import utc_now
from workbench.workflow.people.membership import assessors_of

ADDRESS = "/c/harbour/agreement"
PAIR = f"{ADDRESS}/pair?first=Judge+1&second=Judge+2"
PAGES = ("", "/grades", "/assessors")


def judge(
    client: FlaskClient, table: tuple[tuple[int, int], ...], names: tuple[str, str], topics: int = 2
) -> None:
    """Have two assessors fill a table of relevant and not, the first by rows; the topics come in turn."""
    rows, number = [], 0
    for first, counts in zip(("3", "0"), table, strict=True):
        for second, count in zip(("2", "1"), counts, strict=True):
            for _ in range(count):
                number += 1
                topic, docno = f"T{number % topics + 1}", f"n{number:04}"
                rows += [(topic, docno, names[0], first), (topic, docno, names[1], second)]
    assert import_judgments(client, rows).status_code == 303


@pytest.fixture
def manning(olga: FlaskClient, cast: Cast, sqlite_database: Database) -> None:
    """Table 8.2 of Manning, Raghavan and Schuetze 2008: 300, 20, 10, 70; in eight topics."""
    with sqlite_database.writing() as db:
        more = [Topic(f"T{number}", "more") for number in range(3, 9)]
        load_topics(db, cast.campaign_id, more, source="topics")
    judge(olga, ((300, 20), (10, 70)), ("Judge 1", "Judge 2"), topics=8)


@pytest.mark.usefixtures("manning")
def test_the_textbooks_example_comes_out_as_printed(olga: FlaskClient) -> None:
    # The book prints 0.925, 0.665 and 0.776; unpooled it is 0.8 x 0.775 + 0.2 x 0.225 = 0.665 and 0.776.
    text = text_of(olga.get(PAIR).text)
    assert "Judge 1 and Judge 2 400 pairs that both judged, relevant from grade 2 or not" in text
    assert "Relevant 300 20 320 Not relevant 10 70 80 Total 310 90 400" in text
    assert "370 of 400 the same: observed agreement 0.925. Positive agreement 0.952, negative 0.824." in text
    assert "Pooled kappa chance from one distribution for all 0.776" in text
    assert "substantial 400 0.925 0.665" in text
    # Prevalence (300 - 70) / 400, bias (20 - 10) / 400, overlap 300 / 330; 300 / 310 and 300 / 320.
    assert "Prevalence index 0.575" in text
    assert "Bias index 0.025" in text
    assert "Overlap 0.909" in text
    assert "of Judge 2 against Judge 1 : 0.968, 0.938 of Judge 1 against Judge 2 : 0.938, 0.968" in text
    # Wilson's interval of 370 of 400, from the case ci_of_observed_agreement_table_8_2.
    assert "0.895 to 0.947" in text


@pytest.mark.usefixtures("manning")
def test_the_working_of_every_coefficient_is_shown_step_by_step(olga: FlaskClient) -> None:
    # Pooled: 630 of 800 and 170 of 800; 0.7875^2 + 0.2125^2 = 0.6653; 0.2597 / 0.3347 = 0.7759.
    text = text_of(olga.get(PAIR).text)
    assert (
        "Pooled kappa Observed agreement (300 + 70) / 400 0.9250"
        " Share of “Relevant” (320 + 310) / 800 0.7875"
        " Share of “Not relevant” (80 + 90) / 800 0.2125"
        " Expected by chance 0.7875² + 0.2125² 0.6653"
        " Kappa (0.9250 − 0.6653) / (1 − 0.6653) 0.7759"
    ) in text
    assert (
        "Share of “Relevant” 320 and 310 of 400 0.8000 and 0.7750"
        " Share of “Not relevant” 80 and 90 of 400 0.2000 and 0.2250"
        " Expected by chance 0.8000 × 0.7750 + 0.2000 × 0.2250 0.6650"
        " Kappa (0.9250 − 0.6650) / (1 − 0.6650) 0.7761"
    ) in text
    # Alpha: 30 of 400 differ; 2 x 630 x 170 / (800 x 799); AC1: 2 x .7875 x .2125; S: one half.
    assert "Observed disagreement (30) / 400 0.0750" in text
    assert (
        "Expected disagreement 2 × (630 × 170) / (800 × 799) 0.3351 Alpha 1 − 0.0750 / 0.3351 0.7762" in text
    )
    assert "0.7875 × 0.2125 + 0.2125 × 0.7875 0.3347 AC (0.9250 − 0.3347) / (1 − 0.3347) 0.8873" in text
    assert "Expected by chance 1 / 2 0.5000 S (0.9250 − 0.5000) / (1 − 0.5000) 0.8500" in text


@pytest.mark.usefixtures("manning")
def test_the_overview_has_every_coefficient_with_interval_and_band(olga: FlaskClient) -> None:
    text = text_of(olga.get(ADDRESS).text)
    for name in (
        "Observed agreement",
        "Pooled kappa",
        "Unpooled kappa",
        "Krippendorff's alpha",
        "Gwet's AC1",
    ):
        assert name in text
    found = olga.get(f"{ADDRESS}/report.json").get_json()["coefficients"]["pooled"]
    over, these = (f"{found[of]['low']:.3f} to {found[of]['high']:.3f}" for of in ("interval", "analytic"))
    assert f"for all 0.776 {over} substantial 400 0.925 0.665 {these}" in text
    assert (
        "95 % intervals are over topics (jackknife): where the value of all topics like these lies." in text
    )
    assert "Landis and Koch's (1977)" in text
    assert "400 pairs of topic and document that both judged" in text
    assert "the two hardly differ" in text
    assert "Positive agreement 0.952" in text


def test_of_two_topics_there_is_no_interval_nor_band_and_it_is_said_why(olga: FlaskClient) -> None:
    judge(olga, ((300, 20), (10, 70)), ("Judge 1", "Judge 2"))
    text = text_of(olga.get(ADDRESS).text)
    why = "an interval needs 5 topics or more; there are 2"
    assert "for all 0.776 – too uncertain 400 0.925 0.665" in text
    assert f"No interval: {why}." in text


def test_the_paradox_is_explained_where_it_is(olga: FlaskClient) -> None:
    # Gwet 2002: 118, 5, 2, 0: 118 of 125 agree (.944), kappa is below 0, AC1 .9408, S .888.
    judge(olga, ((118, 5), (2, 0)), ("X", "Y"))
    text = text_of(olga.get(ADDRESS).text)
    assert "High agreement, low kappa. Assessors agree on 94 % of the pairs they share" in text
    assert "pooled kappa is only −0.029: 97 % of all grades are “relevant”" in text
    assert "worth 0.888 (S)" in text
    assert "Gwet's AC1 chance only where a grade is given at random 0.941" in text


@pytest.mark.usefixtures("manning")
def test_there_is_no_paradox_where_kappa_is_high(olga: FlaskClient) -> None:
    assert "paradox" not in olga.get(ADDRESS).text


def test_machines_are_kept_apart_from_people(olga: FlaskClient) -> None:
    judge(olga, ((3, 1), (1, 3)), ("X", "Y"))
    rows = [(f"T{n % 2 + 1}", f"n{n:04}", "robot", "0" if n % 2 else "3") for n in range(1, 9)]
    import_judgments(olga, rows, machine="yes")
    assert "robot" not in text_of(olga.get(ADDRESS).text)
    assert "that two or more judged" in text_of(olga.get(f"{ADDRESS}?machines=among").text)
    people = text_of(olga.get(f"{ADDRESS}/assessors").text)
    assert "κ with people and machines" in people
    assert people.index("X and Y 8") < people.index("X and robot machine 8")
    assert "robot is a machine" in text_of(olga.get(f"{ADDRESS}/pair?first=X&second=robot").text)


def test_the_line_of_relevance_and_all_grades_can_be_chosen(olga: FlaskClient) -> None:
    rows = [("T1", "d1", "X", "1"), ("T1", "d1", "Y", "0"), ("T1", "d2", "X", "3"), ("T1", "d2", "Y", "3")]
    import_judgments(olga, rows)
    # From 2: both say not, then both relevant: kappa 1. From 1: X both relevant, so observed is 1/2.
    assert "X and Y 2 1.000" in text_of(olga.get(f"{ADDRESS}/assessors").text)
    # Three of four grades are relevant: chance is 5/8, kappa (1/2 - 5/8) / (3/8) = -1/3.
    assert "X and Y 2 −0.333" in text_of(olga.get(f"{ADDRESS}/assessors?relevant_from=1").text)
    graded = text_of(olga.get(f"{ADDRESS}/pair?first=X&second=Y&graded=yes&weights=linear").text)
    assert "3 Highly relevant 2 Relevant 1 Related 0 Not relevant Total" in graded
    assert "Pooled kappa, linear weights" in graded
    # Linear weights of four grades: the one pair that differs is a third of the scale apart; 1/3 / 2 pairs.
    assert "/ 2 0.1667" in graded
    assert "Gwet's AC2" in graded
    # Of every threshold the page of grades tells: from 1 on one of two pairs agrees.
    assert "1 Related 0.500" in text_of(olga.get(f"{ADDRESS}/grades").text)


def test_own_weights_are_taken_in_the_scales_order_or_refused_with_a_reason(olga: FlaskClient) -> None:
    judge(olga, ((3, 1), (1, 3)), ("X", "Y"))
    query = {"graded": "yes", "weights": "own", "own": "0 1 2 3\n1 0 1 2\n2 1 0 1\n3 2 1 0"}
    own, linear = (
        olga.get(f"{ADDRESS}/report.json", query_string=asked).get_json()["coefficients"]["pooled"]["value"]
        for asked in (query, {"graded": "yes", "weights": "linear"})
    )
    assert own == pytest.approx(linear, abs=1e-12)
    refused = text_of(olga.get(ADDRESS, query_string=query | {"own": "0 1\n1 0"}).text)
    assert "The weights are not a square table of 4 grades" in refused
    uneven = text_of(olga.get(ADDRESS, query_string=query | {"own": query["own"].replace("3", "4", 1)}).text)
    assert "write 0 on the diagonal and the same weight on both sides" in uneven


def test_pairs_that_only_one_judged_enter_if_wanted(olga: FlaskClient) -> None:
    rows = [("T1", "d1", "X", "3"), ("T1", "d1", "Y", "3"), ("T1", "d2", "X", "3"), ("T1", "d6", "Y", "0")]
    import_judgments(olga, rows)
    address = f"{ADDRESS}/pair?first=X&second=Y"
    both = text_of(olga.get(address).text)
    assert "Both judged 1 included Only X 1 left out Only Y 1 left out" in both
    listed = text_of(olga.get(f"{address}&basis=listed-as-not-relevant").text)
    assert "Both judged 1 included Only X 1 included, with the other's lowest grade" in listed
    assert "Relevant 1 1 2 Not relevant 0 1 1 Total 1 2 3" in listed
    # The cast's collection has six documents, and topic T1 alone was judged.
    every = text_of(olga.get(f"{address}&basis=all-documents").text)
    assert "Relevant 1 1 2 Not relevant 0 4 4 Total 1 5 6" in every
    assert "All 6 pairs of 1 topic and 6 documents" in every


def test_what_is_undefined_says_why_and_what_would_define_it(olga: FlaskClient) -> None:
    import_judgments(olga, [("T1", d, who, "0") for who in ("X", "Y") for d in ("d1", "d2")])
    import_judgments(olga, [("T2", "d1", "Z", "3")])
    reason = "everyone gave the same grade, so agreement by chance is already 1"
    pair = f"{ADDRESS}/pair?first=X&second="
    for page in (*(ADDRESS + page for page in PAGES), f"{pair}Y", f"{pair}Z"):
        text = text_of(olga.get(page).text)
        assert "nan" not in text.lower()
    listed = text_of(olga.get(f"{ADDRESS}/assessors").text)
    assert f"Undefined: {reason}. To define it: pairs to which at least one gives another" in listed
    # Whoever shares nothing stands apart, with the way to a coefficient.
    assert "2 pairs of assessors have judged no document in common: assign both" in listed
    assert "X and Z Y and Z" in listed
    assert "X and Z 0" not in listed
    over = text_of(olga.get(ADDRESS).text)
    assert "Undefined for 4 more: nobody called relevant any document that all of them judged." in over
    assert "Undefined: no pair was judged by both" in text_of(olga.get(f"{pair}Z").text)


def test_fewer_than_two_assessors_have_nothing_to_compare(olga: FlaskClient) -> None:
    for page in PAGES:
        assert "Nothing to compare yet" in olga.get(ADDRESS + page).text
    assert "Nothing to compare" in olga.get(f"{ADDRESS}/pair?first=Nobody&second=Noone").text


def test_what_cannot_be_is_not_called_nothing_yet(olga: FlaskClient) -> None:
    judge(olga, ((3, 1), (1, 3)), ("X", "Y"))
    for page in ("", "/topics", "/assessors", "/grades"):
        text = text_of(olga.get(f"{ADDRESS}{page}?relevant_from=4").text)
        assert (
            "These settings cannot be compared 4 cannot be the lowest relevant grade: choose 1 or 2 or 3."
            in text
        )
        assert "Nothing to compare yet" not in text


def test_a_file_is_never_sent_with_a_reason_in_the_place_of_its_content(olga: FlaskClient) -> None:
    pair = ("pair.csv", "pair.tex", "pair.json")
    for file in ("report.csv", "report.tex", "report.json", *pair, "topics/table.csv"):
        answer = olga.get(f"{ADDRESS}/{file}")
        assert answer.status_code == 422
        assert "who gave grades" in text_of(answer.text)
    for kind in ("csv", "json"):
        assert olga.get(f"{ADDRESS}/topics/table.{kind}?relevant_from=4").status_code == 422
    assert olga.get(f"{ADDRESS}/topics/table.xls").status_code == 404


@pytest.mark.usefixtures("manning")
def test_the_report_comes_as_csv_latex_and_json_with_its_intervals(olga: FlaskClient) -> None:
    rows = list(csv.DictReader(olga.get(f"{ADDRESS}/report.csv").text.splitlines()))
    pooled = next(row for row in rows if (row["of"], row["coefficient"]) == ("all", "pooled"))
    assert float(pooled["value"]) == pytest.approx((0.925 - 0.6653125) / (1 - 0.6653125), abs=1e-12)
    assert (pooled["n"], pooled["basis"]) == ("400", "both")
    assert (pooled["interval"], pooled["level"]) == ("jackknife over topics", "0.95")
    assert float(pooled["low"]) < float(pooled["value"]) < float(pooled["high"])
    assert float(pooled["analytic_low"]) < float(pooled["value"]) < float(pooled["analytic_high"])
    latex = olga.get(f"{ADDRESS}/report.tex")
    assert "Pooled kappa & 0.776 &" in latex.text
    assert r"\toprule" in latex.text
    assert "intervals: jackknife over topics." in latex.text
    said = json.loads(olga.get(f"{ADDRESS}/report.json").text)
    interval = said["coefficients"]["pooled"]["interval"]
    assert (interval["low"], interval["high"]) == (float(pooled["low"]), float(pooled["high"]))
    assert interval["units"] == 8
    assert said["pairs"][0]["table"] == [[300, 20], [10, 70]]


def test_names_of_any_script_and_with_marks_stand_as_they_are(olga: FlaskClient) -> None:
    names = ("Żółć <b>", 'שופטת & "x"')
    judge(olga, ((3, 1), (1, 3)), names)
    page = olga.get(f"{ADDRESS}/assessors").text
    assert "Żółć &lt;b&gt;" in page
    pair = olga.get(links(page, "agreement/pair?")[0])
    assert pair.status_code == 200
    assert "שופטת" in pair.text


@pytest.mark.usefixtures("manning")
@pytest.mark.parametrize("page", PAGES)
def test_every_page_on_agreement_is_taken_along_in_three_forms(olga: FlaskClient, page: str) -> None:
    text = olga.get(f"{ADDRESS}{page}?relevant_from=3").text
    for kind in ("csv", "tex", "json"):
        (address,) = links(text, f"agreement/report.{kind}")
        assert "relevant_from=3" in address
        assert olga.get(address).status_code == 200


@pytest.mark.usefixtures("manning")
def test_two_assessors_are_taken_along_with_their_table_and_working(olga: FlaskClient) -> None:
    text = olga.get(f"{PAIR}&relevant_from=2").text
    found = {kind: olga.get(links(text, f"pair.{kind}")[0]) for kind in ("csv", "tex", "json")}
    data = found["json"].json
    assert data is not None
    assert (data["table"], data["how"]["confidence"]) == ([[300, 20], [10, 70]], 0.95)
    assert data["working"]["pooled"][-1]["result"] == "0.7759"
    assert "relevant & 300 & 20 & 320" in found["tex"].text
    rows = list(csv.DictReader(found["csv"].text.splitlines()))
    assert sum(row["part"] == "differ" for row in rows) == 30
    # Wilson's interval of 370 of 400, from the case ci_of_observed_agreement_table_8_2.
    (of_these,) = (
        row for row in rows if (row["part"], row["name"]) == ("coefficient of these documents", "observed")
    )
    assert (float(of_these["low"]), float(of_these["high"])) == pytest.approx((0.894952, 0.946962), abs=5e-7)


def test_a_machine_stands_against_the_majority_of_people(olga: FlaskClient) -> None:
    people = {"X": "3300", "Y": "3320"}
    rows = [("T1", f"n{at}", name, grade) for name, said in people.items() for at, grade in enumerate(said)]
    import_judgments(olga, rows)
    robot = [("T1", f"n{at}", "robot", grade) for at, grade in ((0, "3"), (1, "0"), (2, "2"), (9, "3"))]
    import_judgments(olga, robot, machine="yes")
    said = text_of(olga.get(f"{ADDRESS}/assessors").text)
    # The majority has n0 and n1 relevant, n3 not, and is tied on n2. Of n0 and n1 the robot has n0:
    # precision 1 of 1, recall 1 of 2.
    assert re.search(r"Machines and the majority of people .*robot .{0,12}2 .*1\.000 .*0\.500", said)


def test_what_is_answered_twice_stands_with_its_interval(
    olga: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    judge(olga, ((3, 1), (1, 3)), ("X", "Y"))
    with sqlite_database.writing() as db:
        ada = next(one.id for one in assessors_of(db, cast.campaign_id) if one.name == "Ada")
        append_events(
            db,
            [
                {
                    "campaign_id": cast.campaign_id, "assessor_id": ada, "topic": "T1", "docno": f"n{number}",
                    "answer": "grade", "reason": "", "client_id": f"ada-{purpose}-{number}",
                    "source": "screen", "assignment_id": None,
                    "grade": 3 * (number % 2) if purpose == "judging" or number else 2,
                    "document_sha256": None, "position": None, "order_rule": None, "seed": None,
                    "active_ms": None, "recorded_at": utc_now(None), "purpose": purpose,
                }
                for purpose in ("judging", "repeat")
                for number in range(12)
            ],
        )  # fmt: skip
    # 11 of 12 the same; Wilson's interval.
    assert "Ada 11 of 12 0.646 to 0.985" in text_of(olga.get(f"{ADDRESS}/assessors").text)
