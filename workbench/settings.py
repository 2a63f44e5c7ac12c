"""The settings of an installation, read once from the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import field
from datetime import timedelta
from enum import StrEnum
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from urllib.parse import urlsplit

from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.records import CLUSTER_PREFIX, SearchCluster

PACKAGE = Path(__file__).resolve().parent
SHORTEST_SECRET = 20
# Assessors come back after a week off; every session ends after 30 days.
USUAL_IDLE, LONGEST_SESSION_HOURS = timedelta(days=14), 30 * 24
LONGEST_SECRET = 4096
LONGEST_LABEL = 40
DOMAIN = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+")
# Characters that mean the same in an address, a header and the configuration of a proxy.
PREFIX = re.compile(r"(/[A-Za-z0-9._~-]+)*")
# Every cluster takes these in the name of an index.
_INDEX_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
Network = IPv4Network | IPv6Network
Environment = Mapping[str, str]
# Where a proxy is if nobody says otherwise: on the same machine, or in a network of its own.
NEARBY: tuple[Network, ...] = tuple(
    ip_network(each)
    for each in ("127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")
)
# The usual port of each way to a mail server: encrypted after a plain greeting, from the start, or never.
MAIL_PORTS = {"starttls": 587, "tls": 465, "none": 25}


@frozen_dataclass
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


@frozen_dataclass
class OpenIdSettings:
    """The OpenID provider with which people can sign in, and as which client this site is registered there.

    `issuer` is its address as its discovery document states it; `name` stands on the button; `domains` are
    those of mail addresses whose owners may create an account without an invitation; `site` is the address of
    this site, without a slash at its end, to which the provider sends browsers back.
    """

    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    name: str
    site: str
    domains: tuple[str, ...] = ()


class TwoFactorDemand(StrEnum):
    """Of whom a site requires two-factor sign-in, as the variable says it."""

    NOBODY = "no"
    RESPONSIBLE = "yes"
    EVERYBODY = "everybody"

    @property
    def label(self) -> str:
        """Those of whom it is required."""
        return _DEMANDED[self]


_DEMANDED = {
    TwoFactorDemand.NOBODY: "nobody",
    TwoFactorDemand.RESPONSIBLE: "organisers and administrators",
    TwoFactorDemand.EVERYBODY: "everybody",
}


@frozen_dataclass
class Settings:
    """Everything that differs between installations.

    `instance` is the folder of the embedded database; `templates` and `static` are the folders of the web
    interface. `database_url` is an SQLAlchemy URL; `behind_proxy` is the number of proxies whose forwarded
    headers are believed if they connect from one of `proxy_networks`; `hosts` are the names under which the
    site answers, any if it is empty; `prefix` is the path under which the site is, empty at the root of its
    host, such as `/workbench`; `secure_cookies` is None to follow the scheme of each request.
    Statements that take `slow_statement_ms` are logged, none if it is 0; without `metrics_token` only local
    addresses read `/metrics`; without `mail` no message is sent, without `openid` people sign in with a
    password only; without a `cluster` each host searches its own index; `two_factor_demand` is of whom
    two-factor sign-in is required.
    Sessions that were not used for `session_idle` end, none if it is None; `strict_subdomains` has browsers
    use HTTPS for all subdomains as well. With a `worker` jobs are left to it (`workflow.worker`); without, a
    request does its own.
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
    two_factor_demand: TwoFactorDemand = TwoFactorDemand.NOBODY
    openid: OpenIdSettings | None = None
    session_idle: timedelta | None = USUAL_IDLE
    strict_subdomains: bool = False
    worker: bool = False


def read_settings(environment: Environment | None = None, *, instance: Path | None = None) -> Settings:
    """The settings of this process, from `WORKBENCH_*` variables over the defaults.

    An `instance` that is given is that of its embedded database, whatever the variables say.

    Raises WorkbenchError for a value that cannot be read, naming the variable.
    """
    env = os.environ if environment is None else environment
    folder = instance or Path(env.get("WORKBENCH_INSTANCE") or _default_instance())
    folder = folder.expanduser().resolve()
    elsewhere = env.get("WORKBENCH_DATABASE_URL") if instance is None else None
    return Settings(
        instance=folder,
        database_url=elsewhere or f"sqlite:///{folder / 'workbench.sqlite3'}",
        templates=_package_data("templates"),
        static=_package_data("static"),
        behind_proxy=_whole_number(env, "WORKBENCH_PROXIES", 0),
        proxy_networks=_networks(env, "WORKBENCH_PROXY_ADDRESSES") or NEARBY,
        hosts=_hosts(env, "WORKBENCH_HOSTS"),
        prefix=_prefix(env),
        secure_cookies=_yes_or_no(env, "WORKBENCH_SECURE_COOKIES"),
        max_upload_bytes=_whole_number(env, "WORKBENCH_MAX_UPLOAD_MIB", 2048) * 1024**2,
        log_json=_yes_or_no(env, "WORKBENCH_LOG_JSON") or False,
        access_log=_yes_or_no(env, "WORKBENCH_ACCESS_LOG") or False,
        slow_statement_ms=_whole_number(env, "WORKBENCH_SLOW_QUERY_MS", 0),
        metrics_token=_secret(env, "WORKBENCH_METRICS_TOKEN"),
        mail=_mail(env),
        cluster=read_cluster(env),
        two_factor_demand=_two_factor_demand(env, "WORKBENCH_REQUIRE_TWO_FACTOR"),
        openid=_openid(env),
        session_idle=_idle(env, "WORKBENCH_IDLE_HOURS"),
        strict_subdomains=_yes_or_no(env, "WORKBENCH_STRICT_SUBDOMAINS") or False,
        worker=_yes_or_no(env, "WORKBENCH_WORKER") or False,
    )


def environment_of(settings: Settings) -> dict[str, str]:
    """The environment of a process that is to work on the same instance and database as this one."""
    return os.environ | {
        "WORKBENCH_INSTANCE": str(settings.instance),
        "WORKBENCH_DATABASE_URL": settings.database_url,
    }


def _two_factor_demand(env: Environment, name: str) -> TwoFactorDemand:
    if _text(env, name).casefold() == TwoFactorDemand.EVERYBODY:
        return TwoFactorDemand.EVERYBODY
    responsible = _yes_or_no(env, name, "set yes, no or everybody")
    return TwoFactorDemand.RESPONSIBLE if responsible else TwoFactorDemand.NOBODY


def _idle(env: Environment, name: str) -> timedelta | None:
    hours = _whole_number(env, name, int(USUAL_IDLE / timedelta(hours=1)))
    return timedelta(hours=hours) if 0 < hours < LONGEST_SESSION_HOURS else None


def _mail(env: Environment) -> MailSettings | None:
    host, security, sender, login = (
        _text(env, f"WORKBENCH_MAIL_{name}") for name in ("HOST", "SECURITY", "FROM", "LOGIN")
    )
    password, site = env.get("WORKBENCH_MAIL_PASSWORD", ""), env.get("WORKBENCH_ADDRESS", "")
    security = security.casefold() or "starttls"
    port = _whole_number(env, "WORKBENCH_MAIL_PORT", MAIL_PORTS.get(security, 0))
    if not host:
        return None
    if security not in MAIL_PORTS:
        raise WorkbenchError(
            f"WORKBENCH_MAIL_SECURITY is {security!r}", remedy=f"set one of {', '.join(MAIL_PORTS)}"
        )
    if login and security == "none":
        raise WorkbenchError(
            "the password of the mail server would be sent unencrypted",
            remedy="set WORKBENCH_MAIL_SECURITY to starttls or tls, or leave the login out",
        )
    if "@" not in sender or any(not character.isprintable() for character in sender):
        raise WorkbenchError(
            f"WORKBENCH_MAIL_FROM is {sender!r}",
            remedy="set the address that messages come from, such as workbench@example.org",
        )
    return MailSettings(host, port, security, sender, _site(site, _prefix(env)), login, password)


def _site(text: str, prefix: str) -> str:
    """The address of the site without a slash at its end, for links in messages and at a provider."""
    site = site_address(text, "WORKBENCH_ADDRESS")
    if urlsplit(site).path != prefix:
        raise WorkbenchError(
            f"WORKBENCH_ADDRESS is {site!r}, and WORKBENCH_PREFIX is {prefix!r}",
            remedy=f"give both the same path: {site.removesuffix(urlsplit(site).path)}{prefix}",
        )
    return site


def site_address(text: str, called: str) -> str:
    """An address of this site without a slash at its end; raises WorkbenchError for what can be none."""
    site = text.strip().rstrip("/")
    if not _is_address(site):
        remedy = "set the whole address of the site, such as https://judge.example.org"
        raise WorkbenchError(f"{called} is {site!r}", remedy=remedy)
    return site


def read_cluster(environment: Environment | None = None, *, url: str = "") -> SearchCluster | None:
    """The search cluster at `url`, or at `WORKBENCH_OPENSEARCH_URL`; None if neither says anything.

    Raises WorkbenchError for what cannot be one; no message has a password.
    """
    env = os.environ if environment is None else environment
    set_url, login, authorities, prefix = (
        _text(env, f"WORKBENCH_OPENSEARCH_{name}") for name in ("URL", "LOGIN", "CA", "PREFIX")
    )
    nodes = tuple(node.rstrip("/") for node in (url or set_url).replace(",", " ").split())
    password, prefix = env.get("WORKBENCH_OPENSEARCH_PASSWORD", ""), prefix or CLUSTER_PREFIX
    if not nodes:
        return None
    if any(not _is_address(node) or "@" in node for node in nodes):
        raise WorkbenchError(
            "the address of the search cluster cannot be read",
            remedy="give addresses such as https://search.example.org:9200, without login and password",
        )
    if login and not all(node.startswith("https://") for node in nodes):
        raise WorkbenchError(
            "the password of the search cluster would be sent unencrypted",
            remedy="use an https address, or leave the login out",
        )
    if not _INDEX_NAME.fullmatch(prefix):
        raise WorkbenchError(
            f"WORKBENCH_OPENSEARCH_PREFIX is {prefix!r}",
            remedy="set lower-case letters, digits and hyphens, such as workbench",
        )
    return SearchCluster(nodes, login, password, authorities, prefix)


def _openid(env: Environment) -> OpenIdSettings | None:
    issuer, client_id, name, site = (
        _text(env, f"WORKBENCH_{variable}")
        for variable in ("OPENID_ISSUER", "OPENID_CLIENT_ID", "OPENID_NAME", "ADDRESS")
    )
    domains = tuple(each.casefold() for each in _listed(env, "WORKBENCH_OPENID_DOMAINS"))
    secret, file = (_text(env, f"WORKBENCH_OPENID_CLIENT_SECRET{where}") for where in ("", "_FILE"))
    if not issuer:
        return None
    if not _is_address(issuer) or not is_protected(issuer):
        raise WorkbenchError(
            f"WORKBENCH_OPENID_ISSUER is {issuer!r}",
            remedy="set the address of the provider as it states it, such as https://login.example.org",
        )
    if not client_id:
        raise WorkbenchError(
            "WORKBENCH_OPENID_CLIENT_ID is missing",
            remedy="set the client ID that the provider gave this site",
        )
    site = _site(site, _prefix(env))
    label = " ".join(name.split()) or urlsplit(issuer).hostname or issuer
    if len(label) > LONGEST_LABEL or not label.isprintable():
        raise WorkbenchError(
            f"WORKBENCH_OPENID_NAME is {name!r}", remedy=f"set at most {LONGEST_LABEL} visible characters"
        )
    for domain in domains:
        if not DOMAIN.fullmatch(domain):
            raise WorkbenchError(
                f"WORKBENCH_OPENID_DOMAINS has {domain!r}",
                remedy="set whole domains without @ or *, such as example.org, separated by commas",
            )
    return OpenIdSettings(issuer, client_id, _client_secret(secret, file), label, site, domains)


def _client_secret(text: str, file: str) -> str:
    variable = "WORKBENCH_OPENID_CLIENT_SECRET"
    if text and file:
        raise WorkbenchError(f"{variable} and {variable}_FILE are both set", remedy="set one of them")
    if file:
        try:
            with Path(file).open("rb") as stream:
                text = stream.read(LONGEST_SECRET).decode().strip()
        except (OSError, UnicodeDecodeError) as error:
            # Neither names what is in it.
            problem = error.strerror if isinstance(error, OSError) else "it is not text"
            raise WorkbenchError(
                f"{variable}_FILE cannot be read: {problem}",
                remedy="name a file that the server may read, with the secret and nothing else",
            ) from None
    if not text:
        raise WorkbenchError(
            "the client secret of the OpenID provider is missing",
            remedy=f"set it, or name a file with it in {variable}_FILE",
        )
    return text


def is_protected(address: str) -> bool:
    """Whether nobody on the way reads what is sent to an address: it has https, or is on this machine."""
    parts = urlsplit(address)
    if parts.scheme == "https":
        return True
    try:
        return parts.scheme == "http" and ip_address(parts.hostname or "").is_loopback
    except ValueError:
        return parts.scheme == "http" and parts.hostname == "localhost"


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


def _text(env: Environment, name: str) -> str:
    return env.get(name, "").strip()


def _whole_number(env: Environment, name: str, default: int) -> int:
    text = _text(env, name)
    if not text:
        return default
    if not text.isascii() or not text.isdigit():
        raise WorkbenchError(f"{name} is {text!r}", remedy="set a whole number, 0 or more")
    return int(text)


def _secret(env: Environment, name: str) -> str:
    text = _text(env, name)
    if text and len(text) < SHORTEST_SECRET:
        raise WorkbenchError(
            f"{name} has {len(text)} characters", remedy=f"set {SHORTEST_SECRET} random characters or more"
        )
    return text


def _prefix(env: Environment) -> str:
    text = _text(env, "WORKBENCH_PREFIX").strip("/")
    found = f"/{text}" if text else ""
    if not PREFIX.fullmatch(found) or {".", ".."} & set(text.split("/")):
        raise WorkbenchError(
            f"WORKBENCH_PREFIX is {env['WORKBENCH_PREFIX']!r}",
            remedy="set a path such as /workbench, of letters, digits and . _ ~ -",
        )
    return found


def _listed(env: Environment, name: str) -> tuple[str, ...]:
    return tuple(env.get(name, "").replace(",", " ").split())


def _hosts(env: Environment, name: str) -> tuple[str, ...]:
    """Names of hosts; an address would be the name of none, and the site would answer nobody."""
    hosts = _listed(env, name)
    if wrong := [one for one in hosts if "/" in one]:
        remedy = "set names such as judge.example.org, without https:// and without a path"
        raise WorkbenchError(f"{name} is {wrong[0]!r}", remedy=remedy)
    return hosts


def _networks(env: Environment, name: str) -> tuple[Network, ...]:
    try:
        return tuple(ip_network(each, strict=False) for each in _listed(env, name))
    except ValueError as error:
        raise WorkbenchError(
            f"{name}: {error}", remedy="set addresses or networks such as 10.0.0.0/8, separated by commas"
        ) from None


def _yes_or_no(env: Environment, name: str, remedy: str = "set yes or no") -> bool | None:
    text = _text(env, name).casefold()
    if not text:
        return None
    if text in {"1", "yes", "true", "on"}:
        return True
    if text in {"0", "no", "false", "off"}:
        return False
    raise WorkbenchError(f"{name} is {text!r}", remedy=remedy)
