from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from tests.cast import Cast
from tests.uploads import import_judgments, links, table, text_of, upload

ADDRESS = "/c/harbour/judgments"
ROWS = [
    ("T1", "d1", "X", "3"), ("T1", "d#3", "X", "unsure"), ("T1", "d1", "Y", "cannot_judge"),
    ("T2", "é5", "Y", "0"),
]  # fmt: skip


def test_a_table_of_several_assessors_is_imported(olga: FlaskClient) -> None:
    answer = import_judgments(olga, ROWS)
    assert answer.status_code == 303
    page = text_of(olga.get(answer.location).text)
    assert "judgments.tsv: 4 judgments of 2 assessors, 4 new." in page
    assert "X 1 1" in page
    again = text_of(olga.get(import_judgments(olga, ROWS).location).text)
    assert "4 judgments of 2 assessors, 0 new." in again


def test_columns_that_are_not_read_are_named(olga: FlaskClient) -> None:
    content = "topic\tdoc\tassessor\tgrade\tseconds\nT1\td1\tX\t3\t12\n"
    answer = olga.post(ADDRESS, data={"kind": "judgments", "files": [upload("timed.tsv", content)]})
    assert answer.status_code == 303
    assert 'timed.tsv: columns that are not read: "seconds"' in text_of(olga.get(ADDRESS).text)


def test_all_of_them_come_back_as_the_table_that_went_in(olga: FlaskClient) -> None:
    import_judgments(olga, ROWS)
    answer = olga.get(f"{ADDRESS}/all.tsv")
    # Sorted by topic and docno as bytes, then by assessor.
    assert answer.text == table([ROWS[1], ROWS[0], ROWS[2], ROWS[3]])
    assert answer.headers["Content-Disposition"] == 'attachment; filename="harbour.judgments.tsv"'


def test_a_code_may_mean_that_a_pair_cannot_be_judged(olga: FlaskClient) -> None:
    import_judgments(olga, [("T1", "d1", "X", "-2"), ("T1", "d2", "X", "1")], cannot_judge="-2")
    assert "X 1 1" in text_of(olga.get(ADDRESS).text)
    assert "T1\td1\tX\tcannot_judge" in olga.get(f"{ADDRESS}/all.tsv").text


def test_repeated_and_contradicted_pairs_are_told(olga: FlaskClient) -> None:
    rows = [("T1", "d1", "X", "3"), ("T1", "d1", "X", "0"), ("T1", "d2", "X", "1")]
    answer = import_judgments(olga, rows)
    said = "1 pair repeated by the same assessor, 1 with another answer; the last counts."
    assert said in text_of(olga.get(answer.location).text)


def test_qrels_are_one_assessors_judgments(olga: FlaskClient) -> None:
    qrels = "T1 0 d1 3\nT1 0 d2 -1\nT1 0 d6 -2\n"
    files = [upload("qrels.Mira.txt", qrels), upload("noor.qrels", "T2 0 d1 0\n")]
    form = {"kind": "qrels", "cannot_judge": "-2", "files": files, "assessor": ""}
    assert olga.post(ADDRESS, data=form).status_code == 303
    # A negative grade that is no code says that nobody judged the pair.
    assert olga.get(f"{ADDRESS}/all.tsv").text == table(
        [("T1", "d1", "Mira", "3"), ("T1", "d6", "Mira", "cannot_judge"), ("T2", "d1", "noor", "0")]
    )
    named = {"kind": "qrels", "files": [upload("a.txt", "T1 0 d1 2\n")], "assessor": " B. Hall "}
    olga.post(ADDRESS, data=named)
    assert "T1\td1\tB. Hall\t2" in olga.get(f"{ADDRESS}/all.tsv").text


def test_one_name_cannot_stand_for_several_files(olga: FlaskClient) -> None:
    files = [upload("a.txt", "T1 0 d1 2\n"), upload("b.txt", "T1 0 d1 2\n")]
    answer = olga.post(ADDRESS, data={"kind": "qrels", "files": files, "assessor": "Mira"})
    assert answer.status_code == 422
    assert "2 files cannot all be the qrels of Mira" in answer.text
    assert 'name="kind" value="qrels" required checked' in answer.text
    assert 'value="Mira"' in answer.text


def test_machines_are_marked(olga: FlaskClient) -> None:
    import_judgments(olga, [("T1", "d1", "robot", "1")], machine="yes")
    assert "robot machine 1" in text_of(olga.get(ADDRESS).text)


def test_a_refused_file_is_told_whole_and_nothing_is_kept(olga: FlaskClient) -> None:
    good = table([("T1", "d1", "X", "1")])
    bad = table([("T9", "d1", "Z", "1"), ("T1", "d2", "Z", "7")])
    worse = "topic\tdoc\tassessor\tgrade\nT1\td1\tW\n"
    files = [upload("good.tsv", good), upload("bad.tsv", bad)]
    answer = olga.post(ADDRESS, data={"kind": "table", "files": files, "machine": "yes"})
    assert answer.status_code == 422
    assert "topic &#39;T9&#39; is not in this campaign" in answer.text
    assert "document d2: 7 is not on this scale" in answer.text
    assert 'name="machine" value="yes" checked' in answer.text
    answer = olga.post(ADDRESS, data={"kind": "table", "files": [*files_again(good), upload("w.tsv", worse)]})
    assert answer.status_code == 422
    assert "w.tsv:2" in answer.text
    assert olga.get(f"{ADDRESS}/all.tsv").text == table([])


def files_again(content: str) -> list[object]:
    return [upload("good.tsv", content)]


def test_a_code_that_is_no_number_is_refused(olga: FlaskClient) -> None:
    answer = import_judgments(olga, ROWS, cannot_judge="broken")
    assert answer.status_code == 422
    assert 'value="broken"' in answer.text


def test_single_answers_are_found_by_who_gave_them_on_what_and_what_they_say(olga: FlaskClient) -> None:
    import_judgments(olga, ROWS)
    page = olga.get(ADDRESS).text
    assert "T1 d#3 X unsure" in text_of(page)
    assert "T1 d1 Y cannot judge" in text_of(page)
    shown = [olga.get(address).text for address in links(page, "documents/document?")]
    assert any("Text of d#3" in text_of(one) for one in shown)
    for asked, found in (
        ({"answer": "unsure"}, {"T1 d#3 X"}),
        ({"assessor": "Y", "docno": "D1"}, {"T1 d1 Y"}),
        ({"answer": "cannot_judge", "topic": "T1"}, {"T1 d1 Y"}),
        ({"commented": "yes"}, set()),
    ):
        said = text_of(olga.get(ADDRESS, query_string=asked).text)
        every = {"T1 d#3 X", "T1 d1 Y", "T1 d1 X"}
        assert {one for one in every if f"{one} " in said} == found, asked


@pytest.mark.parametrize("name", ["ada", "ADA", "Ａda", "A da", "Ada\u200b"])
def test_a_person_is_not_imported_beside_herself(olga: FlaskClient, name: str, cast: Cast) -> None:
    refused = import_judgments(olga, [("T1", "d1", name, "3")])
    assert refused.status_code == 422
    assert "and 'Ada' would count as two people" in text_of(refused.text)
    # Nor twice by one file.
    twice = import_judgments(olga, [("T1", "d1", "Zoe", "3"), ("T1", "d2", "zoe", "3")])
    assert "'zoe' and 'Zoe' would count as two people" in text_of(twice.text)
