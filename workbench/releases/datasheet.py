"""`README.md` and `DATASHEET.md` of a release, and what is counted for them.

The datasheet answers what can be answered of the questions of datasheets for datasets from what is known.
Questions that only the organiser can answer stand there, marked as such: an empty answer that looks like one
would mislead. Source: Gebru et al. 2021, Datasheets for Datasets.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from workbench.figures import counted
from workbench.frozen import frozen_dataclass
from workbench.records import Answer, pair_of
from workbench.releases.contents import Included, ReleaseContents
from workbench.texts import filled_in


@frozen_dataclass
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
    machines = contents.machines
    gave = {one.assessor for one in contents.answers} | {one.assessor for one in contents.preferences}
    kinds = Counter(one.answer for one in current)
    by_people: dict[tuple[str, str], list[int]] = {}
    for one in current:
        if one.grade is not None and one.assessor not in machines:
            by_people.setdefault(pair_of(one), []).append(one.grade)
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
        adjudicated=sum(pair_of(one) in decided for one in lines),
        unsettled=contents.unsettled,
        lines=len(lines),
        relevant=sum(one.grade >= contents.rule.relevant_from for one in lines),
        by_grade=tuple(sorted(Counter(one.grade for one in lines).items())),
        preferences=len(contents.preferences),
    )


OPEN = "*For the organiser to answer.*"
# In the README, and in the datasheet.
_NOT_INCLUDED = {
    Included.DOCUMENTS: ("the documents' titles and texts", "the documents' texts are not included"),
    Included.ORIGINALS: (
        "the bytes that documents were read from",
        "the bytes that documents were read from are not included",
    ),
    Included.RUNS: ("the runs, of which the manifest has the hashes", "the runs are not included"),
    Included.COMMENTS: ("assessors' comments and reasons", "assessors' comments are not included"),
}


def readme(contents: ReleaseContents) -> str:
    """The text, in Markdown; ends with a line end."""
    threshold = contents.rule.relevant_from
    return _filled_in("README.md", contents, 0, threshold=threshold, measure=relevant_measure(threshold))


def datasheet(contents: ReleaseContents) -> str:
    """The datasheet in Markdown; ends with a line end."""
    return _filled_in("DATASHEET.md", contents, 1, OPEN=OPEN)


def _filled_in(name: str, contents: ReleaseContents, words: int, **values: Any) -> str:
    counts = release_counts(contents)
    return filled_in(
        "workbench.releases",
        f"{name}.jinja",
        contents=contents,
        about=contents.about,
        counts=counts,
        by_grade=dict(counts.by_grade),
        agreement=agreement_line(contents),
        left_out=[_NOT_INCLUDED[one][words] for one in Included if one not in contents.included],
        **values,
    )


def relevant_measure(threshold: int) -> str:
    """AP as ir_measures writes it for a relevance threshold, quoted where a shell would read it otherwise."""
    return "AP" if threshold == 1 else f"'AP(rel={threshold})'"


def agreement_line(contents: ReleaseContents) -> str:
    """The agreement of the assessors in one sentence, with n and interval, or why there is none."""
    found = next((one for one in contents.agreement if one.name == "pooled"), None)
    if found is None or found.value is None:
        reason = contents.agreement_undefined or (found.undefined if found else "")
        return f"Agreement is not known: {reason}." if reason else "Agreement is not known."
    interval = ""
    if found.low is not None and found.high is not None and found.level is not None:
        interval = f" ({found.level:.0%} interval {found.low:.2f} to {found.high:.2f})"
    return f"{found.label} {found.value:.2f}{interval} over {counted(found.n, 'pair')}."
