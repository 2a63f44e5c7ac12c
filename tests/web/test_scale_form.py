from __future__ import annotations

import pytest

from workbench.errors import InvalidInput
from workbench.records import BINARY, FOUR_GRADES, THREE_GRADES, Grade, Scale
from workbench.web.pages.settings.campaign import read_scale, scale_form_of, typed_scale_form

OWN = {
    "scale": "own", "relevant": "1",
    "value-0": "2", "label-0": "Top", "key-0": "t", "definition-0": "the answer", "weight-0": "3",
    "value-1": "1", "label-1": "Some", "value-2": "0", "label-2": "None",
}  # fmt: skip


@pytest.mark.parametrize(
    "scale", [BINARY, THREE_GRADES, FOUR_GRADES, Scale((Grade(0, "a", "a"), Grade(5, "b", "b")), 5)]
)
def test_the_form_of_a_scale_means_that_scale(scale: Scale) -> None:
    assert read_scale(scale_form_of(scale)) == scale


def test_a_new_campaign_is_offered_the_binary_scale() -> None:
    assert read_scale(scale_form_of(None)) == BINARY


def test_rows_may_stand_in_any_order_and_take_what_is_left_out_from_their_place() -> None:
    scale = read_scale(typed_scale_form(OWN))
    # Weights of three grades by place: 0, then half of 3 rounded to even, which is 2; the third is given.
    assert [(g.value, g.label, g.key, g.weight) for g in scale.grades] == [
        (0, "None", "0", 0),
        (1, "Some", "1", 2),
        (2, "Top", "t", 3),
    ]
    assert scale.relevant_from == 1


def test_everything_that_is_wrong_is_said_at_once() -> None:
    wrong = OWN | {"value-0": "two", "label-1": "", "relevant": "6"}
    with pytest.raises(InvalidInput) as refused:
        read_scale(typed_scale_form(wrong))
    assert [finding.source for finding in refused.value.findings] == [
        "Grade in row 1",
        "Grade in row 2",
        "Scale",
    ]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"relevant": "2"}, "cannot be the lowest relevant grade"),
        ({"value-0": "1"}, "must ascend"),
        ({"label-0": "Some"}, "share one label"),
        ({"key-0": "u"}, "a grade's key must be one character"),
        ({"weight-0": "9"}, "a colour weight must be"),
        ({"value-0": "-1"}, "the value is '-1'"),
        ({"scale": ""}, "no scale is chosen"),
    ],
)
def test_a_scale_that_cannot_be_is_refused(changed: dict[str, str], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        read_scale(typed_scale_form(OWN | changed))
