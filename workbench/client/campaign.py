"""One campaign from another program: every operation of the API by its name, and what a script does most."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from workbench.client.transport import Transport, segment

File = str | PathLike[str]


class CampaignClient:
    """A campaign on a server by its slug; see `Client` for what methods raise."""

    def __init__(self, transport: Transport, slug: str) -> None:
        self._transport = transport
        self.slug = slug

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.slug!r})"

    def call(self, operation: str, **fields: Any) -> Any:
        """Do an operation by its name in the API's document, such as `pools.rename`; returns its answer.

        The fields are those of its path, its query and its body. A list is read page by page as it is needed.
        """
        return self._transport.call(operation, {"slug": self.slug, **fields})

    def upload(self, operation: str, file: File, **query: Any) -> Any:
        """Do an operation whose body is a file."""
        chosen = Path(file)
        return self._transport.call(operation, {"slug": self.slug, "name": chosen.name, **query}, chosen)

    def download(self, operation: str, file: File, **fields: Any) -> int:
        """Write what an operation answers to a file; returns its bytes."""
        return self._transport.download(operation, {"slug": self.slug, **fields}, Path(file))

    def load_topics(self, file: File, *, format: str = "") -> Any:
        """Load topics from a file; all of them, or none."""
        return self.upload("topics.load", file, format=format)

    def load_documents(self, file: File, *, format: str = "", pooled: bool = False) -> Any:
        """Load documents from a file, only those in a pool if `pooled`; all of them, or none."""
        return self.upload("documents.load", file, format=format, pooled=pooled)

    def load_judgments(self, file: File, *, machines: Sequence[str] = (), discussed: bool = False) -> Any:
        """Import judgments made elsewhere, for organisers; all of them, or none."""
        return self.upload("judgments.load", file, machine=list(machines), discussed=discussed)

    def check_run(self, file: File) -> Any:
        """Check a file as a run, without storing it."""
        return self.upload("runs.check", file)

    def add_run(self, file: File, *, replace: bool = False, **metadata: str) -> Any:
        """Submit a run; `group`, `kind`, `description`, `priority`, `seconds_per_query`, `index_bytes`.

        Raises ApiError with every error of the file in `problem["findings"]`.
        """
        return self.upload("runs.add", file, replace=replace, **metadata)

    def make_pool(self, strategy: str = "depth", **recipe: Any) -> Any:
        """Make a pool: `parameters`, `name`, `ties`, `runs`, `priority`, `supplementary`, `draft`."""
        return self.call("pools.make", strategy=strategy, **recipe)

    def judge(self, assignment: int, docno: str, grade: int | None = None, **more: Any) -> Any:
        """Give a document a grade, or `answer="unsure"`; `comment`, `reason`, `client_id` and more.

        The receipt says whether it was recorded.
        """
        event: dict[str, Any] = {"client_id": str(uuid.uuid4()), "assignment": assignment, "docno": docno}
        if grade is not None:
            event |= {"answer": "grade", "grade": grade}
        return self.call("judging.record", events=[event | more])["receipts"][0]

    def decide(self, topic: str, docno: str, grade: int | None = None, **more: Any) -> Any:
        """Decide a disputed pair, or send it back with `decision="back"`; `reason`."""
        sent: dict[str, Any] = {"client_id": str(uuid.uuid4()), "decision": "grade"}
        if grade is not None:
            sent["grade"] = grade
        return self.call("disputes.decide_pair", topic=topic, docno=docno, **sent | more)

    def agreement(self, **options: Any) -> Any:
        """How far the assessors agree; options as in the reference, such as `graded=True`."""
        return self.call("agreement.agreement", **options)

    def qrels(self, rule: str = "majority", **parameters: Any) -> str:
        """The qrels that a rule makes, as scorers read them."""
        return str(self.call("qrels.qrels", rule=rule, **parameters))

    def scores(self, measures: str = "", *, rule: str = "majority", **parameters: Any) -> Any:
        """The runs by measures on the qrels of a rule, best first."""
        return self.call("scores.scores", measures=measures, rule=rule, **parameters)

    def table(self, page: str, **options: Any) -> Any:
        """A table of a page as JSON, such as `scores/table` or `agreement/topics/table`, by its options."""
        return json.loads(self._transport.page(f"/c/{segment(self.slug)}/{page}.json", options))

    def file(self, page: str, file: File, **options: Any) -> int:
        """Write a file of a page, such as `scores/pairs/table.csv`; returns its bytes."""
        return Path(file).write_bytes(self._transport.page(f"/c/{segment(self.slug)}/{page}", options))

    def download_release(self, version: str, file: File) -> int:
        """Write the zip of a release to a file; returns its bytes."""
        return self.download("releases.download", file, version=version)
