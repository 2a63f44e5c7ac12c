"""How much is in a release: the counts that its manifest, its texts and the list of releases show."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from workbench.records import Answer
from workbench.releases.contents import ReleaseContents


@dataclass(frozen=True, slots=True)
class ReleaseCounts:
    """Counts of a release. `lines` are those of the qrels, on `topics_judged` of the `topics`.

    `assessors` and `machines` are those who gave an answer or a preference. Of the `lines` `relevant` are
    relevant and `adjudicated` an adjudicator's; `by_grade` counts them by grade, ascending. `unsettled`
    judged pairs got no grade from the rule, `disputed` of all pairs have different grades of people and no
    decision, `unjudged` of the `pooled` pairs have no line. `graded` pairs have a grade of a person,
    `shared` of them of two or more.
    """

    topics: int
    topics_judged: int
    documents: int
    runs: int
    groups: int
    pools: int
    pooled: int
    unjudged: int
    assessors: int
    machines: int
    grades: int
    unsure: int
    cannot_judge: int
    graded: int
    shared: int
    disputed: int
    adjudicated: int
    unsettled: int
    lines: int
    relevant: int
    by_grade: tuple[tuple[int, int], ...]
    preferences: int


def release_counts(contents: ReleaseContents) -> ReleaseCounts:
    """The counts of a release."""
    current = contents.current()
    machines = {one.pseudonym for one in contents.assessors if one.machine}
    gave = {one.assessor for one in contents.answers} | {one.assessor for one in contents.preferences}
    kinds = Counter(one.answer for one in current)
    by_people: dict[tuple[str, str], list[int]] = {}
    for one in current:
        if one.grade is not None and one.assessor not in machines:
            by_people.setdefault((one.topic, one.docno), []).append(one.grade)
    decided = contents.decided()
    pooled, lines = contents.pooled(), contents.qrels
    return ReleaseCounts(
        topics=len(contents.topics),
        topics_judged=len({one.topic for one in lines}),
        documents=len(contents.documents),
        runs=len(contents.runs),
        groups=len({run.group for run in contents.runs if run.group}),
        pools=len(contents.pools),
        pooled=len(pooled),
        unjudged=len(contents.unjudged()),
        assessors=sum(one.pseudonym in gave - machines for one in contents.assessors),
        machines=len(machines & gave),
        grades=kinds[Answer.GRADE],
        unsure=kinds[Answer.UNSURE],
        cannot_judge=kinds[Answer.CANNOT_JUDGE],
        graded=len(by_people),
        shared=sum(len(grades) > 1 for grades in by_people.values()),
        disputed=sum(len(set(grades)) > 1 and pair not in decided for pair, grades in by_people.items()),
        adjudicated=sum((one.topic, one.docno) in decided for one in lines),
        unsettled=contents.unsettled,
        lines=len(lines),
        relevant=sum(one.grade >= contents.rule.relevant_from for one in lines),
        by_grade=tuple(sorted(Counter(one.grade for one in lines).items())),
        preferences=len(contents.preferences),
    )
