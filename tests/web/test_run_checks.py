"""The dry run by pages: files are checked and told, and become runs only when somebody keeps them."""

from __future__ import annotations

import gzip
import re

import pytest
from flask.testing import FlaskClient

from tests.builders import ALPHA, run_text
from tests.uploads import check_files, keep_all, links, text_of, upload

RUNS = "/c/harbour/runs"
BROKEN = "T1 Q0 d1 1 9.0 broken\nT1 Q0 d1 2 8.0 broken\nT9 Q0 d2 1 nan broken\nT1 Q0 d2\n"
FINE = run_text("fine", {"T1": ("d1", "d2"), "T2": ("d2", "d1")})


def test_checking_keeps_no_run_and_tells_place_finding_and_remedy(olga: FlaskClient) -> None:
    address = check_files(olga, upload("fine.txt", FINE), upload("broken.txt", BROKEN))
    page = olga.get(address).text
    said = text_of(page)
    assert "2 files checked" in said
    assert "1 refused" in said
    # Line 2 repeats d1 (column 3); line 3 has an unknown topic (1) and no number (5); line 4 has 4 columns.
    for row in ("2 3 document", "3 1 topic", "3 5 the score", "4 expected 6 columns, found 3"):
        assert row in said
    assert said.index("broken.txt") < said.index("fine.txt"), "refused ones stand first"
    listed = text_of(olga.get(RUNS).text)
    assert "fine fine.txt" not in listed
    assert "2 files checked on" in listed


def test_the_good_files_are_kept_by_one_button_and_only_once(olga: FlaskClient) -> None:
    address = check_files(olga, upload("fine.txt", FINE), upload("broken.txt", BROKEN))
    ticked = re.findall(r'name="file" value="(\d+)" checked', olga.get(address).text)
    assert len(ticked) == 1
    assert olga.post(f"{address}/keep", data={"file": ticked}).status_code == 303
    assert "1 run added." in olga.get(address).text
    olga.post(f"{address}/keep", data={"file": ticked})
    assert "0 runs added; 1 file was a run already." in olga.get(address).text
    assert text_of(olga.get(RUNS).text).count("fine fine.txt") == 1


def test_only_the_ticked_files_are_kept(olga: FlaskClient) -> None:
    other = run_text("other", {"T1": ("d/4", "d1"), "T2": ("d6", "d1")})
    address = check_files(olga, upload("fine.txt", FINE), upload("other.txt", other))
    first, _ = re.findall(r'name="file" value="(\d+)" checked', olga.get(address).text)
    olga.post(f"{address}/keep", data={"file": [first]})
    assert "fine fine.txt" in text_of(olga.get(RUNS).text)
    assert "other other.txt" not in text_of(olga.get(RUNS).text)
    assert olga.post(f"{address}/keep", data={"file": ["9999"]}).status_code == 404
    assert olga.post(f"{address}/keep", data={"file": ["x"]}).status_code == 404


def test_a_selection_survives_a_refused_field(olga: FlaskClient) -> None:
    other = run_text("other", {"T1": ("d/4", "d1"), "T2": ("d6", "d1")})
    address = check_files(olga, upload("fine.txt", FINE), upload("other.txt", other))
    first, second = re.findall(r'name="file" value="(\d+)" checked', olga.get(address).text)
    answer = olga.post(f"{address}/keep", data={"file": [second], "kind": "x"})
    assert answer.status_code == 422
    assert re.findall(r'name="file" value="(\d+)" checked', answer.text) == [second]
    assert f'name="file" value="{first}"' in answer.text
    assert "Add the selected run</button>" in answer.text


def test_distances_are_asked_about_and_negated_by_the_repair(olga: FlaskClient) -> None:
    order = ("d1", "d2", "d/4", "d6")
    docnos = (*order, *(f"x{n}" for n in range(8)))
    sent = "".join(f"T1 Q0 {docno} {rank} {rank} near\n" for rank, docno in enumerate(docnos, 1))
    address = check_files(olga, upload("near.txt", sent))
    page = olga.get(address).text
    assert "are these distances? (11 of 12 lines in 1 topic)" in text_of(page)
    assert "12 lines with the score negated" in text_of(page)
    assert "No score is changed" not in page
    (corrected,) = links(page, "/corrected")
    assert olga.get(corrected).data.startswith(b"T1 Q0 d1 1 -1 near\nT1 Q0 d2 2 -2 near\n")


def test_a_batch_is_discarded(olga: FlaskClient) -> None:
    address = check_files(olga, upload("fine.txt", FINE))
    assert olga.post(f"{address}/discard").status_code == 303
    assert "1 file discarded." in olga.get(RUNS).text
    assert olga.get(address).status_code == 404


def test_a_corrected_file_takes_the_place_of_the_refused_one(olga: FlaskClient) -> None:
    address = check_files(olga, upload("broken.txt", BROKEN))
    (number,) = re.findall(r'id="file-(\d+)"', olga.get(address).text)
    repaired = run_text("broken", {"T1": ("d1", "d2"), "T2": ("d1",)})
    olga.post(f"{address}/{number}", data={"files": [upload("broken.txt", repaired)]})
    page = text_of(olga.get(address).text)
    assert "1 file checked" in page
    assert "refused" not in page
    keep_all(olga, address)
    assert "broken broken.txt" in text_of(olga.get(RUNS).text)


def test_an_automatic_repair_is_shown_downloaded_and_used(olga: FlaskClient) -> None:
    sent = "T1 Q0 d1 1 9.50 mixed\r\nT1 Q0 d2 2 8e0 mixed\r\nT1 0 d6 3 7.0 mixt\r\n"
    address = check_files(olga, upload("mixed.txt", sent))
    page = olga.get(address).text
    said = text_of(page)
    assert 'class="repair"' in page
    for change in ("3 lines with Windows line ends", '1 line given the tag "mixed"', "1 line given Q0"):
        assert change in said
    (corrected,) = links(page, "/corrected")
    answer = olga.get(corrected)
    assert answer.data == b"T1 Q0 d1 1 9.50 mixed\nT1 Q0 d2 2 8e0 mixed\nT1 Q0 d6 3 7.0 mixed\n"
    assert 'filename="mixed.txt"' in answer.headers["Content-Disposition"]
    assert olga.post(corrected).status_code == 303
    assert "refused" not in text_of(olga.get(address).text)


def test_what_takes_a_person_is_not_repaired(olga: FlaskClient) -> None:
    address = check_files(olga, upload("two.txt", "T1 Q0 d1 1 9 two\nT1 Q0 d1 2 8 two\n"))
    page = olga.get(address).text
    assert 'class="repair"' not in page
    (number,) = re.findall(r'id="file-(\d+)"', page)
    assert olga.get(f"{address}/{number}/corrected").status_code == 422


def test_the_report_is_json_too(olga: FlaskClient) -> None:
    address = check_files(olga, upload("broken.txt", BROKEN))
    told = olga.get(f"{address}?format=json").get_json()
    (file,) = told["files"]
    assert (file["file"], file["verdict"], file["kept"]) == ("broken.txt", "refused", False)
    assert [(one["line"], one["column"], one["code"]) for one in file["errors"]] == [
        (2, 3, "duplicate"),
        (3, 1, "unknown-topic"),
        (3, 5, "score"),
        (4, None, "columns"),
    ]


def test_files_come_one_by_one_into_the_same_batch_and_a_repeated_one_once(olga: FlaskClient) -> None:
    batch = "12345678-1234-1234-1234-123456789abc"
    for name, content in (("fine.txt", FINE), ("broken.txt", BROKEN), ("fine.txt", FINE)):
        answer = olga.post(
            f"{RUNS}/checked",
            data={"batch": batch, "files": [upload(name, content)]},
            headers={"Accept": "application/json"},
        )
        assert answer.get_json()["address"] == f"{RUNS}/checked/{batch}"
    said = text_of(olga.get(f"{RUNS}/checked/{batch}").text)
    assert "2 files checked" in said
    assert (
        olga.post(f"{RUNS}/checked", data={"batch": "../x", "files": [upload("f", FINE)]}).status_code == 404
    )


def test_a_program_is_told_what_is_wrong_in_json(olga: FlaskClient) -> None:
    answer = olga.post(f"{RUNS}/checked", data={}, headers={"Accept": "application/json"})
    assert answer.status_code == 422
    assert "no file was chosen" in answer.get_json()["error"]


def test_files_of_a_batch_are_held_against_one_another_and_the_runs(olga: FlaskClient) -> None:
    renamed = run_text("gamma", ALPHA)
    address = check_files(
        olga,
        upload("fine.txt", FINE),
        upload("again.txt", FINE.replace(b" 99 ", b" 99.0 ")),
        upload("FINE.txt", FINE.replace(b"fine", b"FINE")),
        upload("gamma.txt", renamed),
    )
    found: dict[tuple[str, str], str] = {}
    batch = olga.get(f"{address}?format=json").json
    assert batch is not None
    for file in batch["files"]:
        for one in (*file["errors"], *file["warnings"]):
            key = file["file"], one["code"]
            found[key] = found.get(key, "") + one["message"]
    assert '"fine.txt"' in found["again.txt", "tag-taken"]
    assert '"fine"' in found["FINE.txt", "tag-alike"]
    # FINE ranks as fine does, gamma as the campaign's run alpha.
    assert '"fine.txt"' in found["FINE.txt", "same-content"]
    assert 'run "alpha"' in found["gamma.txt", "same-content"]


@pytest.mark.parametrize(
    ("name", "content", "word"),
    [
        ("a.zip", b"PK\x03\x04rest", "a zip archive"),
        ("a.pdf", b"%PDF-1.7\n%\xe2\xe3\n", "a PDF document"),
        ("a.html", b"<!DOCTYPE html>\n<html><body>Not found</body></html>\n", "a page of HTML"),
        ("a.tar", b"name".ljust(257, b"\0") + b"ustar" + bytes(250), "a tar archive"),
        ("a.bin", b"\x00\x01\x02", "NUL bytes"),
        ("a.txt", b"", "no run lines"),
        ("a.gz", gzip.compress(gzip.compress(FINE, mtime=0), mtime=0), "compressed twice"),
        ("a.gz", gzip.compress(FINE, mtime=0)[:-9], "ends too early"),
    ],
)
def test_what_is_no_text_is_refused_with_a_clear_word(
    olga: FlaskClient, name: str, content: bytes, word: str
) -> None:
    said = text_of(olga.get(check_files(olga, upload(name, content))).text)
    assert word in said
    assert "1 refused" in said


def with_warnings(client: FlaskClient) -> int:
    told = re.search(r"(\d+) with warnings|no warnings", text_of(client.get("/c/harbour/").text))
    assert told
    return int(told[1] or 0)


def test_equal_scores_are_a_note_and_findings_stand_once_with_the_files_that_have_them(
    olga: FlaskClient,
) -> None:
    # Both have a tie in T1 (scores 9 and 9); the second has a second column that is not Q0 as well.
    north = "T1 Q0 d1 1 9 north\nT1 Q0 d2 2 9 north\nT2 Q0 d2 1 8 north\nT2 Q0 d1 2 7 north\n"
    south = "T1 0 d6 1 9 south\nT1 0 d/4 2 9 south\nT2 0 d6 1 8 south\nT2 0 d#3 2 7 south\n"
    files = {"north.txt": north, "south.txt": south}
    address = check_files(olga, *(upload(name, content) for name, content in files.items()))
    page = olga.get(address).text
    told = {one["file"]: one for one in olga.get(f"{address}?format=json").get_json()["files"]}
    assert [one["code"] for one in told["north.txt"]["warnings"]] == ["ties"]
    assert {name: one["verdict"] for name, one in told.items()} == {
        "north.txt": "good",
        "south.txt": "good with warnings",
    }
    ties = re.findall(r'<details class="found-in" data-code="ties">.*?</details>', page, re.DOTALL)
    assert len(ties) == 1
    assert ("north.txt" in ties[0], "south.txt" in ties[0]) == (True, True)
    assert '<span class="pill">note</span>' in ties[0]
    before = with_warnings(olga)
    keep_all(olga, address)
    assert with_warnings(olga) == before + 1
    row = re.search(r"<tr>(?:(?!</tr>).)*north\.txt.*?</tr>", olga.get(RUNS).text, re.DOTALL)
    assert row is not None
    assert '<span class="pill">note</span>' in row[0]
    assert "warning</span>" not in row[0]
