"""Judgments and preferences of several assessors as trec_eval reads them (`-R qrels_jg`, `-R prefs`)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from workbench.errors import WorkbenchError
from workbench.formats.error_collector import shown
from workbench.formats.identifiers import plain
from workbench.records import Judgment, Preference, id_bytes

_SPACE = re.compile(r"[\s\x00-\x1f\x7f\ufeff]+")


def group_names(assessors: Iterable[str]) -> dict[str, str]:
    """What each assessor is called where white space separates columns: `A. Marlow` becomes `A._Marlow`.

    Names that would become one get a number, so that no two assessors are taken for the same group.
    """
    names: dict[str, str] = {}
    used: set[str] = set()
    numbers: Counter[str] = Counter()
    for assessor in sorted(set(assessors), key=id_bytes):
        stem = _SPACE.sub("_", assessor.strip()) or "assessor"
        name = stem
        while name in used:
            numbers[stem] += 1
            name = f"{stem}-{numbers[stem] + 1}"
        used.add(name)
        names[assessor] = name
    return names


def write_judgment_groups(
    judgments: Iterable[Judgment], *, names: Mapping[str, str] | None = None
) -> Iterator[bytes]:
    """Lines `topic group docno grade`, a group for each assessor, sorted by topic, group and docno (bytes).

    trec_eval reads them with `-R qrels_jg`, and averages over the groups of a topic (`map_avgjg`, `P_avgjg`).
    Answers that are no grade have no line. `names` are those of all groups (`group_names`), where these are
    the judgments of some topics only. Raises WorkbenchError where an assessor has two grades for a pair
    and for ids that would not survive (empty, white space).
    """
    graded = [(one, one.grade) for one in judgments if one.grade is not None]
    names = group_names(one.assessor for one, _ in graded) if names is None else names
    before: tuple[str, str, str] | None = None

    def place(graded: tuple[Judgment, int]) -> tuple[bytes, bytes, bytes]:
        one = graded[0]
        return id_bytes(one.topic), id_bytes(names[one.assessor]), id_bytes(one.docno)

    for one, grade in sorted(graded, key=place):
        key = (one.assessor, one.topic, one.docno)
        if key == before:
            raise WorkbenchError(
                f"{one.assessor} has two grades for document {shown(one.docno)} of topic {shown(one.topic)}",
                remedy="give only the current judgment of each assessor",
            )
        before = key
        group = names[one.assessor].encode("utf-8", "surrogateescape")
        yield b"%b %b %b %d\n" % (plain(one.topic, "topic"), group, plain(one.docno, "docno"), grade)


def write_preferences(preferences: Iterable[Preference]) -> Iterator[bytes]:
    """Two lines for every pair of which one is better, a subgroup for each pair, a group for each assessor.

    trec_eval reads them with `-R prefs`: within a subgroup the document with the higher level is preferred,
    between subgroups nothing is said. Ties and pairs that are both bad say nothing of an order and have no
    line. Raises WorkbenchError for ids that would not survive (empty, white space).
    """
    decided = [one for one in preferences if one.choice in {"first", "second"}]
    names = group_names(one.assessor for one in decided)
    numbers: dict[tuple[str, str], int] = {}
    for one in decided:
        key = (one.topic, one.assessor)
        numbers[key] = numbers.get(key, 0) + 1
        better, worse = (one.first, one.second) if one.choice == "first" else (one.second, one.first)
        group = names[one.assessor].encode("utf-8", "surrogateescape")
        for docno, level in ((better, 1), (worse, 0)):
            yield b"%b %b %d %b %d\n" % (
                plain(one.topic, "topic"), group, numbers[key], plain(docno, "docno"), level
            )  # fmt: skip
