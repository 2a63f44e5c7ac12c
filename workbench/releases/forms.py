"""A release in the forms of other programs: the files that are added for them to the project's own.

Each form is a function from a release's contents to its files by path, and a name in `FORMS`:

- BEIR's folder, `corpus.jsonl`, `queries.jsonl` and `qrels/test.tsv`: Thakur et al. 2021, "BEIR: A
  heterogeneous benchmark for zero-shot evaluation of IR models", section 3. A topic's title is the text of
  the query; description and narrative are metadata, as in BEIR's own TREC-COVID. Without documents the folder
  has no corpus: BEIR's loader then needs the `corpus.jsonl` of whoever has them.
- A definition for ir_datasets, which registers the release, in its folder or in the zip:
  `definition_template.py` with the facts of the release in it. Python imports it from a zip as well, and it
  reads the other files where it lies itself.
- Croissant metadata, the files and what a record of each is, for data set search and loaders:
  https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html (MLCommons, version 1.1). Addresses are
  relative to this file, so that it describes the unzipped folder wherever that lies.
- CITATION.cff, how to cite it.

Decisions:

- Only BEIR's folder repeats what other files have, under BEIR's keys: the definition and the metadata read
  it, and `qrels.txt`.
- What a program would misread is left out with the reason, rather than published to be misread.
- mlcroissant reads CSV, TSV and JSON lines by pandas, which makes numbers of ids (topic 007 becomes 7, docno
  1e5 becomes 100000.0). So qrels are read from the lines of `qrels.txt` by regular expressions, which keep
  every id as it is; topics, which are few, stand in the metadata itself; documents get records only where
  their ids survive.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from workbench.errors import WorkbenchError
from workbench.formats.error_collector import shown
from workbench.formats.identifiers import is_utf8
from workbench.formats.qrels import BEIR_HEADER, write_qrels
from workbench.records import Grade, Topic, id_bytes, pair_of, sorted_ids
from workbench.releases.contents import Included, ReleaseAbout, ReleaseContents, ReleasedDocument

QRELS = "qrels.txt"
QUERIES = "beir/queries.jsonl"
CORPUS = "beir/corpus.jsonl"
BEIR_QRELS = "beir/qrels/test.tsv"


def published_documents(contents: ReleaseContents) -> list[ReleasedDocument] | None:
    """The documents with a title or a text; None where the release does not include them."""
    if Included.DOCUMENTS not in contents.included:
        return None
    return [one for one in contents.documents if one.text is not None or one.title is not None]


def abstract_of(contents: ReleaseContents) -> str:
    """The description, or the size of the collection where there is none."""
    qrels = contents.qrels
    relevant = sum(qrel.grade >= contents.rule.relevant_from for qrel in qrels)
    size = f"{len(contents.topics):,} topics, {len(qrels):,} judged pairs, {relevant:,} of them relevant"
    return contents.about.description.strip() or f"A test collection for information retrieval: {size}."


def qrels_file(contents: ReleaseContents) -> bytes:
    """The bytes of `qrels.txt`; raises WorkbenchError as `write_qrels` does."""
    return b"".join(write_qrels(contents.qrels))


def check_text_ids(contents: ReleaseContents) -> None:
    """Raise WorkbenchError where an id is bytes that are no UTF-8 text, which JSON and CSV cannot carry."""
    ids = [topic.id for topic in contents.topics] + [qrel.docno for qrel in contents.qrels]
    ids += [document.docno for document in published_documents(contents) or ()]
    wrong = sum(not is_utf8(identifier) for identifier in ids)
    if wrong:
        raise WorkbenchError(
            f"{wrong:,} ids are not UTF-8 text", remedy="use qrels.txt, which has them as they came"
        )


DEFINITION_FILE = "ir_datasets_definition.py"

_BEGIN = "# What follows is filled in for each release.\n"
_END = "# End of what is filled in.\n\n"


def ir_datasets_definition(contents: ReleaseContents) -> dict[str, bytes]:
    """The definition, which registers `<slug>/<version>`; raises WorkbenchError for ids that are no UTF-8."""
    check_text_ids(contents)
    template = files(__package__).joinpath("definition_template.py").read_text(encoding="utf-8")
    head, _, rest = template.partition(_BEGIN)
    _, _, tail = rest.partition(_END)
    grades = "".join(f"    {one.value}: {_literal(_meaning(one))},\n" for one in contents.scale.grades)
    facts = (
        f"DATASET_ID = {_literal(f'{contents.about.name}/{contents.about.version}')}\n"
        f"GRADES: dict[int, str] = {{\n{grades}}}\n"
        f"HAS_DOCUMENTS = {Included.DOCUMENTS in contents.included}\n\n"
    )
    head = head.replace("  # type: ignore[misc]", "")
    for note in ("misc", "no-any-return"):
        tail = tail.replace(f"  # type: ignore[{note}]", "")
    return {DEFINITION_FILE: (head + facts + tail).encode()}


def _meaning(grade: Grade) -> str:
    return f"{grade.label}: {grade.definition}" if grade.definition else grade.label


def _literal(text: str) -> str:
    """A literal of Python, in ASCII: nothing in a label can end it."""
    return ascii(text)


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


LEFT_OUT = "FORMS-LEFT-OUT.txt"


def form_files(contents: ReleaseContents) -> dict[str, bytes]:
    """The files of every form by path; `FORMS-LEFT-OUT.txt` says which one is missing, and why."""
    files, left_out = published_forms(contents)
    if left_out:
        lines = (f"{name}: {reason}\n" for name, reason in left_out.items())
        files[LEFT_OUT] = "".join(lines).encode("utf-8", "backslashreplace")
    return files


FORMS: Mapping[str, Callable[[ReleaseContents], dict[str, bytes]]] = MappingProxyType(
    {
        "BEIR": beir_folder,
        "ir_datasets": ir_datasets_definition,
        "Croissant": croissant_metadata,
        "CITATION.cff": citation_file,
    }
)
"""The forms by the name of what reads them, each with the function that writes its files by path."""

_STANDS_ON = MappingProxyType({"ir_datasets": "BEIR", "Croissant": "BEIR"})


def published_forms(contents: ReleaseContents) -> tuple[dict[str, bytes], dict[str, str]]:
    """The release in every form that can hold it, by path, and by name why a form is left out."""
    files: dict[str, bytes] = {}
    left_out: dict[str, str] = {}
    for name, write in FORMS.items():
        try:
            if _STANDS_ON.get(name) in left_out:
                raise WorkbenchError(f"it reads the files of {_STANDS_ON[name]}, which is left out")
            files |= write(contents)
        except WorkbenchError as error:
            left_out[name] = str(error)
    return files, left_out
