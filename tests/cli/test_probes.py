"""Repeats, planted pairs and training by a command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.cli.executable import new_instance
from workbench.cli.campaign import command


def campaign(*words: str) -> Result:
    return CliRunner().invoke(command, words)


def test_probes_are_set_loaded_and_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, migrated_sqlite: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WORKBENCH_INSTANCE", str(new_instance(tmp_path / "instance", migrated_sqlite)))
    (tmp_path / "topics.tsv").write_text("T1\ttides\n", encoding="utf-8")
    (tmp_path / "docs.jsonl").write_text('{"docno": "d1", "title": "One", "text": "Of tides."}\n')
    (tmp_path / "known.tsv").write_text("topic\tdoc\tgrade\tfeedback\nT1\td1\t1\tit says so\n")
    for words in (("new", "Small"), ("topics", "small", "topics.tsv"), ("documents", "small", "docs.jsonl")):
        made = campaign(*words)
        assert made.exit_code == 0, made.output
    made = campaign(
        "probes", "small", "--one-in", "20", "--training", "--planted", "known.tsv",
        "--training-pairs", "known.tsv", "--json",
    )  # fmt: skip
    assert made.exit_code == 0, made.output
    assert json.loads(made.stdout) == {
        "one_in": 20, "distance": 10, "training": True, "least": None, "planted_pairs": 1,
        "planted_pairs_in_pools": 0, "training_pairs": 1, "training_pairs_in_pools": 0, "at_training": [],
    }  # fmt: skip
    now = campaign("probes", "small", "--one-in", "0", "--remove", "planted")
    assert now.exit_code == 0
    assert ["planted_pairs", "0"] in [line.split() for line in now.stdout.splitlines()]
    assert campaign("probes", "small", "--one-in", "1").exit_code != 0
    assert json.loads(campaign("probes", "small", "--least", "70", "--json").stdout)["least"] == 70
    assert campaign("probe-answers", "small").stdout.startswith("topic\tdoc\tassessor\tmachine\tpurpose\t")
    assert json.loads(campaign("probe-answers", "small", "--json").stdout) == []
    refused = campaign("probes", "small", "--let-through", "Ada", "T1")
    assert refused.exit_code != 0
    assert "'Ada' is not in training in topic 'T1'" in str(refused.exception)
