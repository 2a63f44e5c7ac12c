"""The record of a run by pages, and the list of runs that finds it."""

from __future__ import annotations

import csv
import io
import re

from flask.testing import FlaskClient

from tests.builders import ALPHA, run_text
from tests.cast import Cast
from tests.uploads import check_files, links, text_of, upload, upload_runs
from tests.web.conftest import Enter

RUNS = "/c/harbour/runs"
NEWER = run_text("alpha", {"T1": ("d6",)})


def table(client: FlaskClient, query: str = "") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(client.get(f"{RUNS}/records.csv{query}").text)))


def test_the_record_is_changed_on_its_page(olga: FlaskClient, cast: Cast) -> None:
    said = {"group": str(cast.group_id), "kind": "manual", "priority": "1", "description": "by hand"}
    answer = olga.post(f"{RUNS}/run?tag=alpha", data=said)
    assert answer.status_code == 303
    page = text_of(olga.get(answer.location).text)
    assert "Run alpha is saved." in page
    assert "Group Tidewater Download" in page
    assert "Kind manual Priority 1 Description by hand" in page
    wrong = olga.post(f"{RUNS}/run?tag=alpha", data={"kind": "robot", "priority": "-1", "description": "new"})
    assert wrong.status_code == 422
    assert 'id="kind-error-1"' in wrong.text
    assert "new</textarea>" in wrong.text
    assert "Description by hand" in text_of(olga.get(f"{RUNS}/run?tag=alpha").text)
    assert olga.get(f"{RUNS}/run?tag=nobody").status_code == 404


def test_a_run_is_set_aside_with_a_reason_and_accepted_again(olga: FlaskClient) -> None:
    verdict = f"{RUNS}/run/verdict?tag=alpha"
    assert olga.post(verdict, data={"verdict": "set_aside"}).status_code == 422
    assert olga.post(verdict, data={"verdict": "king"}).status_code == 422
    assert olga.post(verdict, data={"verdict": "set_aside", "reason": "x" * 1001}).status_code == 422
    assert olga.post(verdict, data={"verdict": "set_aside", "reason": "broken"}).status_code == 303
    assert "set aside" in text_of(olga.get(f"{RUNS}?verdict=set_aside").text)
    assert "by Olga broken" in text_of(olga.get(f"{RUNS}/run?tag=alpha").text)
    assert 'value="alpha" checked' not in olga.get("/c/harbour/pools").text
    assert olga.post(verdict, data={"verdict": "accepted", "reason": "broken"}).status_code == 303
    assert [row["reason"] for row in table(olga, "?verdict=accepted")] == ["", ""]


def test_a_replaced_run_stays_to_be_had_and_the_pool_says_so(olga: FlaskClient) -> None:
    answer = olga.post(f"{RUNS}/run/replace?tag=alpha", data={"files": [upload("alpha.txt", NEWER)]})
    assert answer.status_code == 303
    page = olga.get(answer.location).text
    assert "built from an earlier version" in page
    (old,) = links(page, "sha256=")
    assert olga.get(old).data == run_text("alpha", ALPHA)
    assert olga.get(f"{RUNS}/file?tag=alpha").data == NEWER
    assert "an earlier version" in text_of(olga.get("/c/harbour/pools/1").text)
    assert "depth 2 (earlier version)" in text_of(olga.get(RUNS).text)
    assert olga.get(f"{RUNS}/remove?tag=alpha").status_code == 409
    again = olga.post(f"{RUNS}/run/replace?tag=alpha", data={"files": [upload("alpha.txt", NEWER)]})
    assert (again.status_code, 'id="refusal"' in again.text) == (422, True)


def test_checked_files_are_kept_for_a_group_and_with_a_kind(olga: FlaskClient, cast: Cast) -> None:
    checked = check_files(olga, upload("x.txt", run_text("x", {"T1": ("d1",)})))
    assert "Tidewater" in olga.get(checked).text
    number = re.findall(r'name="file" value="(\d+)"', olga.get(checked).text)
    unknown = olga.post(f"{checked}/keep", data={"file": number, "group": "999"})
    assert unknown.status_code == 404
    olga.post(f"{checked}/keep", data={"file": number, "group": str(cast.group_id), "kind": "manual"})
    (row,) = (row for row in table(olga) if row["tag"] == "x")
    assert (row["group"], row["kind"], row["lines"]) == ("Tidewater", "manual", "1")


def test_many_runs_are_filtered_and_sorted(olga: FlaskClient, cast: Cast) -> None:
    upload_runs(olga, gamma={"T1": ("d1",)}, delta={"T1": ("d2",)})
    for tag, priority in (("gamma", "2"), ("delta", "1")):
        olga.post(f"{RUNS}/run?tag={tag}", data={"group": str(cast.group_id), "priority": priority})
    assert [row["tag"] for row in table(olga)] == ["alpha", "beta", "delta", "gamma"]
    # The group comes first with its priorities, runs without a group last.
    assert [row["tag"] for row in table(olga, "?sort=group")] == ["delta", "gamma", "alpha", "beta"]
    assert [row["tag"] for row in table(olga, f"?group={cast.group_id}")] == ["delta", "gamma"]
    assert [row["tag"] for row in table(olga, "?group=none&sort=nonsense&verdict=king")] == ["alpha", "beta"]
    assert [row["tag"] for row in table(olga, "?sort=added")][-1] in {"alpha", "beta"}
    page = text_of(olga.get(f"{RUNS}?group={cast.group_id}").text)
    assert "2 of 4 runs" in page
    assert "No run matches." in olga.get(f"{RUNS}?verdict=received").text


def test_all_runs_that_wait_are_accepted_at_once(olga: FlaskClient, enter: Enter, cast: Cast) -> None:
    files = [upload(f"{tag}.txt", run_text(tag, {"T1": ("d1",)})) for tag in ("p1", "p2")]
    petra = enter("Petra")
    sent = {"group": str(cast.group_id), "files": files}
    batch = petra.post("/c/harbour/own-runs/checked", data=sent).location
    good = re.findall(r'name="file" value="(\d+)"', petra.get(batch).text)
    assert petra.post(f"{batch}/keep", data={"file": good}).status_code == 303
    assert "Accept 2 received runs" in text_of(olga.get(RUNS).text)
    answer = olga.post(f"{RUNS}/accept", data={"run": ["p1", "p2"]})
    assert "2 runs accepted." in olga.get(answer.location).text
    assert {row["verdict"] for row in table(olga)} == {"accepted"}
