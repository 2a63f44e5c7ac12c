"""What trec_eval and NIST's checkers say of a file, and what we say (shared cases 30 and 33).

NIST's check-stdtrec-run.py and check_deep.pl and two versions of trec_eval were run on these inputs; each
table below says how we answer, case by case.
"""

from __future__ import annotations

from collections.abc import Collection

import pytest

from tests.formats.strategies import stream
from tests.support import cases
from workbench.errors import InvalidInput
from workbench.formats.qrels import read_qrels
from workbench.formats.run_check import Expected, check_run
from workbench.formats.run_rules import RunRules
from workbench.formats.runs import read_run
from workbench.ranking import ordered

CHECKERS = "33_formats_nist_checkers.json"
TREC_EVAL = "30_formats_trec_eval.json"

# Our errors and warnings as `code:line`, beside what the checker does. Warnings accept the run.
NIST: dict[str, tuple[set[str], set[str]]] = {
    # Refused there since the default pattern for docnos has no hyphen.
    "stdtrec_default_docno_pattern_rejects_hyphens": (set(), set()),
    # The next four pass there.
    "stdtrec_score_not_numeric_passes": ({"score:1", "score:2"}, set()),
    "stdtrec_rank_disagrees_with_score_passes": (set(), {"rank-order:2"}),
    "stdtrec_duplicate_ranks_pass": (set(), {"rank-repeated:2"}),
    "stdtrec_rank_zero_passes": (set(), set()),
    # Refused there; scorers do not read the rank, so here it is a warning.
    "stdtrec_rank_negative": (set(), {"rank:1"}),
    "stdtrec_rank_not_integer": (set(), {"rank:1"}),
    "stdtrec_five_fields": ({"columns:1"}, set()),
    # Refused there; trec_eval accepts blank lines.
    "stdtrec_blank_line": (set(), set()),
    "stdtrec_two_runtags": ({"tags:2"}, set()),
    "stdtrec_runtag_not_file_name_two_lines": (set(), {"tag-name:None"}),
    "stdtrec_q0_wrong": (set(), {"second-column:1"}),
    "stdtrec_topic_not_in_list": ({"unknown-topic:1"}, set()),
    "stdtrec_topic_missing": (set(), {"topics-missing:None"}),
    # Passes there: 401abc begins with 401.
    "stdtrec_topic_prefix_match": ({"unknown-topic:1"}, {"topics-missing:None"}),
    # A traceback there.
    "stdtrec_unknown_topic_without_list": (set(), set()),
    # Passes there: patterns ignore case.
    "stdtrec_lower_case_docno_passes": ({"unknown-document:1"}, set()),
    "stdtrec_over_1000": ({"too-many:1001"}, set()),
    "stdtrec_exactly_1000": (set(), set()),
    "deep_good": (set(), set()),
    "deep_duplicate_caught": ({"duplicate:2"}, {"short-topics:None"}),
    # Missed there.
    "deep_duplicate_missed_when_topics_interleave": ({"duplicate:3"}, {"short-topics:None"}),
    "deep_score_not_numeric": ({"score:1"}, set()),
    "deep_docno_pattern": ({"unknown-document:1"}, set()),
    "deep_topic_missing": (set(), {"topics-missing:None"}),
    # Passes there.
    "deep_rank_like_minus": (set(), {"rank:1"}),
}

# What the checkers were told by options or know by themselves.
TOPICS: dict[str, list[str]] = {"stdtrec_topic_prefix_match": ["401"]}
DOCNOS = {
    "stdtrec_lower_case_docno_passes": {"FT911-3"},
    "deep_docno_pattern": {"msmarco_doc_00_1"},
}
MADE = {"stdtrec_over_1000": 1001, "stdtrec_exactly_1000": 1000}


@pytest.mark.parametrize("name", NIST)
def test_runs_that_nist_checks(name: str) -> None:
    given = cases(CHECKERS)[name]["input"]
    content = given["run"]
    if name in MADE:
        content = "".join(f"401 Q0 D{i} {i} {2000 - i} tagX\n" for i in range(1, MADE[name] + 1))
    topics: Collection[str] | None = given.get("topicfile") or given.get("topics") or TOPICS.get(name)
    check = check_run(
        stream(content),
        source="r",
        file_stem=given.get("file_name"),
        expected=Expected(topics, DOCNOS.get(name), RunRules(max_per_topic=1000)),
    )
    errors, warnings = NIST[name]
    assert {f"{finding.code}:{finding.line}" for finding in check.errors} == errors
    assert {f"{finding.code}:{finding.line}" for finding in check.warnings} == warnings
    assert (check.tag is None) == bool(errors)


def test_no_case_of_nist_s_checkers_is_forgotten() -> None:
    assert set(cases(CHECKERS)) == set(NIST)


# The run and the qrels of each case of trec_eval: the code of our refusal, or "" where we read the file.
READ: dict[str, tuple[str, str]] = {
    "ties_docno_desc": ("", ""),
    "ranks_ignored": ("", ""),
    "near_ties_float64": ("", ""),
    "docno_case_order": ("", ""),
    "dup_run_doc": ("duplicate", ""),
    "dup_qrels_doc": ("", "duplicate"),
    "missing_topic_no_c": ("", ""),
    "missing_topic_c": ("", ""),
    "extra_run_topic": ("", ""),
    "blank_line_run": ("", ""),
    "comment_run": ("comment", ""),
    "two_comments_qrels": ("", "comment"),
    "five_col_run": ("columns", ""),
    "three_col_qrels": ("", "columns"),
    "tabs": ("", ""),
    # trec_eval reads "abc" as 0, "nan" in no order, 1.9 as 1: refused here.
    "nonnumeric_score": ("score", ""),
    "nan_score": ("score", ""),
    "float_grade": ("", "grade"),
    "neg_grade": ("", ""),
    "zero_rel_topic": ("", ""),
    "leading_zero_topic": ("", ""),
    "bom_qrels": ("", ""),
    "M_cut_after_sort": ("", ""),
    "J_flag": ("", ""),
    # trec_eval takes the tag of the last line.
    "runid_last_line": ("tags", ""),
    # The same document under two iterations: trec_eval calls it a duplicate, and it may be a subtopic.
    "iter_ignored_dup": ("", "subtopics"),
    "grade_200": ("", ""),
}
# No text of a run and qrels in them: gzip is tested elsewhere, qrels_jg is another format.
OTHER = {"gzip_not_read", "near_ties_by_version", "qrels_jg_several_assessors"}


def _refusal(content: str, *, qrels: bool) -> str:
    # Strings of these cases are the latin-1 code points of the bytes.
    raw = stream(content.encode("latin-1"))
    try:
        if qrels:
            read_qrels(raw, source="q")
        else:
            read_run(raw, source="r")
    except InvalidInput as refused:
        (code,) = {finding.code for finding in refused.findings}
        return code
    return ""


@pytest.mark.parametrize("name", READ)
def test_files_that_trec_eval_reads_or_refuses(name: str) -> None:
    given = cases(TREC_EVAL)[name]["input"]
    run, qrels = READ[name]
    assert _refusal(given["run"], qrels=False) == run
    assert _refusal(given["qrels"], qrels=True) == qrels


def test_no_case_of_trec_eval_is_forgotten() -> None:
    assert set(cases(TREC_EVAL)) == set(READ) | OTHER


@pytest.mark.parametrize(
    "name", ["ties_docno_desc", "ranks_ignored", "near_ties_float64", "docno_case_order"]
)
def test_a_run_that_was_read_is_ordered_as_trec_eval_orders_it(name: str) -> None:
    found = cases(TREC_EVAL)[name]
    run = read_run(stream(found["input"]["run"]), source="r").run
    grades = {qrel.docno: qrel.grade for qrel in read_qrels(stream(found["input"]["qrels"]), source="q")}
    # `relstring` prints the grades of the documents, best first.
    told = found["expected"]["9.0.8"]["stdout"].split("'")[1]
    assert "".join(str(grades[docno]) for docno in ordered(run.rankings["1"])) == told
