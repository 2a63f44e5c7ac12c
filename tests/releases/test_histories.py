"""The last entry of every history, whatever the order of the topics."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.releases.made import answer
from workbench.releases.contents import last_entries

SAID = st.lists(st.tuples(st.sampled_from("AB"), st.sampled_from("xy"), st.sampled_from("12")), max_size=12)


@given(SAID, st.booleans())
def test_the_last_one_stands_where_the_first_was(said: list[tuple[str, str, str]], together: bool) -> None:
    ordered = sorted(said, key=lambda one: one[0]) if together else said
    # The seed tells equal entries apart.
    entries = [
        replace(answer(assessor, docno, 1), topic=topic, seed=number)
        for number, (topic, docno, assessor) in enumerate(ordered)
    ]
    # A dictionary keeps the place of a key and the last of its values.
    last = {(one.topic, one.docno, one.assessor): one for one in entries}
    assert list(last_entries(entries)) == list(last.values())
