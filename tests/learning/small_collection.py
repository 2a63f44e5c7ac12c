"""A collection of six documents for the tests of the learner, and a topic on two of them."""

from __future__ import annotations

from workbench.learning.vectors import Vectors, vectors_of
from workbench.records import Document

TEXTS = {
    "d1": "wing lift wing",
    "d2": "lift of a wing in a slipstream",
    "d3": "heat of a plate",
    "d4": "heat flow on a plate in air",
    "d5": "air flow",
    "d6": "",
}


def documents() -> list[Document]:
    """The documents, not in the order of their docnos."""
    return [Document(docno, text=text) for docno, text in sorted(TEXTS.items(), reverse=True)]


def small_vectors() -> Vectors:
    """Their vectors."""
    return vectors_of(documents())
