"""The programs that read the papers, on this machine: proxies with TLS before a server."""

from __future__ import annotations

import os
import shutil
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from workbench.deployment.papers import PAPERS, Deployment, filled_in

START_SECONDS = 30


def program(name: str) -> str:
    """Where a program is: named by `WORKBENCH_TEST_NGINX` and the like, or on PATH; else skips the test."""
    found = os.environ.get(f"WORKBENCH_TEST_{name.upper()}") or shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed on this machine")
    return found


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate for `localhost` that nobody vouches for, and its key."""

    certificate: Path
    key: Path


def self_signed(folder: Path) -> Certificate:
    """Make one in a folder."""
    made = Certificate(folder / "certificate.pem", folder / "key.pem")
    command = [program("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    command += ["-keyout", str(made.key), "-out", str(made.certificate)]
    subprocess.run(command, check=True, capture_output=True)
    return made


def text_of(paper: str, site: Deployment) -> str:
    """The text of a paper of one file."""
    ((_, text),) = filled_in(PAPERS[paper], site)
    return text


def replaced(text: str, other: Mapping[str, str]) -> str:
    """A paper with what only its machine has replaced; fails where a part is not in it."""
    for old, new in other.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


@contextmanager
def nginx(folder: Path, site: Deployment) -> Iterator[str]:
    """Run nginx with its paper, checked by `nginx -t`; gives the address of the proxy."""
    made, port, plain = self_signed(folder), free_port(), free_port()
    live = f"/etc/letsencrypt/live/{site.host}"
    paper = replaced(
        text_of("nginx", site),
        {
            "    listen [::]:80;\n": "",
            "    listen [::]:443 ssl http2;\n": "",
            "listen 80;": f"listen 127.0.0.1:{plain};",
            "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
            f"{live}/fullchain.pem": str(made.certificate),
            f"{live}/privkey.pem": str(made.key),
        },
    )
    (folder / "site.conf").write_text(paper)
    temporary = "".join(
        f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    mime = "types { text/css css; text/javascript js; }"
    user = "user root;" if os.geteuid() == 0 else ""
    main = folder / "nginx.conf"
    main.write_text(
        f"daemon off; {user} pid {folder}/pid; error_log stderr; events {{}}\n"
        f"http {{ {mime} access_log off; {temporary} include {folder}/site.conf; }}\n"
    )
    command = [program("nginx"), "-c", str(main)]
    checked = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr
    with _running(command, folder, f"https://localhost:{port}{site.prefix}/"):
        yield f"https://localhost:{port}{site.prefix}"


@contextmanager
def caddy(folder: Path, site: Deployment) -> Iterator[str]:
    """Run Caddy with its paper, checked by `caddy validate`; gives the address of the proxy."""
    made, port = self_signed(folder), free_port()
    options = "{\n\tauto_https disable_redirects\n\tadmin off\n}\n"
    given = f"{options}{site.host}:{port} {{\n\ttls {made.certificate} {made.key}\n"
    file = folder / "Caddyfile"
    file.write_text(replaced(text_of("caddy", site), {f"{site.host} {{\n": given}))
    asked = ["--config", str(file), "--adapter", "caddyfile"]
    checked = subprocess.run(
        [program("caddy"), "validate", *asked], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr
    with _running([program("caddy"), "run", *asked], folder, f"https://localhost:{port}{site.prefix}/"):
        yield f"https://localhost:{port}{site.prefix}"


@contextmanager
def _running(command: Sequence[str], folder: Path, address: str) -> Iterator[None]:
    with (folder / "proxy.log").open("wb") as log:
        home = os.environ | {
            "HOME": str(folder),
            "XDG_DATA_HOME": str(folder),
            "XDG_CONFIG_HOME": str(folder),
        }
        process = subprocess.Popen(command, stdout=log, stderr=log, env=home)
    try:
        end = time.monotonic() + START_SECONDS
        while status(address) == 0 and time.monotonic() < end:
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(START_SECONDS)


def status(address: str) -> int:
    """The status that an address answers, whoever vouches for it; 0 where nobody answers."""
    anyone = ssl.create_default_context()
    anyone.check_hostname, anyone.verify_mode = False, ssl.CERT_NONE
    try:
        with urllib.request.urlopen(address, timeout=10, context=anyone) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        error.close()
        return error.code
    except OSError:
        return 0
