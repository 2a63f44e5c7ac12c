"""The content of the illustrative campaign: topics, documents, guidelines and reference grades."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from workbench.records import FOUR_GRADES, Document, Topic

CAMPAIGN_NAME = "Harbour town almanac (illustrative)"
CAMPAIGN_SCALE = FOUR_GRADES

GUIDELINES = """\
# How to judge

The documents come from the almanac of Wrackham, a harbour town that does not exist. Its library collects
what people know about gardens, boats, tides, fish and old walls. You say, for one document at a time, how
well it serves the reader who is described in the topic.

## Before you start

- Read the whole topic. The narrative says what counts and what does not, and it outweighs the title.
- Judge the document in front of you, not the one you saw before it. Two that say the same get the same grade.
- Judge what is written, not whether you agree with it or like its style.
- Read to the end. The answer may stand in the last paragraph, and the words of the topic may be missing.

## The grades

| Grade | Give it when | For *Sharpening edge tools by hand* |
|---|---|---|
| 0 Not relevant | it is about something else, even in the same words | the sharp bend in the lane |
| 1 Related | it is on the subject but does not help this reader | what the travelling grinder cried |
| 2 Relevant | it answers in part, in passing or for a special case | whetting a scythe |
| 3 Highly relevant | the answer is what the document is about | a kitchen knife on a flat stone |

Grades 2 and 3 count as relevant.

## When no grade fits

1. **Unsure**: you have read it and waver. Say so and leave a note; someone else will look.
2. **Cannot judge**: you are not able to read it, because of its language or because it is damaged.
3. **Skip**: you would rather come back to it later.

None of these means *not relevant*. If two grades seem equally right, choose the lower.
"""


@cache
def demo_topics() -> tuple[Topic, ...]:
    """The eight topics, ordered by id."""
    return tuple(
        Topic(row["id"], row["title"], row["description"], row["narrative"]) for row in _rows("topics.jsonl")
    )


@cache
def demo_documents() -> tuple[Document, ...]:
    """The documents, ordered by docno; two of them are HTML, the others plain text in paragraphs."""
    return tuple(Document(row["id"], row["title"], row["text"]) for row in _rows("documents.jsonl"))


@cache
def demo_truth() -> Mapping[tuple[str, str], int]:
    """The author's grade, 0 to 3, by (topic, docno); a pair that is absent is plainly not relevant.

    Pairs that are present with grade 0 are near misses: they share the topic's words, not its sense.
    """
    lines = _text("truth.tsv").splitlines()[1:]
    triples = (line.split("\t") for line in lines)
    return MappingProxyType({(topic, docno): int(grade) for topic, docno, grade in triples})


def _rows(name: str) -> list[dict[str, str]]:
    # Only "\n" ends a line of JSONL; str.splitlines would also break at separators inside a text.
    return [json.loads(line) for line in _text(name).split("\n") if line]


def _text(name: str) -> str:
    return files("workbench.demo").joinpath(name).read_text(encoding="utf-8")
