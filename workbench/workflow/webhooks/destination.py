"""Destinations: which addresses a webhook may have, and to which of the network a delivery may connect.

An organiser may name any public host. What is inside the network of this server is no organiser's business,
so only hosts that the administrator has listed may be there.
"""

from __future__ import annotations

import socket
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

from workbench.errors import Finding, InvalidInput

LONGEST_URL = 2000
PORTS = frozenset({443, *range(1024, 65536)})
"""Services that a form of HTTP could confuse, such as mail, have ports below."""
LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
MOST_TRIED = 3
"""Addresses of one host: of many that do not answer, each would delay every other delivery."""
_TRANSLATED = IPv6Network("64:ff9b::/96")
"""IPv4 as IPv6 reaches it through a gateway (RFC 6052)."""
Address = IPv4Address | IPv6Address


class NoDestination(Exception):
    """A delivery must not, or cannot, connect to where its address leads."""


@dataclass(frozen=True, slots=True)
class Destination:
    """The parts of a webhook's address; `target` is its path with the query."""

    secure: bool
    host: str
    port: int
    target: str


def destination_of(url: str, inside: Collection[str]) -> Destination:
    """The parts of an address that a webhook may have; `inside` are hosts of this network that it may name.

    Raises InvalidInput with the code "url".
    """
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or ""), parts.port
    except ValueError:
        raise _refused("it is not a web address", "such as https://example.org/workbench") from None
    if len(url) > LONGEST_URL:
        raise _refused(f"it has {len(url):,} characters", f"at most {LONGEST_URL:,}")
    if (
        not host
        or not url.isascii()
        or not url.isprintable()
        or set(url) & set(" \\#")
        or "@" in parts.netloc
    ):
        remedy = "such as https://example.org/workbench, without a name, password or fragment"
        raise _refused("it is not a web address", remedy)
    if parts.scheme != "https" and not (parts.scheme == "http" and host in LOCAL and host in inside):
        raise _refused(
            "it does not begin with https://", "deliveries are sent over encrypted connections only"
        )
    found = port if port is not None else 443 if parts.scheme == "https" else 80
    if host not in inside:
        if found not in PORTS:
            raise _refused(f"port {found} is not allowed", "use 443, or one from 1024 on")
        if host in LOCAL or (_is_literal(host) and not is_public(ip_address(host))):
            remedy = (
                "name a public host, or ask the administrator to allow this one (WORKBENCH_WEBHOOK_HOSTS)"
            )
            raise _refused(f"{host} is inside this server’s network", remedy)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Destination(parts.scheme == "https", host, found, target)


def connected_socket(destination: Destination, inside: Collection[str], seconds: float) -> socket.socket:
    """A connection to an address that the host has now and that a delivery may go to.

    Raises NoDestination where one of its addresses is not public, OSError where nothing answers.
    """
    found = [(family, place) for family, _, _, _, place in _resolved(destination)]
    if destination.host not in inside:
        for _, place in found:
            if not is_public(ip_address(str(place[0]).partition("%")[0])):
                raise NoDestination(f"{destination.host} leads to {place[0]}, inside this server’s network")
    failure: OSError = OSError(f"{destination.host} has no address")
    for family, place in found[:MOST_TRIED]:
        opened = socket.socket(family, socket.SOCK_STREAM)
        opened.settimeout(seconds)
        try:
            opened.connect(place)
        except TimeoutError:
            opened.close()
            failure = TimeoutError(f"no connection within {seconds:.0f} seconds")
        except OSError as error:
            opened.close()
            failure = error
        else:
            return opened
    raise failure


def is_public(address: Address) -> bool:
    """Whether an address, and any that it stands for, belongs to the public Internet."""
    return all(one.is_global and not one.is_multicast and not one.is_reserved for one in _meant(address))


def _meant(address: Address) -> Iterator[Address]:
    """The address, or that of IPv4 to which one of IPv6 leads; with it, those of its tunnel."""
    if isinstance(address, IPv4Address):
        yield address
    elif address.ipv4_mapped is not None:
        yield address.ipv4_mapped
    elif address in _TRANSLATED:
        yield IPv4Address(int(address) & 0xFFFFFFFF)
    else:
        yield address
        if address.sixtofour is not None:
            yield address.sixtofour
        if address.teredo is not None:
            yield from address.teredo


def _resolved(destination: Destination) -> list[tuple[int, int, int, str, tuple[str, int]]]:
    # Typed more loosely by the standard library, which also knows sockets that are no internet's.
    found: list[tuple[int, int, int, str, tuple[str, int]]] = socket.getaddrinfo(  # type: ignore[assignment]
        destination.host, destination.port, type=socket.SOCK_STREAM
    )
    return found


def _is_literal(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _refused(message: str, remedy: str) -> InvalidInput:
    return InvalidInput([Finding("Address", None, "url", message, remedy)])
