"""The list of campaigns, the overview of one with its progress, and what waits there for the viewer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from flask import Blueprint, render_template, url_for
from markupsafe import Markup

from workbench.agreement.intervals import Interval
from workbench.agreement.pairwise import AssessorPair
from workbench.figures import counted, percent
from workbench.frozen import frozen_dataclass
from workbench.storage import Session
from workbench.storage.adjudications import decision_counts
from workbench.web.access import here, reader, signed_in, viewer
from workbench.web.context import app_context, read_own, reading_here
from workbench.web.large_pages import made_by_job_if_large
from workbench.web.navigation import step_way
from workbench.web.pages.settings.campaign import scale_in_words
from workbench.web.requests import write_id
from workbench.workflow.adjudication.queue import State
from workbench.workflow.agreement.report import People, agreement_of_people
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.campaigns.loading import cut_loads
from workbench.workflow.judging.unrecorded import unrecorded_count
from workbench.workflow.overview.attention import LATE_DEPTH, Attention, Lagging, attention
from workbench.workflow.overview.cards import CampaignCard, OwnTask, TaskKind, campaigns_of, own_tasks
from workbench.workflow.overview.progress import Overview, overview
from workbench.workflow.overview.readiness import Readiness, SetupStep, readiness
from workbench.workflow.people.membership import Role
from workbench.workflow.pools.listing import PoolLine, pools_of
from workbench.workflow.releases.releases import Release, releases_of
from workbench.workflow.runs.run_records import runs_with_warnings
from workbench.workflow.runs.uploads import WaitingBatch, waiting_batches

LOW = 0.4
"""A kappa below is lower than is usual for relevance."""
MOST_LINES = 3
"""Of one kind of line more are told as a number."""

BEFORE_JUDGING = (SetupStep.TOPICS, SetupStep.RUNS, SetupStep.ACCEPT, SetupStep.POOL, SetupStep.OPEN)


@frozen_dataclass
class TodoItem:
    """One thing to do and the page where to do it; `kind` (`poor`, `fair`, `good`) is its colour.

    A `step` brings the campaign on: the first of them is what comes next.
    """

    label: str
    text: str
    address: str
    action: str
    kind: str = "fair"
    step: bool = False


@frozen_dataclass
class CampaignState:
    """What the list is derived from; `agreement` is None while fewer than two people have judged.

    `noted` counts the runs with warnings.
    `unrecorded` counts answers that could not be recorded and are not resolved yet; `decisions` counts pairs
    by what adjudicators did with them; `batches` are checked files that are no runs yet. `releases` are the
    latest first. `disk_full` says that nothing is saved. `cut_loads` are files of documents by name, with how
    many of how many are stored.
    """

    overview: Overview
    readiness: Readiness
    attention: Attention
    noted: int
    pools: Sequence[PoolLine]
    batches: Sequence[WaitingBatch]
    agreement: People | None
    unrecorded: int = 0
    decisions: Mapping[str, int] = field(default_factory=dict)
    releases: Sequence[Release] = ()
    disk_full: bool = False
    cut_loads: Sequence[tuple[str, int, int]] = ()


def todo_items(state: CampaignState) -> tuple[TodoItem, ...]:
    """What to do, most urgent first; empty if nothing is left for the organiser to do."""
    later = [
        item
        for items in (_collection, _assessors, _judging, _agreement, _answers, _adjudication)
        for item in items(state)
    ]
    later.sort(key=lambda item: (item.kind != "poor", not item.step))
    return (*_preparing(state), *later) or tuple(_finished(state))


def _preparing(state: CampaignState) -> Iterator[TodoItem]:
    """The first step before judging that is not done."""
    found = state.readiness
    step = found.next
    if step not in BEFORE_JUDGING or (step is not SetupStep.OPEN and state.overview.judged):
        return
    received, poolable = counted(found.received, "run"), counted(found.runs, "run")
    text = {
        SetupStep.TOPICS: (
            "A campaign starts with its topics, runs and documents: drop all files on one page."
        ),
        SetupStep.RUNS: _add_runs(found),
        SetupStep.ACCEPT: f"{received} received, none accepted: no run can be pooled yet.",
        SetupStep.POOL: f"{poolable} can be pooled: choose a depth and see the number of pairs.",
        SetupStep.OPEN: "The pool is a draft: nobody can judge it until it is opened.",
    }[step]
    label = "First" if step is SetupStep.TOPICS else "Next"
    action, address = step_way(step, found.draft)
    yield TodoItem(label, text, address, action, step=True)


def _add_runs(found: Readiness) -> str:
    loaded = counted(found.topics, "topic")
    if not found.documents:
        return f"{loaded} loaded. Add the runs, several files at a time."
    return Markup(
        "{} and {} loaded. Add the runs, several files at a time. If there are none, "
        '<a href="{}">make a pool without runs</a>.'
    ).format(loaded, counted(found.documents, "document"), url_for("pools.index"))


def _collection(state: CampaignState) -> Iterator[TodoItem]:
    missing, found = state.overview.missing_documents, state.readiness
    if state.disk_full:
        text = "The disk of the server is full: nothing is saved. Tell the administrator to free space."
        yield TodoItem("Disk full", text, url_for("help.page", page="administration"), "What to do", "poor")
    for name, loaded, documents in state.cut_loads[:MOST_LINES]:
        cut = Markup(
            'The load of <bdi class="mono" dir="auto">{}</bdi> was interrupted: {} of {} stored. '
            "Load the file again."
        ).format(name, f"{loaded:,}", counted(documents, "document"))
        yield TodoItem("Cut", cut, url_for("documents.index"), "Load documents", "poor")
    if missing:
        text = f"{counted(missing, 'pooled document')} without text cannot be judged."
        yield TodoItem("Missing", text, url_for("documents.index"), "Load documents", "poor", step=True)
    if found.received and found.next is not SetupStep.ACCEPT:
        text = (
            f"{counted(found.received, 'run')} not reviewed yet. By default, only accepted runs are pooled."
        )
        yield TodoItem("Received", text, url_for("runs.index", verdict="received"), "Review runs")
    checked = sum(batch.files for batch in state.batches)
    if checked:
        text = f"{counted(checked, 'checked file is', 'checked files are')} not added as runs."
        address = url_for("run_checks.batch", batch=state.batches[0].name)
        yield TodoItem("Not added", text, address, "Review files")
    if state.noted and not state.pools:
        text = f"{counted(state.noted, 'run')} with warnings. Review them before pooling."
        yield TodoItem("Warnings", text, url_for("runs.index"), "View warnings")
    yield from _late_runs(state)


def _late_runs(state: CampaignState) -> Iterator[TodoItem]:
    late = state.attention.late
    if not late:
        return
    worst = late[0]
    text = Markup(
        'Run <bdi class="mono" dir="auto">{}</bdi> came after the pool: {} of its first {} ({} of {} pairs) '
        "is neither pooled nor judged."
    ).format(worst.tag, percent(worst.share), LATE_DEPTH, f"{worst.holes:,}", f"{worst.retrieved:,}")
    if len(late) > 1:
        text += f" {counted(len(late) - 1, 'more late run has', 'more late runs have')} holes."
    yield TodoItem("Holes", text, url_for("late_runs.holes", tag=write_id(worst.tag)), "Fill the holes")


def _assessors(state: CampaignState) -> Iterator[TodoItem]:
    found, asked = state.readiness, state.attention
    if not found.open_pools and not asked.invited + asked.expired:
        return
    if not found.assessors and not found.invited and found.open_pools:
        text = "The pool is open, but there are no assessors."
        yield TodoItem("Assessors", text, url_for("people.index"), "Invite assessors", step=True)
    if asked.invited + asked.expired:
        text = f"{counted(asked.invited + asked.expired, 'invitation')} not accepted yet"
        text += f", {asked.expired:,} of them expired." if asked.expired else "."
        yield TodoItem(
            "Invited", text, url_for("people.index"), "View invitations", "fair" if asked.expired else ""
        )
    done = {line.topic for line in state.overview.by_topic if line.judged == line.pairs > 0}
    left = [topic for topic in found.unassigned if topic not in done]
    if left and found.assessors:
        verb = "has" if len(left) == 1 else "have"
        text = f"{counted(len(left), 'topic')} of open pools {verb} no assessor."
        yield TodoItem("Unassigned", text, url_for("assignments.index"), "Assign topics", step=True)
    if state.overview.assigned and not found.guidelines:
        text = "No guidelines: without them, assessors interpret the grades differently."
        yield TodoItem("Guidelines", text, url_for("settings.index"), "Write guidelines")


def _judging(state: CampaignState) -> Iterator[TodoItem]:
    empty = state.overview.without_relevant
    if empty:
        text = f"{counted(empty, 'topic')} judged without a relevant document: most measures give 0 there."
        yield TodoItem("Nothing relevant", text, url_for("topics.index"), "Topics")
    for gone in state.attention.gone[:MOST_LINES]:
        left = f"{counted(gone.left, 'pair')} in {counted(gone.topics, 'topic')} left"
        who = Markup('<bdi dir="auto">{}</bdi> can no longer judge: {}.').format(gone.assessor, left)
        yield TodoItem("Left over", who, url_for("assignments.index"), "Assign to others", "fair")
    lagging = state.attention.lagging
    for one in lagging[:MOST_LINES]:
        yield TodoItem("Slow", _silence(one), url_for("reminders.index"), "Remind", step=True)
    if len(lagging) > MOST_LINES:
        text = (
            f"{counted(len(lagging) - MOST_LINES, 'more assessor')} with pairs left and no recent judgment."
        )
        yield TodoItem("Slow", text, url_for("reminders.index"), "Remind")


def _silence(one: Lagging) -> str:
    days = counted(one.days, "day")
    silence = f"no judgment for {days}" if one.started else f"not started, {days} after the assignment"
    left = f"{counted(one.left, 'pair')} in {counted(one.topics, 'topic')} left"
    return Markup('<bdi dir="auto">{}</bdi>: {}; {}.').format(one.assessor, silence, left)


def _answers(state: CampaignState) -> Iterator[TodoItem]:
    unsure = sum(one.unsure for one in state.overview.by_assessor)
    broken = sum(one.cannot_judge for one in state.overview.by_assessor)
    if unsure:
        text = f"{counted(unsure, 'answer')} “unsure”. The guidelines or a narrative may be ambiguous."
        yield TodoItem("Unsure", text, url_for("judgments.index", answer="unsure"), "View")
    if state.unrecorded:
        text = f"{counted(state.unrecorded, 'received answer')} could not be recorded."
        yield TodoItem("Not recorded", text, url_for("kept_aside.index"), "Resolve", "poor")
    if broken:
        text = f"{counted(broken, 'answer')} “cannot judge”. A document may be damaged."
        yield TodoItem("Cannot judge", text, url_for("judgments.index", answer="cannot_judge"), "View")


def _adjudication(state: CampaignState) -> Iterator[TodoItem]:
    disputes = state.attention.disputes
    undecided, returned = disputes.get(State.OPEN, 0), disputes.get(State.BACK, 0)
    unclear = state.decisions.get("unclear", 0)
    if undecided:
        text = f"{counted(undecided, 'disputed pair')} not decided yet."
        yield TodoItem("Disputes", text, url_for("adjudication.index"), "Adjudicate", step=True)
    if returned:
        text = f"{counted(returned, 'pair is', 'pairs are')} with their assessors for discussion."
        yield TodoItem("Discussion", text, url_for("adjudication.index", state="back"), "View", "")
    if unclear:
        verb = "was" if unclear == 1 else "were"
        text = (
            f"{counted(unclear, 'pair')} {verb} referred to you by an adjudicator: unclear topic statement."
        )
        yield TodoItem("Unclear", text, url_for("adjudication.index", state="unclear"), "View")


def _agreement(state: CampaignState) -> Iterator[TodoItem]:
    if state.agreement is None:
        return
    # Only where the whole interval is low: a few pairs often look so by chance.
    low = [
        (value, interval, pair)
        for pair in state.agreement.pairs
        if (value := pair.estimate("pooled").value) is not None
        and (interval := pair.estimate("pooled").interval)
        and interval.high is not None
        and interval.high < LOW
    ]
    low.sort(key=lambda found: found[0])
    for value, interval, pair in low[:MOST_LINES]:
        yield _low(value, interval, pair, state.agreement.names)
    if len(low) > MOST_LINES:
        text = f"{counted(len(low) - MOST_LINES, 'more pair')} of assessors with a kappa below {LOW}."
        yield TodoItem("Low agreement", text, url_for("agreement.index"), "View all pairs", "poor")


def _low(value: float, interval: Interval, pair: AssessorPair, names: Sequence[str]) -> TodoItem:
    first, second = names[pair.first], names[pair.second]
    figures = [
        f"{one:z.2f}".replace("-", "−") for one in (value, interval.low, interval.high) if one is not None
    ]
    text = Markup(
        'Pooled κ {} ({} to {}) between <bdi dir="auto">{}</bdi> and <bdi dir="auto">{}</bdi> on {} that '
        "both judged."
    ).format(*figures, first, second, counted(pair.n, "pair"))
    address = url_for("agreement.pair", first=first, second=second)
    return TodoItem("Low agreement", text, address, "View the table", "poor")


def _finished(state: CampaignState) -> Iterator[TodoItem]:
    view = state.overview
    current = next((one for one in state.releases if not one.withdrawn), None)
    if current is not None:
        if not current.public:
            text = f"Only members see release {current.version}. Publish it to give others its address."
            address = url_for("releases.release", version=current.version)
            yield TodoItem("Release", text, address, "View the release", "", step=True)
        return
    if view.pairs and view.judged == view.pairs and not view.left:
        text = f"All {counted(view.pairs, 'pair')} judged: choose how several grades become one in the qrels."
        yield TodoItem("Ready", text, url_for("qrels.index"), "View qrels", "good")
        text = "Freeze qrels, judgments and pools in one file that others can check and cite."
        yield TodoItem("Next", text, url_for("releases.new"), "Create release", "good", step=True)


TASKS: Mapping[TaskKind, tuple[str, str, str, str]] = {
    TaskKind.JUDGE: (
        "document left for you to judge",
        "documents left for you to judge",
        "Judge",
        "judging.index",
    ),
    TaskKind.WAIT: (
        "document that a colleague has may come back to you",
        "documents that colleagues have may come back to you",
        "My topics",
        "judging.index",
    ),
    TaskKind.DISCUSS: (
        "pair to discuss with colleagues",
        "pairs to discuss with colleagues",
        "Discuss",
        "discussions.index",
    ),
    TaskKind.COMPARE: (
        "pair to compare side by side",
        "pairs to compare side by side",
        "Compare",
        "side_by_side.index",
    ),
    TaskKind.DECIDE: ("disputed pair to decide", "disputed pairs to decide", "Decide", "adjudicating.desk"),
    TaskKind.SUBMIT: (
        "checked file not submitted yet",
        "checked files not submitted yet",
        "Review",
        "own_runs.index",
    ),
    TaskKind.SEND: ("run at least is expected of your group", "", "Upload runs", "own_runs.index"),
    TaskKind.READ: (
        "judged pair to score runs on",
        "judged pairs to score runs on",
        "Scores",
        "scores.index",
    ),
}
"""Of a kind of task what waits (one, several), what to do, and the endpoint of its page."""


def own_todo(tasks: Iterable[OwnTask], slug: str) -> tuple[TodoItem, ...]:
    """What waits for a person in a campaign, each with its link."""
    found = []
    for task in tasks:
        one, several, action, endpoint = TASKS[task.kind]
        text = f"{counted(task.count, one, several)}."
        found.append(TodoItem("For you", text, url_for(endpoint, slug=slug), action, "good"))
    return tuple(found)


blueprint = Blueprint("overview", __name__, url_prefix="/c/<slug>")


@blueprint.get("/")
@reader
@made_by_job_if_large
def index() -> str:
    """The overview page."""
    with reading_here() as (db, campaign_id):
        made = campaign_of(db, campaign_id)
        view = overview(db, campaign_id)
        state = CampaignState(
            overview=view,
            readiness=readiness(db, campaign_id),
            attention=attention(db, campaign_id, view),
            noted=runs_with_warnings(db, campaign_id),
            pools=tuple(line for line in pools_of(db, campaign_id) if not line.draft),
            batches=waiting_batches(db, campaign_id),
            agreement=_of_people(db, view),
            unrecorded=unrecorded_count(db, campaign_id),
            decisions=decision_counts(db, campaign_id),
            releases=releases_of(db, campaign_id),
            disk_full=app_context().database.disk_full,
            cut_loads=cut_loads(db, campaign_id),
        )
        own = own_tasks(db, campaign_id, viewer().id, here().roles)
    organiser = Role.ORGANISER in here().roles
    todo = (*own_todo(own, here().slug), *(todo_items(state) if organiser else ()))
    # Nothing can be done in an archived campaign.
    todo = () if here().archived_at else todo
    return render_template(
        "overview/index.html",
        made=made,
        scale_words=scale_in_words(made.scale),
        state=state,
        view=view,
        todo=todo,
        following=next((item for item in todo if item.step), None),
    )


def _of_people(db: Session, view: Overview) -> People | None:
    people = [one.name for one in view.by_assessor if not one.machine and one.judgments]
    return agreement_of_people(db, here().id) if len(people) > 1 else None


campaigns = Blueprint("campaigns", __name__)


@campaigns.get("/", endpoint="index")
@signed_in
def campaign_list() -> str:
    """The list of campaigns."""
    cards = read_own(campaigns_of)
    return render_template(
        "home/index.html",
        cards=[card for card in cards if not card.archived],
        archived=[card for card in cards if card.archived],
        todo={card.slug: own_todo(card.tasks, card.slug) for card in cards},
        steps={card.slug: _next_step(card) for card in cards},
    )


def _next_step(card: CampaignCard) -> tuple[str, str] | None:
    """What an organiser does next, and where; nothing once judging can go on."""
    if card.ready is None or card.ready.next is SetupStep.JUDGE:
        return None
    return step_way(card.ready.next, card.ready.draft, card.slug)


BLUEPRINTS = (
    blueprint,
    campaigns,
)
