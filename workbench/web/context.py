"""What all views share: the database with its two kinds of transaction, passwords, settings."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from flask import Flask, current_app

from workbench.settings import Settings
from workbench.storage import Session
from workbench.storage.engine import Database
from workbench.workflow.judging.adaptive_states import AdaptiveStates
from workbench.workflow.people.passwords import Passwords

KEY = "workbench"


@dataclass(frozen=True, slots=True)
class Context:
    """The parts that `create_app` received."""

    settings: Settings
    database: Database
    passwords: Passwords
    states: AdaptiveStates = field(default_factory=AdaptiveStates)


def init_app(app: Flask, context: Context) -> None:
    """Attach the context to the application."""
    app.extensions[KEY] = context


def app_context() -> Context:
    """The context of the application that handles this request."""
    found = current_app.extensions[KEY]
    if not isinstance(found, Context):
        raise TypeError("the application was not made by create_app")
    return found


def reading() -> AbstractContextManager[Session]:
    """A transaction that reads one snapshot."""
    return app_context().database.reading()


def adaptive_states() -> AdaptiveStates:
    """The adaptive pools that this process has in use."""
    return app_context().states


def writing() -> AbstractContextManager[Session]:
    """A transaction that is committed at its end, or rolled back by an exception."""
    return app_context().database.writing()
