"""The e-mail address of the viewer's account: changed with the password, and confirmed by a link."""

from __future__ import annotations

from flask import Blueprint, render_template, request

from workbench.web.access import anyone, signed_in, viewer
from workbench.web.context import reading, require_mail, writing
from workbench.web.forms import Findings, accepted, errors_on, form_text
from workbench.web.own_password import checked_password, password_finding
from workbench.web.requests import Reply, refused_form
from workbench.workflow.mail.queue import add_confirmation
from workbench.workflow.people import mail_addresses, signing_in

blueprint = Blueprint("mail_address", __name__, url_prefix="/account/address")


@blueprint.get("")
@signed_in
def index(findings: Findings = ()) -> str:
    """The address, and the form to change it."""
    with reading() as db:
        return render_template(
            "account/address.html",
            found=mail_addresses.address_of(db, viewer().id),
            longest=mail_addresses.LONGEST_ADDRESS,
            findings=findings,
            typed=request.form if findings else {},
        )


@blueprint.post("")
@signed_in
def change() -> Reply:
    """Have a new address confirmed, or remove the address, after the password was checked."""
    require_mail()
    typed = form_text("address")
    with errors_on(index):
        address = mail_addresses.checked_address(typed) if typed.strip() else ""
    checked = checked_password()
    with writing() as db:
        refused = signing_in.confirm_password(db, checked)
        if refused is None and address:
            mail_addresses.propose_address(db, viewer().id, address)
            add_confirmation(db, viewer().id, address)
        elif refused is None:
            mail_addresses.remove_address(db, viewer().id)
    if refused is not None:
        return refused_form(index((password_finding(refused),)), refused)
    return accepted(
        f"A message is on its way to {address}. Open the link in it to confirm the address."
        if address
        else "E-mail address removed.",
        "mail_address.index",
    )


@blueprint.get("/confirm/<token>")
@anyone
def confirmation(token: str) -> str:
    """The button that confirms: programs that check mail for dangerous links open them, and press nothing."""
    with reading() as db:
        account, address = mail_addresses.proposed_by(db, token)
    return render_template("account/confirm_address.html", token=token, account=account, address=address)


@blueprint.post("/confirm/<token>")
@anyone
def confirm(token: str) -> str:
    """Have messages sent to the address from now on."""
    with writing() as db:
        address = mail_addresses.confirm_address(db, token)
    return render_template("account/confirm_address.html", token="", account=None, address=address)
