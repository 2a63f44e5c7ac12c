"""What commands on a campaign print for people, and the files that they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.executable import Terminal
from workbench.workflow.campaigns.campaigns import campaign_by_slug

JUDGED = "topic\tdoc\tassessor\tgrade\nT1\td1\tEve\t3\nT1\td2\tEve\t0\nT1\td1\tEve\t1\n"


def rows(printed: bytes) -> list[list[str]]:
    return [line.split("\t") for line in printed.decode().splitlines()]


def test_campaigns_are_listed_and_one_is_shown_with_its_assessors(populated: Terminal) -> None:
    assert rows(populated.does("campaign", "list")) == [
        ["campaign", "name"], ["elsewhere", "Elsewhere"], ["harbour", "Harbour"],
    ]  # fmt: skip
    totals, people = (
        populated.does("campaign", "show", "harbour").decode().strip().replace("\r", "").split("\n\n")
    )
    counted = dict(line.split("\t") for line in totals.splitlines()[1:])
    # Of tests.builders: two topics, six documents, and the pool of depth 2 with six pairs of two runs.
    assert counted == {
        "topics": "2", "documents": "6", "runs": "2", "pools": "1", "pairs": "6", "judged": "0",
        "judged by two or more": "0", "disputed": "0", "missing documents": "0",
        "judgments not handed out yet": "0",
    }  # fmt: skip
    heading, *lines = (line.split("\t") for line in people.splitlines())
    assert heading == ["assessor", "kind", "assigned", "answered", "judgments", "unsure", "cannot judge"]
    assert [line[:4] for line in lines] == [["Ada", "person", "6", "0"], ["Ben", "person", "6", "0"]]


@pytest.mark.parametrize(
    ("name", "content", "options", "said"),
    [
        ("scale.json", b'{\n"grades": [}', ("--scale",), "scale.json:2: not JSON: "),
        ("scale.json", b"\xff", ("--scale",), "scale.json is not UTF-8 (convert it to UTF-8)"),
        ("guide.md", b"caf\xe9", ("--guidelines",), "guide.md is not UTF-8 (convert it to UTF-8)"),
    ],
)
def test_a_file_of_a_new_campaign_that_cannot_be_read_is_named(
    terminal: Terminal, tmp_path: Path, name: str, content: bytes, options: tuple[str, ...], said: str
) -> None:
    (tmp_path / name).write_bytes(content)
    assert said in terminal.refused("campaign", "new", "Small", *options, tmp_path / name)
    assert terminal.json("campaign", "list") == []


def test_a_missing_scale_is_told_and_guidelines_are_kept(terminal: Terminal, tmp_path: Path) -> None:
    missing = terminal.refused("campaign", "new", "Small", "--scale", tmp_path / "none.json")
    assert "none.json cannot be read: No such file or directory" in missing
    assert "seven-grades is not a predefined scale" in terminal.refused(
        "campaign", "new", "Small", "--scale", "seven-grades"
    )
    (tmp_path / "guide.md").write_text("Read *all* of it.\n")
    assert terminal.does("campaign", "new", "Small", "--guidelines", tmp_path / "guide.md") == b"small\n"
    with terminal.database() as database, database.reading() as db:
        assert campaign_by_slug(db, "small").guidelines == "Read *all* of it.\n"


def test_loading_says_what_was_new_and_which_pooled_documents_have_no_text(
    terminal: Terminal, tmp_path: Path
) -> None:
    terminal.does("campaign", "new", "Small")
    (tmp_path / "topics.tsv").write_text("T1\ttides\nT2\tnets\n")
    loaded = rows(terminal.does("campaign", "topics", "small", tmp_path / "topics.tsv"))
    assert loaded[0] == ["file", "topics", "added", "changed", "unchanged", "passed over"]
    assert loaded[1][1:] == ["2", "2", "0", "0", "0"]
    (tmp_path / "a.run").write_text("T1 Q0 d1 1 2 a\nT1 Q0 d2 2 1 a\n")
    terminal.does("campaign", "runs", "small", tmp_path / "a.run")
    terminal.does("campaign", "pool", "small", "--depth", "2")
    (tmp_path / "docs.jsonl").write_text('{"id": "d1", "text": "tides"}\n{"id": "d9", "text": "nets"}\n')
    done = terminal.run("campaign", "documents", "small", tmp_path / "docs.jsonl", "--pooled")
    assert done.returncode == 0
    # d9 is in no pool, and d2 of the pool is not in the file.
    assert rows(done.stdout)[1][1:] == ["2", "1", "0", "0", "1"]
    assert done.stderr.decode() == "1 pooled document without text:\n  d2\n"


def test_judgments_are_imported_with_a_note_of_pairs_that_come_again(populated: Terminal) -> None:
    done = populated.run("campaign", "import", "harbour", "-", stdin=JUDGED.encode())
    assert rows(done.stdout) == [["assessor", "kind", "judgments", "new"], ["Eve", "person", "3", "3"]]
    note = "pairs repeated by the same assessor: 1, with another answer: 1 (the last counts)"
    assert done.stderr.decode() == f"note: standard input: {note}\n"
    out = populated.does("campaign", "judgments", "harbour").decode().splitlines()
    assert out == ["topic\tdoc\tassessor\tgrade", "T1\td1\tEve\t1", "T1\td2\tEve\t0"]


def test_who_imports_names_machines_that_the_file_has(populated: Terminal) -> None:
    words = ("campaign", "import", "harbour", "-")
    said = populated.refused(*words, "--machine", "judge-7b", stdin=JUDGED.encode())
    assert said == "workbench: judge-7b is not an assessor of standard input (choose from Eve)\n"
    done = populated.does(*words, "--machine", "*", stdin=JUDGED.encode())
    assert rows(done)[1][:2] == ["Eve", "machine"]


def test_qrels_are_of_an_assessor_by_the_name_of_the_file_or_as_told(
    populated: Terminal, tmp_path: Path
) -> None:
    for name in ("qrels.NIST.txt", "qrels.second"):
        (tmp_path / name).write_text("T1 0 d1 1\n")
    files = (tmp_path / "qrels.NIST.txt", tmp_path / "qrels.second")
    imported = populated.json("campaign", "import", "harbour", "--qrels", *files)
    assert [one["assessor"] for one in imported] == ["NIST", "second"]
    named = ("--assessor", "Una", "--assessor", "Dot")
    imported = populated.json("campaign", "import", "harbour", "--qrels", *named, *files)
    assert [one["assessor"] for one in imported] == ["Una", "Dot"]
    for words in (("--assessor", "Una"), ("--qrels", "--assessor", "Una")):
        done = populated.run("campaign", "import", "harbour", *words, *files)
        assert (done.returncode, b"once for each FILE" in done.stderr) == (2, True)


def test_without_repeats_and_subtopics_there_are_no_lines_of_them(populated: Terminal) -> None:
    (heading,) = populated.does("campaign", "probe-answers", "harbour").decode().splitlines()
    assert heading.split("\t")[:3] == ["topic", "doc", "assessor"]
    assert populated.json("campaign", "probe-answers", "harbour") == []
    assert populated.does("campaign", "subtopic-qrels", "harbour") == b""


def test_lists_of_people_that_cannot_be_read_are_refused(populated: Terminal, tmp_path: Path) -> None:
    (tmp_path / "people").write_bytes(b"Jos\xe9\n")
    invite = ("campaign", "invite", "harbour")
    assert "people is not UTF-8" in populated.refused(*invite, "--from", tmp_path / "people")


def test_topics_are_assigned_to_people_with_accounts(populated: Terminal, tmp_path: Path) -> None:
    words = ("campaign", "assign", "harbour")
    assert (
        "Eve is not an assessor with an account in this campaign (choose from Ada, Ben)"
        in populated.refused(*words, "--assessor", "Eve")
    )
    # Both have it already.
    assert populated.does(*words, "--topic", "T1") == b"0 new assignments in depth 2\n"
    populated.does("campaign", "new", "Small")
    populated.does("campaign", "topics", "small", "-", stdin=b"T1\ttides\n")
    assert "no pool is open yet" in populated.refused("campaign", "assign", "small")
    (tmp_path / "a.run").write_text("T1 Q0 d1 1 2 a\n")
    populated.does("campaign", "runs", "small", tmp_path / "a.run")
    populated.does("campaign", "pool", "small")
    for named in ((), ("--assessor", "Ada")):
        assert "nobody with an account judges here yet (workbench campaign invite small)" in (
            populated.refused("campaign", "assign", "small", *named)
        )


def test_scores_come_in_every_form_and_topics_in_two(populated: Terminal) -> None:
    populated.does("campaign", "import", "harbour", "-", stdin=JUDGED.encode())
    score = ("campaign", "score", "harbour", "--rule", "any", "-m", "P@1")
    # From grade 1 on d1 is relevant: alpha has it first in T1, beta does not; T2 has no judgments.
    assert {one["run"]: one["value"] for one in populated.json(*score)} == {"alpha": 1.0, "beta": 0.0}
    assert populated.does(*score, "--csv").decode().splitlines()[0].startswith("run,")
    assert rb"\begin{tabular}" in populated.does(*score, "--latex")
    done = populated.run(*score, "--csv", "--per-topic")
    assert (done.returncode, b"--per-topic goes with a table or --json" in done.stderr) == (2, True)
    assert json.loads(populated.does(*score, "--per-topic", "--json"))


def test_agreement_is_told_of_all_of_two_and_of_coefficients(populated: Terminal) -> None:
    second = JUDGED.replace("Eve", "Una").replace("d2\tUna\t0", "d2\tUna\t2")
    for judged in (JUDGED, second):
        populated.does("campaign", "import", "harbour", "-", stdin=judged.encode())
    words = ("campaign", "agreement", "harbour")
    # Eve and Una agree that d1 is relevant, and differ on d2.
    pair = populated.does(*words, "--pair", "Eve", "Una").decode()
    assert "Where they differ: 1 pair, largest difference first" in pair
    assert pair.splitlines()[-1] == "T1\td2\t0\t2"
    whole = populated.does(*words).decode()
    assert "Overlap of relevant sets, from grade 2" in whole
    # Of four labels from grade 2 one says relevant: expected (1/4)^2 + (3/4)^2 = .625 where .5 agree.
    matrix = rows(populated.does(*words, "--matrix", "pooled"))
    assert matrix[1:] == [["assessor", "Eve", "Una"], ["Eve", "", "-0.3333"], ["Una", "-0.3333", ""]]
    alone = rows(populated.does(*words, "--coefficients"))
    assert ["Pooled kappa", "0.5000", "0.6250", "-0.3333"] in [line[:4] for line in alone]
    both = populated.run(*words, "--coefficients", "--matrix", "pooled")
    assert (both.returncode, b"choose one of --matrix, --coefficients" in both.stderr) == (2, True)
