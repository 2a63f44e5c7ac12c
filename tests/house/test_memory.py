"""What a server's process keeps between requests: the few things that are named here, and why."""

from __future__ import annotations

import ast
from collections.abc import Iterator

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
    "workflow/searching/indexes.py:_OPEN": "search indexes of this host that are open",
    "web/jobs.py:_AWAY": "since when a search engine does not answer",
    "workflow/judging/adaptive_states.py:self._pools": "adaptive pools and learners, by their events",
    "workflow/pools/learner_rounds.py:self._made": "vectors of a collection, by its changes",
    "workflow/pools/learner_rounds.py:self._reviews": "reviews of a learner's pool, by their events",
    "workflow/openid/provider.py:_opener": "the certificates of this machine",
    "workflow/jobs.py:_names_of": "fields of the program's own records",
    "workflow/jobs.py:_types_of": "fields of the program's own records",
    "workflow/campaigns/archive.py:_tables": "the program's own tables",
    "workflow/campaigns/archive.py:_owner": "the program's own tables",
    "workflow/campaigns/archive.py:_dependants": "the program's own tables",
    "storage/migrate.py:known_revisions": "the program's own migrations",
}
"""Each is a projection of an append-only log, known by all that it depends on, or of the program alone.

All can be thrown away."""
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
        for name in kept_in(ast.parse(module.read_text("utf-8")))
    }
    assert found == set(KEPT)


def kept_in(module: ast.Module) -> Iterator[ast.expr]:
    """What a module fills as it goes on: at its top, and caches and cached functions wherever they stand."""
    for one in ast.walk(module):
        if isinstance(one, ast.FunctionDef) and {"cache", "lru_cache"} & set(
            map(decorator, one.decorator_list)
        ):
            yield ast.Name(one.name)
        if not isinstance(one, ast.Assign | ast.AnnAssign) or one.value is None:
            continue
        if keeps(one.value) and (one in module.body or decorator(one.value) == "Cache"):
            yield one.target if isinstance(one, ast.AnnAssign) else one.targets[0]


def decorator(one: ast.expr) -> str:
    """What a decorator, or a call, is of."""
    return ast.unparse(one.func if isinstance(one, ast.Call) else one)


def keeps(value: ast.expr) -> bool:
    """Whether a value is made to be filled: a cache, or a collection that is empty at first."""
    if isinstance(value, ast.Call):
        made = value.func.value if isinstance(value.func, ast.Subscript) else value.func
        return isinstance(made, ast.Name) and made.id in KEEPERS and not (made.id != "Cache" and value.args)
    return isinstance(value, ast.Dict | ast.List | ast.Set) and not ast.unparse(value).strip("{}[]")
