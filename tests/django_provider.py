"""An OpenID provider that others wrote, in a process of its own: Django with Django OAuth Toolkit.

`python -m tests.django_provider FOLDER SITE` prints its issuer and serves until it is ended. It has a login
form, asks for consent and signs with RS256; its people are `ada`, whose e-mail address is verified, and
`ben`. It needs the extra `provider`.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

CLIENT, SECRET, PASSWORD = "workbench", "the secret of the client", "the password at the provider"
PEOPLE = {"ada": ("Ada Lovelace", True), "ben": ("", False)}
"""By login name: the name, and whether the e-mail address was verified."""
PATH = "/o"
APPS = ("django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "oauth2_provider")
LOGIN_FORM = '<form method="post">{% csrf_token %}{{ form }}<button>Log in</button></form>'


@contextmanager
def running_django_provider(folder: Path, site: str) -> Iterator[str]:
    """Run it for a site, and give its issuer."""
    command = [sys.executable, "-m", "tests.django_provider", str(folder), site]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


class _Threaded(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Silent(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing of each request."""


def configure(folder: Path, key: str) -> None:
    """The settings of Django: as its documentation and that of the toolkit have them, in one file."""
    from django.conf import settings

    templates = {"registration/login.html": LOGIN_FORM}
    locmem = ("django.template.loaders.locmem.Loader", templates)
    settings.configure(
        SECRET_KEY="of a provider that lives for one test",
        ALLOWED_HOSTS=["localhost"],
        ROOT_URLCONF=__name__,
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(folder / "provider.db")}},
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        INSTALLED_APPS=APPS,
        # The tables at once instead of by dozens of migrations.
        MIGRATION_MODULES=dict.fromkeys(app.rpartition(".")[2] for app in APPS),
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
        ],
        TEMPLATES=[
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "OPTIONS": {
                    "loaders": [locmem, "django.template.loaders.app_directories.Loader"],
                    "context_processors": ["django.contrib.auth.context_processors.auth"],
                },
            }
        ],
        LOGIN_URL="/accounts/login/",
        USE_TZ=True,
        OAUTH2_PROVIDER={
            "OIDC_ENABLED": True,
            "OIDC_RSA_PRIVATE_KEY": key,
            "OIDC_RP_INITIATED_LOGOUT_ENABLED": True,
            "OAUTH2_VALIDATOR_CLASS": f"{__name__}.Validator",
            "PKCE_REQUIRED": True,
            # RFC 9207: the answer names its issuer.
            "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
            "SCOPES": {"openid": "Who you are", "profile": "Your name", "email": "Your e-mail address"},
        },
    )
    import django

    django.setup()


def fill(site: str) -> None:
    """Make the tables, the people, and the site as a confidential client."""
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from oauth2_provider.models import Application

    call_command("migrate", verbosity=0, run_syncdb=True)
    for login, (name, _) in PEOPLE.items():
        User.objects.create_user(login, f"{login}@example.org", PASSWORD, first_name=name)
    Application.objects.create(
        name="Workbench",
        client_id=CLIENT,
        client_secret=SECRET,
        client_type=Application.CLIENT_CONFIDENTIAL,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        redirect_uris=f"{site}/openid/callback",
        algorithm=Application.RS256_ALGORITHM,
    )


def __getattr__(name: str) -> Any:
    # Django imports both from here after it was set up, before which they cannot be made.
    if name == "urlpatterns":
        from django.contrib.auth.views import LoginView
        from django.urls import include, path

        return [
            path("accounts/login/", LoginView.as_view()),
            path(f"{PATH[1:]}/", include("oauth2_provider.urls", namespace="oauth2_provider")),
        ]
    if name == "Validator":
        return _validator()
    raise AttributeError(name)


def _validator() -> type[Any]:
    from oauth2_provider.oauth2_validators import OAuth2Validator

    class Validator(OAuth2Validator):  # type: ignore[misc]
        """Says of people what their account has; the ID token names the subject only."""

        def get_userinfo_claims(self, request: Any) -> dict[str, Any]:
            person = request.user
            claims: dict[str, Any] = super().get_userinfo_claims(request)
            verified = PEOPLE[person.username][1]
            named = {"name": person.first_name} if person.first_name else {}
            return (
                claims
                | named
                | {"preferred_username": person.username, "email": person.email, "email_verified": verified}
            )

    return Validator


def main(folder: Path, site: str) -> None:
    """Serve until the process is ended."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    configure(folder, key.decode())
    from django.core.wsgi import get_wsgi_application

    fill(site)
    server = make_server("localhost", 0, get_wsgi_application(), _Threaded, _Silent)
    print(f"http://localhost:{server.server_port}{PATH}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    # Under its own name, by which Django imports from it.
    from tests.django_provider import main as serve

    serve(Path(sys.argv[1]), sys.argv[2])
