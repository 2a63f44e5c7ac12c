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
