"""Qrels as the scorers take them, in a shape that cannot bring the process down."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workbench.errors import WorkbenchError
from workbench.records import Qrel, id_bytes
from workbench.scoring.measures import LARGEST_GRADE

# No id of a file holds a control character.
_NO_DOCUMENT = "\x01"


class Relevance:
    """Grades by topic and docno, with ids that every scorer can take.

    Topics become numbers, since gdeval takes nothing else; docnos become characters one for each byte,
    because pytrec_eval does not survive what is no UTF-8.
    Raises WorkbenchError for qrels that are empty or hold a pair twice, and for grades beyond 100,000.
    """

    def __init__(self, qrels: Iterable[Qrel]) -> None:
        self.topics: dict[str, str] = {}
        self.grades: dict[str, dict[str, int]] = {}
        for qrel in qrels:
            topic = self.topics.setdefault(qrel.topic, str(len(self.topics) + 1))
            grades = self.grades.setdefault(topic, {})
            docno = _bytewise(qrel.docno)
            if docno in grades:
                raise WorkbenchError(
                    f"document {qrel.docno} has two grades for topic {qrel.topic}",
                    remedy="qrels hold one grade a pair",
                )
            if abs(qrel.grade) > LARGEST_GRADE:
                raise WorkbenchError(
                    f"the grade {qrel.grade} of document {qrel.docno} cannot be scored",
                    remedy=f"scorers take grades up to {LARGEST_GRADE:,}",
                )
            grades[docno] = qrel.grade
        if not self.grades:
            raise WorkbenchError("the qrels are empty", remedy="give at least one judged pair")
        for grades in self.grades.values():
            if max(grades.values()) < 0:
                # Negative grades mean "not judged". trec_eval stops, and pytrec_eval takes the process with
                # it, at a topic that has no others; a document that no run holds makes it a topic worth 0.
                grades[_NO_DOCUMENT] = 0

    def plain(self, docnos: Sequence[str]) -> Sequence[str]:
        """Docnos of a run as they stand in `grades`."""
        return docnos if "".join(docnos).isascii() else [_bytewise(docno) for docno in docnos]


def _bytewise(identifier: str) -> str:
    return identifier if identifier.isascii() else id_bytes(identifier).decode("latin-1")
