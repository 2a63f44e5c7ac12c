"""Topics, documents and runs of a campaign, from another program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

from workbench.client.calls import CampaignCalls, File
from workbench.client.transport import segment
from workbench.json_forms import (
    DocumentJson,
    FullDocument,
    LoadedFiles,
    RunCheckJson,
    RunJson,
    RunRecordJson,
    TopicJson,
)


class CollectingCalls(CampaignCalls):
    """What a collection is made of."""

    def topics(self) -> Iterator[TopicJson]:
        """The topics in their order."""
        return self._list("/topics")

    def load_topics(self, file: File, *, format: str = "") -> LoadedFiles:
        """Load topics from a file; all of them, or none."""
        return cast(LoadedFiles, self._upload("/topics", file, {"format": format}))

    def documents(self, *, begins: str = "") -> Iterator[DocumentJson]:
        """The documents by docno, or those whose docno begins in a certain way."""
        return self._list("/documents", {"begins": begins})

    def document(self, docno: str) -> FullDocument:
        """A document with its text."""
        return cast(FullDocument, self._get("/documents/document", docno=docno))

    def original(self, docno: str, file: File) -> int:
        """Write what a document was read from to a file; returns its bytes."""
        return self._transport.download(f"{self._path}/documents/original", Path(file), {"docno": docno})

    def document_file(self, sha256: str, file: File) -> int:
        """Write the PDF or image of a document, which names its SHA-256, to a file; returns its bytes."""
        return self._transport.download(f"{self._path}/documents/files/{sha256}", Path(file))

    def missing_documents(self) -> list[str]:
        """The docnos of pooled documents whose text is not loaded."""
        return self._transport.text(f"{self._path}/documents/missing").splitlines()

    def load_documents(self, file: File, *, format: str = "", pooled: bool = False) -> LoadedFiles:
        """Load documents from a file, only those in a pool if `pooled`; all of them, or none."""
        asked = {"format": format, "pooled": pooled}
        return cast(LoadedFiles, self._upload("/documents", file, asked))

    def runs(self) -> Iterator[RunJson]:
        """The runs by tag; for participants those of their groups."""
        return self._list("/runs")

    def run(self, tag: str) -> RunRecordJson:
        """Everything about a run."""
        return cast(RunRecordJson, self._get(f"/runs/{segment(tag)}"))

    def check_run(self, file: File) -> RunCheckJson:
        """Check a file as a run, without storing it."""
        return cast(RunCheckJson, self._upload("/runs/check", file, {}))

    def add_run(self, file: File, *, replace: bool = False, **metadata: str) -> RunJson:
        """Submit a run; `group`, `kind`, `description`, `priority`, `seconds_per_query`, `index_bytes`.

        Raises ApiError with every error of the file in `problem["findings"]`.
        """
        return cast(RunJson, self._upload("/runs", file, {"replace": replace, **metadata}))

    def describe_run(self, tag: str, **metadata: str) -> RunRecordJson:
        """Change what is said of a run, as in `add_run`; an empty text clears a field."""
        return cast(RunRecordJson, self._patch(f"/runs/{segment(tag)}", metadata))

    def judge_runs(self, tags: Sequence[str], verdict: str, *, reason: str = "") -> int:
        """Accept runs or set them aside; returns how many have another verdict now."""
        sent = {"tags": list(tags), "verdict": verdict, "reason": reason}
        return int(self._post("/runs/verdicts", sent)["changed"])

    def run_content(self, tag: str) -> str:
        """A run as it was sent."""
        return self._transport.text(f"{self._path}/runs/{segment(tag)}/content")

    def remove_run(self, tag: str) -> None:
        """Remove a run that is in no pool."""
        self._delete(f"/runs/{segment(tag)}")
