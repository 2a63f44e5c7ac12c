"""Which ratings an agreement report includes, and what it leaves out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.options import AgreementOptions, Basis, Machines, Singles
from workbench.agreement.ratings import (
    CANNOT_JUDGE,
    MISSING,
    MOST_CATEGORIES,
    NO_ANSWER,
    UNSURE,
    AnswerCodes,
    Answers,
    Assessor,
    GivenGrades,
    Pair,
    Ratings,
)
from workbench.errors import WorkbenchError
from workbench.figures import counted
from workbench.frozen import frozen_dataclass


@frozen_dataclass
class Counts:
    """What is not included as a grade of its own.

    `unsure` and `cannot_judge` count answers, `singly` pairs that only one assessor graded, `expected` those
    of them that count towards the expected agreement, and nowhere else; `filled` counts the grades that stand
    for a missing answer on pairs that another judged, and `unlisted` the pairs that nobody judged and that
    count as not relevant.
    """

    unsure: int
    cannot_judge: int
    singly: int
    expected: int
    filled: int
    unlisted: int


@frozen_dataclass
class Shared:
    """How two assessors' work lies together: pairs that both graded, and that only one of them did."""

    both: int
    first_only: int
    second_only: int


def relevant_or_not(relevant_from: int) -> str:
    """What is compared where grades count only as relevant or not."""
    return f"relevant from grade {relevant_from} or not"


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The ratings included: `assessors` (rows) for pairs (`columns` of them), by topic, and in words.

    Pairs that only one judged are among them where they count towards the expected agreement; `n_pairs` and
    `n_topics` leave them out.
    `by_grade` holds the grades of the declared scale, highest first; `ratings` is the same where `graded`,
    else relevant (1) or not (0) from `relevant_from` on. `given` are the answers of these assessors to the
    pairs included and to others.
    """

    ratings: Ratings
    by_grade: Ratings
    assessors: tuple[Assessor, ...]
    columns: int
    topics: tuple[str, ...]
    n_topics: int
    relevant_from: int
    graded: bool
    basis: Basis
    counts: Counts
    sentence: str
    pairs: tuple[Pair, ...]
    given: AnswerCodes

    @property
    def grades_in_words(self) -> str:
        """Which grades are compared."""
        if self.graded:
            return f"grades {', '.join(map(str, sorted(self.by_grade.categories)))}"
        return relevant_or_not(self.relevant_from)

    @property
    def basis_name(self) -> str:
        """The basis as files name it, with whether pairs that only one judged count."""
        return f"{self.basis}, judged once counted" if self.counts.expected else str(self.basis)

    @property
    def n_pairs(self) -> int:
        """How many pairs are compared, with unjudged ones where these are included."""
        return self.columns - self.counts.expected + self.counts.unlisted

    def shared(self, first: int, second: int) -> Shared:
        """What two assessors (by number) share; unsure and cannot judge are no grades."""
        one, other = self.given[first] >= 0, self.given[second] >= 0
        return Shared(
            int(np.count_nonzero(one & other)),
            int(np.count_nonzero(one & ~other)),
            int(np.count_nonzero(other & ~one)),
        )

    def number(self, name: str) -> int:
        """The row of an assessor; raises WorkbenchError for a name that is not included."""
        for place, assessor in enumerate(self.assessors):
            if assessor.name == name:
                return place
        raise WorkbenchError(
            f"no grade of {name} is included", remedy="check the name, or include more topics"
        )


def select_ratings(answers: Answers, categories: Sequence[int], options: AgreementOptions) -> Selection:
    """The ratings of some answers on a declared scale that the options include.

    Assessors are those that the options name, or else all that `machines` includes. Under the basis `both` a
    pair is included that two or more of them graded, and as the option `singles` says one that only one did.
    Else it is enough that one did, and the others have the
    lowest grade there unless they answered that they were unsure or could not judge; where all others did,
    the pair is left out. With `all-documents` everybody has the lowest grade on all the rest of the
    `documents` of each topic too. Relevant is what has the options' threshold or more, 1 if they name none.
    Raises WorkbenchError where fewer than two assessors gave a grade, for an unknown name, for a grade
    outside the scale, for a scale of too many grades, and for too few documents.
    """
    basis = options.basis
    relevant_from = 1 if options.relevant_from is None else options.relevant_from
    if len(categories) > MOST_CATEGORIES:
        raise WorkbenchError(
            f"{len(categories)} different grades are too many to compare",
            remedy=f"reduce them to at most {MOST_CATEGORIES}, for example by rounding",
        )
    gave = np.count_nonzero(answers.grades >= 0, axis=1).tolist()
    rows = _chosen(answers.assessors, gave, options.assessors, options.machines)
    given = answers.grades if len(rows) == len(answers.assessors) else answers.grades[rows]
    kept = tuple(sorted(categories, reverse=True))
    lowest = len(kept) - 1
    grades = _grades(given, kept)
    graders = np.bincount(grades.pairs, minlength=len(answers.pairs))
    singly = int(np.count_nonzero(graders == 1))
    filled = 0
    once = _counted_once(options, len(rows))
    there = included = graders >= (2 if basis is Basis.BOTH and not once else 1)
    codes = None
    if basis is not Basis.BOTH:
        codes = Ratings.of_given(grades, given.shape, kept, answers.topics, len(answers.topic_names)).codes
        silent = (given == NO_ANSWER) & included
        codes[silent] = lowest
        # Where all others were unsure there is nothing to agree with, but their grades would weigh on chance.
        included = included & (np.count_nonzero(codes != MISSING, axis=0) >= 2)
        filled = int(np.count_nonzero(silent & included))
    # A topic with a grade is one of those whose other documents are all included.
    # As np.unique has them, which imports masked arrays.
    places = np.flatnonzero(np.bincount(answers.topics[there if basis is Basis.ALL else included]))
    numbers = np.searchsorted(places, answers.topics[included]).astype(np.int64)
    unlisted = _unlisted(answers, given, places, options.documents) if basis is Basis.ALL else None
    columns = int(np.count_nonzero(included))
    if codes is None:
        shape = len(rows), columns
        by_grade = Ratings.of_given(grades.within(included), shape, kept, numbers, len(places))
    else:
        # Row by row in memory, as a choice by truth values would not leave it.
        by_grade = Ratings(codes.compress(included, axis=1), kept, numbers, len(places), unlisted)
    counts = Counts(
        unsure=int(np.count_nonzero(given == UNSURE)),
        cannot_judge=int(np.count_nonzero(given == CANNOT_JUDGE)),
        singly=singly,
        expected=singly if once else 0,
        filled=filled,
        unlisted=0 if unlisted is None else int(unlisted.sum()),
    )
    assessors = tuple(answers.assessors[row] for row in rows)
    return Selection(
        ratings=by_grade if options.graded else by_grade.from_grade(relevant_from),
        by_grade=by_grade,
        assessors=assessors,
        columns=columns,
        topics=tuple(answers.topic_names[place] for place in places),
        n_topics=len(np.unique(answers.topics[included & (graders >= 2)])) if once else len(places),
        relevant_from=relevant_from,
        graded=options.graded,
        basis=basis,
        counts=counts,
        sentence=_sentence(columns - counts.expected, assessors, counts, len(places), options),
        pairs=answers.pairs if included.all() else tuple(compress(answers.pairs, included.tolist())),
        given=given,
    )


def _chosen(
    assessors: Sequence[Assessor], gave: Sequence[int], names: Collection[str] | None, machines: Machines
) -> list[int]:
    """The numbers of those included, of whom each `gave` a grade: who is named, or all of a kind."""
    known = {one.name for one in assessors}
    if unknown := sorted(set(names or ()) - known):
        raise WorkbenchError(
            f"{', '.join(unknown)} {'is not an assessor' if len(unknown) == 1 else 'are not assessors'} here",
            remedy="use names from the list of assessors",
        )
    kinds = {Machines.APART: (False,), Machines.ONLY: (True,), Machines.AMONG: (False, True)}[machines]
    rows = [
        row
        for row, one in enumerate(assessors)
        if gave[row] and (one.machine in kinds if names is None else one.name in names)
    ]
    if len(rows) < 2:
        who = {Machines.APART: "people", Machines.ONLY: "machines"}.get(machines, "assessors")
        raise WorkbenchError(
            f"agreement needs two {who if names is None else 'assessors'} who gave grades",
            remedy="wait for a second, or include machines" if names is None else "choose two others",
        )
    return rows


def _counted_once(options: AgreementOptions, assessors: int) -> bool:
    """Whether pairs that only one judged count towards the expected agreement of so many assessors."""
    if options.basis is not Basis.BOTH or options.singles is Singles.LEFT_OUT:
        return False
    return options.singles is Singles.COUNTED or assessors > 2


def _grades(given: AnswerCodes, categories: tuple[int, ...]) -> GivenGrades:
    """The grades among some answers, assessor by assessor, as places in the categories."""
    at = np.flatnonzero(given.ravel() >= 0)
    assessors, pairs = np.divmod(at, max(given.shape[1], 1))
    values = given.ravel()[at]
    codes = np.full(len(at), MISSING, dtype=np.int8)
    for place, category in enumerate(categories):
        codes[values == category] = place
    strange = values[codes == MISSING]
    if strange.size:
        raise WorkbenchError(
            f"grade {strange[0]} is not on the scale",
            remedy=f"use one of {', '.join(map(str, categories))}",
        )
    return GivenGrades(assessors.astype(np.int32), pairs.astype(np.int32), codes)


def _unlisted(
    answers: Answers, given: AnswerCodes, places: NDArray[np.int64], documents: int | None
) -> NDArray[np.int64]:
    """How many documents of each topic nobody judged."""
    answered = (given != NO_ANSWER).any(axis=0)
    listed = np.bincount(answers.topics[answered], minlength=len(answers.topic_names))[places]
    if documents is None:
        raise WorkbenchError(
            "the number of documents is not known",
            remedy="load the documents or the list of docnos, or give the number",
        )
    if listed.size and listed.max() > documents:
        worst = answers.topic_names[places[int(listed.argmax())]]
        raise WorkbenchError(
            f"topic {worst} has judgments of {listed.max()} documents, but the collection has only "
            f"{documents}",
            remedy="give the number of all documents in the collection",
        )
    return documents - listed


def _sentence(
    n: int, assessors: Sequence[Assessor], counts: Counts, topics: int, options: AgreementOptions
) -> str:
    """What is included, in words: `n` pairs of so many topics."""
    machines = sum(one.machine for one in assessors)
    who = "machines" if machines == len(assessors) else "assessors" if machines else "people"
    pairs = f"{counted(n, 'pair')} of topic and document"
    if options.basis is Basis.BOTH:
        of_them = "both" if len(assessors) == 2 else f"two or more of {len(assessors)} {who}"
        return f"{pairs} that {of_them} judged; {_of_singles(options, len(assessors))}"
    if options.basis is Basis.LISTED:
        return (
            f"{pairs} that any of {len(assessors)} {who} judged; a missing judgment counts as the "
            "lowest grade"
        )
    documents = options.documents or 0
    count, whole = n + counts.unlisted, topics * documents
    # Pairs of which all but one, or all, were unsure are missing.
    many = f"all {count:,}" if count == whole else f"{count:,} of all {whole:,}"
    return (
        f"{many} pairs of {counted(topics, 'topic')} and "
        f"{documents:,} documents; missing judgments of the {len(assessors)} {who} count as not relevant"
    )


def _of_singles(options: AgreementOptions, assessors: int) -> str:
    """What became of the pairs that only one judged, and by which source."""
    source = " (Gwet 2014)" if assessors > 2 or options.singles is Singles.COUNTED else ""
    if _counted_once(options, assessors):
        return f"pairs that only one judged count towards expected agreement{source}, except for alpha"
    return "pairs that only one judged are left out"
