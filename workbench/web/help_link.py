"""Where the `?` of a page leads: to the page of the manual that explains it, else to the list of them."""

from __future__ import annotations

from flask import request, url_for

from workbench.help.manual import page_for


def help_address() -> str:
    """The address of the help for the page that is being shown."""
    page = page_for(request.endpoint)
    return url_for("help.page", page=page.name) if page else url_for("help.index")
