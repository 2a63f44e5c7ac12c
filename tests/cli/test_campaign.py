"""The whole line by commands only, on the Cystic Fibrosis collection."""

from __future__ import annotations

import json
from operator import itemgetter
from pathlib import Path

import pytest

from tests.cli.executable import Terminal
from tests.support import shared
from workbench.workflow.campaigns.archive import archive_campaign
from workbench.workflow.campaigns.campaigns import campaign_by_slug

SCALE = {
    "relevant_from": 1,
    "grades": [
        {"value": 0, "label": "Not relevant"},
        {"value": 1, "label": "Marginally relevant"},
        {"value": 2, "label": "Highly relevant"},
    ],
}


@pytest.mark.slow
def test_the_whole_line_on_cystic_fibrosis(terminal: Terminal, tmp_path: Path) -> None:
    data = shared("data", "cf")
    runs = sorted(str(path) for path in (data / "runs_generated").glob("*.gz"))
    (tmp_path / "scale.json").write_text(json.dumps(SCALE), encoding="utf-8")
    slug = terminal.does("campaign", "new", "Cystic fibrosis", "--scale", str(tmp_path / "scale.json"))
    assert slug == b"cystic-fibrosis\n"
    cf = "cystic-fibrosis"

    loaded = terminal.json("campaign", "topics", cf, str(data / "topics.jsonl"))
    assert loaded["files"][0]["added"] == 100
    added = terminal.json("campaign", "runs", cf, *runs)
    assert (len(added["added"]), added["refused"]) == (10, [])

    pool = terminal.json("campaign", "pool", cf, "--depth", "20")
    # The offline command makes the same pool from the same files: 10 runs x 100 topics x 20 at most.
    offline = terminal.does("pool", *runs, "--depth", "20").splitlines()
    assert pool["pairs"] == len(offline) == sum(pool["topics"].values())
    assert pool["largest_possible"] == 20_000

    pooled = {line.split(b"\t")[1] for line in offline}
    documents = terminal.json("campaign", "documents", cf, str(data / "docs.jsonl"), "--pooled")
    assert (documents["files"][0]["read"], documents["files"][0]["added"]) == (1239, len(pooled))
    assert documents["missing"] == []

    imported = terminal.json("campaign", "import", cf, str(data / "judgments.tsv"))
    assert [(line["assessor"], line["new"]) for line in imported] == [
        ("A1_REW", 4819),
        ("A2_colleague", 4819),
        ("A3_postdoc", 4819),
        ("A4_JBW", 4819),
    ]
    out = terminal.does("campaign", "judgments", cf).splitlines()
    whole = terminal.json("campaign", "judgments", cf)
    assert len(whole) == 4 * 4819
    assert (whole[0]["evidence"], whole[0]["ratings"], whole[0]["subtopics"]) == ([], {}, [])
    assert terminal.does("campaign", "subtopic-qrels", cf, "--ticked-by", "any") == b""
    given = (data / "judgments.tsv").read_bytes().splitlines()
    assert sorted(out[1:]) == sorted(given[1:])

    _agreement(terminal, cf, data)
    _qrels_and_scores(terminal, cf, data, tmp_path)


def _agreement(terminal: Terminal, cf: str, data: Path) -> None:
    graded = terminal.json("campaign", "agreement", cf, "--graded")
    # Only the pooled documents were loaded: that the collection has 1,239 must be said.
    every = ["--graded", "--basis", "all-documents", "--documents", "1239"]
    everything = terminal.json("campaign", "agreement", cf, *every)
    for listed, whole in zip(graded["pairs"], everything["pairs"], strict=True):
        assert (listed["n"], whole["n"]) == (4819, 123_900)
        # CATALOGUE.md: Cohen's kappa between A4 and the others is -.01 to .06 on the listed pairs and .40 to
        # .45 over all 123,900 pairs; two decimals are printed.
        if "A4_JBW" in (listed["first"], listed["second"]):
            assert -0.015 < listed["coefficients"]["unpooled"]["value"] < 0.065
            assert 0.395 < whole["coefficients"]["unpooled"]["value"] < 0.455
    report = terminal.json("campaign", "agreement", cf)
    assert len(report["pairs"]) == 6
    # The same from files, by the command without a database.
    names = ["A1_REW", "A2_colleague", "A3_postdoc", "A4_JBW"]
    offline = terminal.json("agree", *(str(data / f"qrels.{name}.txt") for name in names))
    for ours, theirs in zip(report["pairs"], offline["pairs"], strict=True):
        assert ours["table"] == theirs["table"]
        assert ours["coefficients"] == theirs["coefficients"]


def _qrels_and_scores(terminal: Terminal, cf: str, data: Path, folder: Path) -> None:
    for rule, options in {
        "any": [],
        "all": [],
        "upper-median": [],
        "majority": ["--ties", "lower"],
        "one": ["--assessor", "A1_REW"],
    }.items():
        lines = terminal.does("campaign", "qrels", cf, "--rule", rule, *options).splitlines()
        assert len(lines) == 4819
        assert {len(line.split()) for line in lines} == {4}
    by_one = terminal.does("campaign", "qrels", cf, "--rule", "one", "--assessor", "A1_REW").splitlines()
    assert sorted(by_one) == sorted((data / "qrels.A1_REW.txt").read_bytes().splitlines())
    # qrels.any.txt says 1 where anybody gave a grade above 0; our rule keeps the highest grade.
    any_rule = terminal.does("campaign", "qrels", cf, "--rule", "any").splitlines()
    relevant = {line.rsplit(b" ", 1)[0] for line in any_rule if not line.endswith(b" 0")}
    theirs = (data / "qrels.any.txt").read_bytes().splitlines()
    assert relevant == {line.rsplit(b" ", 1)[0] for line in theirs if not line.endswith(b" 0")}

    (folder / "one.qrels").write_bytes(b"\n".join(by_one) + b"\n")
    scores = terminal.json(
        "campaign", "score", cf, "--rule", "one", "--assessor", "A1_REW", "-m", "AP nDCG@10"
    )
    runs = sorted(str(path) for path in (data / "runs_generated").glob("*.gz"))
    offline = terminal.json("score", str(folder / "one.qrels"), *runs, "-m", "AP nDCG@10")
    assert len(scores) == 20
    key = itemgetter("run", "measure")
    assert sorted(scores, key=key) == sorted(offline, key=key)
    assert {row["topics_in_qrels"] for row in scores} == {100}


def test_topics_come_from_the_standard_input(terminal: Terminal) -> None:
    terminal.does("campaign", "new", "Piped")
    terminal.does("campaign", "topics", "piped", "-", stdin=b'{"id": "007", "title": "spies"}\n')
    assert terminal.json("campaign", "show", "piped")["by_topic"][0]["topic"] == "007"


def test_loading_documents_says_which_of_two_keys_is_the_docno(terminal: Terminal) -> None:
    terminal.does("campaign", "new", "Piped")
    passage = b'{"pid": "p1", "docid": "d1", "passage": "High water."}\n'
    done = terminal.run("campaign", "documents", "piped", "-", stdin=passage)
    assert 'the docno is "pid", not "docid"' in done.stderr.decode()


def test_an_unknown_campaign_and_a_wrong_option_have_their_exit_codes(terminal: Terminal) -> None:
    unknown = terminal.run("campaign", "show", "nowhere")
    assert (unknown.returncode, b"no campaign 'nowhere'" in unknown.stderr) == (1, True)
    assert terminal.run("campaign", "show").returncode == 2
    assert terminal.run("campaign", "pool", "x", "--depth", "0").returncode == 2


@pytest.mark.usefixtures("cheap_passwords")
def test_people_are_made_invited_and_assigned_by_commands(terminal: Terminal, tmp_path: Path) -> None:
    secret = ("--password", "a long enough secret")
    terminal.does("init", "--login", "olga", "--name", "Olga", *secret)
    again = terminal.run("init", "--login", "other", *secret)
    assert again.returncode == 1
    assert b"the database already has an account" in again.stderr
    assert b"workbench account new LOGIN" in again.stderr
    # What is recommended is for the database that was just made, also where its folder's name has a space.
    elsewhere = tmp_path / "another place"
    made = terminal.run("init", "--login", "olga", "--instance", str(elsewhere), *secret)
    assert f"Next: workbench serve --instance '{elsewhere}'\n".encode() in made.stdout
    terminal.does("campaign", "new", "Small", "--organiser", "olga")
    for login in ("ada", "ben"):
        terminal.does("account", "new", login, *secret)
        terminal.does("account", "role", login, "small", "assessor")
    (tmp_path / "topics.tsv").write_text("T1\ttides\nT2\tnets\n", encoding="utf-8")
    terminal.does("campaign", "topics", "small", str(tmp_path / "topics.tsv"))
    (tmp_path / "a.run").write_text("T1 Q0 d1 1 2 a\nT2 Q0 d1 1 1 a\n", encoding="utf-8")
    terminal.does("campaign", "runs", "small", str(tmp_path / "a.run"))
    terminal.does("campaign", "pool", "small", "--depth", "10")
    assert terminal.does("campaign", "assign", "small", "--per-topic", "2", "--seed", "3") == (
        b"4 new assignments in depth 10\n"
    )
    for address in ("foo", "http://", "ftp://x.example", "https://judge.example/p?q=1"):
        refused = terminal.refused("campaign", "invite", "small", "--address", address)
        assert f"the address of the site is '{address.rstrip('/')}'" in refused
    link = terminal.does("campaign", "invite", "small", "--address", "https://judge.example/").decode()
    assert link.startswith("https://judge.example/invitation/")
    assert terminal.run("account", "password", "nobody", *secret).returncode == 1


def test_twenty_people_are_invited_at_once(terminal: Terminal) -> None:
    terminal.does("campaign", "new", "Small")
    people = "".join(f"Guest {number}\n" for number in range(20)).encode()
    invite = ("campaign", "invite", "small", "--from", "-", "--address", "https://judge.example/")
    links = dict(line.split("\t") for line in terminal.does(*invite, stdin=people).decode().splitlines())
    assert list(links) == [f"Guest {number}" for number in range(20)]
    assert all(link.startswith("https://judge.example/invitation/") for link in links.values())
    again = terminal.run(*invite, stdin=people)
    assert (again.returncode, again.stdout) == (1, b"")
    assert b"Guest 0 has an open invitation" in again.stderr


def test_an_archived_campaign_is_read_and_any_is_deleted(terminal: Terminal) -> None:
    terminal.does("campaign", "new", "Small", "--scale", "four-grades")
    with terminal.database() as database, database.writing() as db:
        archive_campaign(db, campaign_by_slug(db, "small").id)
    assert terminal.json("campaign", "list") == []
    assert [one["slug"] for one in terminal.json("campaign", "list", "--archived")] == ["small"]
    refused = terminal.run("campaign", "groups", "small", "North")
    assert refused.returncode == 1
    assert b"restore it first, on its settings page" in refused.stderr
    assert terminal.json("campaign", "show", "small")["runs"] == 0
    wrong = terminal.run("campaign", "delete", "small", "--name", "small")
    assert (wrong.returncode, b"type: Small" in wrong.stderr) == (1, True)
    gone = terminal.run("campaign", "delete", "small", stdin=b"Small\n")
    assert (gone.returncode, gone.stdout) == (0, b"small is deleted\n")
    assert terminal.json("campaign", "list", "--archived") == []
