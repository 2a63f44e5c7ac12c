"""A stopping rule that is added to a copy of the code: one function and one line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from tests.additions.copy_of_the_code import Addition, change

NAME = "fixed"
RULE = '''
def fixed(trace: ReviewTrace, _goal: StoppingGoal) -> StopPoint:
    """Stop after three documents, or fewer where there are fewer."""
    return stopped_at(trace, min(3, len(trace.relevant)), "three documents are read")


FIXED = StoppingRule("fixed", "three documents are read", "that three are enough", "", "a test", fixed)
'''
DOCUMENTS = "".join(f'{{"id": "d{one}", "text": "tides and moon {one % 2}"}}\n' for one in range(6))
CHOSEN = ("simulate", "docs.jsonl", "reviewed.qrels", "topics.jsonl", "--stop", NAME, "--json")


def add(tree: Path) -> None:
    """One more rule, and one more name in the registry; a small judged collection."""
    stopping = tree / "workbench" / "learning" / "stopping.py"
    change(stopping, "ELUSION, KNEE)", "ELUSION, KNEE, FIXED)")
    change(stopping, "\nSTOPPING_RULES: ", f"{RULE}\n\nSTOPPING_RULES: ")
    (tree / "docs.jsonl").write_text(DOCUMENTS, encoding="utf-8")
    (tree / "reviewed.qrels").write_text("1 0 d0 1\n1 0 d1 0\n", encoding="utf-8")
    (tree / "topics.jsonl").write_text('{"id": "1", "title": "moon"}\n', encoding="utf-8")


def check(printed: Mapping[tuple[str, ...], str]) -> None:
    """It is helped, explained in the manual, and simulated."""
    assert NAME in printed["simulate", "--help"]
    assert "that three are enough" in printed["help", "stopping"]
    (rule,) = json.loads(printed[CHOSEN])["rules"]
    assert (rule["rule"], rule["read"]["value"], rule["stopped"]) == (NAME, 3.0, 1)


STOPPING_RULE = Addition(
    add,
    (("simulate", "--help"), ("help", "stopping"), CHOSEN),
    check,
    NAME,
    ("tests/learning/test_stopping_laws.py",),
    (f"test_a_rule_stops_where_it_can_say_why_and_counts_what_is_there[{NAME}]",),
)
