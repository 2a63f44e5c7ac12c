"""Agreement over time: by position in the sitting and by day, assessor by assessor."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, count

import numpy as np
from sqlalchemy.orm import Session

from workbench.agreement.assessor_times import AssessorTime, assessor_time
from workbench.agreement.contingency import MISSING
from workbench.agreement.drift import INTERVALS
from workbench.agreement.intervals import LEVEL
from workbench.agreement.options import AgreementOptions
from workbench.agreement.timelines import Bin, Timeline
from workbench.errors import Finding, InvalidInput
from workbench.storage.engine import WRITES
from workbench.workflow.agreement.screen_answers import ScreenAnswers, screen_answers
from workbench.workflow.agreement.selection import ComparedGrades, compared_grades, judgments_version
from workbench.workflow.caching import Cache
from workbench.workflow.judging.current_judgments import recorded_version
from workbench.workflow.kept_results import KeptResults
from workbench.workflow.pools.current_answers import answers_by_topic, changes_of
from workbench.workflow.pools.topic_answers import TopicAnswers


def _timelines(
    answers: Mapping[str, TopicAnswers],
    found: Mapping[str, ScreenAnswers],
    people: Collection[int],
    asked: Iterable[int],
    grades: ComparedGrades,
) -> Iterator[tuple[int, Timeline]]:
    """The timelines of those asked, judging on the screen, against the other people's current answers.

    Both are by topic; people are given by their ids, and timelines come in the order of those asked.
    """
    if not found:
        return
    place = {grade: grades.categories.index(grades.category(grade)) for grade in grades.scale}
    # The last one is of an answer without a grade.
    codes = np.full(max(grades.scale) + 2, MISSING, dtype=np.int64)
    codes[list(place)] = list(place.values())
    q = len(grades.categories)
    several = found.values()
    others = np.concatenate([one.others(answers[name], people, codes, q) for name, one in found.items()])
    given = codes[np.concatenate([one.grades for one in several])]
    moments, seconds, assessors, events = (
        np.concatenate([getattr(one, part) for one in several])
        for part in ("moments", "seconds", "assessors", "events")
    )
    topics = np.repeat(np.arange(len(found)), [len(one.events) for one in several])
    # Who recorded two answers at one moment recorded that of the earlier event first.
    order = np.lexsort((events, moments, assessors))
    sorted_by = assessors[order]
    for number in asked:
        own = order[slice(*np.searchsorted(sorted_by, (number, number + 1)))]
        if not len(own):
            continue
        # Topics are numbered as they come up, so that it depends on no other topic which come first.
        _, first, which = np.unique(topics[own], return_index=True, return_inverse=True)
        yield (
            number,
            Timeline(
                moments=moments[own],
                codes=given[own].astype(np.int8),
                others=others[own].astype(np.int64),
                seconds=seconds[own],
                topics=np.argsort(np.argsort(first))[which],
            ),
        )


TIME_COLUMNS = (
    "assessor", "by", "from", "judgments", "compared", "agreement", "agreement_low", "agreement_high",
    "pooled", "share_relevant", "median_seconds", "slope", "slope_low", "slope_high", "p", "undefined",
    "would_define", "interval", "level", "rounds", "seed",
)  # fmt: skip
NOBODY_ELSE = ("nobody else graded these pairs", "give the topics to a second assessor")
"""Why nothing of a bin can be compared, and what would."""


@dataclass(frozen=True, slots=True)
class TimeReport:
    """Every person who judged here, by name; grades are relevant or not from a line unless `graded`.

    `imported` people are left out: a file does not say when each pair was judged. Of `waiting` people nothing
    is known yet: asked again, more of them are.
    """

    assessors: tuple[AssessorTime, ...]
    grades: ComparedGrades
    options: AgreementOptions
    imported: tuple[str, ...]
    waiting: int = 0

    def share_relevant(self, found: Bin) -> float | None:
        """The share of relevant ones among the grades of a bin, None without any."""
        graded = zip(found.grades, self.grades.categories, strict=True)
        relevant = sum(n for n, grade in graded if grade >= self.grades.lowest_relevant)
        return relevant / sum(found.grades) if sum(found.grades) else None


@dataclass(frozen=True, slots=True)
class PersonTime:
    """What is known of a person's judging on the screen, None where there was none; the name is left out."""

    found: AssessorTime | None


AT_ONCE = 10
"""People of whom a page that is to come soon computes before it looks at the clock."""
# One asks for an assessor after the other, and for the files.
_REPORTS: Cache[Hashable, TimeReport] = Cache(4)
_PEOPLE: Cache[Hashable, PersonTime] = Cache(2048)
"""By the topics that a person judged, as they were read: a save changes those who judged its topic."""
_ASSESSORS: Cache[Hashable, AssessorTime] = Cache(2048)
"""By a hash of all that is computed of a person: of those, the few who judged the same pair."""
_RESULTS = KeptResults(
    PersonTime, "agreement", "workflow/agreement/screen_answers.py", "workflow/agreement/timelines.py"
)
_SERIALS = count()


def over_time(
    db: Session, campaign_id: int, options: AgreementOptions, *, seconds: float | None = None
) -> TimeReport:
    """The timeline of everybody's judgments on the screen, against the other people's current answers.

    Where computing it takes longer than so many `seconds`, it is of those people who are known by then.

    A pause of the options' `gap_minutes` or more begins a new sitting; every pair counts once, at the moment
    of the current answer. Raises InvalidInput for a threshold, a bin or a pause that cannot be.
    """
    grades = compared_grades(db, campaign_id, relevant_from=options.relevant_from, graded=options.graded)
    bin_size, gap = options.bin_size, options.gap_minutes
    if not 1 <= bin_size <= 1000 or not 1 <= gap <= 24 * 60:
        message = f"bins of {bin_size} judgments and pauses of {gap} minutes are not possible"
        remedy = "give 1 to 1,000 judgments and 1 to 1,440 minutes"
        raise InvalidInput([Finding("Agreement", None, "bin", message, remedy)])
    version = judgments_version(db, campaign_id)
    key = version, repr(grades), repr(options)
    known = _REPORTS.peek(key)
    if known is not None:
        return known
    found = _report(db, campaign_id, grades, options, seconds)
    if not found.waiting:
        _REPORTS.put(key, found)
    return found


def _report(
    db: Session, campaign_id: int, grades: ComparedGrades, options: AgreementOptions, seconds: float | None
) -> TimeReport:
    version = recorded_version(db, campaign_id)
    people = {number: name for number, name, machine in version.assessors if not machine}
    answers = answers_by_topic(db, campaign_id)
    # What a transaction sees that writes, or that is behind others, must not be kept under what is newer.
    shared = WRITES not in db.info and changes_of(db, campaign_id) >= 0
    drawn = options.bin_size, options.gap_minutes, options.rounds, options.seed
    topics = _topics_of_people(answers, people, [number for number, _ in version.newest])
    read = {topic: (one.keep("serial", _serial), _among(one, people)) for topic, one in answers.items()}
    keys = {
        number: (number, tuple(read[topic] for topic in own), grades, drawn) for number, own in topics.items()
    }
    known = {number: _PEOPLE.peek(key) for number, key in keys.items()} if shared else {}
    missing = [number for number in topics if known.get(number) is None]
    newest, sources = dict(version.newest), dict[int, Hashable]()
    if shared and missing:
        sources = {
            number: (number, newest[number], _digest(answers, people, topics[number]), grades, drawn)
            for number in missing
        }
        kept = _RESULTS.find(db, campaign_id, sources.values())
        known |= {number: kept[source] for number, source in sources.items() if source in kept}
    unknown = [number for number in missing if known.get(number) is None]
    # Only of what is kept somebody who asks again finds more.
    portion = AT_ONCE if shared and seconds is not None else max(1, len(unknown))
    begin, everybody = time.monotonic(), [number for number, _, _ in version.assessors]
    for start in range(0, len(unknown), portion):
        if start and seconds is not None and time.monotonic() - begin >= seconds:
            break
        some = unknown[start : start + portion]
        needed = set(chain.from_iterable(topics[number] for number in some))
        own = {topic: one for topic, one in answers.items() if topic in needed}
        on_screen = screen_answers(db, campaign_id, own, everybody)
        made = dict.fromkeys(some, PersonTime(None))
        relevant = tuple(one >= grades.lowest_relevant for one in grades.categories)
        for number, timeline in _timelines(own, on_screen, people, some, grades):
            make = partial(assessor_time, people[number], timeline, relevant, options)
            made[number] = PersonTime(_ASSESSORS.get((number, timeline.digest(), grades, *drawn), make))
        known |= made
        if shared:
            _RESULTS.keep(db, campaign_id, {sources[one]: _without_name(made[one]) for one in made})
    waiting = {number for number in unknown if known.get(number) is None}
    if shared:
        for number in missing:
            if number not in waiting:
                _PEOPLE.put(keys[number], known[number] or PersonTime(None))
    found = {number: one.found for number, one in known.items() if one is not None and one.found is not None}
    answered = {number for one in answers.values() for number in one.keep("who", _who)}
    named = ((found[number], name) for number, name in people.items() if number in found)
    return TimeReport(
        assessors=tuple(replace(one, name=name) for one, name in named),
        grades=grades,
        options=options,
        imported=tuple(
            sorted({people[number] for number in (answered & people.keys()) - found.keys() - waiting})
        ),
        waiting=len(waiting),
    )


def _who(answers: TopicAnswers) -> tuple[int, ...]:
    return tuple(np.unique(answers.assessors).tolist())


def _serial(_: TopicAnswers) -> int:
    return next(_SERIALS)


def _among(answers: TopicAnswers, people: Mapping[int, str]) -> tuple[int, ...]:
    """The people who have answers in a topic."""
    return tuple(number for number in answers.keep("who", _who) if number in people)


def _topics_of_people(
    answers: Mapping[str, TopicAnswers], people: Mapping[int, str], active: Sequence[int]
) -> dict[int, list[str]]:
    """The topics on which each of the people who ever answered may have judged, in the order of people."""
    found: dict[int, list[str]] = {number: [] for number in people if number in set(active)}
    for topic, one in answers.items():
        # Whose answers were all withdrawn in a discussion has none that is current.
        for number in found if one.discussed else _among(one, people):
            found[number].append(topic)
    return {number: topics for number, topics in found.items() if topics}


def _digest(answers: Mapping[str, TopicAnswers], people: Mapping[int, str], topics: Sequence[str]) -> str:
    """A hash of the current answers to some topics, and of who of those who gave them are people."""
    parts = [(topic, answers[topic].keep("digest", TopicAnswers.digest)) for topic in topics]
    whole = repr([(*part, _among(answers[part[0]], people)) for part in parts])
    return hashlib.sha256(whole.encode("utf-8", "surrogateescape")).hexdigest()


def _without_name(one: PersonTime) -> PersonTime:
    # Somebody's data can be deleted, and what is kept must not name them.
    return one if one.found is None else PersonTime(replace(one.found, name=""))


def time_rows(report: TimeReport) -> Iterator[tuple[object, ...]]:
    """The report as rows of TIME_COLUMNS, with all digits: every assessor's bins, days and trends.

    Of a trend `compared` are the values that it goes through; its slope is by one judgment, or by one day.
    """
    for one in report.assessors:
        labelled: list[tuple[str, object, Bin]] = [
            ("position", found.label * report.options.bin_size + 1, found) for found in one.by_position
        ]
        labelled += [("day", day.day.isoformat(), day.found) for day in one.by_day]
        for by, start, found in labelled:
            yield (
                one.name, by, start, found.judgments, found.compared, found.agreement, found.low, found.high,
                found.kappa, report.share_relevant(found), found.seconds, *([None] * 4),
                *(("", "") if found.compared else NOBODY_ELSE), "Wilson", LEVEL, None, None,
            )  # fmt: skip
        for name, trend in one.trends.items():
            yield (
                one.name, "trend", name, None, trend.n, *([None] * 6), trend.slope, trend.low, trend.high,
                trend.p, trend.undefined or trend.no_interval, trend.would_define, INTERVALS, LEVEL,
                trend.rounds, trend.seed,
            )  # fmt: skip
