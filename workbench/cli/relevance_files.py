"""Qrels on the command line as scoring reads them."""

from __future__ import annotations

from collections.abc import Collection

from workbench.cli.inputs import open_input
from workbench.cli.qrels_files import read_judged
from workbench.formats.packed_qrels import PackedQrels, read_qrels_arrays
from workbench.scoring.relevance import ArrayRelevance, Relevance


def read_relevance(name: str, codes: Collection[int]) -> Relevance:
    """The grades of a qrels file as `read_judged` has its lines, with the same notes and errors.

    As arrays where nothing is left out and the file is in order, in a twentieth of the time.
    """
    if codes:
        return Relevance(read_judged(name, codes))
    with open_input(name) as (stream, source):
        read = read_qrels_arrays(stream, source=source)
    return ArrayRelevance(read) if isinstance(read, PackedQrels) else Relevance(read)
