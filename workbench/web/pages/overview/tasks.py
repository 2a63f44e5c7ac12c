"""What waits for one person, in words and with its page: for the overview and the list of campaigns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from flask import url_for

from workbench.figures import counted
from workbench.web.pages.overview.todo import TodoItem
from workbench.workflow.overview.cards import OwnTask, TaskKind

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
