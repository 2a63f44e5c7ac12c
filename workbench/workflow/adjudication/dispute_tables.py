"""The queue of disputed pairs as a table and as JSON, for pages, terminals and other programs alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from workbench.records import Judgment
from workbench.workflow.adjudication.dispute_queue import Queue, QueueLine, State

COLUMNS = (
    "topic", "doc", "state", "answers", "distance", "mean_distance", "crosses_line", "swaps", "uneven",
    "shift", "decision", "grade", "reason", "decided_by", "decided_at", "answers_changed_since",
)  # fmt: skip


def dispute_rows(lines: Iterable[QueueLine], *, names: bool) -> Iterator[tuple[object, ...]]:
    """One row a pair, as COLUMNS; None is an empty cell. Without `names` nothing says who said what."""
    for line in lines:
        moved, decided = line.influence, line.decided
        yield (
            line.topic,
            line.docno,
            str(line.state),
            "; ".join(_answers(line, names=names)),
            line.spread.distance,
            line.spread.mean,
            "yes" if line.spread.crosses else "no",
            moved.swaps if moved else None,
            moved.uneven if moved else None,
            moved.shift if moved else None,
            str(decided.decision) if decided else None,
            decided.grade if decided else None,
            decided.reason if decided else None,
            decided.by if decided else None,
            decided.at.isoformat(timespec="seconds") if decided else None,
            "yes" if line.changed else "no",
        )


def queue_json(found: Queue, lines: Iterable[QueueLine], *, names: bool) -> dict[str, Any]:
    """The counts, the settings and these lines of a queue as one JSON object."""
    rules = found.rules
    return {
        "disputed": found.total,
        "done": found.done,
        "counts": {str(state): found.counts[state] for state in State},
        "rules": {
            "difference": str(rules.difference),
            "steps": rules.steps,
            "beside_grades": rules.beside_grades,
            "machines": rules.machines,
            "names_hidden": rules.names_hidden,
            "measure": rules.measure,
        },
        "order": str(found.order),
        "pairs": [_line_json(line, names=names) for line in lines],
    }


def _line_json(line: QueueLine, *, names: bool) -> dict[str, Any]:
    moved, decided = line.influence, line.decided
    said = line.said if names else line.answers
    return {
        "topic": line.topic,
        "doc": line.docno,
        "state": str(line.state),
        "answers": [
            {"answer": str(one.answer), "grade": one.grade} | ({"assessor": one.assessor} if names else {})
            for one in said
        ],
        "distance": line.spread.distance,
        "mean_distance": line.spread.mean,
        "crosses_line": line.spread.crosses,
        "discussed": line.discussed,
        "answers_changed_since": line.changed,
        "influence": moved and {"swaps": moved.swaps, "uneven": moved.uneven, "shift": moved.shift},
        "decided": decided
        and {
            "decision": str(decided.decision),
            "grade": decided.grade,
            "reason": decided.reason,
            "by": decided.by,
            "at": decided.at.isoformat(timespec="seconds"),
        },
    }


def _answers(line: QueueLine, *, names: bool) -> Iterator[str]:
    for one in line.said if names else line.answers:
        yield f"{one.assessor}: {_word(one)}" if names else _word(one)


def _word(one: Judgment) -> str:
    return str(one.answer) if one.grade is None else str(one.grade)
