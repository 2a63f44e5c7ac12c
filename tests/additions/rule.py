"""A consensus rule that is added to a copy of the code: one module and one line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from tests.additions.copy_of_the_code import Addition, change

NAME = "supported"
MODULE = '''
"""The highest grade that enough assessors reach."""

from __future__ import annotations

from workbench.consensus.votes import Grades, Rule, RuleParameter


def supported(grades: Grades, *, support: str = "2") -> int | None:
    """The highest grade that so many assessors gave or exceeded, None where fewer graded the pair."""
    ordered = sorted(grades.values(), reverse=True)
    return ordered[int(support) - 1] if len(ordered) >= int(support) else None


SUPPORTED = Rule(
    "supported",
    "Supported",
    "the highest grade that enough assessors reach",
    "a test",
    supported,
    "too few assessors graded it",
    (RuleParameter("support", "Assessors needed", "how many must reach it", default="2", number=True),),
)
'''
ON_THE_PAGES = """
from tests.uploads import import_judgments
from tests.web.conftest import Enter

ROWS = [("T1", "d1", "X", "3"), ("T1", "d1", "Y", "2"), ("T1", "d1", "Z", "0"), ("T1", "d2", "X", "1")]


def test_a_supported_rule_is_on_the_pages(enter: Enter) -> None:
    olga = enter("Olga")
    assert import_judgments(olga, ROWS).status_code == 303
    for page in ("qrels", "scores"):
        text = olga.get(f"/c/harbour/{page}").text
        assert 'value="supported"' in text
        assert 'name="support"' in text
    assert ".for-support" in olga.get("/c/harbour/qrels/fields.css").text
    assert olga.get("/c/harbour/qrels/file?rule=supported").text == "T1 0 d1 2\\n"
    assert olga.get("/c/harbour/qrels/file?rule=supported&support=3").text == "T1 0 d1 0\\n"
    assert olga.get("/c/harbour/qrels/file?rule=adjudicated&then=supported").text == "T1 0 d1 2\\n"
    compared = olga.get("/c/harbour/qrels/rules?support=3").text
    assert "Supported (support: 3)" in compared
"""
JUDGED = (
    "topic\tdoc\tassessor\tgrade\n1\td1\tann\t3\n1\td1\tbea\t2\n1\td1\tcyd\t0\n1\td2\tann\t1\n1\td2\tbea\t1\n"
)


CHOSEN = ("consensus", "judged.tsv", "--rule", NAME, "--support", "3")
HELPED = (("consensus",), ("campaign", "qrels"), ("campaign", "consensus"), ("campaign", "score"))


def add(tree: Path) -> None:
    """One more module, and one more name in the registry; a file of judgments."""
    consensus = tree / "workbench" / "consensus"
    (consensus / "supported.py").write_text(MODULE, encoding="utf-8")
    change(consensus / "rules.py", "_OTHERS = (", "_OTHERS = (SUPPORTED, ")
    change(
        consensus / "rules.py",
        "from workbench.consensus.votes",
        "from workbench.consensus.supported import SUPPORTED\nfrom workbench.consensus.votes",
    )
    (tree / "tests" / "web" / "test_supported.py").write_text(ON_THE_PAGES, encoding="utf-8")
    (tree / "judged.tsv").write_text(JUDGED, encoding="utf-8")


def check(printed: Mapping[tuple[str, ...], str]) -> None:
    """It is helped with its parameter and settles a file."""
    for command in HELPED:
        assert NAME in printed[*command, "--help"]
        assert "--support" in printed[*command, "--help"]
    assert printed[*CHOSEN, "--export", "qrels"] == "1 0 d1 0\n"
    found = json.loads(printed["consensus", "judged.tsv", "--json"])
    assert found["rules"][NAME]["by_grade"] == {"1": 1, "2": 1}
    labels = printed[*CHOSEN, "--export", "labels"].splitlines()
    assert labels[2] == "1,d2,,,,,too few assessors graded it"


RULE = Addition(
    add,
    (
        *((*command, "--help") for command in HELPED),
        (*CHOSEN, "--export", "qrels"),
        (*CHOSEN, "--export", "labels"),
        ("consensus", "judged.tsv", "--json"),
    ),
    check,
    NAME,
    ("tests/consensus/test_consensus_laws.py", "tests/web/test_supported.py"),
    (
        f"test_no_rule_minds_the_order_of_judgments[{NAME}]",
        f"test_every_rule_gives_the_grade_on_which_all_agree[{NAME}]",
        "test_a_supported_rule_is_on_the_pages",
    ),
)
