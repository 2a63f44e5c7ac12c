"""How far a computation is, told to whoever asks meanwhile."""

from __future__ import annotations

from workbench.workflow.steps import HowFar, UnderWay, quietly


def test_each_step_is_told_with_what_is_done_and_forgotten_at_the_end() -> None:
    computed = UnderWay()
    told = []
    with computed.follow("a") as steps:
        assert computed.get("a") is None
        for _ in steps(["x", "y"], "Runs"):
            told.append(computed.get("a"))
        for _ in steps([range(50), range(50, 75)], "Mixtures"):
            told.append(computed.get("a"))
        assert computed.get("a") == HowFar("Mixtures", 75, 75)
        assert computed.get("b") is None
    assert told == [
        HowFar("Runs", 0, 2),
        HowFar("Runs", 1, 2),
        HowFar("Mixtures", 0, 75),
        HowFar("Mixtures", 50, 75),
    ]
    assert computed.get("a") is None


def test_what_fails_is_forgotten_too() -> None:
    computed = UnderWay()
    try:
        with computed.follow("a") as steps:
            for _ in steps([1], "Runs"):
                raise ValueError
    except ValueError:
        pass
    assert computed.get("a") is None


def test_nothing_shown_changes_nothing() -> None:
    assert list(quietly([1, 2], "Runs")) == [1, 2]
