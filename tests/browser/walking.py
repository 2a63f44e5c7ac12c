"""Every page of the application by its map of addresses, as somebody to whom it opens."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlencode, urlsplit

from flask import Flask
from werkzeug.routing import Rule

from tests.browser.full_campaign import HALFWAY, NOBODY, PEOPLE, FullCampaign
from workbench.demo.campaign import SLUG
from workbench.web.access import Who, access_of
from workbench.workflow.people.membership import Role

ROLE_OF = {
    "organiser": Role.ORGANISER,
    "marlow": Role.ASSESSOR,
    "vane": Role.ADJUDICATOR,
    "sorrel": Role.PARTICIPANT,
    "wick": Role.VIEWER,
}


@dataclass(frozen=True, slots=True)
class Asked:
    """What an endpoint is asked with beyond the usual: values of its address, a question, who asks."""

    question: tuple[tuple[str, str], ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)  # argument -> the sample's name
    who: str | None = None


def _asked(*question: tuple[str, str], who: str | None = None, **values: str) -> Asked:
    return Asked(question, values, who)


TAG = ("tag", "harbour-bm25")
OWN_TAG = ("tag", "tidewater-tfidf")
SPARE = ("tag", "spare")
PAIR = (("topic", "{back_topic}"), ("docno", "{back}"))
TWO = (("first", "A. Marlow"), ("second", "R. Quist"))
ANALYSED = (("pool", "1"), ("asked", "yes"))

# What a page needs to show something; an endpoint that is not here is asked once, without a question. Several
# lines are several looks at one page.
QUESTIONS: Mapping[str, tuple[Asked, ...]] = {
    "adjudicating.desk": (_asked(("order", "topic"), who="vane"), _asked(*PAIR)),
    "adjudication.index": (_asked(("order", "topic")), _asked(("order", "topic"), who="vane")),
    "agreement.index": (_asked(), _asked(who="wick")),
    "agreement.pair": (_asked(*TWO),),
    "agreement.pair_file": (_asked(*TWO),),
    "agreement_topics.pairs": (_asked(("topic", "T01")),),
    "agreement_topics.pairs_file": (_asked(("topic", "T01")),),
    "sample_size.index": (_asked(), _asked(("half_width", "0.05"), ("topics", "10"))),
    "analysis.index": (_asked(*ANALYSED),),
    "campaigns.index": (_asked(), _asked(who="marlow"), _asked(who="sorrel")),
    "discussions.pair": (_asked(*PAIR, who="marlow"),),
    "documents.document": (_asked(("docno", "ALM-0001")), _asked(("docno", "ALM-0001"), who="wick")),
    "documents.index": (_asked(), _asked(("q", "harbour"))),
    "entrance.reset": (_asked(token="reset_token"),),
    "mail_address.confirmation": (_asked(token="address_token"),),
    "files.original": (_asked(("docno", "{picture}")),),
    "help.index": (_asked(), _asked(("q", "kappa"))),
    "judging.desk": (_asked(), _asked(assignment_id="live_task_id"), _asked(assignment_id="done_task_id")),
    "late_runs.holes": (_asked(TAG),),
    "live_pools.index": (_asked(pool_id="live_id"),),
    "overview.index": (_asked(), _asked(who="wick")),
    "openid_link.index": (_asked(), _asked(who="marlow")),
    "own_checks.batch": (_asked(batch="own_batch"),),
    "own_runs.confirm_removal": (_asked(SPARE),),
    "own_runs.run": (_asked(OWN_TAG),),
    "pool_states.confirm_closing": (_asked(),),
    "pool_states.confirm_opening": (_asked(pool_id="draft_id"),),
    "pool_states.draft": (_asked(pool_id="draft_id"),),
    "pools.pool": (_asked(), _asked(pool_id="live_id"), _asked(pool_id="learner_id")),
    "pools.topic": (_asked(("topic", "T02")),),
    "reading.compare_two": (_asked(("docno", "{one}"), ("docno", "{other}")),),
    "release_comparison.pairs_file": (_asked(("before", "1.0"), ("after", "1.0")),),
    "runs.run": (_asked(TAG),),
    "runs.confirm_removal": (_asked(SPARE),),
    "scores.index": (_asked(), _asked(who="wick")),
    "run_scores.index": (_asked(TAG),),
    "run_scores.sheet_file": (_asked(TAG),),
    "run_scores.topics_file": (_asked(TAG),),
    "run_pairs.index_file": (_asked(("run", "harbour-bm25"), ("run", "tidewater-tfidf")),),
    "run_pairs.two": (_asked(), _asked(("first", "harbour-bm25"), ("second", "tidewater-tfidf"))),
    "search.index": (_asked(("topic", "T02")),),
    "search.show": (_asked(("docno", "ALM-0001"), search_id="organisers_search_id"),),
    "sign_in_codes.index": (_asked(who=HALFWAY),),
    "stopping.index": (_asked(pool_id="learner_id"),),
    "stopping.topic": (_asked(("topic", "T08"), pool_id="learner_id"),),
    "stopping.table_file": (_asked(pool_id="learner_id"),),
    "topic_search.show": (_asked(), _asked(("docno", "ALM-0001"))),
    "side_by_side.desk": (_asked(), _asked(task_id="run_task_id")),
    "trust.collection": (_asked(), _asked(("show", "yes")), _asked(("show", "yes"), who="wick")),
    "trust.question": (_asked(), _asked(question="holes"), _asked(question="topics"), _asked(who="wick")),
    "two_factor.index": (_asked(), _asked(who="wick"), _asked(who="vane")),
    "topics.topic": (_asked(("topic", "T02")),),
}
# They give a file where there is one to give.
FILES = frozenset(
    {
        "runs.file",
        "own_runs.file",
        "run_checks.corrected",
        "own_checks.corrected",
        "live_pools.events",
    }
)
# Fragments; their pages ask for them.
PIECES = frozenset({"dataset.progress", "influence.compute", "pools.plan"})
WELCOME = "entrance.welcome"  # only where there is no account yet
PROVIDER = frozenset({"openid.finish", "openid.leave"})  # only where there is one: `test_openid`
# Pages that are the first thing somebody sees without any work, and what long names do to them.
BARE = frozenset(
    {
        "overview.index",
        "topics.index",
        "documents.index",
        "runs.index",
        "groups.index",
        "pools.index",
        "assignments.index",
        "judgments.index",
        "agreement.index",
        "adjudication.index",
        "qrels.index",
        "scores.index",
        "releases.index",
        "releases.new",
        "run_pairs.index",
        "score_curves.index",
        "missed.index",
        "trust.collection",
        "run_pairs.two",
        "topic_scores.index",
        "analysis.index",
        "preferences.index",
        "adjudicating.desk",
    }
)
LONG = frozenset(
    {
        "overview.index",
        "topics.index",
        "documents.index",
        "runs.index",
        "pools.index",
        "assignments.index",
        "pools.pool",
        "judging.index",
        "judging.desk",
        "judging.answers",
        "topic_scores.index",
        "scores.index",
        "settings.index",
        "analysis.index",
    }
)


@dataclass(frozen=True, slots=True)
class Look:
    """One look at a page: the endpoint, who looks (a login, empty for nobody), the path.

    `again`: another look shows the same page with more on it, or it is a further page of a tab.
    """

    endpoint: str
    who: str
    path: str
    again: bool = False


def looks(app: Flask, full: FullCampaign) -> list[Look]:
    """Each look at each GET route, files among them, then at a campaign without anything and at long names.

    Sorted by who looks, since signing in costs more than looking.
    """
    found, begun = [], set()
    for rule in app.url_map.iter_rules():
        if "GET" not in (rule.methods or ()) or rule.endpoint in FILES | PIECES | PROVIDER | {
            "static",
            WELCOME,
        }:
            continue
        if rule.endpoint.startswith("api."):
            # For programs, which have tokens.
            continue
        for number, asked in enumerate(QUESTIONS.get(rule.endpoint, (Asked(),))):
            who = asked.who if asked.who is not None else _who(app, rule)
            path, tab = _path(rule, full.samples, asked), _tab(app, rule)
            # Tabs begin with their main page; a name with an end is a file.
            first = number == 0 and tab not in begun and not PurePosixPath(urlsplit(path).path).suffix
            begun |= {tab} if first else set()
            found.append(Look(rule.endpoint, who, path, again=not first))
        for names, samples in ((BARE, full.samples | {"slug": full.bare}), (LONG, full.long_samples)):
            if rule.endpoint in names:
                found.append(Look(rule.endpoint, _who(app, rule), _path(rule, samples, Asked()), again=True))
    return sorted(found, key=lambda look: look.who)


def everybodys(app: Flask, full: FullCampaign) -> list[Look]:
    """Each page of the full campaign as each of the people to whom it opens, and what `looks` has besides."""
    found = {(look.who, look.path): look for look in looks(app, full)}
    for look in list(found.values()):
        statement = access_of(app, look.endpoint)
        for who, role in ROLE_OF.items():
            if statement and statement.who is Who.MEMBER and role in statement.roles and _shared(look):
                found.setdefault((who, look.path), Look(look.endpoint, who, look.path))
    return sorted(found.values(), key=lambda look: look.who)


def _shared(look: Look) -> bool:
    # What is one person's own is nobody else's page, and a draft is the organisers'.
    own = ("/judge/", "own-runs")
    return look.path.startswith(f"/c/{SLUG}/") and not any(part in look.path for part in own)


def _tab(app: Flask, rule: Rule) -> str:
    """The module or package of `workbench.web.pages` that has the page; a desk is one by itself."""
    endpoint: str = rule.endpoint
    if endpoint.endswith(".desk"):
        return endpoint
    module: str = inspect.unwrap(app.view_functions[endpoint]).__module__
    return module.removeprefix("workbench.web.pages.").partition(".")[0]


def _who(app: Flask, rule: Rule) -> str:
    statement = access_of(app, rule.endpoint)
    assert statement is not None
    if statement.who is Who.ANYONE:
        return NOBODY
    if statement.who is not Who.MEMBER:
        return PEOPLE[0]
    return next(login for login, role in ROLE_OF.items() if role in statement.roles)


def _path(rule: Rule, samples: Mapping[str, Any], asked: Asked) -> str:
    values = {name: samples[asked.values.get(name, name)] for name in rule.arguments}
    built = rule.build(values, append_unknown=False)
    assert built is not None
    question = urlencode([(name, text.format_map(samples)) for name, text in asked.question])
    return f"{built[1]}?{question}" if question else built[1]
