"""The settings of an installation, read once from the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from urllib.parse import urlsplit

from workbench.errors import WorkbenchError
from workbench.search_cluster import CLUSTER_PREFIX, SearchCluster

PACKAGE = Path(__file__).resolve().parent
SHORTEST_SECRET = 20
# Characters that mean the same in an address, a header and the configuration of a proxy.
PREFIX = re.compile(r"(/[A-Za-z0-9._~-]+)*")
# Every cluster takes these in the name of an index.
_INDEX_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
Network = IPv4Network | IPv6Network
# Where a proxy is if nobody says otherwise: on the same machine, or in a network of its own.
NEARBY: tuple[Network, ...] = tuple(
    ip_network(each)
    for each in ("127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")
)
# The usual port of each way to a mail server: encrypted after a plain greeting, from the start, or never.
MAIL_PORTS = {"starttls": 587, "tls": 465, "none": 25}


@dataclass(frozen=True, slots=True)
class MailSettings:
    """The SMTP server that messages are handed to, and who they are from.

    `security` is a key of `MAIL_PORTS`; `site` is the address of this site, without a slash at its end, to
    which the links of messages lead. Without a `login` the server asks for none.
    """

    host: str
    port: int
    security: str
    sender: str
    site: str
    login: str = ""
    password: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that differs between installations.

    `instance` is the folder of the embedded database; `templates` and `static` are the folders of the web
    interface. `database_url` is an SQLAlchemy URL; `behind_proxy` is the number of proxies whose forwarded
    headers are believed if they connect from one of `proxy_networks`; `hosts` are the names under which the
    site answers, any if it is empty; `prefix` is the path under which the site is, empty at the root of its
    host, such as `/workbench`; `secure_cookies` is None to follow the scheme of each request.
    Statements that take `slow_statement_ms` are logged, none if it is 0; without `metrics_token` only local
    addresses read `/metrics`; without `mail` no message is sent; without a `cluster` each host searches its
    own index; `require_two_factor` demands two-factor sign-in of organisers and administrators.
    `webhook_hosts` are hosts that webhooks may name although they are inside this network.
    """

    instance: Path
    database_url: str
    templates: Path
    static: Path
    behind_proxy: int = 0
    proxy_networks: tuple[Network, ...] = NEARBY
    hosts: tuple[str, ...] = ()
    prefix: str = ""
    secure_cookies: bool | None = None
    max_upload_bytes: int = 2 * 1024**3
    log_json: bool = False
    access_log: bool = False
    slow_statement_ms: int = 0
    metrics_token: str = ""
    mail: MailSettings | None = None
    cluster: SearchCluster | None = None
    require_two_factor: bool = False
    webhook_hosts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable, as the manual explains it: `default` and `meaning` are Markdown.

    `use` names the kind of variables among which it is listed.
    """

    use: str
    name: str
    default: str
    meaning: str


DATA, ADDRESS, MAIL, LOG, COMMANDS = "Data", "Address and proxy", "E-mail", "Log and metrics", "Commands"
SEARCH, SIGN_IN, WEBHOOKS = "Search", "Sign-in", "Webhooks"
VARIABLES = (
    Variable(DATA, "WORKBENCH_INSTANCE", "`instance/`", "Folder of the embedded database"),
    Variable(
        DATA,
        "WORKBENCH_DATABASE_URL",
        "SQLite in that folder",
        "`postgresql://USER@HOST/NAME`; install `ir-workbench[postgresql]`",
    ),
    Variable(
        DATA,
        "WORKBENCH_MAX_UPLOAD_MIB",
        "2048",
        "Largest form with files; other forms are limited to 1 MiB, and to 64 KiB before signing in",
    ),
    Variable(
        ADDRESS,
        "WORKBENCH_HOSTS",
        "Any name",
        "Names under which the site answers, separated by commas; requests under other names get status 400",
    ),
    Variable(
        ADDRESS,
        "WORKBENCH_PREFIX",
        "none",
        "Path under which the site is, such as `/workbench`; the proxy passes paths on unchanged",
    ),
    Variable(
        ADDRESS,
        "WORKBENCH_PROXIES",
        "0",
        "Number of proxies in front whose forwarded headers are trusted",
    ),
    Variable(
        ADDRESS,
        "WORKBENCH_PROXY_ADDRESSES",
        "Loopback and private networks",
        "Addresses or networks of these proxies, separated by commas; the headers of anyone else are ignored",
    ),
    Variable(
        ADDRESS,
        "WORKBENCH_SECURE_COOKIES",
        "By the request's scheme",
        "`yes` behind a proxy that ends TLS without saying so",
    ),
    Variable(
        MAIL,
        "WORKBENCH_MAIL_HOST",
        "none",
        "Mail server that takes messages by SMTP; without it none are sent",
    ),
    Variable(
        MAIL,
        "WORKBENCH_MAIL_FROM",
        "–",
        "Sender of the messages, such as `Workbench <workbench@example.org>`; needed with a mail server",
    ),
    Variable(
        MAIL,
        "WORKBENCH_ADDRESS",
        "–",
        "Address of the site with its path, to which links in messages lead; needed with a mail server",
    ),
    Variable(
        MAIL,
        "WORKBENCH_MAIL_SECURITY",
        "starttls",
        "`starttls`, `tls`, or `none` for a server that needs no login",
    ),
    Variable(
        MAIL, "WORKBENCH_MAIL_PORT", "587, 465 or 25", "Port of the mail server; by default the usual one"
    ),
    Variable(MAIL, "WORKBENCH_MAIL_LOGIN", "none", "Login at the mail server, if it needs one"),
    Variable(MAIL, "WORKBENCH_MAIL_PASSWORD", "none", "Password for it; never logged"),
    Variable(
        SEARCH,
        "WORKBENCH_OPENSEARCH_URL",
        "none",
        "Addresses of the nodes of an OpenSearch cluster, separated by commas; without it each host has an "
        "index of its own",
    ),
    Variable(SEARCH, "WORKBENCH_OPENSEARCH_LOGIN", "none", "Login at the cluster, over `https` only"),
    Variable(SEARCH, "WORKBENCH_OPENSEARCH_PASSWORD", "none", "Password for it; never logged"),
    Variable(
        SEARCH,
        "WORKBENCH_OPENSEARCH_CA",
        "Well-known authorities",
        "File of certificates (PEM) that the cluster’s certificate is checked against",
    ),
    Variable(
        SEARCH, "WORKBENCH_OPENSEARCH_PREFIX", CLUSTER_PREFIX, "How the names of the indexes there begin"
    ),
    Variable(
        SIGN_IN,
        "WORKBENCH_REQUIRE_TWO_FACTOR",
        "no",
        "`yes`: organisers and administrators can do nothing before they turn on two-factor sign-in",
    ),
    Variable(
        WEBHOOKS,
        "WORKBENCH_WEBHOOK_HOSTS",
        "none",
        "Hosts inside your network to which webhooks may be delivered, separated by commas; `localhost` "
        "among them also allows `http://localhost`",
    ),
    Variable(
        LOG,
        "WORKBENCH_LOG_JSON",
        "no",
        "`yes`: one JSON object a line, with time (UTC), level, logger, request ID, message, and the "
        "traceback of an error",
    ),
    Variable(
        LOG,
        "WORKBENCH_ACCESS_LOG",
        "no",
        "`yes`: a line for every request, with method, endpoint, status, milliseconds",
    ),
    Variable(
        LOG,
        "WORKBENCH_SLOW_QUERY_MS",
        "0",
        "Log statements that take this many milliseconds or more, without their parameters; 0 logs none",
    ),
    Variable(
        LOG,
        "WORKBENCH_METRICS_TOKEN",
        "none",
        f"Token for `/metrics`, {SHORTEST_SECRET} characters or more; without it only this machine may read "
        "them",
    ),
    Variable(
        COMMANDS,
        "WORKBENCH_PASSWORD",
        "Asked for",
        "Password for `workbench init` and `workbench account`, so that they do not ask",
    ),
)
"""Every variable that somebody sets, in the order of the manual."""


def read_settings(environment: Mapping[str, str] | None = None, *, instance: Path | None = None) -> Settings:
    """The settings of this process, from `WORKBENCH_*` variables over the defaults.

    Raises WorkbenchError for a value that cannot be read, naming the variable.
    """
    env = os.environ if environment is None else environment
    folder = instance or Path(env.get("WORKBENCH_INSTANCE") or _default_instance())
    folder = folder.expanduser().resolve()
    return Settings(
        instance=folder,
        database_url=env.get("WORKBENCH_DATABASE_URL") or f"sqlite:///{folder / 'workbench.sqlite3'}",
        templates=_package_data("templates"),
        static=_package_data("static"),
        behind_proxy=_whole_number(env, "WORKBENCH_PROXIES", 0),
        proxy_networks=_networks(env, "WORKBENCH_PROXY_ADDRESSES") or NEARBY,
        hosts=_listed(env, "WORKBENCH_HOSTS"),
        prefix=_prefix(env, "WORKBENCH_PREFIX"),
        secure_cookies=_yes_or_no(env, "WORKBENCH_SECURE_COOKIES"),
        max_upload_bytes=_whole_number(env, "WORKBENCH_MAX_UPLOAD_MIB", 2048) * 1024**2,
        log_json=_yes_or_no(env, "WORKBENCH_LOG_JSON") or False,
        access_log=_yes_or_no(env, "WORKBENCH_ACCESS_LOG") or False,
        slow_statement_ms=_whole_number(env, "WORKBENCH_SLOW_QUERY_MS", 0),
        metrics_token=_secret(env, "WORKBENCH_METRICS_TOKEN"),
        mail=_mail(env),
        cluster=read_cluster(env),
        require_two_factor=_yes_or_no(env, "WORKBENCH_REQUIRE_TWO_FACTOR") or False,
        webhook_hosts=tuple(one.casefold() for one in _listed(env, "WORKBENCH_WEBHOOK_HOSTS")),
    )


def environment_of(settings: Settings) -> dict[str, str]:
    """The environment of a process that is to work on the same instance and database as this one."""
    return os.environ | {
        "WORKBENCH_INSTANCE": str(settings.instance),
        "WORKBENCH_DATABASE_URL": settings.database_url,
    }


def _mail(env: Mapping[str, str]) -> MailSettings | None:
    host, security, sender, login = (
        env.get(f"WORKBENCH_MAIL_{name}", "").strip() for name in ("HOST", "SECURITY", "FROM", "LOGIN")
    )
    password, site = (
        env.get("WORKBENCH_MAIL_PASSWORD", ""),
        env.get("WORKBENCH_ADDRESS", "").strip().rstrip("/"),
    )
    security = security.casefold() or "starttls"
    port = _whole_number(env, "WORKBENCH_MAIL_PORT", MAIL_PORTS.get(security, 0))
    if not host:
        return None
    if security not in MAIL_PORTS:
        remedy = f"set one of {', '.join(MAIL_PORTS)}"
        raise WorkbenchError(f"WORKBENCH_MAIL_SECURITY is {security!r}", remedy=remedy)
    if login and security == "none":
        remedy = "set WORKBENCH_MAIL_SECURITY to starttls or tls, or leave the login out"
        raise WorkbenchError("the password of the mail server would be sent unencrypted", remedy=remedy)
    if "@" not in sender or any(not character.isprintable() for character in sender):
        remedy = "set the address that messages come from, such as workbench@example.org"
        raise WorkbenchError(f"WORKBENCH_MAIL_FROM is {sender!r}", remedy=remedy)
    if not _is_address(site):
        remedy = "set the whole address of the site, such as https://judge.example.org"
        raise WorkbenchError(f"WORKBENCH_ADDRESS is {site!r}", remedy=remedy)
    return MailSettings(host, port, security, sender, site, login, password)


def read_cluster(environment: Mapping[str, str] | None = None, *, url: str = "") -> SearchCluster | None:
    """The search cluster at `url`, or at `WORKBENCH_OPENSEARCH_URL`; None if neither says anything.

    Raises WorkbenchError for what cannot be one; no message has a password.
    """
    env = os.environ if environment is None else environment
    set_url, login, authorities, prefix = (
        env.get(f"WORKBENCH_OPENSEARCH_{name}", "").strip() for name in ("URL", "LOGIN", "CA", "PREFIX")
    )
    nodes = tuple(node.rstrip("/") for node in (url or set_url).replace(",", " ").split())
    password, prefix = env.get("WORKBENCH_OPENSEARCH_PASSWORD", ""), prefix or CLUSTER_PREFIX
    if not nodes:
        return None
    if any(not _is_address(node) or "@" in node for node in nodes):
        remedy = "give addresses such as https://search.example.org:9200, without login and password"
        raise WorkbenchError("the address of the search cluster cannot be read", remedy=remedy)
    if login and not all(node.startswith("https://") for node in nodes):
        message = "the password of the search cluster would be sent unencrypted"
        raise WorkbenchError(message, remedy="use an https address, or leave the login out")
    if not _INDEX_NAME.fullmatch(prefix):
        remedy = "set lower-case letters, digits and hyphens, such as workbench"
        raise WorkbenchError(f"WORKBENCH_OPENSEARCH_PREFIX is {prefix!r}", remedy=remedy)
    return SearchCluster(nodes, login, password, authorities, prefix)


def _is_address(text: str) -> bool:
    """Whether this can be the address of a site: a request may lie about it, so it has to be set."""
    if set("?#") & set(text) or not text.isascii() or any(character.isspace() for character in text):
        return False
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname)


def _package_data(name: str) -> Path:
    # In an installed copy inside the package, in a checkout beside it.
    inside = PACKAGE / name
    return inside if inside.is_dir() else PACKAGE.parent / name


def _default_instance() -> Path:
    # A checkout has its own; an installed copy must not write into site-packages.
    beside = PACKAGE.parent / "instance"
    in_checkout = (PACKAGE.parent / "pyproject.toml").is_file() and beside.is_dir()
    return beside if in_checkout else Path.cwd() / "instance"


def _whole_number(env: Mapping[str, str], name: str, default: int) -> int:
    text = env.get(name, "").strip()
    if not text:
        return default
    if not text.isascii() or not text.isdigit():
        raise WorkbenchError(f"{name} is {text!r}", remedy="set a whole number, 0 or more")
    return int(text)


def _secret(env: Mapping[str, str], name: str) -> str:
    text = env.get(name, "").strip()
    if text and len(text) < SHORTEST_SECRET:
        remedy = f"set {SHORTEST_SECRET} random characters or more"
        raise WorkbenchError(f"{name} has {len(text)} characters", remedy=remedy)
    return text


def _prefix(env: Mapping[str, str], name: str) -> str:
    text = env.get(name, "").strip().strip("/")
    found = f"/{text}" if text else ""
    if not PREFIX.fullmatch(found) or {".", ".."} & set(text.split("/")):
        remedy = "set a path such as /workbench, of letters, digits and . _ ~ -"
        raise WorkbenchError(f"{name} is {env[name]!r}", remedy=remedy)
    return found


def _listed(env: Mapping[str, str], name: str) -> tuple[str, ...]:
    return tuple(env.get(name, "").replace(",", " ").split())


def _networks(env: Mapping[str, str], name: str) -> tuple[Network, ...]:
    try:
        return tuple(ip_network(each, strict=False) for each in _listed(env, name))
    except ValueError as error:
        remedy = "set addresses or networks such as 10.0.0.0/8, separated by commas"
        raise WorkbenchError(f"{name}: {error}", remedy=remedy) from None


def _yes_or_no(env: Mapping[str, str], name: str) -> bool | None:
    text = env.get(name, "").strip().casefold()
    if not text:
        return None
    if text in {"1", "yes", "true", "on"}:
        return True
    if text in {"0", "no", "false", "off"}:
        return False
    raise WorkbenchError(f"{name} is {text!r}", remedy="set yes or no")
