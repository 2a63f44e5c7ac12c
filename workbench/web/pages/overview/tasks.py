"""What waits for one person, in words and with its page: for the overview and the list of campaigns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from flask import url_for

from workbench.figures import counted
from workbench.web.pages.overview.todo import TodoItem
from workbench.workflow.overview.cards import OwnTask, TaskKind


@dataclass(frozen=True, slots=True)
class TaskWords:
    """A kind of task: what waits (one, several), what to do, and the endpoint of its page."""

    one: str
    several: str
    action: str
    endpoint: str


TASKS: Mapping[TaskKind, TaskWords] = {
    TaskKind.JUDGE: TaskWords(
        "document left for you to judge", "documents left for you to judge", "Judge", "judging.index"
    ),
    TaskKind.DISCUSS: TaskWords(
        "pair to discuss with colleagues", "pairs to discuss with colleagues", "Discuss", "discussions.index"
    ),
    TaskKind.COMPARE: TaskWords(
        "pair to compare side by side", "pairs to compare side by side", "Compare", "side_by_side.index"
    ),
    TaskKind.DECIDE: TaskWords(
        "disputed pair to decide", "disputed pairs to decide", "Decide", "adjudicating.desk"
    ),
    TaskKind.SUBMIT: TaskWords(
        "checked file not submitted yet", "checked files not submitted yet", "Review", "own_runs.index"
    ),
    TaskKind.SEND: TaskWords("run at least is expected of your group", "", "Upload runs", "own_runs.index"),
    TaskKind.READ: TaskWords(
        "judged pair to score runs on", "judged pairs to score runs on", "Scores", "scores.index"
    ),
}


def own_todo(tasks: Iterable[OwnTask], slug: str) -> tuple[TodoItem, ...]:
    """What waits for a person in a campaign, each with its link."""
    found = []
    for task in tasks:
        words = TASKS[task.kind]
        address = url_for(words.endpoint, slug=slug)
        text = f"{counted(task.count, words.one, words.several)}."
        found.append(TodoItem("For you", text, address, words.action, "good"))
    return tuple(found)
