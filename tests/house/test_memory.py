"""What a server's process keeps between requests: the few things that are named here, and why."""

from __future__ import annotations

import ast

from tests.tree import ROOT

PACKAGE = ROOT / "workbench"

KEPT = {
    "workflow/log.py:_LOGS": "current answers of campaigns, caught up by their events",
    "workflow/judging/queue_handout.py:_HANDED_OUT": "what is handed out of queues, by their events",
    "workflow/judging/handout.py:_KNOWN": "orders of topics, by what they are made of",
    "workflow/pools/pooled_topics.py:_POOLS": "documents of pools, by their contents",
    "workflow/pools/listing.py:_CONTRIBUTED": "what each run brought to a pool, by its contents",
    "workflow/pools/pooled_topics.py:_COUNTS": "pooled documents that are not loaded, by pools and documents",
    "workflow/pools/analysis.py:_EXAMINATIONS": "the tops of runs, by the hashes of their files",
    "workflow/runs/run_checks.py:_REMEMBERED": "the tops of a run, by the hash of its file",
    "workflow/scores/score_table.py:_SCORED": "scores, by qrels, measures and the hashes of files",
    "workflow/scores/leaderboard.py:_COMPARED": "every two of some runs, by the hash of their scores",
    "workflow/searching/host_index.py:_OPEN": "search indexes of this host that are open",
    "web/jobs.py:_AWAY": "since when a search engine does not answer",
}
"""Each is a projection of an append-only log, or known by all that it depends on; it can be thrown away."""
KEEPERS = {
    "Cache",
    "WeakKeyDictionary",
    "OrderedDict",
    "defaultdict",
    "Counter",
    "deque",
    "dict",
    "list",
    "set",
}


def test_no_other_module_keeps_anything_between_requests() -> None:
    found = {
        f"{module.relative_to(PACKAGE).as_posix()}:{ast.unparse(name)}"
        for module in PACKAGE.rglob("*.py")
        if module.relative_to(PACKAGE).parts[0] in {"workflow", "web", "storage"}
        for name, value in assigned(ast.parse(module.read_text("utf-8")))
        if keeps(value)
    }
    assert found == set(KEPT)


def assigned(module: ast.Module) -> list[tuple[ast.expr, ast.expr]]:
    """The names that a module binds as it is imported, each with its value."""
    return [
        (one.target if isinstance(one, ast.AnnAssign) else one.targets[0], one.value)
        for one in module.body
        if isinstance(one, ast.Assign | ast.AnnAssign) and one.value is not None
    ]


def keeps(value: ast.expr) -> bool:
    """Whether a value is made to be filled: a cache, or a collection that is empty at first."""
    if isinstance(value, ast.Call):
        made = value.func.value if isinstance(value.func, ast.Subscript) else value.func
        return isinstance(made, ast.Name) and made.id in KEEPERS and not (made.id != "Cache" and value.args)
    return isinstance(value, ast.Dict | ast.List | ast.Set) and not ast.unparse(value).strip("{}[]")
