"""BEIR's folder: `corpus.jsonl`, `queries.jsonl` and `qrels/test.tsv`.

Thakur et al. 2021, "BEIR: A heterogeneous benchmark for zero-shot evaluation of IR models", section 3.
A topic's title is the text of the query; description and narrative are metadata, as in BEIR's own TREC-COVID.
Without documents the folder has no corpus: BEIR's loader then needs the `corpus.jsonl` of whoever has them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from workbench.errors import WorkbenchError
from workbench.formats.error_collector import shown
from workbench.formats.qrels import BEIR_HEADER
from workbench.records import Document, Topic, id_bytes, sorted_ids
from workbench.releases.forms.publication import BEIR_QRELS, CORPUS, QUERIES, Publication, check_text_ids


def beir_folder(publication: Publication) -> dict[str, bytes]:
    """The files of the folder by path.

    Raises WorkbenchError for ids that are no UTF-8 text, and for ids that begin with a quotation mark, which
    BEIR's loader takes for a quoted field.
    """
    check_text_ids(publication)
    ids = {one for qrel in publication.qrels for one in (qrel.topic, qrel.docno)}
    quoted = sorted_ids(one for one in ids if one.startswith('"'))
    if quoted:
        raise WorkbenchError(
            f"{shown(quoted[0])} begins with a quotation mark, which BEIR's loader takes for a quoted field",
            remedy="read qrels.txt",
        )
    files = {
        QUERIES: _json_lines(_query(topic) for topic in publication.topics),
        BEIR_QRELS: _table(publication),
    }
    if publication.documents is not None:
        ordered = sorted(publication.documents, key=lambda one: id_bytes(one.docno))
        files[CORPUS] = _json_lines(map(_passage, ordered))
    return files


def _query(topic: Topic) -> dict[str, Any]:
    metadata: dict[str, Any] = {"description": topic.description, "narrative": topic.narrative}
    if topic.subtopics:
        metadata["subtopics"] = [{"id": one, "label": label} for one, label in topic.subtopics]
    # A topic may have a description only; BEIR's programs search with the text.
    return {"_id": topic.id, "text": topic.title or topic.description, "metadata": metadata}


def _passage(document: Document) -> dict[str, Any]:
    return {"_id": document.docno, "title": document.title, "text": document.text, "metadata": {}}


def _json_lines(objects: Iterable[dict[str, Any]]) -> bytes:
    # Lone surrogates in texts are escaped, which JSON allows; ids have none.
    return b"".join(
        json.dumps(one, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n" for one in objects
    )


def _table(publication: Publication) -> bytes:
    ordered = sorted(publication.qrels, key=lambda qrel: (id_bytes(qrel.topic), id_bytes(qrel.docno)))
    lines = [b"\t".join(BEIR_HEADER)]
    lines += [b"%b\t%b\t%d" % (id_bytes(qrel.topic), id_bytes(qrel.docno), qrel.grade) for qrel in ordered]
    return b"\n".join(lines) + b"\n"
