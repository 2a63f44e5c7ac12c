"""Where deliveries may go: to public addresses, and to the one that was checked."""

from __future__ import annotations

import socket
from ipaddress import ip_address
from typing import Any

import pytest

from tests.webhooks import receiver
from workbench.errors import InvalidInput
from workbench.workflow.webhooks.destination import (
    Destination,
    NoDestination,
    connected_socket,
    destination_of,
    is_public,
)


def test_an_address_has_a_host_a_port_and_a_target() -> None:
    assert destination_of("https://Example.org/a%20b?c=d", ()) == Destination(
        True, "example.org", 443, "/a%20b?c=d"
    )
    assert destination_of("https://example.org:8443", ()) == Destination(True, "example.org", 8443, "/")


@pytest.mark.parametrize(
    "url",
    ["", "example.org", "ftp://example.org", "http://example.org/", "https://", "https://user@example.org/",
     "https://a:b@example.org/", "https://example.org/#part", "https://example.org/a b",
     "https://example.org/\r\nHost: x", "https://example.org:22/", "https://example.org:80/",
     "https://example.org:70000/", "https://[::1", "https://localhost/", "https://127.0.0.1/",
     "https://[::1]/", "https://10.0.0.1/", "https://169.254.169.254/latest", "https://[fd00::1]/",
     "http://localhost/", "https://exämple.org/", f"https://example.org/{'a' * 2000}"],
)  # fmt: skip
def test_what_is_no_public_address_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput) as error:
        destination_of(url, ())
    assert [one.code for one in error.value.findings] == ["url"]


def test_an_administrator_allows_hosts_inside_and_unencrypted_only_this_machine() -> None:
    inside = ("localhost", "ci.internal")
    assert destination_of("http://localhost:5000/", inside).secure is False
    assert destination_of("https://ci.internal:22/", inside).port == 22
    with pytest.raises(InvalidInput):
        destination_of("http://ci.internal/", inside)
    with pytest.raises(InvalidInput):
        destination_of("http://127.0.0.1/", inside)


# By the registries of IANA for special addresses (RFC 6890), with what stands for one of IPv4: mapped
# (RFC 4291, 2.5.5.2), 6to4 (RFC 3056), Teredo (RFC 4380), NAT64 (RFC 6052).
@pytest.mark.parametrize(
    ("address", "public"),
    [("93.184.215.14", True), ("2606:2800:21f:cb07:6820:80da:af6b:8b2c", True), ("64:ff9b::5db8:d70e", True),
     ("127.0.0.1", False), ("0.0.0.0", False), ("10.1.2.3", False), ("172.31.0.1", False),
     ("192.168.1.1", False), ("169.254.169.254", False), ("100.64.0.1", False), ("224.0.0.1", False),
     ("255.255.255.255", False), ("::1", False), ("::", False), ("fe80::1", False), ("fd12::1", False),
     ("ff02::1", False), ("::ffff:127.0.0.1", False), ("::ffff:10.0.0.1", False), ("64:ff9b::a00:1", False),
     ("2002:7f00:1::", False), ("2001:0:7f00:1::", False)],
)  # fmt: skip
def test_only_addresses_of_the_public_internet_are_public(address: str, public: bool) -> None:
    assert is_public(ip_address(address)) is public


def test_a_name_that_leads_inside_is_refused_as_it_is_resolved(monkeypatch: pytest.MonkeyPatch) -> None:
    with receiver() as found:
        port = int(found.url.partition("localhost:")[2].partition("/")[0])
        # One of several is enough: which one answers is the network's choice.
        places = [("93.184.215.14", port), ("127.0.0.1", port)]
        answers = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", place) for place in places]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_more: answers)
        with pytest.raises(NoDestination):
            connected_socket(Destination(True, "rebound.example.org", port, "/"), (), 1.0)
        assert found.received == []


def test_the_connection_goes_to_the_address_that_was_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    connected: list[Any] = []

    def resolve(*args: Any, **_more: Any) -> list[Any]:
        # A second question would lead inside.
        asked.append(args)
        place = "93.184.215.14" if len(asked) == 1 else "127.0.0.1"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (place, 443))]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    monkeypatch.setattr(socket.socket, "connect", lambda _self, place: connected.append(place))
    connected_socket(Destination(True, "rebound.example.org", 443, "/"), (), 1.0).close()
    assert (len(asked), connected) == (1, [("93.184.215.14", 443)])
