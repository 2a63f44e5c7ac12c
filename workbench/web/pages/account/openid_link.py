"""Links between the viewer's account and the OpenID provider, made and removed with the password."""

from __future__ import annotations

from flask import Blueprint, g, render_template
from werkzeug.wrappers import Response

from workbench.web.access import signed_in, viewer
from workbench.web.context import reading, writing
from workbench.web.forms import Findings, accepted
from workbench.web.own_password import require_password
from workbench.web.provider_trips import depart, require_provider
from workbench.workflow.openid.browser_trips import TripPurpose, new_trip
from workbench.workflow.openid.identities import linked_identities, unlink_identities
from workbench.workflow.openid.link_permissions import link_permission
from workbench.workflow.people.accounts import has_password

blueprint = Blueprint("openid_link", __name__, url_prefix="/account/openid")


@blueprint.get("")
@signed_in
def index(findings: Findings = ()) -> str:
    """The identity that is linked, or how to link one."""
    with reading() as db:
        return render_template(
            "account/openid.html",
            linked=linked_identities(db, viewer().id),
            with_password=has_password(db, viewer().id),
            findings=findings,
        )


@blueprint.post("/link")
@signed_in
def link() -> Response:
    """Go to the provider to link an identity, after the password was checked."""
    provider = require_provider()
    require_password(index)
    with reading() as db:
        permission = link_permission(db, viewer().id, g.token)
    return depart(provider, new_trip(TripPurpose.LINK, permission))


@blueprint.post("/unlink")
@signed_in
def unlink() -> Response:
    """Let nobody sign in to this account with the provider any more, after the password was checked."""
    require_password(index)
    with writing() as db:
        unlink_identities(db, viewer().id)
    return accepted("Unlinked. You sign in with your password from now on.", "openid_link.index")
