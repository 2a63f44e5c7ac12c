"""`workbench campaign dataset`: what a collection has, and its parts in a campaign."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.builders import ALPHA, run_text
from tests.catalogue import small_collection
from tests.cli.executable import Terminal, workbench
from workbench.cli.campaign.campaigns import _say_dataset, _shown_progress
from workbench.datasets import DatasetPart
from workbench.workflow.datasets import DatasetLoaded


def test_a_collection_is_loaded_part_by_part(tmp_path: Path, migrated_sqlite: Path) -> None:
    dataset_id = small_collection(tmp_path)
    shutil.copyfile(migrated_sqlite, tmp_path / "workbench.sqlite3")
    environment = {"WORKBENCH_INSTANCE": str(tmp_path), "WORKBENCH_DATABASE_URL": None}

    def run(*words: str | Path, ends: int = 0) -> bytes:
        done = workbench("campaign", *words, environment=environment)
        assert done.returncode == ends, done.stderr.decode()
        return done.stdout

    run("new", "Harbour")
    shown = json.loads(run("dataset", "harbour", dataset_id, "--json"))
    assert shown["parts"] == ["topics", "documents", "qrels"]
    run("dataset", "harbour", dataset_id, "--runs", ends=1)
    run("dataset", "harbour", dataset_id, "--topics", "--assessor", "NIST", ends=2)
    (tmp_path / "alpha.txt").write_bytes(run_text("alpha", ALPHA))
    loaded = json.loads(run("dataset", "harbour", dataset_id, "--topics", "--json"))
    assert loaded["topics"] == {"read": 2, "added": 2}
    run("runs", "harbour", tmp_path / "alpha.txt")
    run("pool", "harbour", "--depth", "2")
    loaded = json.loads(run("dataset", "harbour", dataset_id, "--documents", "--qrels", "--json"))
    # Depth 2 of alpha: d1 and d2 for T1, d/4 and d1 for T2.
    assert loaded["documents"] == {"lacking": 3, "added": 3, "absent": []}
    assert loaded["qrels"] == [{"assessor": dataset_id, "judgments": 4, "new": 4}]
    assert run("dataset", "harbour", dataset_id, "--documents").splitlines()[1] == b"documents\t0\t0"


def test_what_was_loaded_is_a_table_and_what_was_not_is_told(terminal: Terminal, tmp_path: Path) -> None:
    dataset_id = small_collection(tmp_path)
    terminal.does("campaign", "new", "Harbour")
    load = ("campaign", "dataset", "harbour", dataset_id)
    assert terminal.does(*load).decode().splitlines()[1] == f"{dataset_id}\ttopics, documents, qrels\t"
    terminal.does(*load, "--topics")
    (tmp_path / "alpha.txt").write_bytes(run_text("alpha", ALPHA))
    terminal.does("campaign", "runs", "harbour", tmp_path / "alpha.txt")
    terminal.does("campaign", "pool", "harbour", "--depth", "3")
    done = terminal.run(*load, "--topics", "--qrels", "--documents", "--assessor", "NIST")
    # Of five qrels one is negative. To depth 3 alpha has d1, d2, d#3, d/4 and é5, of which three are there.
    assert done.stdout.decode().splitlines() == [
        "part\tfound\tadded", "topics\t2\t0", "judgments of NIST\t4\t4", "documents\t5\t3",
    ]  # fmt: skip
    told = done.stderr.decode()
    assert "note: left out, 1 judgment with a negative grade\n" in told
    assert "2 pooled documents are not in the collection: d#3, é5\n" in told


def test_a_run_that_was_loaded_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    _say_dataset(DatasetLoaded(run="bm25"))
    assert capsys.readouterr().out.splitlines()[1] == "run bm25\t1\t1"


def test_looking_up_documents_is_shown_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with _shown_progress() as unseen:
        unseen(DatasetPart.DOCUMENTS, 1, 4)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    for name, value in {"TERM": "xterm", "COLUMNS": "80"}.items():
        monkeypatch.setenv(name, value)
    with _shown_progress() as progress:
        # The library shows its own bar until the first documents are there.
        progress(DatasetPart.DOCUMENTS, 0, 4)
        assert capsys.readouterr().err == ""
        progress(DatasetPart.DOCUMENTS, 2, 4)
    shown = capsys.readouterr().err
    assert "Documents" in shown
    assert "2/4" in shown
