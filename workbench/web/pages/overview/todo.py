"""What a campaign needs of its organiser next, from how it stands; each with the page that mends it."""

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
LOWEST_N = 20  # fewer pairs of documents say nothing about two people


@dataclass(frozen=True, slots=True)
class TodoItem:
    """One thing to do: how it weighs (`poor`, `fair`, `good` or nothing), what, and where."""

    label: str
    text: str
    address: str
    action: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class CampaignState:
    """What the needs are read from; `agreement` is that of people, None where fewer than two have judged.

    `kept_aside` counts answers that could not be recorded and wait.
    `decisions` counts the pairs that adjudicators decided, sent back or found unclear.
    """

    overview: Overview
    runs: Sequence[CampaignRun]
    pools: Sequence[PoolLine]
    drafts: Sequence[PoolLine]
    assessors: Sequence[AssessorLine]
    assignments: Sequence[AssignmentLine]
    agreement: People | None
    guidelines: str
    kept_aside: int = 0
    decisions: Mapping[str, int] = field(default_factory=dict)


def todo_items(state: CampaignState) -> tuple[TodoItem, ...]:
    """What to do, most urgent first; empty where the campaign is not waiting for its organiser."""
    first = next(_beginning(state), None)
    later = [*_texts(state), *_people(state), *_quality(state), *_answers(state), *_adjudicated(state)]
    later.sort(key=lambda need: need.kind != "poor")
    found = [first, *later] if first else later
    return tuple(found or _end(state))


def _beginning(state: CampaignState) -> Iterator[TodoItem]:
    """The steps before judging; only the first that is lacking is said."""
    view = state.overview
    if not view.topics:
        text = "A campaign begins with its topics: runs are checked against them."
        yield TodoItem("First", text, url_for("topics.index"), "Load topics", "fair")
    elif not view.runs and not view.judged:
        text = f"{counted(view.topics, 'topic')} are there. Now the runs, many files at once."
        yield TodoItem(
            "Next", text.replace("1 topic are", "1 topic is"), url_for("runs.index"), "Add runs", "fair"
        )
    elif view.runs and not view.pools and state.drafts:
        newest = state.drafts[-1]
        text = f"{counted(len(state.drafts), 'draft')} of a pool, none of them open for judging."
        yield TodoItem("Next", text, url_for("pools.pool", pool_id=newest.id), "See the newest draft", "fair")
    elif view.runs and not view.pools:
        text = f"{counted(view.runs, 'run')} can be pooled: choose a depth and see how many pairs it makes."
        yield TodoItem("Next", text, url_for("pools.index"), "Make a pool", "fair")


def _texts(state: CampaignState) -> Iterator[TodoItem]:
    missing = state.overview.missing_documents
    if missing:
        verb = "has" if missing == 1 else "have"
        text = f"{counted(missing, 'pooled document')} {verb} no text yet, so nobody can judge them."
        yield TodoItem("Missing", text, url_for("documents.index"), "Load documents", "poor")
    if state.assignments and not state.guidelines.strip():
        text = "There are no guidelines: each assessor decides alone what a grade means."
        yield TodoItem("Guidelines", text, url_for("settings.index"), "Write them", "fair")
    waiting = sum(run.verdict is Verdict.RECEIVED for run in state.runs)
    if waiting:
        verb = "waits" if waiting == 1 else "wait"
        text = (
            f"{counted(waiting, 'run')} {verb} for a verdict; only accepted ones enter a pool by themselves."
        )
        yield TodoItem("Received", text, url_for("runs.index", verdict="received"), "Look at them", "fair")
    noted = sum(bool(run.warnings) for run in state.runs)
    if noted and not state.pools:
        text = f"{counted(noted, 'run')} came with warnings. Look at them before they are pooled."
        yield TodoItem("Warnings", text, url_for("runs.index"), "See the warnings", "fair")


def _people(state: CampaignState) -> Iterator[TodoItem]:
    if not any(not pool.closed for pool in state.pools):
        return
    if not any(one.has_account for one in state.assessors):
        text = "The pool is open, and nobody can judge it yet."
        yield TodoItem("Assessors", text, url_for("people.index"), "Invite assessors", "fair")
        return
    given = {line.topic for line in state.assignments}
    open_topics = [t for t in state.overview.by_topic if t.judged < t.pairs and t.topic not in given]
    if open_topics:
        verb = "has" if len(open_topics) == 1 else "have"
        text = f"{counted(len(open_topics), 'topic')} {verb} unjudged pairs and no assessor."
        yield TodoItem("Unassigned", text, url_for("assignments.index"), "Assign", "fair")


def _answers(state: CampaignState) -> Iterator[TodoItem]:
    unsure = sum(one.unsure for one in state.overview.by_assessor)
    broken = sum(one.cannot_judge for one in state.overview.by_assessor)
    if unsure:
        text = (
            f"{counted(unsure, 'answer')} “unsure”. The guidelines or the narrative may leave something open."
        )
        yield TodoItem("Unsure", text, url_for("judgments.index", only="unsure"), "See which", "fair")
    if state.kept_aside:
        text = f"{counted(state.kept_aside, 'answer')} arrived and could not be recorded."
        yield TodoItem("Kept aside", text, url_for("kept_aside.index"), "Settle them", "poor")
    if broken:
        text = f"{counted(broken, 'answer')} “cannot judge”. Perhaps a document is broken."
        yield TodoItem(
            "Cannot judge", text, url_for("judgments.index", only="cannot_judge"), "See which", "fair"
        )


def _adjudicated(state: CampaignState) -> Iterator[TodoItem]:
    unclear = state.decisions.get("unclear", 0)
    if unclear:
        verb = "was" if unclear == 1 else "were"
        text = f"{counted(unclear, 'pair')} {verb} sent to you by an adjudicator: the statement is unclear."
        yield TodoItem("Unclear", text, url_for("adjudication.index", state="unclear"), "See which", "fair")


def _quality(state: CampaignState) -> Iterator[TodoItem]:
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
        text = f"{len(low) - MOST_PAIRS} more pairs of people agree less than 0.67."
        yield TodoItem("Low agreement", text, url_for("agreement.index"), "See all pairs", "poor")


def _low(value: float, pair: AssessorPair, names: Sequence[str]) -> TodoItem:
    first, second = names[pair.first], names[pair.second]
    text = Markup(
        'Pooled κ {} between <bdi dir="auto">{}</bdi> and <bdi dir="auto">{}</bdi> over {} that both judged.'
    ).format(f"{value:.2f}".replace("-", "−"), first, second, counted(pair.n, "pair"))
    address = url_for("agreement.pair", first=first, second=second)
    return TodoItem("Low agreement", text, address, "See the table", "poor")


def _end(state: CampaignState) -> list[TodoItem]:
    view = state.overview
    if view.pairs and view.judged == view.pairs and view.assigned == view.answered:
        text = f"All {counted(view.pairs, 'pair')} are judged. Choose how several grades become one."
        return [TodoItem("Ready", text, url_for("qrels.index"), "Make the qrels", "good")]
    return []
