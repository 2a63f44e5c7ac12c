"""Shares in percent: what is not whole never says 100 %, and what is not nothing never 0 %."""

from __future__ import annotations

import re

import pytest

from tests.tree import ROOT
from workbench.figures import percent, share_of


@pytest.mark.parametrize(
    ("part", "whole", "shown"),
    [
        # 209 of 210 are 99.52 %, which rounds to 100; 1 of 210 are 0.48 %.
        (209, 210, ">99 %"),
        (210, 210, "100 %"),
        (1, 210, "<1 %"),
        (0, 210, "0 %"),
        (1, 3, "33 %"),
        (10**9 - 1, 10**9, ">99 %"),
        (1, 10**9, "<1 %"),
        (0, 0, "–"),
    ],
)
def test_only_a_whole_is_100_percent_and_only_nothing_is_0(part: int, whole: int, shown: str) -> None:
    assert share_of(part, whole) == shown


def test_decimals_move_the_limits() -> None:
    assert [percent(share, 1) for share in (209 / 210, 0.9996, 0.0004, 1, 0)] == [
        "99.5 %",
        ">99.9 %",
        "<0.1 %",
        "100.0 %",
        "0.0 %",
    ]


def test_a_sum_that_misses_the_whole_by_rounding_is_whole() -> None:
    assert sum([0.1] * 10) < 1
    assert (percent(sum([0.1] * 10)), percent(0.3 - 0.1 * 3)) == ("100 %", "0 %")


def test_a_change_has_a_true_minus_and_none_before_nothing() -> None:
    assert [percent(change, 1) for change in (-0.034, -0.0001, 1.25)] == ["−3.4 %", "0.0 %", "125.0 %"]


# A level of confidence or a mark that somebody chose is printed as it was given, not as a share.
CHOSEN = re.compile(r"level|LEVEL|NEAR_DUPLICATE|100 \* near\b|loss\b")
BY_HAND = re.compile(r"""\{[^{}"]*:[z+]?\.\d%\}|%\.\df(?: %%)?"\|format\(100 \*|100 \* [^{}]*:\.\df\} %""")


def test_no_page_and_no_command_rounds_a_share_by_itself() -> None:
    files = [*(ROOT / "workbench").rglob("*.py"), *(ROOT / "templates").rglob("*.html")]
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in files
        for line in path.read_text("utf-8").splitlines()
        if BY_HAND.search(line) and not CHOSEN.search(line)
    ]
    assert len(files) > 500
    assert found == []
