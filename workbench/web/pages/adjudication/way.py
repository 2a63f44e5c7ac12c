"""The way of an adjudicator through the queue, as addresses and forms carry it."""

from __future__ import annotations

from dataclasses import dataclass

from flask import request, url_for

from workbench.web.ids import read_id, write_id
from workbench.workflow.adjudication.decisions import Pair
from workbench.workflow.adjudication.dispute_queue import Order


@dataclass(frozen=True, slots=True)
class Way:
    """In which order an adjudicator goes through the queue, and whether of one topic only."""

    order: Order
    topic: str | None


def way_of_request() -> Way:
    """The order and topic that a request names, in its address or form."""
    order = next((one for one in Order if one == request.values.get("order")), Order.INFLUENCE)
    only = request.values.get("only")
    return Way(order, read_id(only) if only else None)


def address_of(way: Way, pair: Pair | None) -> str:
    """The address of a pair on the desk, or of the desk with the first one to decide."""
    topic, docno = (None, None) if pair is None else (write_id(pair[0]), write_id(pair[1]))
    only = None if way.topic is None else write_id(way.topic)
    return url_for("adjudicating.desk", order=str(way.order), only=only, topic=topic, docno=docno)
