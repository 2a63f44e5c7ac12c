"""Topics on lines: id, title, and perhaps description and narrative between tabs; or `id:title`.

Columns with other names are kept: their cells are added to the narrative.
"""

from __future__ import annotations

import re

from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.fields import collapsed, statements, with_further
from workbench.formats.identifiers import trimmed
from workbench.formats.text_formats import NumberedTopics, TopicFormat
from workbench.records import Topic, id_text

_IDS = frozenset(
    (
        "id",
        "_id",
        "identifier",
        "qid",
        "query_id",
        "query-id",
        "queryid",
        "topic",
        "topic_id",
        "topicid",
        "number",
        "num",
    )
)
_NAMES = {
    **dict.fromkeys(("title", "query", "text", "topic_title"), "title"),
    **dict.fromkeys(("description", "desc", "question"), "description"),
    **dict.fromkeys(("narrative", "narr"), "narrative"),
}
_ORDER = ("title", "description", "narrative")
_CSV = re.compile(r'[,"]')
_SIGNS = {",": "comma", '"': "quotation mark"}
_REMEDY = "write id, title, and perhaps description and narrative, separated by tabs"


def tsv_topics(content: bytes, errors: ErrorCollector) -> NumberedTopics:
    """One topic a line; a quote is a character, as in MS MARCO; the first line may name the columns.

    Lines without a tab are cut at the first colon, as in the web tracks.
    """
    order: tuple[str, ...] = _ORDER
    started = False
    for line, text in enumerate(id_text(content).split("\n"), 1):
        if not text.strip():
            continue
        cells = text.rstrip("\r").split("\t") if "\t" in text else text.split(":", 1)
        header = None if started else _header(cells)
        started = True
        if header is not None:
            order = header
        elif len(cells) < 2:
            errors.add(line, "columns", "there is neither a tab nor a colon in the line", _REMEDY)
        elif "\t" not in text and (sign := _CSV.search(cells[0])):
            message = (
                f"the id {shown(cells[0])} before the colon has a {_SIGNS[sign[0]]}: the file looks like CSV"
            )
            errors.add(line, "columns", message, _REMEDY)
        elif len(cells) > len(order) + 1:
            message = f"expected at most {len(order) + 1} columns, found {len(cells)}"
            errors.add(line, "columns", message, _REMEDY)
        else:
            named = list(zip(order, cells[1:], strict=False))
            fields = dict(reversed(named))
            further = statements([one for one in named if one[0] not in _ORDER], errors)
            topic = Topic(
                trimmed(cells[0]),
                collapsed(fields.get("title", "")),
                collapsed(fields.get("description", "")),
                with_further(fields.get("narrative", ""), further),
            )
            yield line, topic


def _header(cells: list[str]) -> tuple[str, ...] | None:
    """What the columns after the id are, others by their own names; None where the line is no header."""
    names = [cell.strip().casefold() for cell in cells]
    if names[0] not in _IDS or len(names) < 2 or names[1] not in _NAMES:
        return None
    kinds = [_NAMES.get(name, "") for name in names[1:]]
    # The first of a kind is it: a query beside a title is kept under its own name.
    return tuple(
        kind if kind and kind not in kinds[:at] else cell.strip()
        for at, (kind, cell) in enumerate(zip(kinds, cells[1:], strict=True))
    )


TSV = TopicFormat("tsv", "TSV", tsv_topics, lambda _: True)
