"""One campaign from another program, in the order in which a campaign goes."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, cast

from workbench.client.transport import Transport, segment
from workbench.json_forms import (
    AddedPairs,
    AssignmentJson,
    DecisionJson,
    DocumentJson,
    FullDocument,
    GroupJson,
    ImportedJson,
    InvitationJson,
    InvitedJson,
    LoadedFiles,
    MadePoolJson,
    MadeReleaseJson,
    MemberJson,
    OwnAssignmentJson,
    OwnCampaign,
    PairJson,
    PoolJson,
    ReceiptJson,
    ReleaseJson,
    RunCheckJson,
    RunJson,
    RunRecordJson,
    TaskDocument,
    TopicJson,
    WorkJson,
)

File = str | PathLike[str]


class CampaignClient:
    """A campaign on a server; see `Client` for what methods raise."""

    def __init__(self, transport: Transport, slug: str) -> None:
        self._transport = transport
        self.slug = slug
        self._path = f"/campaigns/{segment(slug)}"

    def __repr__(self) -> str:
        return f"CampaignClient({self.slug!r})"

    def show(self) -> OwnCampaign:
        """Name, scale, guidelines, and your roles."""
        return cast(OwnCampaign, self._get(""))

    def change(self, **fields: Any) -> OwnCampaign:
        """Change `name`, `guidelines` or `scale`."""
        return cast(OwnCampaign, self._transport.send("PATCH", self._path, fields))

    def archive(self) -> OwnCampaign:
        """Let nothing be changed any more."""
        return cast(OwnCampaign, self._post("/state", {"state": "archived"}))

    def restore(self) -> OwnCampaign:
        """Let it be changed again."""
        return cast(OwnCampaign, self._post("/state", {"state": "active"}))

    def progress(self) -> dict[str, Any]:
        """Pooled, judged and disputed pairs, by topic and by assessor."""
        return cast(dict[str, Any], self._get("/progress"))

    # Topics and documents

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

    def missing_documents(self) -> list[str]:
        """The docnos of pooled documents whose text is not loaded."""
        return self._transport.text(f"{self._path}/documents/missing").splitlines()

    def load_documents(self, file: File, *, format: str = "", pooled: bool = False) -> LoadedFiles:
        """Load documents from a file, only those in a pool if `pooled`; all of them, or none."""
        asked = {"format": format, "pooled": pooled}
        return cast(LoadedFiles, self._upload("/documents", file, asked))

    # Groups and runs

    def groups(self) -> Iterator[GroupJson]:
        """The groups with their people."""
        return self._list("/groups")

    def add_group(self, name: str) -> GroupJson:
        """Make a group."""
        return cast(GroupJson, self._post("/groups", {"group": name}))

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
        address = f"{self._path}/runs/{segment(tag)}"
        return cast(RunRecordJson, self._transport.send("PATCH", address, metadata))

    def judge_runs(self, tags: Sequence[str], verdict: str, *, reason: str = "") -> int:
        """Accept runs or set them aside; returns how many have another verdict now."""
        sent = {"tags": list(tags), "verdict": verdict, "reason": reason}
        return int(self._post("/runs/verdicts", sent)["changed"])

    def run_content(self, tag: str) -> str:
        """A run as it was sent."""
        return self._transport.text(f"{self._path}/runs/{segment(tag)}/content")

    def remove_run(self, tag: str) -> None:
        """Remove a run that is in no pool."""
        self._transport.send("DELETE", f"{self._path}/runs/{segment(tag)}")

    # Pools

    def pools(self) -> Iterator[PoolJson]:
        """The pools, drafts too, oldest first."""
        return self._list("/pools")

    def make_pool(self, strategy: str = "depth", **recipe: Any) -> MadePoolJson:
        """Make a pool: `parameters`, `name`, `ties`, `runs`, `priority`, `supplementary`, `draft`."""
        return cast(MadePoolJson, self._post("/pools", {"strategy": strategy, **recipe}))

    def pool(self, name: str) -> MadePoolJson:
        """A pool with its topics and what each run contributed."""
        return cast(MadePoolJson, self._get(f"/pools/{segment(name)}"))

    def pairs(self, pool: str, *, topic: str = "") -> Iterator[PairJson]:
        """The pairs of a pool by topic and docno."""
        return self._list(f"/pools/{segment(pool)}/pairs", {"topic": topic})

    def add_pairs(self, pool: str, topic: str, docnos: Sequence[str], *, reason: str) -> AddedPairs:
        """Add documents to a topic by hand; all of them, or none."""
        sent = {"topic": topic, "docnos": list(docnos), "reason": reason}
        return cast(AddedPairs, self._post(f"/pools/{segment(pool)}/pairs", sent))

    def open_pool(self, name: str) -> PoolJson:
        """Open a draft for judging."""
        return cast(PoolJson, self._post(f"/pools/{segment(name)}/state", {"state": "open"}))

    def close_pool(self, name: str) -> PoolJson:
        """Close a pool for good."""
        return cast(PoolJson, self._post(f"/pools/{segment(name)}/state", {"state": "closed"}))

    # People and assignments

    def people(self) -> Iterator[MemberJson]:
        """The people of the campaign by login name."""
        return self._list("/people")

    def invitations(self) -> Iterator[InvitationJson]:
        """The invitations with their state."""
        return self._list("/invitations")

    def invite(self, people: Iterable[str], *, role: str = "assessor", group: str = "") -> list[InvitedJson]:
        """Invite people; their links are in this answer only."""
        sent = {"people": list(people), "role": role, "group": group}
        return cast(list[InvitedJson], self._post("/invitations", sent)["invitations"])

    def assignments(self) -> Iterator[AssignmentJson]:
        """Who judges which topic, and how much is answered."""
        return self._list("/assignments")

    def assign(self, pool: str, **how: Any) -> int:
        """Assign topics: `assessors`, `topics`, `per_topic`, `order`, `seed`; returns how many are new."""
        return int(self._post("/assignments", {"pool": pool, **how})["added"])

    # Judging

    def own_assignments(self) -> Iterator[OwnAssignmentJson]:
        """Your own assignments."""
        return self._list("/judging")

    def work(self, assignment: int) -> WorkJson:
        """An own assignment: its documents in the order of judging, and your answers."""
        return cast(WorkJson, self._get(f"/judging/{assignment}"))

    def task_documents(self, assignment: int, docnos: Sequence[str]) -> list[TaskDocument]:
        """Documents of an own assignment, at most 50."""
        found = self._get(f"/judging/{assignment}/documents", docno=list(docnos))
        return cast(list[TaskDocument], found)

    def judge(self, assignment: int, docno: str, grade: int | None = None, **more: Any) -> ReceiptJson:
        """Give a document a grade, or `answer="unsure"`; `comment`, `reason`, `client_id` and more.

        The receipt says whether it was recorded.
        """
        event = {"client_id": str(uuid.uuid4()), "assignment": assignment, "docno": docno}
        event |= {"answer": "grade", "grade": grade} if grade is not None else {}
        receipts = self._post("/judging/judgments", {"events": [event | more]})["receipts"]
        return cast(ReceiptJson, receipts[0])

    def load_judgments(
        self, file: File, *, machines: Sequence[str] = (), discussed: bool = False
    ) -> list[ImportedJson]:
        """Import judgments made elsewhere, for organisers; all of them, or none."""
        asked = {"machine": list(machines), "discussed": discussed}
        return cast(list[ImportedJson], self._upload("/judgments", file, asked))

    def judgments(self) -> Iterator[dict[str, Any]]:
        """Every current judgment with what was recorded beside it, for organisers."""
        return self._list("/judgments")

    # Results

    def agreement(self, **options: Any) -> dict[str, Any]:
        """How far the assessors agree; options as in the reference, such as `graded=True`."""
        return cast(dict[str, Any], self._get("/agreement", **options))

    def disputes(self, *, order: str = "", topic: str = "", state: str = "") -> dict[str, Any]:
        """The disputed pairs under `pairs`, with their influence on the ranking."""
        return cast(dict[str, Any], self._get("/disputes", order=order, topic=topic, state=state))

    def decide(self, topic: str, docno: str, grade: int, *, reason: str = "") -> DecisionJson:
        """Decide a disputed pair."""
        sent = {"topic": topic, "docno": docno, "decision": "grade", "grade": grade, "reason": reason}
        return cast(DecisionJson, self._post("/disputes/decisions", {"client_id": str(uuid.uuid4()), **sent}))

    def qrels(self, rule: str = "majority", **parameters: Any) -> str:
        """The qrels that a rule makes, as scorers read them."""
        return self._transport.text(f"{self._path}/qrels", {"rule": rule, **parameters})

    def scores(
        self, measures: str = "", *, rule: str = "majority", **parameters: Any
    ) -> list[dict[str, Any]]:
        """The runs by measures on the qrels of a rule, best first."""
        found = self._get("/scores", measures=measures, rule=rule, **parameters)
        return cast(list[dict[str, Any]], found)

    def releases(self) -> Iterator[ReleaseJson]:
        """The releases, the oldest first."""
        return self._list("/releases")

    def make_release(self, version: str = "", **about: Any) -> MadeReleaseJson:
        """Freeze the campaign: `rule`, `parameters`, `title`, `authors`, `licence`, `include` and more."""
        return cast(MadeReleaseJson, self._post("/releases", {"version": version, **about}))

    def publish_release(self, version: str) -> ReleaseJson:
        """Let outsiders see a release."""
        return cast(ReleaseJson, self._post(f"/releases/{segment(version)}/state", {"state": "public"}))

    def download_release(self, version: str, file: File) -> int:
        """Write the zip of a release to a file; returns its bytes."""
        return self._transport.download(f"{self._path}/releases/{segment(version)}/zip", Path(file))

    def _get(self, path: str, **query: Any) -> Any:
        return self._transport.get(self._path + path, query)

    def _list(self, path: str, query: dict[str, Any] | None = None) -> Iterator[Any]:
        return self._transport.pages(self._path + path, query)

    def _post(self, path: str, body: Any) -> Any:
        return self._transport.send("POST", self._path + path, body)

    def _upload(self, path: str, file: File, query: dict[str, Any]) -> Any:
        chosen = Path(file)
        return self._transport.upload(self._path + path, chosen, {"name": chosen.name, **query})
