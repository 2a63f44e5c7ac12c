"""The whole report: grades, thresholds, strictness, the paradox, the working, and its forms."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from hypothesis import given, settings

from tests.agreement.made import (
    columns,
    entered,
    from_counts,
    interval_of_all_but_each,
    jackknifed,
    ratings,
    richness,
    stats,
    without_topic,
)
from tests.support import cases, examples, shared
from workbench.agreement.alpha import LEVELS
from workbench.agreement.estimates import Band, calculations, estimates, topics_left_out, verdict
from workbench.agreement.export import COLUMNS, report_latex, report_rows
from workbench.agreement.grades import by_grade
from workbench.agreement.intervals import CONSTANT
from workbench.agreement.jackknife import freedom
from workbench.agreement.options import AgreementOptions, Basis
from workbench.agreement.pairwise import assessor_pairs, thresholds
from workbench.agreement.ratings import MISSING, Assessor, Ratings, answers_of
from workbench.agreement.report import agreement_report, disagreements, leniency, what_differs
from workbench.agreement.report_json import report_data
from workbench.agreement.selection import select_ratings
from workbench.errors import WorkbenchError
from workbench.tables import MOST_FLOATING, escaped, table

PLAIN = AgreementOptions()
MANNING = [[300, 20], [10, 70]]


@pytest.mark.parametrize("name", ["fleiss_1971_psychiatric", "fleiss_wikipedia_14_raters"])
def test_kappa_by_category_and_the_share_that_agrees_are_fleiss(name: str) -> None:
    case = cases("11_agreement_multi_raters.json")[name]
    data = from_counts(case["input"]["counts_per_subject"])
    found = by_grade(data, topics_left_out(data, PLAIN))
    assert [one.kappa.value for one in found] == pytest.approx(
        case["expected"]["kappa_by_category"], abs=1e-6
    )
    shares = case["expected"]["p_j"]
    assert [one.share for one in found] == pytest.approx(shares, abs=1e-9)
    # With as many raters for all, kappa_j = (specific - p_j) / (1 - p_j): Fleiss 1971, the same written anew.
    for one, share in zip(found, shares, strict=True):
        assert one.specific.value is not None
        assert one.kappa.value == pytest.approx((one.specific.value - share) / (1 - share), abs=1e-9)


def test_the_intervals_of_a_grade_are_those_of_each_topic_left_out_in_turn() -> None:
    generator = np.random.default_rng(4)
    truth = generator.integers(0, 3, 56)
    said = np.where(generator.random((3, 56)) < 0.7, truth, generator.integers(0, 3, (3, 56)))
    grades: dict[str, list[int | None]] = dict(zip("abc", said.tolist(), strict=True))
    grades["c"][4] = None
    data = entered(grades, scale=(0, 1, 2), topics=7, graded=True).ratings
    for place, one in enumerate(by_grade(data, topics_left_out(data, PLAIN))):
        rest = data.with_places([int(each != place) for each in range(3)], (1, 0))
        assert one.kappa_interval is not None
        expected = interval_of_all_but_each(rest, "pooled")
        assert (one.kappa_interval.low, one.kappa_interval.high) == pytest.approx(expected, abs=1e-9)
        # The specific agreement is that of the rest, with what all grades tell by topic.
        without = [_specific(without_topic(data, topic), place) for topic in range(7)]
        expected = jackknifed(_specific(data, place), without, richness(data, range(7)), share=True)
        assert one.interval is not None
        assert (one.interval.low, one.interval.high) == pytest.approx(expected, abs=1e-9)
    # Of two grades each against the other is the pooled kappa of the whole.
    binary = data.from_grade(1)
    left = topics_left_out(binary, PLAIN)
    pooled = next(one for one in estimates(binary, PLAIN, left) if one.name == "pooled")
    for one in by_grade(binary, left):
        assert one.kappa.value == pytest.approx(pooled.value)
        assert one.kappa_interval == pooled.interval


def _specific(data: Ratings, place: int) -> float:
    """Where one gave the grade, the share of the others who did, weighted as Krippendorff's coincidences."""
    given, too = 0.0, 0.0
    for column in data.codes.T:
        codes = column[column != MISSING]
        if len(codes) > 1:
            mine = int((codes == place).sum())
            given += mine
            too += mine * (mine - 1) / (len(codes) - 1)
    return too / given


def test_every_threshold_is_the_agreement_on_relevant_from_there() -> None:
    # Documents go to seven topics in turn, so that each has these six; only the last one is another.
    grades = {"a": [0, 1, 2, 2, 0, 1] * 7, "b": [0, 2, 2, 1, 1, 1] * 6 + [0, 2, 2, 1, 1, 0]}
    found = thresholds(entered(grades, scale=(0, 1, 2), topics=7).by_grade, PLAIN)
    assert [one.relevant_from for one in found] == [1, 2]
    for one in found:
        binary = {name: [int(grade >= one.relevant_from) for grade in row] for name, row in grades.items()}
        alone = agreement_report(entered(binary, topics=7), PLAIN)
        assert [f.value for f in one.estimates] == pytest.approx([f.value for f in alone.estimates])
        assert one.prevalence == pytest.approx(alone.prevalence)
        assert one.overlap.value == pytest.approx(alone.overlaps[0].mean)
        # Of two assessors the mean over pairs is their one overlap, and so is its interval.
        whole, mean = one.overlap.interval, alone.overlaps[0].mean_interval
        assert whole is not None
        assert mean is not None
        assert (whole.low, whole.high) == pytest.approx((mean.low, mean.high))


def test_strictness_by_hand_and_sorted() -> None:
    # Pairs: a 0 0 1 -, b 1 0 1 1, c 1 1 - 1. a: own 1/3; others (1, .5, 1) / 3, so -.5.
    # b: own 3/4, others (.5, .5, 1, 1) / 4, so 0. c: own 1; others (.5, 0, 1) / 3, so .5.
    found = entered({"c": [1, 1, None, 1], "a": [0, 0, 1, None], "b": [1, 0, 1, 1]}, topics=2)
    lines = leniency(found.ratings, PLAIN)
    assert [found.assessors[one.assessor].name for one in lines] == ["a", "b", "c"]
    assert [one.n for one in lines] == [3, 4, 3]
    assert [one.difference for one in lines] == pytest.approx([-0.5, 0.0, 0.5])
    assert lines[0].interval is not None
    assert lines[0].interval.units == 2


def test_the_interval_of_strictness_is_that_of_the_means_of_as_rich_topics() -> None:
    # Of four documents a topic a calls so many relevant and b the rest of two: each topic tells as much.
    found_by_a = [2, 1, 1, 2, 0, 1]
    grades: dict[str, list[int]] = {
        "a": [int(at < many) for at in range(4) for many in found_by_a],
        "b": [int(at < 2 - many) for at in range(4) for many in found_by_a],
    }
    strict, lenient = leniency(entered(grades, topics=6).ratings, PLAIN)
    differences = [(2 * many - 2) / 4 for many in found_by_a]
    assert lenient.difference == pytest.approx(np.mean(differences))
    expected = stats.t.interval(0.95, freedom(6), loc=np.mean(differences), scale=stats.sem(differences))
    assert lenient.interval is not None
    assert (lenient.interval.low, lenient.interval.high) == pytest.approx(expected)
    assert strict.interval is not None
    assert (strict.interval.low, strict.interval.high) == pytest.approx((-expected[1], -expected[0]))


def test_the_paradox_is_found_where_prevalence_makes_it_and_nowhere_else() -> None:
    # Gwet 2002: 118, 5, 2, 0. Feinstein and Cicchetti 1990: 40, 9, 6, 45 and 80, 10, 5, 5 agree as often.
    found = agreement_report(entered(columns([[118, 5], [2, 0]])), PLAIN).paradox
    assert found is not None
    assert (found.grade, round(found.observed, 3), round(found.kappa, 4)) == (1, 0.944, -0.0288)
    assert found.uniform == pytest.approx(0.888)
    assert agreement_report(entered(columns([[40, 9], [6, 45]])), PLAIN).paradox is None
    unbalanced = agreement_report(entered(columns([[80, 10], [5, 5]])), PLAIN).paradox
    assert unbalanced is not None
    assert unbalanced.share == pytest.approx(175 / 200)
    assert agreement_report(entered({"a": [1, 1], "b": [1, 1]}), PLAIN).paradox is None


def test_one_sentence_says_what_the_two_kappas_differ_by() -> None:
    cases_ = cases("14_agreement_extra.json")
    similar, different = (
        agreement_report(entered(columns(cases_[f"bias_pair_{kind}_judges"]["input"]["table"])), PLAIN)
        for kind in ("similar", "different")
    )
    assert "hardly differ" in what_differs(similar)
    # .3636 - .2839, as FORMULAS has them.
    assert "unpooled forgives (0.080 apart)" in what_differs(different)


def test_where_they_differ_the_furthest_apart_stand_first() -> None:
    found = entered({"a": [2, 1, 0, 1], "b": [2, 0, 2, None]}, scale=(0, 1, 2), graded=True)
    assert [(one.docno, one.first, one.second) for one in disagreements(found, 0, 1)] == [
        ("d00002", 0, 2), ("d00001", 1, 0),
    ]  # fmt: skip
    # 1 and 2 are both relevant: on relevant or not they agree.
    binary = entered({"a": [1, 0], "b": [2, 1]}, scale=(0, 1, 2))
    assert [one.docno for one in disagreements(binary, 0, 1)] == ["d00001"]


@settings(max_examples=examples(15))
@given(data=ratings(assessors=2, complete=True))
def test_the_last_step_of_every_calculation_is_the_coefficient(data: Ratings) -> None:
    labels = [str(grade) for grade in data.categories]
    for options in (
        AgreementOptions(level=level, weights=weights)
        for level in LEVELS
        for weights in ("nominal", "quadratic")
    ):
        (two,) = assessor_pairs(data, options)
        for estimate, steps in calculations(two.table, two.estimates, data, options, labels):
            final = steps[-1]
            assert final.final
            value = estimate.value
            said = "undefined" if value is None else f"{value:z.4f}".replace("-", "−")
            assert final.result == said
            if value is None or "/" not in final.sum:
                continue
            # What is written, computed with its four digits, gives about that value.
            written = final.sum.replace("−", "-")
            try:
                assert eval(written) == pytest.approx(value, abs=0.05) or abs(value) > 5
            except ZeroDivisionError:
                continue


def test_whatever_has_no_value_says_why_and_what_would_define_it_in_every_row() -> None:
    # Nobody gives a 1, c shares no pair with anybody, and of the last topic nobody judged a pair twice.
    grades: dict[str, list[int | None]] = {
        "a": [0, 0, 2, None], "b": [0, 0, 2, None], "c": [None, None, None, 0],
    }  # fmt: skip
    report = agreement_report(entered(grades, scale=(0, 1, 2), topics=2, graded=True), PLAIN)
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in report_rows(report)]
    missing = [row for row in rows if row["value"] is None]
    assert {row["of"] for row in missing} >= {"grade", "assessor"}
    assert [row for row in missing if not (row["undefined"] and row["would_define"])] == []
    unused = report_data(report)["grades_of_the_scale"][1]
    assert unused["would_define"] == "a pair to which one of them gives it"
    assert unused["kappa_undefined"].startswith("everyone gave the same grade")


def test_a_long_table_goes_on_over_pages() -> None:
    rows = [(str(number), "1") for number in range(MOST_FLOATING + 1)]
    long = table("lr", ("Topic", "n"), rows, "Many", "tab:many")
    assert r"\begin{longtable}{lr}" in long
    assert long.count("Topic & n") == 2
    assert r"\begin{table}" in table("lr", ("Topic", "n"), rows[1:], "Few", "tab:few")


@pytest.mark.parametrize("scale", [(0, 5), (1, 2)])
def test_the_grades_of_a_scale_of_two_keep_their_numbers(scale: tuple[int, int]) -> None:
    low, high = scale
    grades = {"a": [high, high, low, low], "b": [high, low, low, low]}
    report = agreement_report(entered(grades, scale=scale, relevant_from=high), PLAIN)
    assert [one.grade for one in report.scale_grades] == [high, low]
    # Three of the eight grades are high; of those, both of d0 are shared and the one of d1 is not.
    assert report.scale_grades[0].given == 3
    assert report.scale_grades[0].specific.value == pytest.approx(2 / 3)
    assert [one["grade"] for one in report_data(report)["grades_of_the_scale"]] == [high, low]
    assert f"    {high} & 3 & 0.667" in report_latex(report)


def test_every_caption_of_latex_says_the_level_and_the_kind_of_its_intervals() -> None:
    wide = AgreementOptions(confidence=0.9)
    report = agreement_report(entered(columns(MANNING), topics=7), wide)
    said = r"90\,\% intervals: jackknife over topics."
    # Of everybody, of every two, overlaps, grades, who is strict.
    assert report_latex(report).count(said) == 5


def test_of_very_many_assessors_the_overlaps_are_those_of_the_pairs_that_are_listed() -> None:
    # Of 32 the first and the last have fewer grades than the others.
    rows = {f"w{at:02}": [1, 0, 1] if 0 < at < 31 else [1, None, None] for at in range(32)}
    report = agreement_report(entered(rows), AgreementOptions())
    assert report.left_out == 2
    assert [one.assessors for one in report.overlaps] == [(two.first, two.second) for two in report.pairs]
    assert report.overlaps[0].assessors == (1, 2)


def test_names_cannot_be_commands_of_latex() -> None:
    assert escaped(r"50% \input{x}_#&$~^") == (
        r"50\% \textbackslash{}input\{x\}\_\#\&\$\textasciitilde{}\textasciicircum{}"
    )


@pytest.mark.parametrize(
    ("value", "enough", "word"),
    [
        (-0.01, True, Band.POOR), (0.0, True, Band.SLIGHT), (0.2, True, Band.SLIGHT), (0.21, True, Band.FAIR),
        (0.41, True, Band.MODERATE), (0.8, True, Band.SUBSTANTIAL), (0.81, True, Band.ALMOST_PERFECT),
        (0.81, False, Band.UNCERTAIN), (-1.0, False, Band.UNCERTAIN), (None, True, None), (None, False, None),
    ],
)  # fmt: skip
def test_verdicts_are_landis_and_kochs_words_and_none_of_too_little(
    value: float | None, enough: bool, word: Band | None
) -> None:
    assert verdict(value, enough=enough) is word


@pytest.mark.parametrize(
    ("topics", "band", "why"),
    [
        (4, Band.UNCERTAIN, "an interval needs 5 topics or more; there are 4"),
        (6, Band.SUBSTANTIAL, ""),
    ],
)
def test_a_word_is_there_where_there_is_an_interval_over_topics(topics: int, band: Band, why: str) -> None:
    found = agreement_report(entered(columns(MANNING), topics=topics), PLAIN)
    pooled = found.estimate("pooled")
    assert pooled.value == pytest.approx(0.775910, abs=5e-7)
    assert pooled.band is band
    assert pooled.interval is not None
    assert (pooled.interval.low is None, pooled.interval.undefined) == (bool(why), why)
    # What is not corrected for chance has no word.
    assert found.estimate("observed").band is None


def test_nobody_who_differs_anywhere_has_the_word_of_full_agreement() -> None:
    # Without any topic kappa stays 1: that shows no error, but is not too little data.
    found = agreement_report(entered({"a": [1, 0] * 9, "b": [1, 0] * 9}, topics=9), PLAIN)
    pooled = found.estimate("pooled")
    assert (pooled.value, pooled.band) == (1.0, Band.ALMOST_PERFECT)
    assert pooled.interval is not None
    assert pooled.interval.undefined == CONSTANT
    # The observed agreement has the exact interval: .025 ** (1 / 18).
    observed = found.estimate("observed").interval
    assert observed is not None
    assert (observed.low, observed.high) == pytest.approx((0.025 ** (1 / 18), 1.0))


@pytest.mark.parametrize(
    "wrong",
    [
        {"weights": "cubic"},
        {"level": "nope"},
        {"coefficient": "kapa"},
        {"confidence": 0.0},
        {"confidence": 1.0},
    ],
)
def test_what_cannot_be_reckoned_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(WorkbenchError):
        AgreementOptions(**wrong)  # type: ignore[arg-type]  # wrong on purpose


def test_own_weights_that_fit_no_scale_are_refused() -> None:
    found = entered({"a": [2, 1], "b": [2, 0]}, scale=(0, 1, 2), graded=True)
    with pytest.raises(WorkbenchError, match="do not fit 3 grades"):
        agreement_report(found, AgreementOptions(weights=((0.0, 1.0), (1.0, 0.0))))


def test_four_assessors_of_cystic_fibrosis_agree_fairly_or_well_by_what_enters() -> None:
    # CATALOGUE.md: from chance level to moderate, by the basis alone; every figure of Cohen's between A4 and
    # the others stands in test_entering.
    with shared("data", "cf", "judgments.tsv").open(encoding="utf-8") as table:
        rows = [
            (row["assessor"], row["topic"], row["doc"], int(row["grade"]))
            for row in csv.DictReader(table, delimiter="\t")
        ]
    names = sorted({row[0] for row in rows})
    answers = answers_of(
        [Assessor(name) for name in names], [(names.index(a), t, d, g) for a, t, d, g in rows]
    )
    for basis, words in ((Basis.BOTH, "slight"), (Basis.ALL, "moderate")):
        found = select_ratings(
            answers, (0, 1, 2), AgreementOptions(relevant_from=1, basis=basis, documents=1239)
        )
        report = agreement_report(found, AgreementOptions())
        assert report.estimate("pooled").band == words
        # A4 is the lenient one on either basis.
        assert found.assessors[report.leniency[-1].assessor].name == "A4_JBW"
