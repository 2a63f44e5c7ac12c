"""Analysis of runs and pools before anybody judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from flask import Blueprint, render_template, request

from workbench.errors import Finding, InvalidInput
from workbench.frozen import frozen_dataclass
from workbench.pooling.analysis import FENCE, NEAR_DUPLICATE, TABLES, Analysis, short_depths
from workbench.pooling.contributions import Part
from workbench.records import TieRule
from workbench.storage import Session
from workbench.web.access import here, member
from workbench.web.context import reading
from workbench.web.downloads import MadeResult, result
from workbench.web.forms import (
    Findings,
    errors_on,
    named,
    query_text,
    sent_ids,
    whole_number,
)
from workbench.web.pages.pools.pools import pool_sent, pools_shown
from workbench.web.requests import Values, wants_fragment, write_id
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.people.membership import Role
from workbench.workflow.pools.analysis import CampaignAnalysis, analyse, chosen_runs, depth_of
from workbench.workflow.pools.listing import PoolLine
from workbench.workflow.runs.run_records import CampaignRun, runs_of

blueprint = Blueprint("analysis", __name__, url_prefix="/c/<slug>/analysis")
# Which run ranked a document how high would bias an adjudicator of the same documents.
onlooker = member(Role.ORGANISER, Role.VIEWER)

DEEPEST = 10_000
MOST_PAIRS = 20
TIES: Mapping[TieRule, str] = {
    TieRule.TREC_EVAL: "docno descending",
    TieRule.DOCNO_ASCENDING: "docno ascending",
    TieRule.FILE: "order of the file",
}


@frozen_dataclass
class AnalysisForm:
    """What is to be analysed, from the address; `asked` is false before the form was sent.

    Of the `runs` those of the `tags` are chosen; `proposed` are those that are if none is named.
    """

    asked: bool
    pool: PoolLine | None
    depth: str
    ties: str
    tags: frozenset[str]
    proposed: frozenset[str]
    runs: tuple[CampaignRun, ...]
    pools: tuple[PoolLine, ...]

    def arguments(self) -> dict[str, str | int | list[str]]:
        """The arguments of an address with the same settings; the proposed runs need not be named."""
        chosen: dict[str, str | int | list[str]] = {"asked": 1, "depth": self.depth, "ties": self.ties}
        if self.pool is not None:
            chosen["pool"] = self.pool.id
        elif self.tags != self.proposed:
            chosen["chosen"] = 1
            chosen["run"] = [write_id(run.tag) for run in self.runs if run.tag in self.tags]
        return chosen


@blueprint.get("")
@onlooker
def index() -> str:
    """The form and its analysis; before the form is sent, htmx fetches the analysis of the proposed runs."""
    with reading() as db:
        form = _form(db)
        if not form.runs or (not form.asked and not wants_fragment()):
            return _page(form)
        with errors_on(partial(_page, form), "Analysis"):
            done = _analysed(db, form)
        titles = topic_titles(db, here().id)
    return _page(form, done, titles)


@blueprint.get(f"/<any({', '.join(repr(name) for name in TABLES)}):table>.csv")
@onlooker
@result
def table_csv(table: str) -> MadeResult:
    """One table as CSV, with all rows and digits."""
    with reading() as db:
        form = _form(db)
        found = _analysed(db, form).found
    of = form.pool.name if form.pool else "runs"
    return MadeResult(f"{of}.{table}", TABLES[table](found))


def _form(db: Session) -> AnalysisForm:
    runs, pools = runs_of(db, here().id), pools_shown(db)
    sent = query_text("pool").strip()
    pool = pool_sent(db, sent) if sent else None
    named = sent_ids("run")
    # Without a ticked box the form sends no run; `chosen` shows that it was sent.
    proposed = frozenset(run.tag for run in chosen_runs(db, here().id))
    return AnalysisForm(
        asked="asked" in request.args,
        pool=pool,
        depth=query_text("depth").strip() or str(depth_of(pool)),
        ties=query_text("ties") or str(pool.ties if pool else TieRule.TREC_EVAL),
        tags=frozenset(named) if named or "chosen" in request.args else proposed,
        proposed=proposed,
        runs=runs,
        pools=pools,
    )


def _analysed(db: Session, form: AnalysisForm) -> CampaignAnalysis:
    findings: list[Finding] = []
    depth = whole_number(form.depth)
    if depth is None or not 1 <= depth <= DEEPEST:
        findings.append(
            Finding("Depth", None, "depth", f"depth cannot be {form.depth!r}", f"give 1 to {DEEPEST:,}")
        )
    ties = named(TieRule, form.ties)
    if ties is None:
        findings.append(Finding("Ties", None, "ties", "no tie rule is chosen", "choose one"))
    if not form.tags and form.pool is None:
        findings.append(Finding("Runs", None, "run", "no run is chosen", "choose one or more"))
    if findings or depth is None or ties is None:
        raise InvalidInput(findings)
    return analyse(
        db,
        here().id,
        pool=form.pool.name if form.pool else None,
        tags=None if form.pool else form.tags,
        depth=depth,
        ties=ties,
    )


def _as_made(done: CampaignAnalysis | None) -> bool:
    """Whether the runs' first documents are what the pool was made of."""
    if done is None or done.pool is None:
        return True
    pool, found = done.pool, done.found
    own = (pool.strategy, pool.supplementary, depth_of(pool), pool.ties)
    return own == ("depth", False, found.depth, found.ties)


def _page(
    form: AnalysisForm,
    done: CampaignAnalysis | None = None,
    titles: Mapping[str, str] | None = None,
    findings: Findings = (),
) -> str:
    found = done.found if done else None
    short = [found.growth[depth - 1] for depth in short_depths(found)] if found else []
    return render_template(
        "pools/_analysis.html" if wants_fragment() else "pools/analysis.html",
        form=form,
        found=found,
        titles=titles or {},
        plots=plots(found, titles or {}) if found else {},
        short=short,
        as_made=_as_made(done),
        ties=TIES,
        near=NEAR_DUPLICATE,
        fence=FENCE,
        most_pairs=MOST_PAIRS,
        most_rows=MOST_ROWS,
        findings=findings,
    )


# Colours by their numbers in the stylesheet.
STRONG, OTHER, PALE = 1, 2, 3
MOST_ROWS = 200
"""Runs or groups that a plot or table of the page shows; files have all."""


def plots(found: Analysis, titles: Mapping[str, str]) -> dict[str, Values]:
    """Every plot by its name; `titles` are those of the topics."""
    return {
        "growth": growth(found),
        "runs": contributions(found.by_run, found.groups),
        "topics": topics(found, titles),
    }


def growth(found: Analysis) -> Values:
    """Two lines over the depth: the pool, and the maximum."""
    pool = [[size.depth, size.size] for size in found.growth]
    largest = [[size.depth, size.largest_possible] for size in found.growth]
    return {
        "x": "Depth",
        "y": "Pairs",
        "mark": found.depth,
        "lines": [{"name": "pool", "points": pool}, {"name": "maximum", "points": largest}],
    }


def contributions(parts: Sequence[Part], groups: Mapping[str, str]) -> Values:
    """A bar for every run or group: its unique pairs, then those it shares with others."""
    return {
        "x": "Pairs",
        "parts": ["unique", "shared"],
        "tones": [STRONG, PALE],
        "rows": [
            {
                "name": part.name,
                "note": groups.get(part.name, ""),
                "values": [part.alone, part.pairs - part.alone],
            }
            for part in parts[:MOST_ROWS]
        ],
    }


def topics(found: Analysis, titles: Mapping[str, str]) -> Values:
    """A bar for every topic, in parts once something is judged; the median across them."""
    if found.judged:
        parts = ["relevant", "judged not relevant", "not judged"]
        values = [[one.relevant, one.judged - one.relevant, one.pairs - one.judged] for one in found.topics]
    else:
        parts, values = ["pairs"], [[one.pairs] for one in found.topics]
    return {
        "x": "Pairs",
        "parts": parts,
        "tones": [STRONG, OTHER, PALE][: len(parts)],
        "median": found.median,
        "rows": [
            {"name": one.topic, "note": titles.get(one.topic, ""), "values": counts}
            for one, counts in zip(found.topics, values, strict=True)
        ],
    }
