"""`README.md` of a release: what it is, how to cite it, how to score a run in one line, what each file is."""

from __future__ import annotations

from workbench.releases.contents import Included, ReleaseContents
from workbench.releases.counts import release_counts

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
    ("guidelines.md", "what the assessors were told"),
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
    missing = [words[one] for one in Included if one not in contents.included]
    return ["", f"Not included: {'; '.join(missing)}."] if missing else []
