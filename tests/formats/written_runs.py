"""Runs as bytes for comparing the fast reader with the plain one: odd ones that shrink, long ones by seed."""

from __future__ import annotations

import gzip
import random
from dataclasses import dataclass

from hypothesis import strategies as st

from tests.formats.strategies import IDS

_DIGITS = "0123456789"

DECIMALS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-1e6, 1e6).map(repr),
    st.floats(0, 1, width=32).map(repr),
    st.integers(-(10**20), 10**20).map(str),
    st.from_regex(r"\A[+-]?[0-9]{1,12}\.[0-9]{0,12}\Z"),
    st.from_regex(r"\A[+-]?[0-9]{0,3}\.[0-9]{1,22}\Z"),
    st.from_regex(r"\A[+-]?[0-9]{1,3}(\.[0-9]{1,9})?[eE][+-]?[0-9]{1,3}\Z").filter(
        lambda s: abs(float(s)) < 1e300
    ),
    st.sampled_from(
        ["0", "-0", "+0.0", "1.", ".5", "-.5", "5e-324", "2.2250738585072011e-308", "1e22", "1e23"]
    ),
)
"""Scores that are plain finite decimal numbers, in every notation."""

_TIED = st.sampled_from(["1", "2", "3", "2.0", "1e0"])
_NO_SCORES = st.sampled_from(
    ["abc", "nan", "-inf", "1e999", "1_0", "1,5", "0x1", "-", ".", "+.e1", "1.2.3", "٣"]
)
_RANKS = st.sampled_from(["1", "2", "12", "1.0", "-4", "first", "+1", "9" * 16, "9" * 30])
_TOPICS = st.one_of(st.sampled_from(["1", "2", "401", "MB001", "a-topic-of-more-than-eight"]), IDS)
_DOCNOS = st.one_of(
    IDS,
    st.builds("d{}".format, st.integers(0, 30)),
    st.integers(1, 140).map(lambda size: "x" * (size - 1) + "y"),
)
_GAPS = st.sampled_from([" "] * 8 + ["\t", "  ", " \t ", "\v", "\f", "\r"])
_ENDS = st.sampled_from(["\n"] * 8 + ["\r\n", " \n", "\n\n", "\n \n", "\r\r\n"])
_WRONG = st.sampled_from(
    [
        *("1 Q0 d 1 1\n", "1 Q0 d 1 1 t t\n", "# a comment\n", "1 Q0 a\0b 1 1 t\n", "1 Q0 a\x7f 1 1 t\n"),
        *("1 Q0 \ufeffa 1 1 t\n", "1 Q0 a\x1b 1 1 t\n", "1 Q0 d 1 1 u\n", "\x1c\n", "1\x1fQ0 d 1 1 t u\n"),
    ]
)


@st.composite
def odd_runs(draw: st.DrawFn) -> bytes:
    """A small run, mostly without errors, in any white space, with any scores; one in three has an error."""
    scores = draw(st.sampled_from([DECIMALS, _TIED, st.one_of(DECIMALS, _TIED)]))
    gaps = draw(st.sampled_from([st.just(" "), st.just("\t"), _GAPS]))
    seconds = draw(st.sampled_from([st.just("Q0"), st.sampled_from(["Q0", "q0", "Q00", "0"])]))
    ranks = draw(st.sampled_from([st.integers(0, 5).map(str), _RANKS]))
    ends = draw(st.sampled_from([st.just("\n"), st.just("\r\n"), _ENDS]))
    pairs = draw(st.lists(st.tuples(_TOPICS, _DOCNOS), max_size=40, unique=draw(st.integers(0, 3)) > 0))
    if draw(st.booleans()):
        pairs.sort(key=lambda pair: pair[0])
    tag = draw(st.one_of(st.just("tag"), IDS))
    lines = []
    for topic, docno in pairs:
        columns = [topic, draw(seconds), docno, draw(ranks), draw(scores), tag]
        lines.append("".join(part + draw(gaps) for part in columns[:-1]) + tag + draw(ends))
    wrong = draw(st.integers(0, 5))
    if wrong == 0:
        lines.insert(draw(st.integers(0, len(lines))), draw(_WRONG))
    elif wrong == 1:
        line = f"{draw(_TOPICS)} Q0 one-more 1 {draw(_NO_SCORES)} {tag}\n"
        lines.insert(draw(st.integers(0, len(lines))), line)
    text = draw(st.sampled_from(["", "", "\ufeff", "\n", " "])) + "".join(lines)
    if draw(st.booleans()):
        text = text.rstrip("\n")
    content = text.encode("utf-8", "surrogateescape")
    return gzip.compress(content, 1) if draw(st.integers(0, 3)) == 0 else content


@dataclass(frozen=True, slots=True)
class Style:
    """How a long run is written; the same style always gives the same bytes."""

    seed: int
    gap: str
    end: str
    score: str
    docno: str
    sorted_by: str


STYLES = st.builds(
    Style,
    st.integers(0, 2**32),
    st.sampled_from([" ", " ", "\t", "  "]),
    st.sampled_from(["\n", "\n", "\r\n"]),
    st.sampled_from(["{:.4f}", "{:.1f}", "{:.0f}", "{!r}", "{:.9e}", "{:.17f}", "{:.20g}"]),
    st.sampled_from(["FT{}-{}", "{:x}.{:08d}", "clueweb09-en{:04}-00-{:07}", "é{}{}"]),
    st.sampled_from(["score", "docno", "nothing", "topics interleaved"]),
)
"""Styles of long runs; none has an error."""


def long_run(style: Style, *, lines: int) -> bytes:
    """A run of about so many lines in twenty topics, with ties in most styles."""
    chance = random.Random(style.seed)
    spread = 10.0 ** chance.randint(-6, 6)
    rows = []
    for topic in range(20):
        numbers = chance.sample(range(100_000), lines // 20)
        found = [(chance.gauss(0, spread), style.docno.format(number % 977, number)) for number in numbers]
        if style.sorted_by == "score":
            found.sort(reverse=True)
        elif style.sorted_by == "docno":
            found.sort(key=lambda pair: pair[1])
        rows += [(str(300 + topic), docno, style.score.format(score)) for score, docno in found]
    if style.sorted_by == "topics interleaved":
        chance.shuffle(rows)
    gap, end = style.gap, style.end
    return "".join(
        gap.join((topic, "Q0", docno, "1", score, "a-tag")) + end for topic, docno, score in rows
    ).encode()
