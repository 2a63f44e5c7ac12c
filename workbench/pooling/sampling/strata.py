"""Strata of the depth pool by best rank, and the seeded order in which their documents are sampled."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from itertools import pairwise

from workbench.pooling.candidates import TopicCandidates
from workbench.pooling.strategy import ParameterKind
from workbench.records import id_bytes


def seeded_key(seed: int, topic: str, docno: str) -> bytes:
    """The sort key of a pair: SHA-256 of seed (in decimal), topic and docno, a line feed between each."""
    return sha256(b"%d\n%b\n%b" % (seed, id_bytes(topic), id_bytes(docno))).digest()


def first_by_seed(topic: TopicCandidates, documents: Iterable[int], count: int, *, seed: int) -> list[int]:
    """The `count` of these documents (places in the topic's docnos) with the smallest seeded keys.

    As keys do not depend on one another, this is a simple random sample without replacement, and a larger
    count only adds to a smaller one.
    """
    return sorted(documents, key=lambda place: seeded_key(seed, topic.topic, topic.docnos[place]))[:count]


_SPEC = re.compile(r"([0-9]+):([0-9]+)(?::((?:[0-9]++(?:\.[0-9]++)?|\.[0-9]++)(?:[eE][+-]?[0-9]+)?))?")


@dataclass(frozen=True, slots=True)
class Stratum:
    """The documents whose best rank lies from `first` to `last`, and the share of them that is drawn.

    Without a `rate` the stratum gets what the others leave of the budget.
    """

    first: int
    last: int
    rate: float | None = None

    def __str__(self) -> str:
        return f"{self.first}:{self.last}" + (
            "" if self.rate is None else f":{self.rate!r}".removesuffix(".0")
        )


def accept_strata(given: object) -> tuple[Stratum, ...]:
    """Strata from text (`from:to:rate` or `from:to`, white space or commas between) or as they are.

    Raises ValueError where there are none, one is not understood, they overlap or are out of order, a rate is
    not above 0 and at most 1, or more than one has none.
    """
    if isinstance(given, str):
        strata = tuple(_read(spec) for spec in given.replace(",", " ").split())
    elif isinstance(given, Iterable):
        strata = tuple(one for one in given if isinstance(one, Stratum))
    else:
        raise ValueError
    if not strata:
        raise ValueError("there is no stratum")
    for one in strata:
        if not 1 <= one.first <= one.last:
            raise ValueError(f"{one} is no range of ranks")
        if one.rate is not None and not 0 < one.rate <= 1:
            raise ValueError(f"the rate of {one} is not above 0 and at most 1")
    for before, after in pairwise(strata):
        if after.first <= before.last:
            raise ValueError(f"{after} does not begin after {before}")
    if sum(one.rate is None for one in strata) > 1:
        raise ValueError("more than one stratum has no rate")
    return strata


def sample_sizes(strata: Sequence[Stratum], sizes: Sequence[int], budget: int) -> list[int]:
    """How many documents of each stratum are drawn, `sizes` being how many there are.

    A rate times the size is rounded to the nearest whole number, a half up, but at least one document of a
    stratum is drawn if it has any. A budget (0 is none) is spent on the strata with a rate in their order;
    the one without gets what is left. The products are exact in decimal: 0.15 of 10 is 1.5, hence 2.
    """
    left = budget or sum(sizes)
    counts = [0] * len(strata)
    for place, (stratum, size) in enumerate(zip(strata, sizes, strict=True)):
        if stratum.rate is not None and size:
            rounded = math.floor(Fraction(repr(stratum.rate)) * size + Fraction(1, 2))
            counts[place] = min(max(rounded, 1), left)
            left -= counts[place]
    for place, (stratum, size) in enumerate(zip(strata, sizes, strict=True)):
        if stratum.rate is None:
            counts[place] = min(size, left)
    return counts


def _read(spec: str) -> Stratum:
    found = _SPEC.fullmatch(spec)
    if found is None:
        raise ValueError(f"{spec} is not from:to:rate")
    first, last, rate = found.groups()
    return Stratum(int(first), int(last), None if rate is None else float(rate))


def _write(strata: Iterable[Stratum]) -> str:
    return " ".join(map(str, strata))


STRATA = ParameterKind("list of strata from:to:rate", "1:10:1 11:100:0.1", accept_strata, _write)
