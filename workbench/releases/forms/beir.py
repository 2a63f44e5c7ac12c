"""BEIR's folder: `corpus.jsonl`, `queries.jsonl` and `qrels/test.tsv`.

Thakur et al. 2021, "BEIR: A heterogeneous benchmark for zero-shot evaluation of IR models", section 3.
A topic's title is the text of the query; description and narrative are metadata, as in BEIR's own TREC-COVID.
Without documents the folder has no corpus: BEIR's loader then needs the `corpus.jsonl` of whoever has them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from workbench.errors import WorkbenchError
from workbench.formats.error_collector import shown
from workbench.formats.qrels import BEIR_HEADER
from workbench.records import Topic, id_bytes, pair_of, sorted_ids
from workbench.releases.contents import ReleaseContents, ReleasedDocument
from workbench.releases.forms.publication import (
    BEIR_QRELS,
    CORPUS,
    QUERIES,
    abstract_of,
    check_text_ids,
    published_documents,
)


def beir_folder(contents: ReleaseContents) -> dict[str, bytes]:
    """The files of the folder by path.

    Raises WorkbenchError for ids that are no UTF-8 text, and for ids that begin with a quotation mark, which
    BEIR's loader takes for a quoted field.
    """
    check_text_ids(contents)
    ids = {one for qrel in contents.qrels for one in pair_of(qrel)}
    quoted = sorted_ids(one for one in ids if one.startswith('"'))
    if quoted:
        raise WorkbenchError(
            f"{shown(quoted[0])} begins with a quotation mark, which BEIR's loader takes for a quoted field",
            remedy="read qrels.txt",
        )
    files = {
        QUERIES: _json_lines(_query(topic) for topic in contents.topics),
        BEIR_QRELS: _table(contents),
    }
    documents = published_documents(contents)
    if documents is not None:
        ordered = sorted(documents, key=lambda one: id_bytes(one.docno))
        files[CORPUS] = _json_lines(map(_passage, ordered))
    return files


def _query(topic: Topic) -> dict[str, Any]:
    metadata: dict[str, Any] = {"description": topic.description, "narrative": topic.narrative}
    if topic.subtopics:
        metadata["subtopics"] = [{"id": one, "label": label} for one, label in topic.subtopics]
    # A topic may have a description only; BEIR's programs search with the text.
    return {"_id": topic.id, "text": topic.title or topic.description, "metadata": metadata}


def _passage(one: ReleasedDocument) -> dict[str, Any]:
    return {"_id": one.docno, "title": one.title or "", "text": one.text or "", "metadata": {}}


def _json_lines(objects: Iterable[dict[str, Any]]) -> bytes:
    # Lone surrogates in texts are escaped, which JSON allows; ids have none.
    return b"".join(
        json.dumps(one, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n" for one in objects
    )


def _table(contents: ReleaseContents) -> bytes:
    ordered = sorted(contents.qrels, key=lambda qrel: (id_bytes(qrel.topic), id_bytes(qrel.docno)))
    lines = [b"\t".join(BEIR_HEADER)]
    lines += [b"%b\t%b\t%d" % (id_bytes(qrel.topic), id_bytes(qrel.docno), qrel.grade) for qrel in ordered]
    return b"\n".join(lines) + b"\n"


CITATION_FILE = "CITATION.cff"

# The schema allows SPDX's identifiers only; these are the ones under which data is published.
SPDX = frozenset(
    (
        *("CC0-1.0", "CC-BY-3.0", "CC-BY-4.0", "CC-BY-SA-3.0", "CC-BY-SA-4.0", "CC-BY-NC-3.0"),
        *("CC-BY-NC-4.0", "CC-BY-NC-SA-3.0", "CC-BY-NC-SA-4.0", "CC-BY-ND-4.0", "CC-BY-NC-ND-4.0"),
        *("ODbL-1.0", "ODC-By-1.0", "PDDL-1.0", "MIT", "Apache-2.0", "BSD-3-Clause", "Unlicense"),
    )
)
"""Licences that are known by their SPDX identifier; every other is said by its address."""
_ADDRESS = re.compile(r"https?://[^\s\x00-\x1f\"<>\\^`{|}]+")


def citation_file(contents: ReleaseContents) -> dict[str, bytes]:
    """CITATION.cff; where no authors are named, they are the organisers of the collection.

    A licence that is neither a known SPDX identifier nor an address is left out, as is a homepage that is no
    address: the schema allows nothing else.
    """
    about = contents.about
    title = about.title.strip() or about.name
    authors = dict.fromkeys(one.strip() for one in about.authors if one.strip())
    lines = [
        "cff-version: 1.2.0",
        f"message: {_scalar(about.citation.strip())}",
        "type: dataset",
        f"title: {_scalar(title)}",
        "authors:",
        *(f"  - name: {_scalar(author)}" for author in authors or (f"The organisers of {title}",)),
        f"version: {_scalar(about.version)}",
        f"date-released: {_scalar(f'{about.released_at:%Y-%m-%d}')}",
    ]
    if about.licence in SPDX:
        lines.append(f"license: {about.licence}")
    elif is_address(about.licence):
        lines.append(f"license-url: {_scalar(about.licence)}")
    if is_address(about.homepage):
        lines.append(f"url: {_scalar(about.homepage)}")
    lines += [f"abstract: {_scalar(abstract_of(contents))}", "keywords:"]
    lines += [f"  - {_scalar(word)}" for word in ("information retrieval", "test collection", "qrels")]
    return {CITATION_FILE: ("\n".join(lines) + "\n").encode()}


def is_address(text: str) -> bool:
    """Whether a text is an address of the web."""
    return _ADDRESS.fullmatch(text) is not None


def _scalar(text: str) -> str:
    """A double-quoted scalar of YAML 1.2 (section 7.3.1): what cannot be printed is escaped."""
    return '"' + "".join(map(_character, text)) + '"'


def _character(character: str) -> str:
    code = ord(character)
    if character in '"\\':
        return f"\\{character}"
    if character == "\n":
        return "\\n"
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"  # a byte that is no text
    if character == " " or character.isprintable():
        return character
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
