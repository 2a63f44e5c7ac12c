"""The topics of a score table by difficulty, or by how far the runs disagree on them."""

from __future__ import annotations

from workbench.consensus.rules import choice_label
from workbench.scoring.topic_difficulty import TopicTable, topic_table
from workbench.workflow.scores.run_profile import relevant_by_topic
from workbench.workflow.scores.score_table import ScoreTable


def table_topics(found: ScoreTable, shown: str, order: str = "difficulty") -> TopicTable:
    """The topics of a table, which must be whole; raises WorkbenchError for an unknown order."""
    label, relevant = choice_label(found.qrels.choice), relevant_by_topic(found, shown)
    return topic_table(found.runs, shown, order, relevant=relevant, qrels=label)
