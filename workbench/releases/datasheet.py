"""`DATASHEET.md` of a release: the questions of datasheets for datasets that can be answered from what is
known.

Questions that only the organiser can answer stand there, marked as such: an empty answer that looks like one
would mislead. Source: Gebru et al. 2021, Datasheets for Datasets.
"""

from __future__ import annotations

from collections.abc import Iterator

from workbench.releases.contents import Included, ReleaseContents
from workbench.releases.counts import ReleaseCounts, release_counts
from workbench.releases.readme import agreement_line

OPEN = "*For the organiser to answer.*"


def datasheet(contents: ReleaseContents) -> str:
    """The datasheet in Markdown; ends with a line end."""
    counts = release_counts(contents)
    lines = [f"# Datasheet of {contents.about.title}, version {contents.about.version}"]
    for title, questions in (
        ("Motivation", _motivation(contents)),
        ("Composition", _composition(contents, counts)),
        ("Collection process", _process(contents, counts)),
        ("Labelling", _labelling(contents, counts)),
        ("Uses", _uses(counts)),
        ("Distribution and maintenance", _distribution(contents)),
    ):
        lines += ["", f"## {title}"]
        for question, answer in questions:
            lines += ["", f"**{question}**", "", answer or OPEN]
    return "\n".join(lines) + "\n"


Questions = Iterator[tuple[str, str]]


def _motivation(contents: ReleaseContents) -> Questions:
    yield "For what purpose was the collection made?", contents.about.description
    yield "Who made it?", ", ".join(contents.about.authors)
    yield "Who funded it?", ""


def _composition(contents: ReleaseContents, counts: ReleaseCounts) -> Questions:
    grades = ", ".join(
        f"{one.value} ({one.label}): {dict(counts.by_grade).get(one.value, 0):,}"
        for one in contents.scale.grades
    )
    yield (
        "What is in it, and how much?",
        f"{counts.topics:,} topics, of which {counts.topics_judged:,} have qrels; "
        f"{counts.documents:,} documents that "
        f"were pooled or judged; {counts.lines:,} graded pairs of a topic and a document, "
        f"{counts.relevant:,} of them "
        f"relevant (grade {contents.rule.relevant_from} or higher).",
    )
    yield "Which grades are there?", f"{grades}." if grades else ""
    yield (
        "Is it a sample?",
        f"Not every document was judged for every topic. {_pools(contents)} Of {counts.pooled:,} "
        "pooled pairs "
        f"{counts.unjudged:,} have no grade.",
    )
    yield "Is anything missing?", _missing(contents)
    yield (
        "Are there errors or noise?",
        f"{agreement_line(contents)} {counts.disputed:,} of {counts.shared:,} pairs that two or more "
        "people graded have "
        "different grades and no decision.",
    )
    yield "Does it hold what is confidential, offensive or personal?", ""


def _process(contents: ReleaseContents, counts: ReleaseCounts) -> Questions:
    yield "Where do the topics and documents come from?", ""
    yield (
        "How were the pairs chosen?",
        f"From {counts.runs:,} runs{f' of {counts.groups:,} groups' if counts.groups else ''}. "
        f"{_pools(contents)}",
    )
    times = sorted(one.recorded_at for one in contents.answers)
    yield (
        "Over what time?",
        f"Answers were recorded from {times[0]:%d %B %Y} to {times[-1]:%d %B %Y}." if times else "",
    )
    yield "Who was involved, and how were they paid?", ""
    yield "Was there an ethical review, and did people consent?", ""


def _labelling(contents: ReleaseContents, counts: ReleaseCounts) -> Questions:
    machines = f", and {counts.machines:,} machines, marked as such" if counts.machines else ""
    yield (
        "Who judged?",
        f"{counts.assessors:,} people, known here by pseudonyms{machines}. They gave "
        f"{counts.grades:,} grades, answered "
        f"{counts.unsure:,} times that they were unsure and {counts.cannot_judge:,} times that they "
        "could not judge.",
    )
    words = (
        "The guidelines are in `guidelines.md`"
        if contents.guidelines.strip()
        else "No guidelines were written"
    )
    yield "What were they told?", f"{words}; the grades' definitions are in `manifest.json`."
    yield (
        "How does one grade come from several?",
        f"By the rule: {contents.rule.label}. {counts.adjudicated:,} of {counts.lines:,} grades are "
        f"an adjudicator's; {_front(counts)}"
        f"{counts.unsettled:,} judged pairs got no grade.",
    )
    yield "Are the raw answers kept?", "Yes: `judgments.jsonl` has every answer with its time."


def _front(counts: ReleaseCounts) -> str:
    """What a queue that was not finished says of the decisions in it: they are no sample of all."""
    if not (counts.adjudicated and counts.disputed):
        return ""
    return (
        f"{counts.disputed:,} disputed pairs are not decided, and those decided came first since they could "
        "change most, so that how often an adjudicator changed a grade is not typical of all; "
    )


def _uses(counts: ReleaseCounts) -> Questions:
    yield (
        "What has it been used for?",
        f"To compare {counts.runs:,} runs, whose hashes are in `manifest.json`.",
    )
    yield (
        "What should one know before using it?",
        "Documents that were not pooled were not judged: a run that did not contribute may find "
        "relevant documents "
        "that count as not relevant.",
    )
    yield "What should it not be used for?", ""


def _distribution(contents: ReleaseContents) -> Questions:
    about = contents.about
    yield "Under which licence?", about.licence
    yield "Where is it, and how is it cited?", about.citation
    yield "Who maintains it, and how are errors reported?", about.homepage
    yield (
        "Will it be changed?",
        f"This is version {about.version}. A version is never changed; a correction is a version of its own.",
    )


def _pools(contents: ReleaseContents) -> str:
    if not contents.pools:
        return "No pool was opened."
    made = "; ".join(
        f"{pool.name} ({pool.recipe.get('strategy', '')}, {len(pool.entries):,} pairs)"
        for pool in contents.pools
    )
    return f"Pools: {made}."


def _missing(contents: ReleaseContents) -> str:
    words = {
        Included.DOCUMENTS: "the documents' texts are not included",
        Included.ORIGINALS: "the bytes that documents were read from are not included",
        Included.RUNS: "the runs are not included",
        Included.COMMENTS: "assessors' comments are not included",
    }
    missing = [words[one] for one in Included if one not in contents.included]
    return f"{'; '.join(missing).capitalize()}." if missing else "Nothing that was collected is left out."
