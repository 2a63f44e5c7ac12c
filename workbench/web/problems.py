"""Problems: errors as programs read them, in the form of RFC 9457."""

from __future__ import annotations

import json
from dataclasses import dataclass
from http import HTTPStatus

from flask import g
from werkzeug.wrappers import Response

from workbench.errors import finding_to_json
from workbench.web.forms import Findings

CONTENT_TYPE = "application/problem+json"


@dataclass(frozen=True, slots=True)
class Failure:
    """What an error says, as a page or as a problem."""

    status: int
    title: str
    message: str
    remedy: str = ""
    findings: Findings = ()


def problem_response(failure: Failure) -> Response:
    """A failure as a problem; `findings` name each error of a rejected input by its code."""
    problem = {
        "type": "about:blank",
        "title": HTTPStatus(failure.status).phrase,
        "status": failure.status,
        "detail": failure.message,
        "remedy": failure.remedy,
        "findings": [finding_to_json(finding) for finding in failure.findings],
        "request": g.get("request_id", ""),
    }
    return Response(json.dumps(problem), failure.status, content_type=CONTENT_TYPE)
