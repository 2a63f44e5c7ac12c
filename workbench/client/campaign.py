"""One campaign from another program, in the order in which a campaign goes."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, cast

from workbench.client.transport import Transport, segment
from workbench.json_forms import (
    AddedPairs,
    AgreementJson,
    AssignmentJson,
    DatasetFetchJson,
    DecisionJson,
    DisputeRulesJson,
    DisputesJson,
    DocumentJson,
    DrawnSampleJson,
    FilledHolesJson,
    FullDocument,
    HolesJson,
    ImportedJson,
    InvitationJson,
    InvitedJson,
    LoadedFiles,
    MadePoolJson,
    MadeReleaseJson,
    MemberJson,
    MissedJson,
    OwnAddedJson,
    OwnAdditionJson,
    OwnAssignmentJson,
    OwnCampaign,
    PairJson,
    PoolJson,
    PoolPlanJson,
    QrelsReportJson,
    QueueJson,
    RebuiltPool,
    ReceiptJson,
    ReleaseJson,
    RunCheckJson,
    RunJson,
    RunRecordJson,
    ScoreJson,
    SearchingReportJson,
    SearchJson,
    TaskDocument,
    TopicJson,
    WithdrawnDecision,
    WorkJson,
)

File = str | PathLike[str]


class CampaignClient:
    """A campaign on a server by its slug; see `Client` for what methods raise."""

    def __init__(self, transport: Transport, slug: str) -> None:
        self._transport = transport
        self.slug = slug
        self._path = f"/campaigns/{segment(slug)}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.slug!r})"

    def show(self) -> OwnCampaign:
        """Name, scale, guidelines, and your roles."""
        return cast(OwnCampaign, self._get(""))

    def change(self, **fields: Any) -> OwnCampaign:
        """Change `name`, `guidelines` or `scale`."""
        return cast(OwnCampaign, self._patch("", fields))

    def archive(self) -> OwnCampaign:
        """Let nothing be changed any more."""
        return cast(OwnCampaign, self._post("/state", {"state": "archived"}))

    def restore(self) -> OwnCampaign:
        """Let it be changed again."""
        return cast(OwnCampaign, self._post("/state", {"state": "active"}))

    def progress(self) -> dict[str, Any]:
        """Pooled, judged and disputed pairs, by topic and by assessor."""
        return cast(dict[str, Any], self._get("/progress"))

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

    def remove_pair(self, pool: str, topic: str, docno: str) -> None:
        """Remove a document that was added by hand and that nobody has judged."""
        self._delete(f"/pools/{segment(pool)}/pairs", topic=topic, docno=docno)

    def rename_pool(self, pool: str, name: str) -> PoolJson:
        """Rename a draft."""
        return cast(PoolJson, self._patch(f"/pools/{segment(pool)}", {"name": name}))

    def rebuild_pool(self, pool: str) -> RebuiltPool:
        """Rebuild a draft by its recipe, from the runs as they are now."""
        return cast(RebuiltPool, self._post(f"/pools/{segment(pool)}/rebuild", None))

    def delete_pool(self, pool: str) -> None:
        """Delete a draft."""
        self._delete(f"/pools/{segment(pool)}")

    def queue(self, pool: str) -> QueueJson:
        """How far a queue has come, and what is out."""
        return cast(QueueJson, self._get(f"/pools/{segment(pool)}/queue"))

    def make_queue(self, pool: str, per_pair: int, *, lease_minutes: int | None = None) -> QueueJson:
        """Make a pool a queue, or change how many judgments each pair gets."""
        sent = {"per_pair": per_pair, "lease_minutes": lease_minutes}
        return cast(QueueJson, self._post(f"/pools/{segment(pool)}/queue", sent))

    def give_queue(self, pool: str, assessors: Sequence[str] | None = None) -> int:
        """Give a queue to assessors, or to all with an account; returns how many assignments are new."""
        sent = {"assessors": None if assessors is None else list(assessors)}
        return int(self._post(f"/pools/{segment(pool)}/queue/assessors", sent)["count"])

    def return_to_queue(self, pool: str, **what: str) -> int:
        """Return what is out: all, or that of an `assessor`, of a `topic`, or one `docno` of both."""
        return int(self._post(f"/pools/{segment(pool)}/queue/returned", what)["count"])

    def end_queue(self, pool: str) -> int:
        """Make a queue a pool with assignments again; returns how many pairs were out."""
        return int(self._delete(f"/pools/{segment(pool)}/queue")["count"])

    def plan_pool(self, strategy: str = "depth", **recipe: Any) -> PoolPlanJson:
        """Plan a pool without making it: `parameter=["depth=50"]`, `run`, `per_pair`, `seconds` and more."""
        return cast(PoolPlanJson, self._get("/plans/pool", strategy=strategy, **recipe))

    def missed(self) -> MissedJson:
        """What the pools may have missed, by topic that was sampled and together."""
        return cast(MissedJson, self._get("/missed"))

    def draw_missed(self, pool: str, size: int, **how: Any) -> DrawnSampleJson:
        """Draw a sample of what was not pooled and add it to a pool; `topics`, `seed`."""
        sent = {"pool": pool, "size": size, **how}
        return cast(DrawnSampleJson, self._post("/missed/samples", sent))

    def search(self, topic: str, query: str = "", **how: Any) -> SearchJson:
        """Search the documents for a topic, for organisers; `like` a document, `among` which ones."""
        return cast(SearchJson, self._post("/searches", {"topic": topic, "query": query, **how}))

    def shown_search(self, search: int) -> SearchJson:
        """An own search with its hits so far."""
        return cast(SearchJson, self._get(f"/searches/{search}"))

    def more_hits(self, search: int) -> SearchJson:
        """Show the next hits of an own search."""
        return cast(SearchJson, self._post(f"/searches/{search}/more", None))

    def add_hits(self, search: int, pool: str, docnos: Sequence[str]) -> AddedPairs:
        """Add documents that an own search has shown to a pool; all of them, or none."""
        sent = {"pool": pool, "docnos": list(docnos)}
        return cast(AddedPairs, self._post(f"/searches/{search}/added", sent))

    def found_by_search(self) -> SearchingReportJson:
        """What searching found that no run had, by topic, person and document."""
        return cast(SearchingReportJson, self._get("/missed/found"))

    def holes(self, tag: str) -> HolesJson:
        """The documents of a run that nobody has judged, by cut-off and topic."""
        return cast(HolesJson, self._get(f"/runs/{segment(tag)}/holes"))

    def fill_holes(self, tag: str, depth: int) -> FilledHolesJson:
        """Make a supplementary pool of a run's unjudged documents to a depth."""
        return cast(FilledHolesJson, self._post(f"/runs/{segment(tag)}/holes", {"depth": depth}))

    def open_pool(self, name: str) -> PoolJson:
        """Open a draft for judging."""
        return cast(PoolJson, self._post(f"/pools/{segment(name)}/state", {"state": "open"}))

    def close_pool(self, name: str) -> PoolJson:
        """Close a pool for good."""
        return cast(PoolJson, self._post(f"/pools/{segment(name)}/state", {"state": "closed"}))

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

    def renew_invitations(self, numbers: Iterable[int]) -> list[InvitedJson]:
        """Give invitations new links; those before stop working."""
        found = self._post("/invitations/links", {"invitations": list(numbers)})["invitations"]
        return cast(list[InvitedJson], found)

    def withdraw_invitations(self, numbers: Iterable[int]) -> int:
        """Withdraw invitations, whose links stop working."""
        return int(self._post("/invitations/withdrawals", {"invitations": list(numbers)})["count"])

    def add_role(self, login: str, role: str, *, both_sides: bool = False) -> MemberJson:
        """Give a person of the campaign another role; `both_sides` lets one judge and submit runs."""
        sent = {"role": role, "both_sides": both_sides}
        return cast(MemberJson, self._post(f"/people/{segment(login)}/roles", sent))

    def remove_role(self, login: str, role: str) -> None:
        """Remove a role of a person; the judgments stay."""
        self._delete(f"/people/{segment(login)}/roles/{segment(role)}")

    def assignments(self) -> Iterator[AssignmentJson]:
        """Who judges which topic, and how much is answered."""
        return self._list("/assignments")

    def assign(self, pool: str, **how: Any) -> int:
        """Assign topics: `assessors`, `topics`, `per_topic`, `order`, `seed`; returns how many are new."""
        return int(self._post("/assignments", {"pool": pool, **how})["added"])

    def revoke(self, assignment: int) -> None:
        """Remove an assignment; its judgments stay."""
        self._delete(f"/assignments/{assignment}")

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

    def own_additions(self, assignment: int) -> list[OwnAdditionJson]:
        """The documents that you added to an own assignment."""
        return cast(list[OwnAdditionJson], self._get(f"/judging/{assignment}/additions")["additions"])

    def add_to_own(self, assignment: int, docnos: Sequence[str], *, reason: str) -> OwnAddedJson:
        """Add documents to an own assignment, and why; all of them, or none."""
        sent = {"docnos": list(docnos), "reason": reason}
        return cast(OwnAddedJson, self._post(f"/judging/{assignment}/additions", sent))

    def load_judgments(
        self, file: File, *, machines: Sequence[str] = (), discussed: bool = False
    ) -> list[ImportedJson]:
        """Import judgments made elsewhere, for organisers; all of them, or none."""
        asked = {"machine": list(machines), "discussed": discussed}
        return cast(list[ImportedJson], self._upload("/judgments", file, asked))

    def judgments(self) -> Iterator[dict[str, Any]]:
        """Every current judgment with what was recorded beside it, for organisers."""
        return self._list("/judgments")

    def disputes(self, *, order: str = "", topic: str = "", state: str = "") -> DisputesJson:
        """The disputed pairs under `pairs`, with their influence on the ranking."""
        return cast(DisputesJson, self._get("/disputes", order=order, topic=topic, state=state))

    def decide(self, topic: str, docno: str, grade: int, *, reason: str = "") -> DecisionJson:
        """Decide a disputed pair."""
        return self._decided(topic=topic, docno=docno, decision="grade", grade=grade, reason=reason)

    def send_back(self, topic: str, docno: str, *, reason: str = "") -> DecisionJson:
        """Send a disputed pair back to its assessors, who discuss it."""
        return self._decided(topic=topic, docno=docno, decision="back", reason=reason)

    def withdraw_decision(self) -> WithdrawnDecision:
        """Withdraw your latest decision that holds."""
        sent = {"client_id": str(uuid.uuid4())}
        return cast(WithdrawnDecision, self._post("/disputes/decisions/withdrawals", sent))

    def dispute_rules(self) -> DisputeRulesJson:
        """What counts as disputed, and how disputes are shown and discussed."""
        return cast(DisputeRulesJson, self._get("/disputes/rules"))

    def change_dispute_rules(self, **fields: Any) -> DisputeRulesJson:
        """Change the rules, such as `difference`, `steps`, `names_hidden` or `blind_discussion`."""
        return cast(DisputeRulesJson, self._patch("/disputes/rules", fields))

    def _decided(self, **sent: Any) -> DecisionJson:
        body = {"client_id": str(uuid.uuid4()), **sent}
        return cast(DecisionJson, self._post("/disputes/decisions", body))

    def agreement(self, **options: Any) -> AgreementJson:
        """How far the assessors agree; options as in the reference, such as `graded=True`."""
        return cast(AgreementJson, self._get("/agreement", **options))

    def qrels(self, rule: str = "majority", **parameters: Any) -> str:
        """The qrels that a rule makes, as scorers read them."""
        return self._transport.text(f"{self._path}/qrels", {"rule": rule, **parameters})

    def qrels_report(self, rule: str = "majority", **parameters: Any) -> QrelsReportJson:
        """What a rule settles and what it leaves, in numbers."""
        return cast(QrelsReportJson, self._get("/qrels/report", rule=rule, **parameters))

    def scores(self, measures: str = "", *, rule: str = "majority", **parameters: Any) -> list[ScoreJson]:
        """The runs by measures on the qrels of a rule, best first."""
        return cast(list[ScoreJson], self._get("/scores", measures=measures, rule=rule, **parameters))

    def table(self, page: str, **options: Any) -> Any:
        """A table of a page as JSON, such as `scores/table` or `agreement/topics/table`, by its options."""
        return json.loads(self._transport.page(f"/c/{segment(self.slug)}/{page}.json", options))

    def file(self, page: str, file: File, **options: Any) -> int:
        """Write a file of a page, such as `scores/pairs/table.csv`; returns its bytes."""
        content = self._transport.page(f"/c/{segment(self.slug)}/{page}", options)
        return Path(file).write_bytes(content)

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

    def load_dataset(self, dataset: str, parts: Sequence[str], *, assessor: str = "") -> DatasetFetchJson:
        """Begin to load `topics`, `documents`, `qrels` or `runs` of a collection of `ir_datasets`."""
        sent = {"dataset": dataset, "parts": list(parts), "assessor": assessor}
        return cast(DatasetFetchJson, self._post("/dataset", sent))

    def dataset(self) -> DatasetFetchJson:
        """How far the collection is that is being loaded, or what became of the last one."""
        return cast(DatasetFetchJson, self._get("/dataset"))

    def _get(self, path: str, **query: Any) -> Any:
        return self._transport.get(self._path + path, query)

    def _list(self, path: str, query: dict[str, Any] | None = None) -> Iterator[Any]:
        return self._transport.pages(self._path + path, query)

    def _post(self, path: str, body: Any) -> Any:
        return self._transport.send("POST", self._path + path, body)

    def _patch(self, path: str, body: Any) -> Any:
        return self._transport.send("PATCH", self._path + path, body)

    def _delete(self, path: str, **query: Any) -> Any:
        return self._transport.delete(self._path + path, query)

    def _upload(self, path: str, file: File, query: dict[str, Any]) -> Any:
        chosen = Path(file)
        return self._transport.upload(self._path + path, chosen, {"name": chosen.name, **query})
