"""`workbench campaign dataset`: what a collection has, and its parts in a campaign."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.builders import ALPHA, run_text
from tests.catalogue import small_collection
from tests.cli.executable import workbench


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
