"""`workbench agree`: what counts towards chance, and how far grades differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.executable import qrels_file
from tests.cli.test_agree import invoke, judgments_file, said
from workbench.errors import InvalidInput
from workbench.formats.judgments import read_judgments


def test_pairs_judged_once_weigh_on_chance_as_chosen_and_it_is_said(tmp_path: Path) -> None:
    # Both judge (1, 1), (1, 0), (0, 0), (0, 0), and ann alone one more relevant. With it the relevant are
    # (1 + .5 + 0 + 0 + 1) / 5 = .5 of all, so P(E) = .5; without it 1.5 / 4 = .375 and P(E) = .53125.
    ann = qrels_file(tmp_path / "ann.qrels", {"1": {"a": 1, "b": 1, "c": 0, "d": 0, "e": 1}})
    bea = qrels_file(tmp_path / "bea.qrels", {"1": {"a": 1, "b": 0, "c": 0, "d": 0}})
    for chosen, expected, n in (("counted", 0.5, 1), ("left-out", 0.53125, 0), ("published", 0.53125, 0)):
        report = said(ann, bea, "--judged-once", chosen)
        assert report["coefficients"]["pooled"]["expected"] == pytest.approx(expected, abs=1e-12)
        assert report["coefficients"]["pooled"]["n"] == 4
        assert report["entered"]["counted_towards_expected_agreement_only"] == n
        printed = invoke(ann, bea, "--judged-once", chosen).stdout
        assert ("1, counted towards expected agreement." in printed) is (n == 1)
        assert ("1, left out." in printed) is (n == 0)
        assert ("All together" in printed) is (n == 1)


def test_own_weights_are_taken_as_given_or_what_they_are_divided_by_is_said(tmp_path: Path) -> None:
    ann = qrels_file(tmp_path / "ann.qrels", {"1": {"a": 2, "b": 2, "c": 1}})
    bea = qrels_file(tmp_path / "bea.qrels", {"1": {"a": 2, "b": 0, "c": 1}})
    own = tmp_path / "weights.txt"
    asked = (ann, bea, "--graded", "--weights", own)
    own.write_text("0 .1 .2\n.1 0 .1\n.2 .1 0\n", encoding="utf-8")
    # One of three pairs differs, by .2.
    assert said(*asked)["coefficients"]["observed"]["value"] == pytest.approx(1 - 0.2 / 3, abs=1e-12)
    assert "Intervals: own weights, 95 %" in invoke(*asked).stdout
    own.write_text("0 1 4\n1 0 1\n4 1 0\n", encoding="utf-8")
    assert said(*asked)["coefficients"]["observed"]["value"] == pytest.approx(1 - 1 / 3, abs=1e-12)
    assert said(*asked)["how"]["weights_divided_by"] == 4
    assert "Intervals: own weights (divided by 4), 95 %" in invoke(*asked).stdout


def test_pairs_of_words_are_compared_though_they_could_be_no_qrels(tmp_path: Path) -> None:
    rows = [("New York", word, who, 1) for word in ("Big Apple", "the Bronx") for who in ("ann", "bea")]
    path = judgments_file(tmp_path / "words.tsv", rows)
    assert said("--judgments", path)["coefficients"]["observed"]["n"] == 2
    with path.open("rb") as stream, pytest.raises(InvalidInput, match="white space"):
        read_judgments(stream, source="words.tsv")
