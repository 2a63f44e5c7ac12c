"""A small release, made by hand, with a record of every kind."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from workbench import __version__
from workbench.records import BINARY, THREE_GRADES, Document, Qrel, Topic
from workbench.releases.archive import zip_parts
from workbench.releases.contents import (
    Included,
    ReleaseAbout,
    ReleaseContents,
    ReleasedAnswer,
    ReleasedAssessor,
    ReleasedDecision,
    ReleasedDocument,
    ReleasedEntry,
    ReleasedEstimate,
    ReleasedEvent,
    ReleasedInstructions,
    ReleasedPool,
    ReleasedPreference,
    ReleasedQuestion,
    ReleasedRun,
    ReleaseRule,
    SeenAnswer,
    UndrawnPair,
)
from workbench.releases.files import release_parts

AT = datetime(2026, 3, 4, 5, 6, 7, 891234, tzinfo=UTC)
PDF = b"%PDF-1.7"
PDF_SHA256 = hashlib.sha256(PDF).hexdigest()
RUN = b"T1 Q0 d#1 1 2.5 alpha\n"


def answer(assessor: str, docno: str, grade: int | None, **more: object) -> ReleasedAnswer:
    """An answer about a document of topic T1; without a grade, that the assessor is unsure."""
    given = "unsure" if grade is None else "grade"
    return ReleasedAnswer(
        assessor, "T1", docno, given, grade, "judging", "screen", AT, **more  # type: ignore[arg-type]
    )  # fmt: skip


def small_release(**changed: object) -> ReleaseContents:
    """Two assessors and a machine, two topics, five documents, of which one docno has # and one is not ASCII.

    By majority: d#1 relevant (both), é2 decided by the adjudicator as 0; nothing for d3: one is unsure.
    """
    values: dict[str, object] = {
        "about": ReleaseAbout(
            "harbour", "Harbour", "1.0", AT, __version__, "Tides.", ("Ö. Ames",), "CC-BY-4.0"
        ),
        "scale": BINARY,
        "guidelines": "Read *all* of it.\n",
        "instructions": (
            ReleasedInstructions(1, AT, "Read.\n", BINARY),
            ReleasedInstructions(2, AT, "Read *all* of it.\n", BINARY),
        ),
        "rule": ReleaseRule("adjudicated", "Adjudicated first", 1, False, {"then": "majority"}),
        "included": frozenset(Included),
        "questions": (ReleasedQuestion("Readability", ("hard", "easy"), True),),
        "topics": (
            Topic("T1", "tides", "When?", "Tables.", (("1", "high"), ("2", "low"))),
            Topic("T2", "nets"),
        ),
        "documents": (
            ReleasedDocument("d#1", "a" * 64, "High water", "It is high."),
            ReleasedDocument("d3", None),
            ReleasedDocument("é2", "b" * 64, "", "Ebb", "application/pdf", PDF_SHA256, "é2.pdf", "x", PDF),
        ),
        "assessors": (
            ReleasedAssessor("assessor-1", False),
            ReleasedAssessor("assessor-2", False, organiser=True),
            ReleasedAssessor("machine-1", True, "judge-7b"),
        ),
        "answers": (
            answer("assessor-1", "d#1", 0),
            answer("assessor-1", "d#1", 1, evidence=((0, 4, "It i"),), ratings={"Readability": 1}),
            answer("assessor-2", "d#1", 1, subtopics=("1",), shown_at=2, order_rule="shuffled", seed=2**40),
            answer("machine-1", "d#1", 0),
            answer("assessor-1", "d3", None, comment="Line one\nline two"),
            answer(
                "assessor-1", "é2", 1, document_sha256="b" * 64, active_ms=1500, given_at=AT, instructions=2
            ),
            answer("assessor-2", "é2", 0),
        ),
        "decisions": (
            ReleasedDecision(
                "T1", "é2", "grade", 0, AT, 900, "no tables",
                (SeenAnswer("assessor-1", 1, "grade", 1), SeenAnswer("assessor-2", 1, "grade", 0)),
            ),
        ),
        "preferences": (
            ReleasedPreference(
                "documents", "assessor-1", "T1", "d#1", "é2", "first", False, AT, 700, "clearer"
            ),
        ),
        "pools": (
            ReleasedPool(
                "sample",
                {"strategy": "random", "parameters": {"seed": "3"}, "runs": [], "ties": "file"},
                4,
                AT,
                AT,
                None,
                (
                    ReleasedEntry("T1", "d#1", 1, 1, None, 0.5, 1, None, "", (("alpha", 1),)),
                    ReleasedEntry("T1", "é2", 1, 2, None, 0.5, 1),
                    ReleasedEntry("T2", "d9", 0, None, added_at=AT, reason="seen elsewhere"),
                ),
                (UndrawnPair("T1", "d7", 1), UndrawnPair("T1", "d8", 1)),
                (
                    ReleasedEvent(
                        "T1",
                        1,
                        "handed_out",
                        "d#1",
                        AT,
                        "assessor-1",
                        origin="learner",
                        round=2,
                        rank=3,
                        score=-0.5,
                    ),
                    ReleasedEvent("T1", 2, "judged", "d#1", AT, "assessor-1", True, 2),
                ),
            ),
        ),
        "runs": (
            ReleasedRun(
                "alpha", hashlib.sha256(RUN).hexdigest(), 1, 1, "Harbour Lab", "automatic", "BM25", 1,
                "accepted", RUN,
            ),
        ),
        "qrels": (Qrel("T1", "d#1", 1), Qrel("T1", "é2", 0)),
        "unsettled": 1,
        "agreement": (
            ReleasedEstimate("pooled", "Pooled kappa", 0.333333, 2, -0.2, 0.8, 0.95, "bootstrap"),
        ),
    }  # fmt: skip
    return ReleaseContents(**(values | changed))  # type: ignore[arg-type]


def published(
    name: str,
    title: str,
    topics: tuple[Topic, ...],
    qrels: tuple[Qrel, ...],
    documents: Iterable[Document],
    **about: Any,
) -> ReleaseContents:
    """A release of three grades with the documents, of which only what the forms of other programs read."""
    return small_release(
        about=ReleaseAbout(name, title, "1.0", datetime(2026, 11, 22, tzinfo=UTC), __version__, **about),
        scale=THREE_GRADES,
        rule=ReleaseRule("majority", "Majority", 1),
        topics=topics,
        qrels=qrels,
        documents=tuple(ReleasedDocument(one.docno, None, one.title, one.text) for one in documents),
    )


def with_about(release: ReleaseContents, **changes: Any) -> ReleaseContents:
    """The release with something else said of it."""
    return replace(release, about=replace(release.about, **changes))


def write_release(contents: ReleaseContents) -> bytes:
    """The zip of a release."""
    return b"".join(release_parts(contents))


def build_zip(files: Mapping[str, bytes]) -> bytes:
    """The zip of these files, by name."""
    return b"".join(zip_parts(files))


def release_files(contents: ReleaseContents) -> dict[str, bytes]:
    """Every file of a release by its path."""
    with zipfile.ZipFile(io.BytesIO(write_release(contents))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
