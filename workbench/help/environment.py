"""The environment variables that somebody sets, as the manual lists them; `settings` reads them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from workbench.records import CLUSTER_PREFIX
from workbench.settings import SHORTEST_SECRET


@dataclass(frozen=True, slots=True)
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
