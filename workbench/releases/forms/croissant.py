"""Croissant metadata: the files of a release, and what a record of each is, for data set search and loaders.

https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html (MLCommons, version 1.1). Addresses are
relative to this file, so that it describes the unzipped folder wherever that lies.

Decisions, because mlcroissant reads CSV, TSV and JSON lines by pandas, which makes numbers of ids (topic 007
becomes 7, docno 1e5 becomes 100000.0):

- Qrels are read from the lines of `qrels.txt` by regular expressions, which keep every id as it is.
- Topics, which are few, stand in the metadata itself.
- Documents get records only where their ids survive.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from workbench.errors import WorkbenchError
from workbench.formats.error_collector import shown
from workbench.records import pair_of, sorted_ids
from workbench.releases.contents import ReleaseAbout, ReleaseContents
from workbench.releases.forms.beir import SPDX, beir_folder, is_address
from workbench.releases.forms.publication import (
    CORPUS,
    QRELS,
    QUERIES,
    abstract_of,
    published_documents,
    qrels_file,
)

CROISSANT_FILE = "croissant.json"
CONFORMS_TO = "http://mlcommons.org/croissant/1.1"
Json = dict[str, Any]

_CONTEXT: Json = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "arrayShape": "cr:arrayShape",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "description": {"@container": "@language"},
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isArray": "cr:isArray",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "name": {"@container": "@language"},
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_NUMBER = re.compile(r"[+-]?(\d[\d_]*+(\.\d*+)?|\.\d++)([eE][+-]?\d++)?|nan|inf|[+-]?infinity", re.IGNORECASE)
_CANONICAL = re.compile(r"0|[1-9]\d{0,14}")


def croissant_metadata(contents: ReleaseContents) -> dict[str, bytes]:
    """The file `croissant.json`.

    Raises WorkbenchError for ids with a comma or a quotation mark, at which mlcroissant breaks lines of text
    into columns, and for what BEIR's folder cannot hold.
    """
    ids = {one for qrel in contents.qrels for one in pair_of(qrel)}
    broken = sorted_ids(one for one in ids if "," in one or '"' in one)
    if broken:
        raise WorkbenchError(
            f"{shown(broken[0])} has a comma or a quotation mark, at which Croissant's loader would cut it",
            remedy="read qrels.txt",
        )
    files = {QRELS: qrels_file(contents), **beir_folder(contents)}
    metadata: Json = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": f"{contents.about.name}-{contents.about.version}",
        "conformsTo": CONFORMS_TO,
        "description": abstract_of(contents),
        **_about(contents.about),
        "version": contents.about.version,
        "keywords": ["information retrieval", "test collection", "qrels"],
        "distribution": _files(files),
        "recordSet": _record_sets(contents),
    }
    return {CROISSANT_FILE: (json.dumps(metadata, indent=1, ensure_ascii=False) + "\n").encode()}


def _about(about: ReleaseAbout) -> Json:
    made: Json = {"alternateName": about.title} if about.title else {}
    made["citeAs"] = about.citation
    if about.licence in SPDX:
        made["license"] = f"https://spdx.org/licenses/{about.licence}.html"
    elif about.licence:
        made["license"] = about.licence
    if is_address(about.homepage):
        made["url"] = about.homepage
    made["datePublished"] = f"{about.released_at:%Y-%m-%d}"
    if about.authors:
        made["creator"] = [{"@type": "sc:Organization", "name": one} for one in about.authors]
    return made


def _files(files: Mapping[str, bytes]) -> list[Json]:
    described = {
        QRELS: ("text/plain", "One judged pair a line: topic, 0, document, grade"),
        QUERIES: ("application/jsonlines", "One topic a line, in BEIR's form"),
        CORPUS: ("application/jsonlines", "One document a line, in BEIR's form"),
    }
    return [
        {
            "@type": "cr:FileObject",
            "@id": path,
            "name": path,
            "description": description,
            "contentUrl": path,
            "contentSize": f"{len(files[path])} B",
            "encodingFormat": media_type,
            "sha256": hashlib.sha256(files[path]).hexdigest(),
        }
        for path, (media_type, description) in described.items()
        if path in files
    ]


def _record_sets(contents: ReleaseContents) -> list[Json]:
    made = [_qrels(), _topics(contents), _grades(contents)]
    documents = published_documents(contents)
    if documents and not _become_numbers([document.docno for document in documents]):
        made.append(_documents())
    return made


def _become_numbers(ids: list[str]) -> bool:
    """Whether pandas would make numbers of these ids that are written in another way."""
    return all(map(_NUMBER.fullmatch, ids)) and not all(map(_CANONICAL.fullmatch, ids))


def _qrels() -> Json:
    columns = (
        ("topic", "sc:Text", r"^(\S+)", "The id of the topic"),
        ("document", "sc:Text", r"^\S+ \S+ (\S+)", "The id of the document"),
        ("grade", "sc:Integer", r"^\S+ \S+ \S+ (\d+)", "The grade, as described in the record set grades"),
    )
    lines: Json = {"fileObject": {"@id": QRELS}, "extract": {"fileProperty": "lines"}}
    fields = [
        _field("qrels", name, kind, description) | {"source": lines | {"transform": {"regex": regex}}}
        for name, kind, regex, description in columns
    ]
    return _record_set("qrels", "Judged pairs of topic and document", fields)


def _documents() -> Json:
    fields = [
        _field("documents", name, "sc:Text", f"The {name} of the document")
        | {"source": {"fileObject": {"@id": CORPUS}, "extract": {"column": column}}}
        for name, column in (("id", "_id"), ("title", "title"), ("text", "text"))
    ]
    return _record_set("documents", "The documents", fields)


def _topics(contents: ReleaseContents) -> Json:
    names = ("id", "title", "description", "narrative")
    fields = [_field("topics", name, "sc:Text", f"The {name} of the topic") for name in names]
    rows = [(one.id, one.title, one.description, one.narrative) for one in contents.topics]
    return _with_data("topics", "The statements of the information needs", fields, rows)


def _grades(contents: ReleaseContents) -> Json:
    fields = [
        _field("grades", "value", "sc:Integer", "The grade in the qrels"),
        _field("grades", "label", "sc:Text", "What assessors read"),
        _field("grades", "definition", "sc:Text", "What the grade means"),
        _field("grades", "relevant", "sc:Boolean", "Whether measures of two grades count it as relevant"),
    ]
    least = contents.rule.relevant_from
    rows = [(one.value, one.label, one.definition, one.value >= least) for one in contents.scale.grades]
    return _with_data("grades", "The scale of the judgments", fields, rows)


def _with_data(name: str, description: str, fields: list[Json], rows: Iterable[Sequence[object]]) -> Json:
    """A record set whose records stand in the metadata; the first field is their key."""
    ids = [field["@id"] for field in fields]
    data = [dict(zip(ids, row, strict=True)) for row in rows]
    return _record_set(name, description, fields) | {"key": {"@id": ids[0]}, "data": data}


def _record_set(name: str, description: str, fields: list[Json]) -> Json:
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": description,
        "field": fields,
    }


def _field(record_set: str, name: str, kind: str, description: str) -> Json:
    return {
        "@type": "cr:Field",
        "@id": f"{record_set}/{name}",
        "name": name,
        "description": description,
        "dataType": kind,
    }
