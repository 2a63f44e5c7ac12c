"""The rules for runs: what can be softened, what can be hardened, and what a run is then."""

from __future__ import annotations

import pytest

from tests.formats.strategies import stream
from workbench.errors import InvalidInput, Severity
from workbench.formats.run_check import Expected, RunCheck, check_run
from workbench.formats.run_rules import CODES, RuleSet, RunRules, Treatment, rules_from_json

GOOD = "1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n"


def treated(
    content: str, rules: RuleSet = RuleSet.USUAL, *, most: int | None = None, cut: int | None = None
) -> RunCheck:
    expected = Expected(["1"], {"a", "b"}, RunRules(most, rules), cut)
    return check_run(stream(content), source="r", file_stem="t", expected=expected)


def test_a_stricter_set_refuses_at_least_what_a_more_lenient_one_does() -> None:
    severity = [Treatment.IGNORED, Treatment.WARNING, Treatment.ERROR]
    for code in CODES.values():
        strict, usual, lenient = (severity.index(one) for one in code.treatments)
        assert strict >= usual >= lenient, code.name
    errors = {
        rules: {code.name for code in CODES.values() if code.under(rules) is Treatment.ERROR}
        for rules in RuleSet
    }
    # What makes a file no run is an error under every set.
    assert errors[RuleSet.LENIENT] == {
        "columns", "comment", "header", "id", "id-length", "id-encoding", "duplicate", "score", "tags",
        "empty",
    }  # fmt: skip
    assert errors[RuleSet.USUAL] - errors[RuleSet.LENIENT] == {
        "unknown-topic",
        "too-many",
        "unknown-document",
    }


def test_every_error_that_is_softened_says_what_becomes_of_the_run() -> None:
    for code in CODES.values():
        softens = code.under(RuleSet.USUAL) is Treatment.ERROR is not code.under(RuleSet.LENIENT)
        assert bool(code.softened) is softens


def test_a_softened_error_is_one_warning_and_the_run_is_taken() -> None:
    content = GOOD + "2 Q0 a 1 2 t\n3 Q0 a 1 2 t\n2 Q0 b 2 1 t\n3 Q0 b 2 1 t\n"
    refused = treated(content)
    assert [(f.line, f.column, f.code) for f in refused.errors] == [
        (3, 1, "unknown-topic"),
        (4, 1, "unknown-topic"),
    ]
    taken = treated(content, RuleSet.LENIENT)
    assert taken.tag is not None
    (warning,) = taken.warnings
    assert warning.severity is Severity.WARNING
    assert warning.message == 'topic "2" is not among the topics (2 lines), and 1 more like it'
    assert warning.remedy.endswith(CODES[warning.code].softened)


def test_strict_rules_refuse_what_the_usual_ones_warn_of() -> None:
    content = "1 0 a 1 2 t\n1 Q0 b 2 1 t\n"
    assert [one.code for one in treated(content).warnings] == ["second-column"]
    check = treated(content, RuleSet.STRICT)
    assert check.tag is None
    assert [(f.line, f.column, f.code, f.severity) for f in check.errors] == [
        (1, 2, "second-column", Severity.ERROR)
    ]


def test_the_limit_of_documents_counts_by_topic() -> None:
    assert [(f.line, f.code) for f in treated(GOOD, most=1).errors] == [(2, "too-many")]
    assert treated(GOOD, most=2).errors == ()
    softened = treated(GOOD, RuleSet.LENIENT, most=1)
    assert softened.tag is not None
    assert softened.lines == 2, "all of them are used"


def test_ties_across_the_cut_are_told_where_there_is_a_cut() -> None:
    # Scores 3, 2, 2, 1: depth 2 cuts between the two of score 2, depths 1 and 3 do not; 4 has no next one.
    content = "1 Q0 d 1 3 t\n1 Q0 c 2 2 t\n1 Q0 b 3 2 t\n1 Q0 a 4 1 t\n"
    for cut, expected in ((1, []), (2, [(2, 5)]), (3, []), (4, []), (None, [])):
        check = check_run(stream(content), source="r", expected=Expected(cut=cut))
        told = [(f.line, f.column) for f in check.warnings if f.code == "cut-ties"]
        assert told == expected, cut


@pytest.mark.parametrize(
    "data",
    [
        {"rule_set": "loud"},
        {"rule_set": ["strict"]},
        {"max_per_topic": 0},
        {"max_per_topic": "10"},
        {"max_per_topic": True},
    ],
)
def test_what_no_rules_can_be_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        rules_from_json(data)
