"""Runs: the list, checking and adding files, rules, metadata, late runs.

The pages of uploads and of one run serve organisers and participants alike; `faces` has what differs.
"""

from flask import Blueprint

from workbench.web.pages.runs import late, rules, run_list
from workbench.web.pages.runs.faces import OrganiserFace
from workbench.web.pages.runs.records import serve_records
from workbench.web.pages.runs.uploads import serve_uploads

_FACE = OrganiserFace()
_uploads = Blueprint("run_checks", __name__, url_prefix="/c/<slug>/runs/checked")
serve_uploads(_uploads, _FACE)
serve_records(run_list.blueprint, _FACE, file="/file", removal="/remove")

BLUEPRINTS = (
    run_list.blueprint,
    _uploads,
    rules.blueprint,
    late.blueprint,
)
