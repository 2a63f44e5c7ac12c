"""The rules for runs: what can be softened, what can be hardened, and what a run is then."""

from __future__ import annotations

import pytest

from tests.formats.strategies import stream
from workbench.errors import InvalidInput, Severity
from workbench.formats.run_check import Expected, RunCheck, check_run
from workbench.formats.run_rules import (
    CODES,
    DEFAULT_RULES,
    RunRules,
    Treatment,
    changed_rules,
    rules_from_json,
)

GOOD = "1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n"


def treated(content: str, *, most: int | None = None, cut: int | None = None, **codes: str) -> RunCheck:
    chosen = [(code.replace("_", "-"), Treatment(value)) for code, value in codes.items()]
    rules = changed_rules(DEFAULT_RULES, chosen, max_per_topic=most)
    return check_run(
        stream(content), source="r", file_stem="t", expected=Expected(["1"], {"a", "b"}, rules, cut)
    )


def test_what_the_issue_calls_errors_are_errors_and_the_rest_are_warnings() -> None:
    assert {code.name for code in CODES.values() if code.default is Treatment.ERROR} == {
        "columns", "comment", "header", "id", "id-length", "id-encoding", "duplicate", "score", "tags",
        "empty", "unknown-topic", "too-many", "unknown-document",
    }  # fmt: skip
    assert {code.default for code in CODES.values() if not code.fixed} == {
        Treatment.ERROR,
        Treatment.WARNING,
    }


def test_what_makes_a_file_no_run_cannot_be_softened() -> None:
    fixed = [code.name for code in CODES.values() if code.fixed]
    assert fixed == [
        "columns", "comment", "header", "id", "id-length", "id-encoding", "duplicate", "score", "tags",
        "empty",
    ]  # fmt: skip
    for name in fixed:
        for treatment in (Treatment.WARNING, Treatment.IGNORED):
            with pytest.raises(InvalidInput, match=f"{name} is always"):
                changed_rules(DEFAULT_RULES, [(name, treatment)], max_per_topic=None)


def test_every_error_that_can_be_softened_says_what_becomes_of_the_run() -> None:
    for code in CODES.values():
        softens = code.default is Treatment.ERROR and not code.fixed
        assert bool(code.softened) is softens


def test_a_softened_error_is_one_warning_and_the_run_is_taken() -> None:
    content = GOOD + "2 Q0 a 1 2 t\n3 Q0 a 1 2 t\n2 Q0 b 2 1 t\n3 Q0 b 2 1 t\n"
    refused = treated(content)
    assert [(f.line, f.column, f.code) for f in refused.errors] == [
        (3, 1, "unknown-topic"),
        (4, 1, "unknown-topic"),
    ]
    taken = treated(content, unknown_topic="warning")
    assert taken.tag is not None
    (warning,) = taken.warnings
    assert warning.severity is Severity.WARNING
    assert warning.message == 'topic "2" is not among the topics (2 lines), and 1 more like it'
    assert warning.remedy.endswith(CODES[warning.code].softened)
    assert treated(content, unknown_topic="ignored").warnings == ()


def test_a_hardened_warning_refuses_the_run() -> None:
    check = treated("1 0 a 1 2 t\n1 Q0 b 2 1 t\n", second_column="error")
    assert check.tag is None
    assert [(f.line, f.column, f.code, f.severity) for f in check.errors] == [
        (1, 2, "second-column", Severity.ERROR)
    ]
    assert treated("1 0 a 1 2 t\n1 Q0 b 2 1 t\n", second_column="ignored").warnings == ()


def test_the_limit_of_documents_counts_by_topic() -> None:
    assert [(f.line, f.code) for f in treated(GOOD, most=1).errors] == [(2, "too-many")]
    assert treated(GOOD, most=2).errors == ()
    softened = treated(GOOD, most=1, too_many="warning")
    assert softened.tag is not None
    assert softened.lines == 2, "all of them are used"


def test_ties_across_the_cut_are_told_where_there_is_a_cut() -> None:
    # Scores 3, 2, 2, 1: depth 2 cuts between the two of score 2, depths 1 and 3 do not; 4 has no next one.
    content = "1 Q0 d 1 3 t\n1 Q0 c 2 2 t\n1 Q0 b 3 2 t\n1 Q0 a 4 1 t\n"
    rules = RunRules(changed={"ties": Treatment.IGNORED})
    for cut, expected in ((1, []), (2, [(2, 5)]), (3, []), (4, []), (None, [])):
        check = check_run(stream(content), source="r", expected=Expected(rules=rules, cut=cut))
        told = [(f.line, f.column) for f in check.warnings if f.code == "cut-ties"]
        assert told == expected, cut


def test_rules_survive_json_and_only_what_differs_is_kept() -> None:
    rules = changed_rules(
        DEFAULT_RULES, [("ties", Treatment.ERROR), ("rank", Treatment.WARNING)], max_per_topic=1000
    )
    assert rules.to_json() == {"max_per_topic": 1000, "codes": {"ties": "error"}}
    assert rules_from_json(rules.to_json()) == rules
    assert rules_from_json({}) == DEFAULT_RULES


@pytest.mark.parametrize(
    "data",
    [
        {"codes": {"ties": "loud"}},
        {"codes": {"none": "error"}},
        {"codes": {"score": "ignored"}},
        {"codes": ["ties"]},
        {"max_per_topic": 0},
        {"max_per_topic": "10"},
        {"max_per_topic": True},
    ],
)
def test_what_no_rules_can_be_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        rules_from_json(data)
