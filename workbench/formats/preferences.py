"""Preferences between documents as trec_eval reads them: `topic group subgroup docno level`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workbench.formats.identifiers import plain
from workbench.formats.judgment_groups import group_names
from workbench.records import Preference


def write_preferences(preferences: Iterable[Preference]) -> Iterator[bytes]:
    """Two lines for every pair of which one is better, a subgroup for each pair, a group for each assessor.

    trec_eval reads them with `-R prefs`: within a subgroup the document with the higher level is preferred,
    between subgroups nothing is said. Ties and pairs that are both bad say nothing of an order and have no
    line. Raises WorkbenchError for ids that would not survive (empty, white space).
    """
    held = [one for one in preferences if one.choice in {"first", "second"}]
    names = group_names(one.assessor for one in held)
    numbers: dict[tuple[str, str], int] = {}
    for one in held:
        key = (one.topic, one.assessor)
        numbers[key] = numbers.get(key, 0) + 1
        better, worse = (one.first, one.second) if one.choice == "first" else (one.second, one.first)
        group = names[one.assessor].encode("utf-8", "surrogateescape")
        for docno, level in ((better, 1), (worse, 0)):
            yield b"%b %b %d %b %d\n" % (
                plain(one.topic, "topic"), group, numbers[key], plain(docno, "docno"), level
            )  # fmt: skip
