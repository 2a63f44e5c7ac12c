"""Parameters: what text and values are taken for, and what is refused."""

from __future__ import annotations

import pytest

from workbench.errors import InvalidInput
from workbench.pooling.strategy import DEPTHS, NUMBER, WHOLE, Parameter, ParameterKind


def parameter(kind: ParameterKind, *, lowest: float | None = None, highest: float | None = None) -> Parameter:
    return Parameter("size", "how large", 1, kind, lowest=lowest, highest=highest)


@pytest.mark.parametrize(
    ("kind", "given", "value"),
    [
        (WHOLE, 7, 7),
        (WHOLE, " 7 ", 7),
        (WHOLE, "-7", -7),
        (WHOLE, "+007", 7),
        (NUMBER, 1, 1.0),
        (NUMBER, "0.25", 0.25),
        (NUMBER, "1e-3", 0.001),
        (DEPTHS, "", {}),
        (DEPTHS, "a=1\tb=20  c=0", {"a": 1, "b": 20, "c": 0}),
        # Ids are kept to the byte and may hold the sign itself; the last one parts.
        (DEPTHS, "x=y=3 é:,/#=4", {"x=y": 3, "é:,/#": 4}),
        (DEPTHS, {"a": 1}, {"a": 1}),
    ],
)
def test_values_are_read_from_text_or_taken_as_they_are(
    kind: ParameterKind, given: object, value: object
) -> None:
    read = parameter(kind).value(given)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        *(
            (WHOLE, given)
            for given in ("", "1.5", "1_000", "٣", "ten", True, None, 1.0, "9" * 5000, 2**53, str(2**53))
        ),
        *((NUMBER, given) for given in ("", "nan", "inf", "-inf", "1e999", "half", True, None, [1])),
        *((DEPTHS, given) for given in ("a", "a=", "=3", "a=-1", "a=b", "a=1 a=2", 3, {"a": -1}, {"": 1})),
    ],
)
def test_what_is_no_such_value_is_refused_with_an_example(kind: ParameterKind, given: object) -> None:
    with pytest.raises(InvalidInput) as caught:
        parameter(kind).value(given)
    (finding,) = caught.value.findings
    assert finding.source == "size"
    assert finding.message.startswith("size cannot be ")
    assert finding.remedy == f"give a {kind.name}, as {kind.example}"


@pytest.mark.parametrize(("lowest", "highest", "bounds"), [(2, None, "2 or more"), (2, 4, "2 to 4")])
@pytest.mark.parametrize("given", [1, "1", 5])
def test_bounds_are_inclusive_and_named(
    lowest: float, highest: float | None, bounds: str, given: int | str
) -> None:
    bounded = parameter(WHOLE, lowest=lowest, highest=highest)
    assert bounded.value(2) == 2
    if given == 5 and highest is None:
        assert bounded.value(5) == 5
        return
    with pytest.raises(InvalidInput, match=rf"size cannot be {given} \(give {bounds}\)"):
        bounded.value(given)


def test_depths_are_written_sorted_by_the_bytes_of_their_ids() -> None:
    assert parameter(DEPTHS).text({"é": 1, "b": 2, "B": 3}) == "B=3 b=2 é=1"


def test_a_description_is_one_line_of_help() -> None:
    one = Parameter("k", "how strongly", 60, WHOLE, lowest=0)
    assert one.description == "how strongly (whole number, 0 or more; 60 unless given)"
    assert Parameter("own", "runs", {}, DEPTHS).description.endswith(
        "(list of depths by id, as bm25=50 manual=200; none unless given)"
    )
