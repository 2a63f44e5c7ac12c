from __future__ import annotations

import gzip
import io

import pytest

from tests.support import shared
from workbench.formats.recognition import FileKind, Recognised, head_of, recognised

LONG = "a sentence of a document that goes on for quite a while " * 5


@pytest.mark.parametrize(
    ("content", "kind", "sure"),
    [
        ("<top>\n<num> Number: 301\n<title> tides\n</top>", FileKind.TOPICS, True),
        (
            '<?xml version="1.0"?>\n<topics><topic number="1"><query>tides</query>',
            FileKind.TOPICS,
            True,
        ),
        ("<DOC>\n<DOCNO> FT911-1 </DOCNO>\n<TEXT>tides</TEXT></DOC>", FileKind.DOCUMENTS, True),
        (".I 1\n.T\nexperimental investigation\n.W\ntext", FileKind.DOCUMENTS, True),
        ('{"id": "1", "title": "tides", "narrative": "when they are high"}', FileKind.TOPICS, True),
        ('[{"qid": 1, "text": "tides"}]', FileKind.TOPICS, True),
        # BEIR's two files: a corpus has titles, queries have none.
        ('{"_id": "d1", "title": "", "text": "short", "metadata": {}}', FileKind.DOCUMENTS, True),
        ('{"_id": "q1", "text": "is it high tide", "metadata": {}}', FileKind.TOPICS, False),
        ('{"id": "d1", "contents": "tides"}', FileKind.DOCUMENTS, True),
        ("1 Q0 d1 1 12.5 bm25\n1 Q0 d2 2 11 bm25", FileKind.RUN, True),
        # The check of runs says what is wrong with these.
        ("1 Q0 d1 1 12.5\n1 Q0 d2 2 11", FileKind.RUN, True),
        ("1\tQ0\td1\t1\thigh\tbm25", FileKind.RUN, True),
        ("301 0 FR940202-2-00150 1\n301 0 FR1 0", FileKind.QRELS, True),
        ("topic\tdoc\tassessor\tgrade\n1\td1\tX\t1", FileKind.JUDGMENTS, True),
        ("docid\ttext\n7\ttides", FileKind.DOCUMENTS, True),
        ("1\thigh tides\n2\tnets", FileKind.TOPICS, False),
        (f"d1\t{LONG}\nd2\t{LONG}", FileKind.DOCUMENTS, False),
        ("301:high tides\n302:nets", FileKind.TOPICS, False),
        ("d1\nd2\nd3", FileKind.UNKNOWN, True),
        ("", FileKind.UNKNOWN, True),
        ("a\0b", FileKind.UNKNOWN, True),
    ],
)
def test_a_file_is_recognised_by_its_content(content: str, kind: FileKind, sure: bool) -> None:
    assert recognised(content.encode()) == Recognised(kind, sure)
    packed = io.BytesIO(gzip.compress(b"\xef\xbb\xbf" + content.encode()))
    assert recognised(head_of(packed, source="x.gz")) == Recognised(kind, sure)


@pytest.mark.parametrize(
    ("name", "pattern", "kind"),
    [
        ("cf", "topics.jsonl", FileKind.TOPICS),
        ("cf", "docs.jsonl", FileKind.DOCUMENTS),
        ("cf", "runs_generated/*", FileKind.RUN),
        ("cf", "qrels.*", FileKind.QRELS),
        ("cf", "judgments.tsv", FileKind.JUDGMENTS),
        ("cranfield", "topics.jsonl", FileKind.TOPICS),
        ("cranfield", "docs.jsonl", FileKind.DOCUMENTS),
        ("robust03", "topics.jsonl", FileKind.TOPICS),
        ("robust03", "runs/*", FileKind.RUN),
        ("trec-covid/round1", "topics.jsonl", FileKind.TOPICS),
        ("trec-covid/round1", "runs/*", FileKind.RUN),
    ],
)
def test_real_files_are_recognised_for_sure(name: str, pattern: str, kind: FileKind) -> None:
    files = sorted(shared("data", *name.split("/")).glob(pattern))
    assert files
    for path in files:
        with path.open("rb") as stream:
            assert recognised(head_of(stream, source=path.name)) == Recognised(kind), path.name
