"""The last entry of every history, whatever the order of the topics."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from workbench.releases.contents import last_entries


class Said(NamedTuple):
    """What an assessor said about a pair; `number` tells equal entries apart."""

    topic: str
    docno: str
    assessor: str
    number: int


SAID = st.lists(st.tuples(st.sampled_from("AB"), st.sampled_from("xy"), st.sampled_from("12")), max_size=12)


@given(SAID, st.booleans())
def test_the_last_one_stands_where_the_first_was(said: list[tuple[str, str, str]], together: bool) -> None:
    ordered = sorted(said, key=lambda one: one[0]) if together else said
    entries = [Said(*one, number) for number, one in enumerate(ordered)]
    # A dictionary keeps the place of a key and the last of its values.
    assert list(last_entries(entries)) == list({one[:3]: one for one in entries}.values())
