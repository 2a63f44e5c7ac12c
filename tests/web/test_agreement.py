from __future__ import annotations

import csv

import pytest
from flask.testing import FlaskClient

from tests.uploads import import_judgments, links, text_of
from tests.web.conftest import Enter

ADDRESS = "/c/harbour/agreement"
PAIR = f"{ADDRESS}/pair?first=Judge+1&second=Judge+2"


@pytest.fixture
def olga(enter: Enter) -> FlaskClient:
    return enter("Olga")


def judge(client: FlaskClient, table: tuple[tuple[int, int], ...], names: tuple[str, str]) -> None:
    """Have two assessors fill a table of relevant and not, the first by rows."""
    rows, number = [], 0
    for first, counts in zip(("3", "0"), table, strict=True):
        for second, count in zip(("2", "1"), counts, strict=True):
            for _ in range(count):
                number += 1
                docno = f"n{number:04}"
                rows += [("T1", docno, names[0], first), ("T1", docno, names[1], second)]
    assert import_judgments(client, rows).status_code == 303


@pytest.fixture
def manning(olga: FlaskClient) -> None:
    """Table 8.2 of Manning, Raghavan and Schuetze 2008: 300, 20, 10, 70."""
    judge(olga, ((300, 20), (10, 70)), ("Judge 1", "Judge 2"))


@pytest.mark.usefixtures("manning")
def test_the_textbooks_example_comes_out_as_printed(olga: FlaskClient) -> None:
    # The book prints 0.925, 0.665 and 0.776; unpooled it is 0.8 x 0.775 + 0.2 x 0.225 = 0.665 and 0.776.
    text = text_of(olga.get(PAIR).text)
    assert "Judge 1 and Judge 2 400 pairs that both judged, relevant from grade 2 or not" in text
    assert "Relevant 300 20 320 Not relevant 10 70 80 Total 310 90 400" in text
    assert "370 of 400 the same: observed agreement 0.925." in text
    assert "Pooled kappa one distribution for both 0.925 0.665 0.776" in text
    assert "Unpooled kappa each one's own 0.925 0.665 0.776" in text
    assert "fair From 0.67 to 0.8." in text


@pytest.mark.usefixtures("manning")
def test_the_working_is_shown_step_by_step(olga: FlaskClient) -> None:
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


@pytest.mark.usefixtures("manning")
def test_the_list_has_every_pair_and_their_mean(olga: FlaskClient) -> None:
    page = olga.get(ADDRESS).text
    text = text_of(page)
    assert "Pooled kappa one distribution for both assessors 0.776 1 none" in text
    assert "Judge 1 and Judge 2 400 0.925 0.776 0.776 fair" in text
    assert "the same: observed" in olga.get(links(page, "first=Judge")[0]).text


def test_over_three_assessors_the_mean_is_of_their_pairs(olga: FlaskClient) -> None:
    # X and Y agree on both grades (kappa 1); Z says the opposite of both (kappa -1 each): mean -1/3.
    said = {"X": "30", "Y": "30", "Z": "03"}
    import_judgments(
        olga,
        [("T1", f"d{at}", who, grade) for who, grades in said.items() for at, grade in enumerate(grades)],
    )
    text = text_of(olga.get(ADDRESS).text)
    assert "Pooled kappa one distribution for both assessors −0.333 3 none" in text
    assert "X and Z 2 0.000 −1.000 −1.000 dubious" in text


def test_machines_are_left_out_unless_asked_for(olga: FlaskClient) -> None:
    judge(olga, ((3, 1), (1, 3)), ("X", "Y"))
    rows = [("T1", f"n{n:04}", "robot", "0" if n % 2 else "3") for n in range(1, 9)]
    import_judgments(olga, rows, machine="yes")
    assert "robot" not in olga.get(ADDRESS).text
    everybody = text_of(olga.get(ADDRESS, query_string={"asked": 1}).text)
    assert "X and robot machine" in everybody
    pair = text_of(olga.get(f"{ADDRESS}/pair?first=X&second=robot").text)
    assert "robot is a machine" in pair


def test_the_line_of_relevance_and_all_grades_can_be_chosen(olga: FlaskClient) -> None:
    rows = [("T1", "d1", "X", "1"), ("T1", "d1", "Y", "0"), ("T1", "d2", "X", "3"), ("T1", "d2", "Y", "3")]
    import_judgments(olga, rows)
    # From 2: both say not, then both relevant: kappa 1. From 1: X both relevant, so observed is 1/2.
    assert "X and Y 2 1.000 1.000" in text_of(olga.get(ADDRESS).text)
    from_one = text_of(olga.get(ADDRESS, query_string={"from": "1"}).text)
    assert "Relevant from grade 1 or not" in from_one
    assert "X and Y 2 0.500" in from_one
    graded = text_of(olga.get(f"{ADDRESS}/pair?first=X&second=Y&graded=yes").text)
    assert "3 Highly relevant 2 Relevant 1 Related 0 Not relevant Total" in graded


def test_pairs_that_only_one_judged_enter_if_wanted(olga: FlaskClient) -> None:
    rows = [("T1", "d1", "X", "3"), ("T1", "d1", "Y", "3"), ("T1", "d2", "X", "3"), ("T1", "d6", "Y", "0")]
    import_judgments(olga, rows)
    address = f"{ADDRESS}/pair?first=X&second=Y"
    both = text_of(olga.get(address).text)
    assert "Both judged 1 enter Only X 1 left out Only Y 1 left out" in both
    listed = text_of(olga.get(f"{address}&basis=listed-as-not-relevant").text)
    assert "Both judged 1 enter Only X 1 enter: the other's lowest grade" in listed
    assert "Relevant 1 1 2 Not relevant 0 1 1 Total 1 2 3" in listed


def test_what_is_undefined_says_why_and_nothing_is_nan(olga: FlaskClient) -> None:
    import_judgments(olga, [("T1", d, who, "0") for who in ("X", "Y") for d in ("d1", "d2")])
    import_judgments(olga, [("T2", "d1", "Z", "3")])
    reason = "everyone gave the same grade, so agreement by chance is already complete"
    for page in (ADDRESS, f"{ADDRESS}/pair?first=X&second=Y", f"{ADDRESS}/pair?first=X&second=Z"):
        text = text_of(olga.get(page).text)
        assert "undefined" in text
        assert "nan" not in text.lower()
    listed = text_of(olga.get(ADDRESS).text)
    assert f"Undefined: {reason}." in listed
    assert f"2: no pair was judged by both; 1: {reason}" not in listed  # sorted by reason
    assert f"1: {reason}; 2: no pair was judged by both" in listed
    assert "Undefined: no pair was judged by both." in text_of(
        olga.get(f"{ADDRESS}/pair?first=X&second=Z").text
    )


def test_fewer_than_two_assessors_have_nothing_to_compare(olga: FlaskClient) -> None:
    assert "Nothing to compare yet" in olga.get(ADDRESS).text
    assert "Nothing to compare" in olga.get(f"{ADDRESS}/pair?first=Nobody&second=Noone").text
    assert "4 cannot be the lowest relevant grade" in olga.get(f"{ADDRESS}?from=4").text


@pytest.mark.usefixtures("manning")
def test_the_list_comes_as_csv_with_all_digits(olga: FlaskClient) -> None:
    answer = olga.get(f"{ADDRESS}/pairs.csv")
    assert answer.content_type == "text/csv; charset=utf-8"
    (row,) = csv.DictReader(answer.text.splitlines())
    assert (row["first"], row["second"], row["n"], row["band"]) == ("Judge 1", "Judge 2", "400", "fair")
    assert float(row["pooled_expected"]) == 0.6653125
    # (0.925 - 0.6653125) / (1 - 0.6653125), worked by hand as 0.2596875 / 0.3346875.
    assert float(row["pooled_kappa"]) == pytest.approx(0.2596875 / 0.3346875, rel=1e-14)
    assert float(row["unpooled_kappa"]) == pytest.approx(0.26 / 0.335, rel=1e-14)


def test_names_of_any_kind_lead_to_their_pair(olga: FlaskClient) -> None:
    judge(olga, ((1, 0), (0, 1)), ("עדה & <b>", "B/C #1"))
    page = olga.get(ADDRESS).text
    assert 'dir="auto">עדה &amp; &lt;b&gt;' in page
    (address,) = links(page, "agreement/pair?")
    assert "2 of 2 the same" in text_of(olga.get(address).text)
