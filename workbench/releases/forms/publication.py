"""What the forms need to know of a release, and the names of the files that they share."""

from __future__ import annotations

from workbench.errors import WorkbenchError
from workbench.formats.identifiers import is_utf8
from workbench.formats.qrels import write_qrels
from workbench.releases.contents import Included, ReleaseContents, ReleasedDocument

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
