"""The cystic fibrosis collection as a release: the field's scorers give the figures of `workbench score`."""

from __future__ import annotations

import gzip
import importlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.releases.forms.test_forms import from_folder, from_zip
from tests.releases.made import published
from tests.support import shared
from workbench.formats.documents import read_documents
from workbench.formats.topics import read_topics
from workbench.ranking import ordered
from workbench.releases.contents import ReleaseContents
from workbench.toolkit import read_qrels, read_run, score

MEASURES = ("AP", "nDCG@10", "P@10", "RR", "Rprec", "Bpref")
TREC_EVAL = {"AP": "map", "nDCG@10": "ndcg_cut_10", "P@10": "P_10", "RR": "recip_rank", "Bpref": "bpref"}
RANX = {"AP": "map", "nDCG@10": "ndcg@10", "P@10": "precision@10", "RR": "mrr", "Rprec": "r-precision"}

Load = Callable[[ReleaseContents, Path], Any]


def cf_release(slug: str) -> ReleaseContents:
    folder = shared("data", "cf")
    with (folder / "topics.jsonl").open("rb") as topics, (folder / "docs.jsonl").open("rb") as documents:
        return published(
            slug,
            "Cystic fibrosis",
            read_topics(topics, source="topics.jsonl"),
            read_qrels(folder / "qrels.majority.txt"),
            read_documents(documents, source="docs.jsonl"),
        )


def cf_runs() -> list[Path]:
    found = sorted(shared("data", "cf", "runs_generated").iterdir())
    assert len(found) == 10
    return found


def in_full(path: Path) -> dict[str, dict[str, float]]:
    """A run as pytrec_eval reads it."""
    made: dict[str, dict[str, float]] = {}
    for line in gzip.decompress(path.read_bytes()).decode().splitlines():
        topic, _, docno, _, number, _ = line.split()
        made.setdefault(topic, {})[docno] = float(number)
    return made


def ranked(path: Path) -> dict[str, dict[str, float]]:
    """A run whose documents have the places of trec_eval's order as scores: ranx has no rule for ties."""
    rankings = read_run(path).rankings
    return {
        topic: {docno: float(-place) for place, docno in enumerate(ordered(ranking))}
        for topic, ranking in rankings.items()
    }


def rounded(values: Mapping[str, float]) -> dict[str, float]:
    return {name: round(float(value), 9) for name, value in values.items()}


@pytest.fixture
def dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Any:
    """The release as ir_datasets loads it, and the figures of every run by the project."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "ir_datasets"))
    load: Load = request.param
    release = cf_release(f"cf-{request.node.name.split('[')[0].replace('_', '-')}-{load.__name__.strip('_')}")
    made = load(release, tmp_path)
    assert made.docs_count() == len(release.documents or ())
    return made


def own_figures(path: Path) -> dict[str, float]:
    qrels = shared("data", "cf", "qrels.majority.txt")
    (scores,) = score(qrels, [path], " ".join(MEASURES))
    return rounded(scores.values)


@pytest.mark.slow
@pytest.mark.parametrize("dataset", [from_folder, from_zip], indirect=True)
def test_ir_measures_gives_the_same_figures_through_the_definition(dataset: Any) -> None:
    ir_measures = importlib.import_module("ir_measures")
    asked = [ir_measures.parse_measure(one) for one in MEASURES]
    for path in cf_runs():
        found = ir_measures.calc_aggregate(asked, dataset.qrels_iter(), in_full(path))
        assert rounded({str(one): value for one, value in found.items()}) == own_figures(path)


@pytest.mark.slow
@pytest.mark.parametrize("dataset", [from_zip], indirect=True)
def test_trec_evals_code_gives_the_same_figures(dataset: Any) -> None:
    pytrec_eval = importlib.import_module("pytrec_eval")
    evaluator = pytrec_eval.RelevanceEvaluator(dataset.qrels_dict(), set(TREC_EVAL.values()))
    topics = len(dataset.qrels_dict())
    for path in cf_runs():
        found = evaluator.evaluate(in_full(path)).values()
        means = {own: sum(one[name] for one in found) / topics for own, name in TREC_EVAL.items()}
        own = own_figures(path)
        assert rounded(means) == {name: own[name] for name in TREC_EVAL}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:unsafe cast from uint64:Warning")  # of numba, in ranx
@pytest.mark.parametrize("dataset", [from_zip], indirect=True)
def test_ranx_gives_the_same_figures(dataset: Any) -> None:
    ranx = pytest.importorskip("ranx", reason="the extra bench is not installed")
    qrels = ranx.Qrels.from_dict(dataset.qrels_dict())
    for path in cf_runs():
        found = ranx.evaluate(
            qrels, ranx.Run.from_dict(ranked(path)), list(RANX.values()), make_comparable=True
        )
        own = own_figures(path)
        assert rounded({name: found[theirs] for name, theirs in RANX.items()}) == {
            name: own[name] for name in RANX
        }
