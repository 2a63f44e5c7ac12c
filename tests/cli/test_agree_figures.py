"""`workbench agree`: figures that other programs and exact formulas have."""

from __future__ import annotations

from pathlib import Path

import pytest
from sklearn.metrics import cohen_kappa_score

from tests.cli.executable import qrels_file
from tests.cli.test_agree import invoke, said


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_weights_go_by_the_distance_of_grades_also_over_one_that_nobody_gave(
    tmp_path: Path, weights: str
) -> None:
    """Of 0 to 3 nobody gave 2; scikit-learn, told all labels, has 2 between 1 and 3, as irrCAC has."""
    given = [(0, 0), (0, 1), (1, 1), (1, 3), (3, 3), (3, 3), (0, 0), (1, 0), (3, 1), (0, 3), (1, 1), (3, 3)]
    first = qrels_file(tmp_path / "first", {"1": {f"d{at}": one for at, (one, _) in enumerate(given)}})
    second = qrels_file(tmp_path / "second", {"1": {f"d{at}": other for at, (_, other) in enumerate(given)}})
    one, other = zip(*given, strict=True)
    expected = cohen_kappa_score(one, other, weights=weights, labels=[0, 1, 2, 3])
    words: list[str | Path] = [first, second, "--graded", f"--weights={weights}"]
    report = said(*words)
    assert report["coefficients"]["unpooled"]["value"] == pytest.approx(expected, abs=1e-12)
    assert "nobody gave grade 2" in invoke(*words).stderr
    whole = said(*words, "--scale=0 1 2 3")
    assert whole["coefficients"]["unpooled"]["value"] == pytest.approx(expected, abs=1e-12)
    assert "nobody gave" not in invoke(*words, "--scale=0 1 2 3").stderr


def test_twelve_of_twelve_pairs_have_no_interval_without_width(tmp_path: Path) -> None:
    """Clopper and Pearson: .025 ** (1 / 12) = .7354; the coefficients have no interval, and why."""
    grades = {str(topic): {"d0": 0, "d1": 1} for topic in range(6)}
    first, second = qrels_file(tmp_path / "first", grades), qrels_file(tmp_path / "second", grades)
    found = said(first, second)["coefficients"]
    interval = found["observed"]["interval"]
    assert (interval["low"], interval["high"]) == (pytest.approx(0.7354, abs=5e-5), 1.0)
    assert interval["method"] == "exact (Clopper and Pearson)"
    constant = "it is the same without any one of them, so that they show no error"
    for name, one in found.items():
        assert one["value"] == 1.0
        if name != "observed":
            assert one["interval"]["undefined"] == constant
            assert "low" not in (one.get("analytic") or {})
            # That nothing differs is no lack of data.
            assert one["band_landis_koch"] == "almost perfect"
    printed = invoke(first, second).stdout
    assert "0.735 to 1.000" in printed
    assert "1.000 to 1.000" not in printed
    assert f"No interval over topics: {constant}." in printed
