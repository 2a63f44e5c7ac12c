"""Pairs with a known answer: tab-separated, with a header `topic doc grade feedback` in any order.

The feedback, a word on why the grade is right, may lack.
"""

from __future__ import annotations

from workbench.formats.graded_pairs import Form, GradedPair, read_graded_pairs
from workbench.formats.source import Readable

KNOWN_ANSWERS = Form(
    "known answer", ("feedback", "reason", "why"), "give the grade that is right, or take the line out"
)


def read_known_answers(stream: Readable, *, source: str) -> tuple[GradedPair, ...]:
    """The known answers of a file, the feedback as their words; raises as `read_graded_pairs`."""
    return read_graded_pairs(stream, KNOWN_ANSWERS, source=source)
