"""What an assessor is told of a training that must be passed: what is asked for, and what a round came to."""

from __future__ import annotations

from workbench.workflow.judging.training import Gate, Round


def goal_words(gate: Gate | None) -> str:
    """What opens the work; nothing where it is open."""
    if gate is None:
        return ""
    now = gate.now
    said = f"Training comes first. The work opens once {_right(now.needed, now.total)} the known one."
    if now.number == 1:
        return said
    before = gate.rounds[-2]
    return f"{said} Last time you had {before.right} of {before.total}; this is round {now.number}."


def result_words(found: Round | None) -> str:
    """What a round came to, and what to do now; nothing while it is not complete."""
    if found is None:
        return ""
    had = f"You had {found.right} of {found.total} right"
    if found.passed:
        return f"{had}. The work begins now."
    return (
        f"{had}; the work opens with {found.needed}. Please go through the training once more: "
        "take your time, with the guidelines at hand. All your answers are kept."
    )


def _right(needed: int, total: int) -> str:
    if needed == total:
        return "each of your answers is" if total > 1 else "your answer is"
    return f"{needed} of your {total} answers {'is' if needed == 1 else 'are'}"
