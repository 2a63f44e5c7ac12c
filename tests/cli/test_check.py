"""`workbench check`: one row a run, findings on the error stream, exit code 1 for a refused run."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from workbench.cli.check import command

GOOD = b"401 Q0 a 1 2 bm25\n401 Q0 b 2 1 bm25\n"
BAD = b"401 Q0 a 1 high bm26\n401 Q0 b 2\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bm25.gz").write_bytes(gzip.compress(GOOD))
    (tmp_path / "bm26.run").write_bytes(BAD)
    return tmp_path


def check(*arguments: str, typed: bytes = b"") -> Result:
    return CliRunner().invoke(command, arguments, input=typed)


def rows(result: Result) -> list[list[str]]:
    return [line.split("\t") for line in result.stdout.splitlines()]


HEADINGS = ["tag", "file", "topics", "lines", "errors", "warnings", "verdict"]


def test_a_good_run_is_accepted_without_a_word_on_the_error_stream() -> None:
    result = check("bm25.gz")
    assert result.exit_code == 0
    assert result.stderr == ""
    assert rows(result) == [HEADINGS, ["bm25", "bm25.gz", "1", "2", "0", "0", "good"]]


def test_a_bad_run_is_refused_and_the_others_are_still_checked() -> None:
    result = check("bm26.run", "missing.run", ".", "bm25.gz")
    assert result.exit_code == 1
    assert rows(result)[1:] == [
        ["-", "bm26.run", "1", "2", "2", "0", "refused"],
        ["-", "missing.run", "0", "0", "1", "0", "refused"],
        ["-", ".", "0", "0", "1", "0", "refused"],
        ["bm25", "bm25.gz", "1", "2", "0", "0", "good"],
    ]
    assert result.stderr.splitlines() == [
        'error: bm26.run:1, column 5: the score "high" is not a finite decimal number '
        "(write it like 12.5 or 1.25e1, higher for better documents)",
        "error: bm26.run:2: expected 6 columns, found 4 "
        "(a run has the columns topic Q0 docno rank score tag)",
        "error: missing.run: there is no such file (check the name and the folder)",
        "error: .: this is a folder, not a file (name its files: ./*)",
    ]


def test_warnings_do_not_refuse() -> None:
    result = check("-", typed=GOOD.replace(b"401 Q0 b", b"401 0 b"))
    assert result.exit_code == 0
    assert rows(result)[1] == ["bm25", "standard input", "1", "2", "0", "1", "good with warnings"]
    warning, repair = result.stderr.splitlines()
    assert warning.startswith(
        "warning: standard input:2, column 2: the second column is not Q0 (1 of 2 lines)"
    )
    assert repair == "repair: standard input: 1 line given Q0 in the second column"


def test_the_standard_input_may_be_gzip() -> None:
    assert check("-", typed=gzip.compress(GOOD)).exit_code == 0


def test_json_tells_everything_and_nothing_else() -> None:
    result = check("--json", "bm25.gz", "bm26.run")
    assert result.exit_code == 1
    assert result.stderr == ""
    good, bad = json.loads(result.stdout)
    assert good == {
        "file": "bm25.gz",
        "tag": "bm25",
        "topics": 1,
        "lines": 2,
        "sha256": None,
        "verdict": "good",
        "ok": True,
        "error_count": 0,
        "errors": [],
        "warnings": [],
        "repair": None,
    }
    assert (bad["file"], bad["tag"], bad["ok"]) == ("bm26.run", None, False)
    assert bad["errors"][1] == {
        "line": 2,
        "column": None,
        "code": "columns",
        "message": "expected 6 columns, found 4",
        "remedy": "a run has the columns topic Q0 docno rank score tag",
    }


@pytest.mark.parametrize(
    "content", ["401\n402\n", "401\tone\n402\ttwo\n", "<top><num>401<title>one<top><num>402<title>two"]
)
def test_topics_may_be_in_any_format_or_a_list(folder: Path, content: str) -> None:
    (folder / "topics").write_text(content)
    result = check("bm25.gz", "--topics", "topics", "--json")
    assert result.exit_code == 0
    assert [warning["code"] for warning in json.loads(result.stdout)[0]["warnings"]] == ["topics-missing"]


def test_topics_and_docnos_and_depth_are_held_against_the_run(folder: Path) -> None:
    (folder / "topics").write_text("0401\n")
    (folder / "docids.gz").write_bytes(gzip.compress(b"a\n"))
    result = check("bm25.gz", "--topics=topics", "--docids=docids.gz", "--max-per-topic=1", "--json")
    assert result.exit_code == 1
    told = json.loads(result.stdout)[0]["errors"]
    assert [(error["line"], error["code"]) for error in told] == [
        (1, "unknown-topic"),
        (2, "too-many"),
        (2, "unknown-document"),
    ]


@pytest.mark.parametrize(
    "name", ["bm25", "bm25.run", "bm25.txt.gz", "input.bm25.gz", "bm25.trec", "sub/bm25.gz"]
)
def test_the_tag_is_expected_in_the_name_of_the_file(folder: Path, name: str) -> None:
    (folder / "sub").mkdir()
    (folder / name).write_bytes(GOOD)
    assert check(name).stderr == ""
    (folder / "other").write_bytes(GOOD)
    assert 'the tag "bm25" is not the name of the file' in check("other").stderr


def test_a_tag_with_a_dot_is_no_suffix(folder: Path) -> None:
    (folder / "bm25.k1").write_bytes(GOOD.replace(b"bm25", b"bm25.k1"))
    (line,) = check("bm25.k1").stderr.splitlines()
    assert 'the tag "bm25.k1" contains "."' in line


def test_ids_that_are_no_utf_8_can_be_told(folder: Path) -> None:
    (folder / "t\udcff").write_bytes(b"1 Q0 \xff 1 1 t\xff\n1 Q0 \xff 1 1 t\xff\n")
    result = check("t\udcff")
    assert result.exit_code == 1
    assert r'document "\xff"' in result.stderr
    assert json.loads(check("t\udcff", "--json").stdout)[0]["file"] == "t\udcff"


def test_a_command_line_without_runs_is_not_understood() -> None:
    assert check().exit_code == 2
    assert check("bm25.gz", "--max-per-topic", "0").exit_code == 2


def test_unreadable_topics_refuse_the_whole_check() -> None:
    result = check("bm25.gz", "--topics", "missing")
    assert result.exit_code == 1
    assert result.stdout == ""


def test_the_rules_come_by_options(folder: Path) -> None:
    (folder / "topics").write_text("402\n")
    assert check("bm25.gz", "--topics=topics").exit_code == 1
    told = json.loads(check("bm25.gz", "--topics=topics", "--rules=lenient", "--json").stdout)[0]
    assert told["verdict"] == "good with warnings"
    assert [(one["column"], one["code"]) for one in told["warnings"]] == [
        (1, "unknown-topic"),
        (None, "topics-missing"),
    ]
    strict = check("bm25.gz", "--topics=topics", "--rules=strict", "--json").stdout
    assert {"unknown-topic", "topics-missing"} <= {one["code"] for one in json.loads(strict)[0]["errors"]}
    refused = check("bm25.gz", "--rules", "easy")
    assert refused.exit_code == 2
    assert "'easy' is not one of" in refused.stderr


def test_ties_across_the_cut_are_told_for_a_depth() -> None:
    tied = GOOD.replace(b" 1 bm25", b" 2 bm25")
    assert "pool's cut at depth 1" in check("-", "--cut", "1", typed=tied).stderr
    assert "cut" not in check("-", "--cut", "2", typed=tied).stderr


def test_corrected_runs_are_written_elsewhere_with_what_was_changed(folder: Path) -> None:
    (folder / "x.run").write_bytes(b"401 0 a 1 2.50 x\r\n401 Q0 b 2 1e0 y\r\n")
    result = check("x.run", "bm25.gz", "--correct-to", "repaired")
    assert (folder / "repaired" / "x.run").read_bytes() == b"401 Q0 a 1 2.50 x\n401 Q0 b 2 1e0 x\n"
    assert not (folder / "repaired" / "bm25").exists(), "a good run needs no correction"
    assert "repair: x.run: 2 lines with Windows line ends converted; 1 line given the tag" in result.stderr
    told = json.loads(check("x.run", "bm26.run", "--json").stdout)
    assert told[0]["repair"]["errors_left"] == 0
    assert told[1]["repair"] is None
    assert "is the run itself" in str(check("x.run", "--correct-to", ".").exception)
    assert (folder / "x.run").read_bytes().startswith(b"401 0 a")
