"""The names of measures: what is understood, and what is said where a name is not."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.scoring.some_qrels import qrels, run
from workbench.errors import WorkbenchError
from workbench.scoring.measures import parse_measures
from workbench.scoring.own_measures import MEASURES
from workbench.scoring.scorer import score_run


def names(text: str | list[str]) -> list[str]:
    return [str(measure) for measure in parse_measures(text)]


def test_measures_are_named_as_the_field_does() -> None:
    text = "AP nDCG@10 P(rel=2)@5 IPrec@0.1 Bpref Judged@10 RR@10"
    assert names(text) == text.split()


def test_commas_and_lines_separate_as_well_as_spaces() -> None:
    assert names("AP, nDCG@10\n\tP@5,RR") == ["AP", "nDCG@10", "P@5", "RR"]


def test_names_may_be_given_one_by_one() -> None:
    assert names(["AP", "P@5 RR"]) == ["AP", "P@5", "RR"]


def test_spaces_in_brackets_do_not_separate() -> None:
    assert names("P(rel=2, judged_only=True)@5 AP") == ["P(rel=2,judged_only=True)@5", "AP"]


def test_a_measure_that_is_named_twice_is_kept_once() -> None:
    assert names("AP MAP AP(rel=1) P@5 P@5") == ["AP", "P@5"]


def test_a_whole_number_does_where_a_fraction_is_declared() -> None:
    assert names("IPrec@1") == ["IPrec@1.0"]


@pytest.mark.parametrize("text", ["", "  ", ","])
def test_no_name_at_all_is_refused(text: str) -> None:
    with pytest.raises(WorkbenchError, match=r"no measure is named \(use names such as AP, nDCG@10"):
        parse_measures(text)


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("BPREF", "did you mean Bpref?"),
        ("nDGC@10", "nDCG"),
        ("correlation", "such as AP, nDCG@10"),
        ("gm_map", "--format trec_eval"),
    ],
)
def test_an_unknown_measure_is_refused_with_what_was_probably_meant(name: str, remedy: str) -> None:
    with pytest.raises(WorkbenchError) as refused:
        parse_measures(f"AP {name}")
    assert name.split("@")[0] in refused.value.message
    assert remedy in refused.value.remedy


@pytest.mark.parametrize("name", ["AP(", "AP(1)", "AP@x", "5", "AP@@5", "AP+P@5", "'AP'", "AP@(1"])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(WorkbenchError, match="is not the name of a measure"):
        parse_measures(name)


# The scorers written in C end the whole process at some of these.
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("P@0", r'cutoff in "P@0" cannot be 0 \(give a value from 1'),
        ("P@-3", "cannot be -3"),
        ("P@99999999999", "cannot be 99999999999"),
        ("P@1.5", r"cannot be 1.5 \(give a whole number\)"),
        ("P@True", "cannot be True"),
        ("P", r'"P" needs a cutoff'),
        ("AP(rel=0)", "rel in .* cannot be 0"),
        ("AP(rel=-1)", "rel in .* cannot be -1"),
        ("AP(depth=5)", r"AP has no parameter depth \(it has cutoff, rel, judged_only\)"),
        ("IPrec@1.1", "cannot be 1.1"),
        ("IPrec@-0.1", "cannot be -0.1"),
        ("IPrec@0.333", "two decimals"),
        ("SetF(beta=0)", "cannot be 0.0"),
        ("nDCG(dcg='log')@5", r"cannot be 'log' \(choose one of log2, exp-log2\)"),
        ("nDCG(gains={1:-1})@5", "whole numbers from 0"),
        ("nDCG(gains={1:2.5})@5", "whole numbers from 0"),
        ("alpha_nDCG", r'"alpha_nDCG" needs a cutoff \(add one, such as alpha_nDCG@20'),
        ("alpha_nDCG(alpha=1.5)@5", r"cannot be 1.5 \(give a value from 0 to 1"),
        ("NRBP(beta=1.5)", r"cannot be 1.5 \(give a value from 0 to 1"),
        ("nDCG(gains={1:1000000000})@5", "whole numbers from 0"),
    ],
)
def test_parameters_that_no_scorer_survives_are_refused(name: str, message: str) -> None:
    with pytest.raises(WorkbenchError, match=message):
        parse_measures(name)


@pytest.mark.parametrize(
    ("name", "package"), [("INST(max_rel=2)", "cwl_eval"), ("BPM(T=1.0,max_rel=2)@10", "cwl_eval")]
)
def test_a_measure_without_an_installed_scorer_says_what_to_install(name: str, package: str) -> None:
    with pytest.raises(WorkbenchError, match="no installed scorer computes") as refused:
        parse_measures(name)
    assert package in refused.value.remedy


def test_trec_evals_names_are_understood() -> None:
    assert names("map ndcg_cut_10 P.5,10 recip_rank iprec_at_recall_0.10 set_relative_P num_rel_ret") == [
        "AP",
        "nDCG@10",
        "P@5",
        "P@10",
        "RR",
        "IPrec@0.1",
        "SetP(relative=True)",
        "NumRet(rel=1)",
    ]
    official = names("official")
    assert official[:8] == ["NumQ", "NumRet", "NumRel", "NumRet(rel=1)", "AP", "Rprec", "Bpref", "RR"]
    # 11 levels of recall and 9 cutoffs; gm_map and runid have no counterpart.
    assert len(official) == 8 + 11 + 9


def test_ndevals_names_are_understood() -> None:
    assert names("alpha-nDCG(alpha=0.3)@20 ERR-IA@5 strec@5 STREC@20 P-IA@5 MAP-IA nERR-IA@1 NRBP") == [
        "alpha_nDCG(alpha=0.3)@20",
        "ERR_IA@5",
        "StRecall@5",
        "StRecall@20",
        "P_IA@5",
        "AP_IA",
        "nERR_IA@1",
        "NRBP",
    ]


@given(st.text(max_size=30))
def test_any_text_is_understood_or_refused(text: str) -> None:
    with suppress(WorkbenchError):
        assert parse_measures(text)


@pytest.mark.parametrize("name", [listed.name for listed in MEASURES])
def test_every_listed_measure_can_be_computed(name: str) -> None:
    judged = qrels({"1": {"a": 2, "b": 0, "c": 1}})
    found = score_run(judged, run({"1": {"a": 3.0, "b": 2.0, "c": 1.0}}), name)
    assert 0 <= found.values[name] <= 1
