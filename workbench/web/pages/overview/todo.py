"""The organiser's to-do list: what a campaign needs next, each item with the page where to do it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from flask import url_for
from markupsafe import Markup

from workbench.agreement.bands import Band, band
from workbench.agreement.pairwise import AssessorPair
from workbench.records import Verdict
from workbench.web.forms import counted
from workbench.workflow.agreement.report import People
from workbench.workflow.judging.assignments import AssignmentLine
from workbench.workflow.overview import Overview
from workbench.workflow.people.assessors import AssessorLine
from workbench.workflow.pools.listing import PoolLine
from workbench.workflow.runs.run_records import CampaignRun

MOST_PAIRS = 3
LOWEST_N = 20  # a kappa of two assessors over fewer documents is too uncertain to report


@dataclass(frozen=True, slots=True)
class TodoItem:
    """One thing to do and the page where to do it; `kind` (`poor`, `fair`, `good`) is its colour."""

    label: str
    text: str
    address: str
    action: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class CampaignState:
    """What the list is derived from; `agreement` is None while fewer than two people have judged.

    `unrecorded` counts answers that could not be recorded and are not resolved yet; `decisions` counts pairs
    by what adjudicators did with them: graded, returned or found unclear.
    """

    overview: Overview
    runs: Sequence[CampaignRun]
    pools: Sequence[PoolLine]
    drafts: Sequence[PoolLine]
    assessors: Sequence[AssessorLine]
    assignments: Sequence[AssignmentLine]
    agreement: People | None
    guidelines: str
    unrecorded: int = 0
    decisions: Mapping[str, int] = field(default_factory=dict)


def todo_items(state: CampaignState) -> tuple[TodoItem, ...]:
    """What to do, most urgent first; empty if nothing is left for the organiser to do."""
    first = next(_setup(state), None)
    later = [
        item
        for items in (_collection, _assigning, _agreement, _answers, _adjudication)
        for item in items(state)
    ]
    later.sort(key=lambda item: item.kind != "poor")
    found = [first, *later] if first else later
    return tuple(found or _finished(state))


def _setup(state: CampaignState) -> Iterator[TodoItem]:
    """The steps before judging, in order; the caller shows only the first that is not done."""
    view = state.overview
    if not view.topics:
        text = "A campaign starts with its topics: runs are checked against them."
        yield TodoItem("First", text, url_for("topics.index"), "Load topics", "fair")
    elif not view.runs and not view.judged:
        text = f"{counted(view.topics, 'topic')} loaded. Add the runs, several files at a time."
        yield TodoItem("Next", text, url_for("runs.index"), "Add runs", "fair")
    elif view.runs and not view.pools and state.drafts:
        newest = state.drafts[-1]
        text = f"{counted(len(state.drafts), 'draft pool')}, none open for judging."
        yield TodoItem("Next", text, url_for("pools.pool", pool_id=newest.id), "View the latest", "fair")
    elif view.runs and not view.pools:
        text = f"{counted(view.runs, 'run')} can be pooled: choose a depth and see how many pairs result."
        yield TodoItem("Next", text, url_for("pools.index"), "Make a pool", "fair")


def _collection(state: CampaignState) -> Iterator[TodoItem]:
    missing = state.overview.missing_documents
    if missing:
        text = f"{counted(missing, 'pooled document')} without text cannot be judged."
        yield TodoItem("Missing", text, url_for("documents.index"), "Load documents", "poor")
    if state.assignments and not state.guidelines.strip():
        text = "No guidelines: without them, assessors interpret the grades differently."
        yield TodoItem("Guidelines", text, url_for("settings.index"), "Write guidelines", "fair")
    waiting = sum(run.verdict is Verdict.RECEIVED for run in state.runs)
    if waiting:
        text = f"{counted(waiting, 'run')} not reviewed yet. By default, only accepted runs are pooled."
        yield TodoItem("Received", text, url_for("runs.index", verdict="received"), "Review runs", "fair")
    noted = sum(bool(run.warnings) for run in state.runs)
    if noted and not state.pools:
        text = f"{counted(noted, 'run')} with warnings. Review them before pooling."
        yield TodoItem("Warnings", text, url_for("runs.index"), "View warnings", "fair")


def _assigning(state: CampaignState) -> Iterator[TodoItem]:
    if not any(not pool.closed for pool in state.pools):
        return
    if not any(one.has_account for one in state.assessors):
        text = "The pool is open, but there are no assessors."
        yield TodoItem("Assessors", text, url_for("people.index"), "Invite assessors", "fair")
        return
    given = {line.topic for line in state.assignments}
    open_topics = [t for t in state.overview.by_topic if t.judged < t.pairs and t.topic not in given]
    if open_topics:
        verb = "has" if len(open_topics) == 1 else "have"
        text = f"{counted(len(open_topics), 'topic')} {verb} unjudged pairs and no assessor."
        yield TodoItem("Unassigned", text, url_for("assignments.index"), "Assign topics", "fair")


def _answers(state: CampaignState) -> Iterator[TodoItem]:
    unsure = sum(one.unsure for one in state.overview.by_assessor)
    broken = sum(one.cannot_judge for one in state.overview.by_assessor)
    if unsure:
        text = f"{counted(unsure, 'answer')} “unsure”. The guidelines or a narrative may be ambiguous."
        yield TodoItem("Unsure", text, url_for("judgments.index", only="unsure"), "View", "fair")
    if state.unrecorded:
        text = f"{counted(state.unrecorded, 'received answer')} could not be recorded."
        yield TodoItem("Not recorded", text, url_for("kept_aside.index"), "Resolve", "poor")
    if broken:
        text = f"{counted(broken, 'answer')} “cannot judge”. A document may be damaged."
        yield TodoItem("Cannot judge", text, url_for("judgments.index", only="cannot_judge"), "View", "fair")


def _adjudication(state: CampaignState) -> Iterator[TodoItem]:
    unclear = state.decisions.get("unclear", 0)
    if unclear:
        verb = "was" if unclear == 1 else "were"
        text = (
            f"{counted(unclear, 'pair')} {verb} referred to you by an adjudicator: unclear topic statement."
        )
        yield TodoItem("Unclear", text, url_for("adjudication.index", state="unclear"), "View", "fair")


def _agreement(state: CampaignState) -> Iterator[TodoItem]:
    if state.agreement is None:
        return
    low = [
        (value, pair)
        for pair in state.agreement.pairs
        if (value := pair.estimate("pooled").value) is not None
        and band(value) is Band.DUBIOUS
        and pair.n >= LOWEST_N
    ]
    low.sort(key=lambda found: found[0])
    for value, pair in low[:MOST_PAIRS]:
        yield _low(value, pair, state.agreement.names)
    if len(low) > MOST_PAIRS:
        text = f"{counted(len(low) - MOST_PAIRS, 'more pair')} of assessors with kappa below 0.67."
        yield TodoItem("Low agreement", text, url_for("agreement.index"), "View all pairs", "poor")


def _low(value: float, pair: AssessorPair, names: Sequence[str]) -> TodoItem:
    first, second = names[pair.first], names[pair.second]
    text = Markup(
        'Pooled κ {} between <bdi dir="auto">{}</bdi> and <bdi dir="auto">{}</bdi> on {} that both judged.'
    ).format(f"{value:.2f}".replace("-", "−"), first, second, counted(pair.n, "pair"))
    address = url_for("agreement.pair", first=first, second=second)
    return TodoItem("Low agreement", text, address, "View the table", "poor")


def _finished(state: CampaignState) -> list[TodoItem]:
    view = state.overview
    if view.pairs and view.judged == view.pairs and view.assigned == view.answered:
        text = f"All {counted(view.pairs, 'pair')} judged. Choose how several grades become one."
        return [TodoItem("Ready", text, url_for("qrels.index"), "Create qrels", "good")]
    return []
