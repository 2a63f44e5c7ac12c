"""`workbench release compare` and `check`: two releases as files, compared and checked in every form."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.cli.executable import run_file, workbench
from tests.releases.made import small_release, write_release
from tests.releases.test_comparison import FIRST, SECOND
from workbench.cli.release import swap_words
from workbench.releases.comparison import SwapTest


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Releases 1.0 and 1.1 of one campaign; run one has a before b, run two b before a."""
    made = tmp_path_factory.mktemp("releases")
    (made / "1.0.zip").write_bytes(write_release(FIRST))
    (made / "1.1.zip").write_bytes(write_release(SECOND))
    run_file(made, "one", {"T1": "a b"})
    run_file(made, "two", {"T1": "b a"})
    return made


@pytest.fixture(autouse=True)
def in_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


def compared(*words: str, given: bytes = b"") -> str:
    done = workbench("release", "compare", *words, given=given)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


RUNS = ("--run", "one.run", "--run", "two.run")


def test_tables_say_what_changed_and_which_runs_swap() -> None:
    changes, grades, runs, tests = compared("1.0.zip", "1.1.zip", *RUNS).split("\n\n")
    # Of tests.releases.test_comparison: d came, c went, a was 1 and is 0, b the other way round, e stays 0.
    assert changes.splitlines() == [
        "1.0 to 1.1\tpairs",
        "added\t1",
        "removed\t1",
        "grade changed\t2",
        "now relevant\t1",
        "no longer relevant\t1",
        "same grade\t1",
    ]
    assert grades.splitlines() == [
        "grade in 1.0\t0 in 1.1\t1 in 1.1\tno line in 1.1",
        "0\t1\t1\t0",
        "1\t1\t0\t1",
        "no line\t0\t1\t0",
    ]
    # By hand there as well: AP 1/2 and 1/4, afterwards 1/4 and 1/2.
    assert runs.splitlines() == [
        "run\tAP before\tafter\trank before\tafter",
        "two\t0.2500\t0.5000\t2\t1",
        "one\t0.5000\t0.2500\t1\t2",
    ]
    first, swap, note = tests.splitlines()
    assert first == (
        "Kendall's tau -1.000 over 2 runs; topics in the qrels: 1 and 1; pairs of runs that swap: 1"
    )
    # One topic leaves a t test no degree of freedom.
    assert swap == "  one was ahead of two: before not tested, after not tested"
    assert note.startswith("p of paired t tests, two-sided, corrected by Holm")


def test_json_has_the_pairs_with_what_decided_them_and_the_ranking() -> None:
    found = json.loads(compared("1.0.zip", "1.1.zip", *RUNS, "--json"))
    assert (found["first"], found["second"], found["lines"]) == ("1.0", "1.1", [4, 4])
    (added,) = found["added"]
    # A day after what made.AT says.
    assert (added["docno"], added["decided_by"]) == ("d", "judgment")
    assert added["decided_at"].startswith("2026-03-05T05:06:07")
    (removed,) = found["removed"]
    assert (removed["docno"], removed["decided_at"]) == ("c", None)
    assert [one["docno"] for one in found["changed"]] == ["a", "b"]
    assert {"before": 0, "after": 0, "pairs": 1} in found["grades"]
    ranking = found["ranking"]
    assert (ranking["measure"], ranking["tau"], ranking["topics"]) == ("AP", -1, [1, 1])
    (swap,) = ranking["swaps"]
    assert (swap["ahead"], swap["behind"], swap["gap"]) == ("one", "two", [0.25, 0.25])
    assert (swap["p"], swap["significant"]) == ([None, None], [False, False])


def test_every_pair_that_differs_is_a_line_of_csv() -> None:
    rows = list(csv.DictReader(compared("1.0.zip", "1.1.zip", "--csv").splitlines()))
    assert sorted(row["docno"] for row in rows) == ["a", "b", "c", "d"]


def test_without_runs_nothing_is_ranked_and_it_is_said_why() -> None:
    assert compared("1.0.zip", "1.1.zip").splitlines()[-1].startswith("The runs are not ranked: ")
    found = json.loads(compared("1.0.zip", "1.1.zip", "--json"))
    assert found["ranking"] is None
    assert found["not_ranked"]


def test_a_release_comes_from_a_pipe_and_once_only(folder: Path) -> None:
    piped = compared("-", "1.1.zip", "--json", given=(folder / "1.0.zip").read_bytes())
    assert json.loads(piped) == json.loads(compared("1.0.zip", "1.1.zip", "--json"))


def test_csv_and_json_exclude_one_another() -> None:
    done = workbench("release", "compare", "1.0.zip", "1.1.zip", "--csv", "--json")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"--json and --csv cannot be combined" in done.stderr


def test_a_swap_is_told_with_the_p_of_each_release() -> None:
    swap = SwapTest("one", "two", (0.25, 0.25), (0.04, None))
    assert swap_words(swap) == "before p 0.040 (significant), after not tested"


def test_releases_are_checked_together_and_a_checksum_is_of_one(folder: Path) -> None:
    (folder / "cut.zip").write_bytes((folder / "1.0.zip").read_bytes()[:-40])
    (folder / "whole.zip").write_bytes(write_release(small_release()))
    done = workbench("release", "check", "whole.zip", "cut.zip")
    assert done.returncode == 1
    whole, cut = (line.split("\t") for line in done.stdout.decode().splitlines()[1:])
    assert (whole[0], whole[1], whole[3]) == ("whole.zip", "1.0", "whole")
    assert (cut[0], cut[1], cut[3]) == ("cut.zip", "-", "damaged")
    assert done.stderr.startswith(b"error: cut.zip: ")
    found = json.loads(workbench("release", "check", "cut.zip", "--json").stdout)[0]
    assert (found["whole"], found["title"], found["version"]) == (False, None, None)
    done = workbench("release", "check", "whole.zip", "cut.zip", "--sha256", "0" * 64)
    assert (done.returncode, b"--sha256 and --documents are for one release" in done.stderr) == (2, True)
    assert workbench("release", "check", "whole.zip", "--sha256", "0" * 64).returncode == 1
