"""`workbench simulate`."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from tests.learning.small_collection import TEXTS
from workbench.cli.simulate import command
from workbench.errors import WorkbenchError
from workbench.learning.learners import LEARNERS
from workbench.learning.stopping import STOPPING_RULES


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Documents, qrels and topics: topic 1 on wings, topic 2 without a relevant document."""
    lines = [json.dumps({"id": docno, "title": "", "text": text}) for docno, text in TEXTS.items()]
    (tmp_path / "docs.jsonl").write_text("\n".join(lines))
    (tmp_path / "qrels").write_text("1 0 d1 1\n1 0 d2 2\n1 0 d3 0\n2 0 d5 0\n1 0 gone 1\n")
    topics = [json.dumps({"id": one, "title": title}) for one, title in (("1", "wing lift"), ("2", "air"))]
    (tmp_path / "topics.jsonl").write_text("\n".join(topics))
    return [str(tmp_path / name) for name in ("docs.jsonl", "qrels", "topics.jsonl")]


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments, catch_exceptions=False)


def test_a_learner_that_finds_all_at_once(files: list[str]) -> None:
    done = invoke(*files, "--csv")
    rows = {row["measure"]: row for row in csv.DictReader(done.stdout.splitlines())}
    # d1 and d2 are read first: recall 1 after R = 2, effort 2, (6 - 2) / 6 - .05 saved.
    assert float(rows["recall@R"]["value"]) == 1.0
    assert float(rows["effort@0.95"]["value"]) == 2.0
    assert float(rows["work-saved@0.95 (cohen)"]["value"]) == pytest.approx(4 / 6 - 0.05)
    # One topic alone has no interval over topics.
    assert rows["recall@R"]["low"] == ""
    assert rows["recall@R"]["topics"] == "1"
    assert "gone" not in done.stdout
    assert "1 relevant documents of" in done.stderr
    assert "too few relevant documents: 2 (1 in all)" in done.stderr


def test_every_rule_is_reported_with_what_it_promises(files: list[str]) -> None:
    done = invoke(*files, "--stop", "all", "--seeds", "2")
    names = [line.split("\t")[0] for line in done.stdout.splitlines()]
    assert names == ["rule", *STOPPING_RULES]
    for name, rule in STOPPING_RULES.items():
        promise = f"promises {rule.promise}" if rule.promise else "makes no promise"
        assert f"{name} {promise}" in done.stderr


def test_json_has_all_of_it(files: list[str]) -> None:
    found: dict[str, Any] = json.loads(invoke(*files, "--json", "--stop", "knee", "--seed", "4").stdout)
    assert found["options"]["seed"] == 4
    assert found["collection"] == 6
    assert found["work_saved"].keys() == {"cohen", "clef", "asreview"}
    (review,) = found["reviews"]
    assert review["topic"] == "1"
    assert review["stops"]["knee"]["read"] is None
    assert review["knee_read"] == 6
    (rule,) = found["rules"]
    assert (rule["stopped"], rule["reached"], rule["reviews"]) == (0, 1, 1)
    assert found["curve"][-1] == {"read": 6, "recall": 1.0, "quartile_1": 1.0, "quartile_3": 1.0}


def test_a_picture_is_well_formed_and_names_the_rules(files: list[str]) -> None:
    done = invoke(*files, "--svg", "--stop", "knee", "--stop", "target")
    tree = ElementTree.fromstring(done.stdout)
    texts = [one.text or "" for one in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert [text.split()[1] for text in texts if text.endswith("documents read")] == ["knee:", "target:"]
    assert done.stdout == invoke(*files, "--svg", "--stop", "knee", "--stop", "target").stdout
    refused = CliRunner().invoke(command, [*files, "--svg", "--json"])
    assert refused.exit_code == 2


def test_the_help_has_every_learner_and_rule() -> None:
    helped = invoke("--help").stdout
    for name in (*LEARNERS, *STOPPING_RULES):
        assert name in helped


def test_collections_that_do_not_belong_together_are_refused(files: list[str], tmp_path: Path) -> None:
    (tmp_path / "other").write_text("9 0 d1 1\n")
    with pytest.raises(WorkbenchError, match="no topic has 1 relevant"):
        invoke(files[0], str(tmp_path / "other"), files[2])
    with pytest.raises(WorkbenchError, match="no topic has 3 relevant"):
        invoke(*files, "--fewest", "3")
