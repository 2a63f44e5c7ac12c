"""What commands on files refuse, and what they add to a table where it says less than it seems."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.executable import Done, qrels_file, run_file, workbench
from workbench.cli.files import opened_each
from workbench.errors import InvalidInput


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Qrels of two topics, and runs good and poor, which have the relevant document first and second."""
    monkeypatch.chdir(tmp_path)
    qrels_file(tmp_path / "qrels", {"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 0}})
    run_file(tmp_path, "good", {"1": "a b", "2": "a b"})
    run_file(tmp_path, "poor", {"1": "b a", "2": "b a"})
    return tmp_path


def refused(*words: str, code: int = 1) -> str:
    """What a command says that ends with this exit code and prints nothing."""
    done = workbench(*words)
    assert (done.returncode, done.stdout) == (code, b"")
    return done.stderr.decode()


def does(*words: str) -> Done:
    done = workbench(*words)
    assert done.returncode == 0, done.stderr.decode()
    return done


@pytest.mark.parametrize("scale", ["0 one", "0", "-1 0 1", "1 1"])
def test_a_scale_has_two_grades_or_more_from_nothing_on(scale: str) -> None:
    qrels_file(Path("other"), {"1": {"a": 1, "b": 1}})
    said = refused("agree", "qrels", "other", "--scale", scale)
    assert (
        said == f"workbench: {scale!r} is not a scale (write two grades or more, from 0, such as '0 1 2 3')\n"
    )


def test_runs_that_are_alike_are_called_so_and_long_lists_cut(folder: Path) -> None:
    # Eleven runs are 55 pairs of runs, all of the same documents.
    runs = [str(run_file(folder, f"r{number}", {"1": "a b", "2": "a b"})) for number in range(11)]
    done = does("analyse", *runs, "--part", "overlap")
    assert done.stdout.count(b"\n") == 1 + 50
    notes = done.stderr.decode()
    assert "the 50 most alike of 55 pairs; --json has all" in notes
    assert "55 pairs share 95% or more: near-duplicates" in notes


def test_a_rule_that_cannot_be_applied_is_noted_beside_the_others() -> None:
    Path("judged.tsv").write_text("topic\tdoc\tassessor\tgrade\n1\ta\tann\t1\n1\ta\tbea\t1\n")
    done = does("consensus", "judged.tsv", "--rule", "any", "--rule", "mean")
    assert "note: mean cannot be applied: " in done.stderr.decode()
    assert [line.split("\t")[0] for line in done.stdout.decode().splitlines()[:2]] == ["rule", "any"]
    assert "qrels need whole grades" in refused("consensus", "judged.tsv", "--rule", "mean")


@pytest.mark.parametrize("number", ["0", "few"])
def test_a_number_of_a_rule_is_whole_and_1_or_more(number: str) -> None:
    assert "a whole number, 1 or more" in refused(
        "consensus", "qrels", "--rule", "sum", "--line", number, code=2
    )
    assert "--line N " in does("consensus", "--help").stdout.decode()


def test_a_plan_that_cannot_be_made_says_why() -> None:
    said = refused("sample-size", "--half-width", "0", "--topics", "3", code=2)
    assert "the half width cannot be 0 (give 0.01 to 0.5)" in said
    # All that is wrong is told at once.
    assert "the number of topics cannot be 3 (give 5 to 100000)" in said


def test_a_repaired_run_never_replaces_the_run_itself(folder: Path) -> None:
    content = b"1 0 a 1 2 x\n1 Q0 b 2 1 y\n"
    (folder / "bad.run").write_bytes(content)
    said = refused("check", "bad.run", "--correct-to", ".")
    assert "bad.run is the run itself (choose another folder for repaired runs)" in said
    assert (folder / "bad.run").read_bytes() == content


def test_runs_that_agree_under_all_qrels_have_no_pair_that_changes_places() -> None:
    Path("judged.tsv").write_text(
        "topic\tdoc\tassessor\tgrade\n"
        + "".join(f"{topic}\ta\t{who}\t1\n{topic}\tb\t{who}\t0\n" for topic in "12" for who in ("ann", "bea"))
    )
    words = ("trust", "judges", "good.run", "poor.run", "-j", "judged.tsv", "--mixtures", "10")
    done = does(*words, "--reference", "ann", "--part", "pairs")
    assert done.stdout == b"no pair of runs swaps or loses its significance\n"


def test_where_every_run_was_pooled_none_came_late(folder: Path) -> None:
    (folder / "groups").write_text("good\tone\npoor\ttwo\n")
    words = ("trust", "runs", "qrels", "good.run", "poor.run", "--depth", "1", "--groups", "groups")
    assert does(*words, "--part", "late").stdout == b"every run was pooled\n"


def test_an_input_that_cannot_be_opened_fails_as_it_is_read_and_the_others_come() -> None:
    (missing, unopened), (name, stream) = [
        (source, each if source == "missing" else each.read(4))
        for source, each in opened_each(["missing", "qrels"])
    ]
    assert (missing, name, stream) == ("missing", "qrels", b"1 0 ")
    with pytest.raises(InvalidInput, match="no such file"):
        unopened.read(1)  # type: ignore[union-attr]
