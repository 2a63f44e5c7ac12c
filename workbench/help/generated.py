"""The tables of the manual that a registry of the program fills in, and the environment variables.

To add one, write a function that returns Markdown and name it in `GENERATED`; a page has it where one of its
lines is `{{ name }}`. Registries are imported where they are used, so that a page costs only what it shows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from workbench.frozen import frozen_dataclass
from workbench.records import CLUSTER_PREFIX
from workbench.settings import SHORTEST_SECRET

_PLACE = re.compile(r"^\{\{ ([a-z-]+) \}\}$", re.MULTILINE)


def fill_in(text: str) -> str:
    """The Markdown with every `{{ name }}` line replaced by its table; KeyError for an unknown name."""
    return _PLACE.sub(lambda match: GENERATED[match[1]](), text)


def _pooling_strategies() -> str:
    from workbench.pooling.strategies import STRATEGIES

    return _strategies(STRATEGIES.values())


def _adaptive_strategies() -> str:
    from workbench.pooling.strategies import ADAPTIVE

    return _strategies(ADAPTIVE.values())


def _learner_strategy() -> str:
    from workbench.pooling.strategies import BY_HAND, LEARNER

    return _strategies([LEARNER, BY_HAND])


def _strategy_parameters() -> str:
    from workbench.pooling.strategies import ALL_STRATEGIES

    used: dict[tuple[str, str], list[str]] = {}
    for strategy in ALL_STRATEGIES.values():
        for one in strategy.parameters:
            used.setdefault((one.name, one.description), []).append(strategy.name)
    rows = [(f"`{_option(name)}`", means, ", ".join(names)) for (name, means), names in used.items()]
    return _table(("Parameter", "Meaning", "Strategies"), sorted(rows))


def _coefficients() -> str:
    from workbench.agreement.coefficients import COEFFICIENTS

    rows = [(one.label, f"`{one.name}`", one.help, one.source) for one in COEFFICIENTS.values()]
    return _table(("Coefficient", "Name in commands", "When to report it", "Source"), rows)


def _weights() -> str:
    from workbench.agreement.weights import WEIGHTS

    return ", ".join(f"`{name}`" for name in WEIGHTS)


def _consensus_rules() -> str:
    from workbench.consensus.rules import RULES

    rows = [(one.label, f"`{one.name}`", one.help, one.source) for one in RULES.values()]
    return _table(("Rule", "Name in commands", "The grade of a document", "Source"), rows)


def _consensus_parameters() -> str:
    from workbench.consensus.rules import PARAMETERS

    def values(choices: Sequence[tuple[str, str]]) -> str:
        if len(choices) > 4:
            return ", ".join(f"`{value}`" for value, _ in choices)
        return "; ".join(f"`{value}`: {means}" for value, means in choices)

    rows = [
        (f"`{one.name}`", one.help, values(one.choices), one.default or "") for one in PARAMETERS.values()
    ]
    return _table(("Parameter", "Meaning", "Values", "Default"), rows)


def _measures() -> str:
    from ir_measures.measures import registry

    from workbench.scoring.own_measures import OWN

    found: dict[int, list[str]] = {}
    own = {str(measure.NAME): measure for measure in OWN}
    for name, measure in {**own, **registry}.items():
        found.setdefault(id(own.get(str(measure.NAME), measure)), []).append(name)
    names = sorted((names[0], names[1:]) for names in found.values())
    return ", ".join(f"`{name}`" + (f" (or `{'`, `'.join(more)}`)" if more else "") for name, more in names)


def _kernels() -> str:
    from workbench.scoring.kernels import KERNELS

    return ", ".join(f"`{name}`" for name in KERNELS)


def _textbook_measures() -> str:
    from ir_measures.measures import registry

    from workbench.scoring.kernels import KERNELS
    from workbench.scoring.own_measures import OWN

    own: tuple[Any, ...] = OWN
    rows = [(f"`{KERNELS[one.NAME].example}`", one.SHORT_DESC) for one in own if one.NAME not in registry]
    return _table(("Write", "What it is"), rows)


def _scales() -> str:
    from workbench.records import SCALES

    rows = [
        (f"`{name}`", "; ".join(f"{one.value} {one.label}" for one in scale.grades), str(scale.relevant_from))
        for name, scale in SCALES.items()
    ]
    return _table(("Scale", "Grades", "Relevant from"), rows)


def _desk_keys() -> str:
    from workbench.workflow.judging.desk_settings import COMMANDS

    return _table(("Key", "What it does"), [(f"[[{one.key.upper()}]]", one.meaning) for one in COMMANDS])


def _findings() -> str:
    from workbench.formats.run_rules import CODES

    rows = [
        (f"`{one.name}`", one.words, *map(str, one.treatments), str(one.column or ""))
        for one in CODES.values()
    ]
    return _table(("Code", "What was found", "Strict", "Usual", "Lenient", "Column"), rows)


def _roles() -> str:
    from workbench.workflow.people.membership import DESCRIPTIONS

    return _table(
        ("Role", "What the person does"), [(str(role), text) for role, text in DESCRIPTIONS.items()]
    )


def _topic_formats() -> str:
    from workbench.formats.topics import TOPIC_FORMATS

    return ", ".join(f"{one.words} (`{one.name}`)" for one in TOPIC_FORMATS.values())


def _document_formats() -> str:
    from workbench.formats.documents import DOCUMENT_FORMATS

    return ", ".join(f"{one.words} (`{one.name}`)" for one in DOCUMENT_FORMATS.values())


def _tie_rules() -> str:
    from workbench.records import TieRule

    return ", ".join(f"`{rule}`" for rule in TieRule)


def _learners() -> str:
    from workbench.learning.learners import LEARNERS

    rows = [(f"`{one.name}`", one.help, one.source) for one in LEARNERS.values()]
    return _table(("Learner", "Reads next", "Source"), rows)


def _stopping_rules() -> str:
    from workbench.learning.stopping import STOPPING_RULES

    rows = [
        (f"`{one.name}`", one.definition, one.assumes, one.promise or "nothing", one.source)
        for one in STOPPING_RULES.values()
    ]
    return _table(("Rule", "Stops when", "Assumes", "Promises", "Source"), rows)


def _work_saved() -> str:
    from workbench.learning.effort import WORK_SAVED

    return _table(("Name", "Work saved"), [(f"`{one.name}`", one.definition) for one in WORK_SAVED.values()])


def _environment_variables() -> str:
    from workbench.help.generated import VARIABLES

    rows = [(f"`{one.name}`", one.default, one.meaning, one.use) for one in VARIABLES]
    return _table(("Variable", "Default", "Meaning", "For"), rows)


GENERATED: Mapping[str, Callable[[], str]] = {
    "pooling-strategies": _pooling_strategies,
    "adaptive-strategies": _adaptive_strategies,
    "learner-strategy": _learner_strategy,
    "strategy-parameters": _strategy_parameters,
    "coefficients": _coefficients,
    "weights": _weights,
    "consensus-rules": _consensus_rules,
    "consensus-parameters": _consensus_parameters,
    "kernels": _kernels,
    "learners": _learners,
    "stopping-rules": _stopping_rules,
    "work-saved": _work_saved,
    "measures": _measures,
    "textbook-measures": _textbook_measures,
    "scales": _scales,
    "desk-keys": _desk_keys,
    "findings": _findings,
    "roles": _roles,
    "topic-formats": _topic_formats,
    "document-formats": _document_formats,
    "tie-rules": _tie_rules,
    "environment-variables": _environment_variables,
}


def _strategies(strategies: Iterable[object]) -> str:
    from workbench.pooling.strategy import Strategy

    rows = [
        (
            f"`{one.name}`",
            one.help,
            ", ".join(f"`{_option(given.name)}`" for given in one.parameters),
            one.source,
        )
        for one in strategies
        if isinstance(one, Strategy)
    ]
    return _table(("Strategy", "Chooses", "Parameters", "Source"), rows)


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _option(name: str) -> str:
    return name.replace("_", "-")


@frozen_dataclass
class Variable:
    """An environment variable, as the manual explains it: `default` and `meaning` are Markdown.

    `use` names the kind of variables among which it is listed.
    """

    use: str
    name: str
    default: str
    meaning: str


_data = partial(Variable, "Data")
_address = partial(Variable, "Address and proxy")
_mail = partial(Variable, "E-mail")
_log = partial(Variable, "Log and metrics")
COMMANDS = "Commands"
_commands = partial(Variable, COMMANDS)
_search = partial(Variable, "Search")
_openid = partial(Variable, "OpenID Connect")
_sign_in = partial(Variable, "Sign-in")
VARIABLES = (
    _data("WORKBENCH_INSTANCE", "`instance/`", "Folder of the embedded database"),
    _data(
        "WORKBENCH_DATABASE_URL",
        "SQLite in that folder",
        "`postgresql://USER@HOST/NAME`; install `ir-workbench[postgresql]`",
    ),
    _data(
        "WORKBENCH_MAX_UPLOAD_MIB",
        "2048",
        "Largest form with files; other forms are limited to 1 MiB, and to 64 KiB before signing in",
    ),
    _address(
        "WORKBENCH_HOSTS",
        "Any name",
        "Names under which the site answers, separated by commas; requests under other names get status 400",
    ),
    _address(
        "WORKBENCH_PREFIX",
        "none",
        "Path of the site, such as `/workbench`; the proxy passes paths on unchanged",
    ),
    _address(
        "WORKBENCH_PROXIES",
        "0",
        "Number of proxies in front whose forwarded headers are trusted",
    ),
    _address(
        "WORKBENCH_PROXY_ADDRESSES",
        "Loopback and private networks",
        "Addresses or networks of these proxies, separated by commas; the headers of anyone else are ignored",
    ),
    _address(
        "WORKBENCH_SECURE_COOKIES",
        "By the request's scheme",
        "`yes` behind a proxy that ends TLS without saying so",
    ),
    _address(
        "WORKBENCH_STRICT_SUBDOMAINS",
        "no",
        "`yes`: browsers that come by HTTPS use it for all subdomains of this host as well, for a year",
    ),
    _mail(
        "WORKBENCH_MAIL_HOST",
        "none",
        "Mail server that takes messages by SMTP; without it none are sent",
    ),
    _mail(
        "WORKBENCH_MAIL_FROM",
        "–",
        "Sender of the messages, such as `Workbench <workbench@example.org>`; needed with a mail server",
    ),
    _mail(
        "WORKBENCH_ADDRESS",
        "–",
        "Address of the site with its path, to which links in messages and the OpenID provider lead; needed "
        "with either",
    ),
    _mail(
        "WORKBENCH_MAIL_SECURITY",
        "starttls",
        "`starttls`, `tls`, or `none` for a server that needs no login",
    ),
    _mail("WORKBENCH_MAIL_PORT", "587, 465 or 25", "Port of the mail server; by default the usual one"),
    _mail("WORKBENCH_MAIL_LOGIN", "none", "Login at the mail server, if it needs one"),
    _mail("WORKBENCH_MAIL_PASSWORD", "none", "Password for it; never logged"),
    _openid(
        "WORKBENCH_OPENID_ISSUER",
        "none",
        "Issuer of the [OpenID provider](openid.md), such as `https://login.example.org`; without it people "
        "sign in with a password only",
    ),
    _openid("WORKBENCH_OPENID_CLIENT_ID", "–", "Client ID of this site at the provider"),
    _openid(
        "WORKBENCH_OPENID_CLIENT_SECRET",
        "–",
        "Client secret; never logged",
    ),
    _openid(
        "WORKBENCH_OPENID_CLIENT_SECRET_FILE",
        "none",
        "File with the client secret, instead of the secret",
    ),
    _openid(
        "WORKBENCH_OPENID_NAME",
        "Host of the issuer",
        "Name of the provider, as in “Sign in with Example University”",
    ),
    _openid(
        "WORKBENCH_OPENID_DOMAINS",
        "none",
        "Domains, separated by commas: whoever has a verified e-mail address in one may create an account "
        "without an invitation",
    ),
    _search(
        "WORKBENCH_OPENSEARCH_URL",
        "none",
        "Addresses of the nodes of an OpenSearch cluster, separated by commas; without it each host has an "
        "index of its own",
    ),
    _search("WORKBENCH_OPENSEARCH_LOGIN", "none", "Login at the cluster, over `https` only"),
    _search("WORKBENCH_OPENSEARCH_PASSWORD", "none", "Password for it; never logged"),
    _search(
        "WORKBENCH_OPENSEARCH_CA",
        "Well-known authorities",
        "File of certificates (PEM) that the cluster’s certificate is checked against",
    ),
    _search("WORKBENCH_OPENSEARCH_PREFIX", CLUSTER_PREFIX, "Prefix of the index names there"),
    _sign_in(
        "WORKBENCH_REQUIRE_TWO_FACTOR",
        "no",
        "`yes`: organisers and administrators can do nothing before they turn on two-factor sign-in; "
        "`everybody`: nobody can",
    ),
    _sign_in(
        "WORKBENCH_IDLE_HOURS",
        "336, 14 days",
        "Hours without use after which a [session](accounts.md#sessions) ends; 0: only after its 30 days",
    ),
    _log(
        "WORKBENCH_LOG_JSON",
        "no",
        "`yes`: one JSON object a line, with time (UTC), level, logger, request ID, message, and the "
        "traceback of an error",
    ),
    _log(
        "WORKBENCH_ACCESS_LOG",
        "no",
        "`yes`: a line for every request, with method, endpoint, status, milliseconds",
    ),
    _log(
        "WORKBENCH_SLOW_QUERY_MS",
        "0",
        "Log statements that take this many milliseconds or more, without their parameters; 0 logs none",
    ),
    _log(
        "WORKBENCH_METRICS_TOKEN",
        "none",
        f"Token for `/metrics`, {SHORTEST_SECRET} characters or more; without it only this machine may read "
        "them",
    ),
    _data(
        "WORKBENCH_WORKER",
        "no",
        "`yes`: `workbench worker` runs the jobs; `workbench serve` starts one; without it each request "
        "runs its own",
    ),
    _commands(
        "WORKBENCH_PASSWORD",
        "Asked for",
        "Password for `workbench init` and `workbench account`, so that they do not ask",
    ),
)
"""Every variable that somebody sets, in the order of the manual."""
