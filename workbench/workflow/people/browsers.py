"""Browsers in words: what a `User-Agent` field says of program and system, and where an address is."""

from __future__ import annotations

import ipaddress

# The first that a field contains counts: most browsers also call themselves by the names of older ones.
PROGRAMS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chromium", "Chromium"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
    ("curl", "curl"),
    ("Python", "Python"),
)
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("Linux", "Linux"),
)
# Enough to tell a provider or an institution, too little to tell a household.
KEPT_BITS = {4: 24, 6: 48}


def browser_words(name: str) -> str:
    """Program and system of a `User-Agent` field, as `Firefox on Linux`; what is unknown is left out."""
    program, system = (
        next((words for part, words in known if part in name), "") for known in (PROGRAMS, SYSTEMS)
    )
    return " on ".join(filter(None, (program or "Unknown browser", system)))


def shortened_address(address: str | None) -> str:
    """The network of an address, as `192.0.2.0/24`; of IPv6 the first 48 bits. Empty if there is none."""
    try:
        parsed = ipaddress.ip_address((address or "").partition("%")[0])
    except ValueError:
        return ""
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    return str(ipaddress.ip_network((parsed, KEPT_BITS[parsed.version]), strict=False))
