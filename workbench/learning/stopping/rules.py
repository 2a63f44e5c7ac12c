"""The registry of stopping rules."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.errors import WorkbenchError
from workbench.learning.stopping.elusion import ELUSION
from workbench.learning.stopping.knee import KNEE
from workbench.learning.stopping.qbcb import QBCB
from workbench.learning.stopping.target import TARGET_RULE
from workbench.learning.stopping.trace import StoppingRule

STOPPING_RULES: Mapping[str, StoppingRule] = {rule.name: rule for rule in (TARGET_RULE, QBCB, ELUSION, KNEE)}


def stopping_rule_named(name: str) -> StoppingRule:
    """The rule of this name; raises WorkbenchError with those that exist."""
    if name not in STOPPING_RULES:
        message = f'there is no stopping rule "{name}"'
        raise WorkbenchError(message, remedy=f"one of {', '.join(STOPPING_RULES)}")
    return STOPPING_RULES[name]
