"""Options that say nothing here, contradict the files, or would be dropped: each is refused or told."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.cli.executable import qrels_file, run_file
from workbench.cli.main import workbench


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files that the commands below name."""
    monkeypatch.chdir(tmp_path)
    qrels_file(tmp_path / "qrels", {"1": {"d1": 2, "d2": 0}, "2": {"d1": 1, "d3": 0}})
    for tag, docnos in (("A", "d1 d2"), ("B", "d2 d1")):
        run_file(tmp_path, tag, {"1": docnos, "2": "d3 d1"}).rename(tmp_path / tag)
    rows = ["topic\tdoc\tassessor\tgrade", "1\td1\tann\t1", "1\td1\tben\t0"]
    (tmp_path / "judged").write_text("\n".join(rows) + "\n")
    (tmp_path / "groups").write_text("A\tone\nBB\ttwo\n")
    return tmp_path


def invoke(words: str) -> Result:
    return CliRunner().invoke(workbench, words.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("consensus judged -o out", "--output needs --export, which says what the file is"),
        ("consensus judged --rule any --ties lower", "--ties is no parameter of any"),
        ("consensus judged --rule majority --assessor ann", "--assessor is no parameter of majority"),
        ("pool A --relevant-from 2", "--relevant-from needs --qrels"),
        ("pool A --cannot-judge -2", "--cannot-judge needs --qrels"),
        ("curve rank qrels A --docs 7", "--docs says nothing about the curve rank"),
        ("curve recall-precision qrels A --depth 3", "--depth says nothing about the curve recall-precision"),
        ("trust holes qrels A B --highest-grade 1", "--highest-grade is 1, and qrels has the grade 2"),
        ("compare qrels A B -m AP -m P@5", "one measure is compared, and 2 were given"),
        ("trust judges A B -j judged -m AP -m P@5", "one measure is compared, and 2 were given"),
    ],
)
def test_what_would_be_dropped_is_refused(folder: Path, words: str, said: str) -> None:
    done = invoke(words)
    assert done.exit_code == 2
    assert said in done.stderr
    assert not (folder / "out").exists()


def test_a_rule_of_a_stranger_is_no_empty_file(folder: Path) -> None:
    done = invoke("consensus judged --rule one --assessor cyd --export qrels -o out")
    assert str(done.exception) == 'there is no judgment of the assessor "cyd" (name one of ann, ben)'
    assert not (folder / "out").exists()


@pytest.mark.parametrize(
    "words", ["trust runs qrels A B --depth 2 --groups groups", "analyse A B --depth 2 --groups groups"]
)
def test_a_misspelt_run_of_a_group_is_told(folder: Path, words: str) -> None:
    done = invoke(words)
    assert done.exit_code == 0
    assert "note: 1 tag in the groups file named by --groups is of no run given, such as BB" in done.stderr


def test_a_name_that_ends_with_gz_has_gzip_and_a_hyphen_is_the_standard_output(folder: Path) -> None:
    assert invoke("convert A A.run.gz").exit_code == 0
    plain = gzip.decompress((folder / "A.run.gz").read_bytes())
    assert plain.startswith(b"1 Q0 d1 1 ")
    assert invoke("convert A -").stdout_bytes == plain
    assert invoke("convert A A.csv.gz").exit_code == 0
    assert gzip.decompress((folder / "A.csv.gz").read_bytes()).startswith(b"qid,docno,")
    assert invoke("consensus judged --rule any --export qrels -o any.gz").exit_code == 0
    assert gzip.decompress((folder / "any.gz").read_bytes()) == b"1 0 d1 1\n"
    assert not (folder / "-").exists()
