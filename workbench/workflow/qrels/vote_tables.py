"""The votes of a campaign as the table that rules are applied to, made of its judgment log."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from workbench.consensus.rule import Pair
from workbench.consensus.votes import Votes, VoteTable
from workbench.records import Scale, id_bytes, sorted_ids
from workbench.workflow.log import TopicAnswers, no_answers


@dataclass(frozen=True, slots=True, eq=False)
class JudgedTopics:
    """The current answers of a campaign by topic, and its assessors: id, name, whether a machine."""

    answers: Mapping[str, TopicAnswers]
    assessors: tuple[tuple[int, str, bool], ...]


def judged_table(
    judged: JudgedTopics, scale: Scale, decided: Mapping[Pair, int], counted: Collection[str]
) -> VoteTable:
    """The table of the counted assessors' judgments, as `vote_table` makes it of them as records.

    Raises WorkbenchError for a grade outside the scale.
    """
    names = sorted(counted)
    numbers = {name: number for number, name, _ in judged.assessors}
    place = {numbers[name]: at for at, name in enumerate(names)}
    of_topics: dict[str, set[str]] = {}
    for topic, docno in decided:
        of_topics.setdefault(topic, set()).add(docno)
    pairs: list[Pair] = []
    columns = [np.zeros((3, 0), np.int64)]
    for topic in sorted_ids({*judged.answers, *of_topics}):
        answers = judged.answers.get(topic) or no_answers(topic)
        who = np.array([place.get(one, -1) for one in answers.assessors.tolist()], np.int64)
        every, seen = answers.docnos, np.unique(answers.places[who >= 0]).tolist()
        docnos = sorted({every[at] for at in seen} | of_topics.get(topic, set()), key=id_bytes)
        row = {docno: number for number, docno in enumerate(docnos, start=len(pairs))}
        rows = np.array([row.get(docno, -1) for docno in every], np.int64)
        pairs += [(topic, docno) for docno in docnos]
        columns.append(np.stack([rows[answers.places], who, answers.codes])[:, who >= 0])
    rows, who, codes = np.concatenate(columns, axis=1)
    # The answers to a document stand by the ids of assessors, and here by their names.
    order = np.lexsort((who, rows))
    judged_rows = np.bincount(rows, minlength=len(pairs)) > 0
    graded = order[codes[order] >= 0]
    rows, who, codes = rows[graded], who[graded], codes[graded]
    for outside in codes[~np.isin(codes, [one.value for one in scale.grades])][:1].tolist():
        scale.grade(outside)
    graders, who = np.unique(who, return_inverse=True)
    values, grades = np.unique(codes, return_inverse=True)
    number = {pair: at for at, pair in enumerate(pairs)}
    return VoteTable(
        tuple(pairs),
        tuple(names[at] for at in graders.tolist()),
        values,
        Votes(rows, who, grades, len(pairs), len(graders), len(values)),
        judged_rows,
        dict(sorted((number[pair], grade) for pair, grade in decided.items())),
        scale.relevant_from,
    )
