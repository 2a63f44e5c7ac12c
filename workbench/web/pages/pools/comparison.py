"""Two pools side by side: the pairs that are added, removed and kept, and how many are left to judge."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, render_template, request

from workbench.storage import Session
from workbench.tables import table_export
from workbench.web.access import here, reader
from workbench.web.context import reading
from workbench.web.forms import named, sent_id
from workbench.web.ids import write_id
from workbench.web.pages.pools.pool_choice import pool_sent, pools_shown
from workbench.web.paging import page_of
from workbench.web.results import MadeResult, result
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.pools.comparison import ComparedPools, PairChange, compare_pools

blueprint = Blueprint("comparisons", __name__, url_prefix="/c/<slug>/pools/compare")
JUDGED = "judged"
COLUMNS = ("change", "topic", "docno", "judged", "origin")


@dataclass(frozen=True, slots=True)
class ComparisonForm:
    """The settings in the address: the pools by number, `judged` for all judged pairs; pairs to list."""

    before: str
    after: str
    turn: PairChange
    topic: str

    def arguments(self, **changed: object) -> dict[str, object]:
        """The arguments of an address with the same choice, but for what is changed."""
        same = {"a": self.before, "b": self.after, "show": self.turn, "topic": write_id(self.topic) or None}
        return {**same, **changed}


@blueprint.get("")
@reader
def index() -> str:
    """The comparison of `?a=` with `?b=`; without them the form that asks for two pools."""
    choice = _choice()
    with reading() as db:
        pools = pools_shown(db)
        titles = topic_titles(db, here().id)
        found = _compared(db, choice)
    shown = found.changing(choice.turn, choice.topic) if found else ()
    return render_template(
        "pools/comparison.html",
        pools=pools,
        titles=titles,
        found=found,
        choice=choice,
        turns=tuple(PairChange),
        judged=JUDGED,
        page=page_of(shown),
    )


@blueprint.get("/pairs.<any(csv, tsv, json):kind>")
@reader
@result
def pairs() -> MadeResult:
    """Every pair: what changes, topic, docno, judged or not, origin."""
    with reading() as db:
        found = _compared(db, _choice())
    rows = found.pairs if found else ()
    lines = [
        (pair.turn, pair.topic, pair.docno, "judged" if pair.judged else "unjudged", pair.origin)
        for pair in rows
    ]
    return MadeResult("comparison", table_export(COLUMNS, lines))


def _choice() -> ComparisonForm:
    sent = request.args
    turn = named(PairChange, sent.get("show")) or PairChange.ADDED
    return ComparisonForm(sent.get("a", ""), sent.get("b", ""), turn, sent_id("topic"))


def _compared(db: Session, choice: ComparisonForm) -> ComparedPools | None:
    """The comparison, or None where two things to compare are not chosen yet; raises NotFound."""
    if not choice.before or not choice.after:
        return None
    before = None if choice.before == JUDGED else pool_sent(db, choice.before).name
    return compare_pools(db, here().id, before, pool_sent(db, choice.after).name)
