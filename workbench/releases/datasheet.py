"""`README.md` and `DATASHEET.md` of a release, and what is counted for them.

The datasheet answers what can be answered of the questions of datasheets for datasets from what is known.
Questions that only the organiser can answer stand there, marked as such: an empty answer that looks like one
would mislead. Source: Gebru et al. 2021, Datasheets for Datasets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from workbench.frozen import frozen_dataclass
from workbench.records import Answer, pair_of
from workbench.releases.contents import Included, ReleaseContents


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


_FILES = (
    ("qrels.txt", "one grade for each pair: nothing but qrels lines, as trec_eval reads them"),
    ("qrels_unjudged.txt", "the same, with -1 for pairs that were pooled and have no grade"),
    ("qrels/", "the grades of each assessor, by pseudonym"),
    ("qrels_jg", "the grades of all assessors as judgment groups (trec_eval -R qrels_jg)"),
    ("judgments.tsv", "the current answers of all assessors, unsure and cannot judge among them"),
    (
        "judgments.jsonl",
        "the whole history of answers, with times, annotations and the hash of the text shown",
    ),
    ("adjudications.jsonl", "the whole history of decisions, with the answers that the adjudicator saw"),
    ("preferences.jsonl, prefs.txt", "what was preferred side by side (trec_eval -R prefs)"),
    ("topics.jsonl", "the topics"),
    ("documents.jsonl", "the documents that were pooled or judged, with the SHA-256 of the text shown"),
    ("originals/", "the bytes that these documents were read from, by their SHA-256, if they are included"),
    ("guidelines.md", "what the assessors were told last"),
    ("instructions.jsonl", "every version of the guidelines and the scale, to which the answers refer"),
    ("pools.json, pools/", "how each pool was made (strategy, seed, runs), and its pairs"),
    ("sampled/", "of sampled pools: prels with strata for xinfAP, qrels with -1 for infAP"),
    ("beir/", "the folder that BEIR's loader reads; its corpus only with documents"),
    ("ir_datasets_definition.py", "registers the release with ir_datasets, from this folder or the zip"),
    ("croissant.json, CITATION.cff", "Croissant metadata, and the citation for programs"),
    ("manifest.json", "counts, agreement, rule, runs and their hashes, and the SHA-256 of every file"),
    ("DATASHEET.md", "what the collection is for, and how it was made"),
    ("SHA256SUMS", "checksums: `sha256sum -c SHA256SUMS`"),
)


def readme(contents: ReleaseContents) -> str:
    """The text, in Markdown; ends with a line end."""
    about, counts = contents.about, release_counts(contents)
    threshold = contents.rule.relevant_from
    lines = [
        f"# {about.title}, version {about.version}",
        "",
        *([about.description, ""] if about.description else []),
        f"{counts.lines:,} judged pairs on {counts.topics_judged:,} of {counts.topics:,} topics, "
        f"{counts.relevant:,} of them relevant (grade {threshold} or higher).",
        f"Rule of the qrels: {contents.rule.label}. {agreement_line(contents)}",
        "",
        "## How to cite it",
        "",
        about.citation,
        "",
        *([f"Licence: {about.licence}", ""] if about.licence else []),
        "## How to score a run",
        "",
        "    ir_measures qrels.txt my.run nDCG@10 " + relevant_measure(threshold),
        "",
        "## What is in it",
        "",
        *(f"- `{name}`: {words}" for name, words in _FILES),
        *_left_out(contents),
        "",
        f"Made with Workbench {about.software}. `workbench release check FILE.zip` checks every byte.",
    ]
    return "\n".join(lines) + "\n"


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
    return f"{found.label} {found.value:.2f}{interval} over {found.n:,} pairs."


def _left_out(contents: ReleaseContents) -> list[str]:
    words = {
        Included.DOCUMENTS: "the documents' titles and texts",
        Included.ORIGINALS: "the bytes that documents were read from",
        Included.RUNS: "the runs, of which the manifest has the hashes",
        Included.COMMENTS: "assessors' comments and reasons",
    }
    missing = _not_included(contents, words)
    return ["", f"Not included: {missing}."] if missing else []


def _not_included(contents: ReleaseContents, words: Mapping[Included, str]) -> str:
    return "; ".join(words[one] for one in Included if one not in contents.included)


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
    organisers = [one.pseudonym for one in contents.assessors if one.organiser]
    seen = (
        f" {', '.join(organisers)} also organised the campaign and could see everybody's answers."
        if organisers
        else ""
    )
    yield (
        "Who judged?",
        f"{counts.assessors:,} people, known here by pseudonyms{machines}.{seen} They gave "
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
    missing = _not_included(contents, words)
    return f"{missing.capitalize()}." if missing else "Nothing that was collected is left out."
