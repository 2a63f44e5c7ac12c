"""Assignments as their assessor reaches them: by account, not revoked."""

from __future__ import annotations
