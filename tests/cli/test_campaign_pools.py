"""The way of a pool by commands: draft, compared, added to, opened, closed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.builders import ALPHA, BETA, DOCNOS, run_text
from tests.cli.executable import new_instance
from workbench.cli.campaign import command
from workbench.errors import InvalidInput, NotFound

Run = Callable[..., Result]


def runs_on(instance: Path) -> Run:
    """Runs one `workbench campaign` command on an instance; errors are raised."""

    def does(*words: str, stdin: str | None = None) -> Result:
        done = CliRunner().invoke(
            command, [*words, "--instance", str(instance)], input=stdin, catch_exceptions=False
        )
        assert done.exit_code == 0, done.output
        return done

    return does


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory, migrated_sqlite: Path) -> Path:
    """A database file with a campaign, its topics, documents and two runs."""
    folder = tmp_path_factory.mktemp("harbour")
    files = {"topics.tsv": b"T1\ttides\nT2\tnets\n"}
    files["docs.jsonl"] = "\n".join(json.dumps({"id": one, "text": "Text."}) for one in DOCNOS).encode()
    files["alpha.txt"], files["beta.txt"] = run_text("alpha", ALPHA), run_text("beta", BETA)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    does = runs_on(new_instance(folder / "instance", migrated_sqlite))
    does("new", "Harbour")
    does("topics", "harbour", str(folder / "topics.tsv"))
    does("documents", "harbour", str(folder / "docs.jsonl"))
    does("runs", "harbour", str(folder / "alpha.txt"), str(folder / "beta.txt"))
    return folder / "instance" / "workbench.sqlite3"


@pytest.fixture
def run(harbour: Path, tmp_path: Path) -> Run:
    """Runs commands on an instance of the test's own that holds the campaign."""
    instance = tmp_path / "instance"
    instance.mkdir()
    shutil.copyfile(harbour, instance / harbour.name)
    return runs_on(instance)


def states(run: Run) -> dict[str, str]:
    return {one["name"]: one["state"] for one in json.loads(run("pools", "harbour", "--json").stdout)}


def test_a_pool_is_opened_at_once_unless_it_is_to_be_a_draft(run: Run) -> None:
    run("pool", "harbour", "--depth", "2")
    made = json.loads(run("pool", "harbour", "--depth", "3", "--draft", "--json").stdout)
    assert (made["state"], made["pairs"]) == ("draft", 8)
    assert states(run) == {"depth 2": "open", "depth 3": "draft"}
    assert "depth 3\tdraft\tdepth 3\t2\t8\t0" in run("pools", "harbour").stdout


def test_opening_and_closing_ask_once_more(run: Run) -> None:
    run("pool", "harbour", "--depth", "2", "--draft")
    asked = run("pool-open", "harbour", "depth 2", stdin="y\n")
    assert "6 pairs in 2 topics" in asked.stderr
    assert states(run) == {"depth 2": "open"}
    assert "already open" in run("pool-open", "harbour", "depth 2").stdout
    run("pool-close", "harbour", "depth 2", "--yes")
    assert states(run) == {"depth 2": "closed"}
    assert "already closed" in run("pool-close", "harbour", "depth 2").stdout
    run("pool", "harbour", "--draft", "--name", "plan")
    with pytest.raises(AssertionError, match="Aborted"):
        run("pool-open", "harbour", "plan", stdin="n\n")
    assert states(run)["plan"] == "draft"


def test_pools_are_compared_as_table_json_and_pairs(run: Run) -> None:
    run("pool", "harbour", "--depth", "2")
    run("pool", "harbour", "--depth", "3", "--run", "alpha", "--draft", "--name", "plan")
    # As in tests/web/test_comparisons.py, without its addition and with nothing judged.
    found = json.loads(run("pool-compare", "harbour", "depth 2", "plan", "--json").stdout)
    assert found["total"] == {
        "before": 6,
        "after": 6,
        "entering": 2,
        "leaving": 2,
        "staying": 4,
        "to_judge": 6,
    }
    assert found["topics"]["T1"]["entering"] == 1
    assert found["runs"]["beta"]["leaving"] == 4
    table = run("pool-compare", "harbour", "depth 2", "plan").stdout
    assert "T1\t3\t1\t1\t3\t3" in table
    assert "2 added, 2 removed, 4 unchanged; 6 to judge" in table
    pairs = run("pool-compare", "harbour", "depth 2", "plan", "--pairs").stdout
    assert "entering\tT2\té5\tunjudged\truns" in pairs
    alone = json.loads(run("pool-compare", "harbour", "plan", "--json", "--pairs").stdout)
    assert (alone["before"], alone["total"]["entering"], len(alone["pairs"])) == (None, 6, 6)


def test_documents_are_added_by_id_or_by_list(run: Run, tmp_path: Path) -> None:
    run("pool", "harbour", "--depth", "2")
    words = ("add-to-pool", "harbour", "--topic", "T1", "--reason", "seen")
    first = json.loads(run(*words, "d6", "d1", "--json").stdout)
    assert first == {"added": ["d6"], "passed": ["d1"], "without_text": []}
    (tmp_path / "list.txt").write_text("é5\nd#3\n", encoding="utf-8")
    told = run(*words, "--from", str(tmp_path / "list.txt"))
    assert told.stdout.splitlines()[1:] == ["d#3\tadded", "é5\tadded"]
    assert "depth 2\topen\tdepth 2\t2\t9\t3" in run("pools", "harbour").stdout
    (tmp_path / "list.txt").write_text("d6\nnowhere\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"list.txt:2: nowhere"):
        run(*words, "--from", str(tmp_path / "list.txt"))
    with pytest.raises(NotFound, match="no pool"):
        run(*words, "--pool", "nothing", "d6")
    with pytest.raises(AssertionError, match="give docnos, or a file"):
        run(*words)


def test_nothing_is_assigned_in_drafts(run: Run) -> None:
    run("pool", "harbour", "--depth", "2", "--draft")
    with pytest.raises(Exception, match="no pool is open yet"):
        run("assign", "harbour")


def test_a_pool_and_its_plan_are_of_runs_up_to_a_priority(run: Run, tmp_path: Path) -> None:
    for tag, retrieved, priority in (("gamma", ALPHA, "1"), ("delta", BETA, "2")):
        (tmp_path / tag).write_bytes(run_text(tag, retrieved))
        run("runs", "harbour", str(tmp_path / tag), "--priority", priority)
    asked = ("harbour", "--depth", "2", "--priority", "1", "--json")
    assert json.loads(run("plan", *asked).stdout)["runs"] == 1
    made = json.loads(run("pool", *asked).stdout)
    assert [one["tag"] for one in made["recipe"]["runs"]] == ["gamma"]
