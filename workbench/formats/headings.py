"""Headings: the words by which tables name the columns of runs and qrels, whose formats have no header."""

from __future__ import annotations

from collections.abc import Sequence

_HEADINGS = frozenset(
    b"topic topic_id query query_id query-id qid docno doc_id doc-id docid did corpus-id rank score tag "
    b"run run_id runtag system iter iteration q0 grade rel relevance label judgment qrel".split()
)


def is_header(row: Sequence[bytes]) -> bool:
    """Whether a line names its columns instead of filling them."""
    return sum(cell.lower().lstrip(b"#") in _HEADINGS for cell in row) > max(1, len(row) / 2)
