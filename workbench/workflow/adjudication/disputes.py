"""The disputed pairs of a campaign, ordered by their influence on the ranking of its runs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from enum import StrEnum

import numpy as np
from sqlalchemy.orm import Session

from workbench.workflow.adjudication.influence import InfluenceComputing, KnownInfluence
from workbench.workflow.adjudication.queue import Order, State
from workbench.workflow.adjudication.queue_lines import LineReader, Queue
from workbench.workflow.adjudication.queue_table import STATES, queue_table
from workbench.workflow.result_form import result_bytes

ON_THE_DESK = timedelta(hours=1)
"""How long adjudicators at work keep the order that was computed: each decision would shuffle the rest."""
LONGEST_SHARE = 10
"""What takes a second is computed again after so many at the earliest, however fast judging goes on."""


class Waiting(StrEnum):
    """Whether somebody waits for the influence on the ranking."""

    EXACT = "exact"
    """However long it takes, as it is now."""
    PAGE = "page"
    """As it is now where that is quick; else as it was computed last, if it was."""
    DESK = "desk"
    """As it was computed in the last hour, so that the order stays; else as a page."""


def dispute_queue(
    db: Session,
    campaign_id: int,
    *,
    order: Order = Order.INFLUENCE,
    influence: bool | None = None,
    waiting: Waiting = Waiting.EXACT,
) -> Queue:
    """The disputed pairs of a campaign, with decisions and answers as they are now.

    The influence is there where the order needs it, or `influence` asks for it, as far as `waiting` allows;
    where it is not known, pairs with the largest difference come first. Raises WorkbenchError for a grade
    outside the scale.
    """
    table = queue_table(db, campaign_id)
    known: KnownInfluence | None = None
    behind = False
    if order is Order.INFLUENCE if influence is None else influence:
        computing = InfluenceComputing(db, table)
        known = _known(computing, waiting)
        behind = waiting is not Waiting.DESK and (known is None or known.digest != computing.digest)
    values = None if known is None else known.of(table)
    sizes = np.diff(table.starts).tolist()
    return Queue(
        scale=table.source.scale,
        rules=table.source.rules,
        order=order,
        counts=table.counts(),
        topics=tuple(zip(table.names, sizes, strict=True)),
        influence_at=known.at if known is not None else None,
        influence_behind=behind and (known is None or _may_be_renewed(known)),
        alone=0 if values is None else int((values[table.states == STATES.index(State.OPEN), 0] > 0).sum()),
        together=0 if known is None else known.together,
        run_pairs=0 if known is None else known.run_pairs,
        reader=LineReader(db, table, values),
        numbers=table.ordered(order, values),
    )


def _known(computing: InfluenceComputing, waiting: Waiting) -> KnownInfluence | None:
    if waiting is Waiting.EXACT:
        return computing.compute()
    known = computing.known()
    if waiting is Waiting.DESK and known is not None and datetime.now(UTC) - known.at < ON_THE_DESK:
        return known
    return computing.compute() if computing.small else known


def _may_be_renewed(known: KnownInfluence) -> bool:
    """Whether so much time has passed that computing again takes a small share of it."""
    return (datetime.now(UTC) - known.at).total_seconds() >= LONGEST_SHARE * known.seconds


def influence_arguments(db: Session, campaign_id: int) -> dict[str, str]:
    """The arguments of the job that computes the influence as the rules are now."""
    return InfluenceComputing(db, queue_table(db, campaign_id)).arguments


def compute_influence(db: Session, campaign_id: int) -> bytes:
    """Compute the influence of all disputed pairs; as a job stores it."""
    return result_bytes(InfluenceComputing(db, queue_table(db, campaign_id)).compute())
