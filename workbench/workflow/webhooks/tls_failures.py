"""Failures of encrypted connections, in words by which an organiser knows what to do."""

from __future__ import annotations

import ssl

# By the number that OpenSSL gives what is wrong with a certificate (x509_vfy.h).
_UNKNOWN = (
    "is signed by an authority that this server does not know: have the receiver send the certificates in "
    "between, or ask the administrator to trust the authority"
)
_CERTIFICATES = {
    9: "is not valid yet: check the clocks of the receiver and of this server",
    10: "has expired: have it renewed",
    18: "is signed by nobody but itself: use one of an authority that this server knows",
    19: _UNKNOWN,
    20: _UNKNOWN,
    21: _UNKNOWN,
    23: "was revoked: have it replaced",
    62: "is for other names: use a name that is in it, or have this one added to it",
    64: "is for other addresses: use the receiver’s name",
}
# By the names that OpenSSL gives to what came instead of TLS.
_NO_TLS = frozenset({"WRONG_VERSION_NUMBER", "HTTP_REQUEST", "UNKNOWN_PROTOCOL", "RECORD_LAYER_FAILURE"})


def tls_failure(error: ssl.SSLError, host: str, port: int) -> str:
    """Why there is no encrypted connection with a host, and what to do about it, in one sentence."""
    if isinstance(error, ssl.SSLCertVerificationError):
        found = _CERTIFICATES.get(error.verify_code, f"is not valid ({error.verify_message})")
        return f"the certificate of {host} {found}"
    if error.reason in _NO_TLS:
        return f"what answers on port {port} does not speak TLS: check the port"
    if isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError):
        return "the receiver ended the encrypted connection without an answer"
    reason = (error.reason or "unknown reason").replace("_", " ").lower()
    return f"the receiver and this server agreed on no encrypted connection ({reason})"
