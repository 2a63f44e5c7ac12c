"""The names of measures, as the field writes them (`AP`, `nDCG@10`, `P(rel=2)@5`), made into measures.

The vocabulary is that of ir_measures; trec_eval's (`map`, `ndcg_cut_10`, `official`) is understood too. What
would make a scorer written in C stop the whole process (a cutoff of 0, a negative grade) is refused here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from typing import Any

import ir_measures
from ir_measures import Measure
from ir_measures.measures import registry
from ir_measures.measures.base import MeanAgg
from ir_measures.providers.base import NOT_PROVIDED

from workbench.errors import WorkbenchError
from workbench.scoring.kernels.registry import KERNELS, kernel_of
from workbench.scoring.listed import own_measures
from workbench.scoring.relevance import LARGEST_GRADE, Relevance
from workbench.scoring.trec_eval_names import counterpart, expanded

_KINDS = {
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    str: "a word in quotes",
    dict: "{grade: gain}",
}
_PIPELINE: Any = ir_measures.DefaultPipeline
_EXAMPLES = "such as AP, nDCG@10, P(rel=2)@5"
# The lowest and the highest value of parameters that are numbers.
_RANGES: Mapping[str, tuple[float, float]] = {
    "cutoff": (1, 2**31 - 1),
    "rel": (1, LARGEST_GRADE),
    "min_rel": (0, LARGEST_GRADE),
    "max_rel": (1, LARGEST_GRADE),
    "recall": (0, 1),
    "p": (0, 1),
    "alpha": (0, 1),
    "beta": (0.001, 1000),
    "T": (0.001, 1_000_000),
    "base": (1.001, 1_000_000),
    "docs": (1, 2**53),
    "n": (1, 2**31 - 1),
    "expected": (1, 2**31 - 1),
}
_RANGES_OF: Mapping[tuple[str, str], tuple[float, float]] = {
    ("NRBP", "beta"): (0, 1),
    ("nNRBP", "beta"): (0, 1),
}
"""Where a parameter of a measure has other bounds than its namesake elsewhere."""
NAMESAKES: Mapping[str, str] = {
    "Accuracy": "Accuracy is that of ir_measures, the share of pairs of a relevant and another document in "
    "the right order; the accuracy of textbooks, the share of documents rightly retrieved or left out, is "
    "SetAccuracy(docs=N) with N documents in the collection",
}
"""What a measure is not, though it is called so elsewhere; by name."""
# The names of ndeval, and the short one that papers have for subtopic recall.
_NDEVALS = {
    "ERR-IA": "ERR_IA",
    "nERR-IA": "nERR_IA",
    "alpha-DCG": "alpha_DCG",
    "alpha-nDCG": "alpha_nDCG",
    "MAP-IA": "AP_IA",
    "P-IA": "P_IA",
    "strec": "StRecall",
    "STREC": "StRecall",
}


def parse_measures(names: str | Iterable[str]) -> tuple[Measure, ...]:
    """Measures by name, separated by white space or commas or given one by one, each kept once.

    Raises WorkbenchError for no name at all, an unknown one (the remedy names close ones), wrong parameters
    and a measure that no installed scorer computes.
    """
    texts = [names] if isinstance(names, str) else names
    measures = [measure for text in texts for name in _split(text) for measure in _named(name)]
    if not measures:
        raise WorkbenchError("no measure is named", remedy=_EXAMPLES)
    return tuple(dict.fromkeys(measures))


def _split(text: str) -> list[str]:
    """The names in a text; white space and commas in brackets and before numbers (P.5,10) do not separate."""
    return re.findall(r"(?:\([^()]*\)|,(?=[0-9])|[^\s,])+", text)


def _named(name: str) -> list[Measure]:
    """The measure of a name, or those that trec_eval or ndeval call so."""
    base = re.split("[@(]", name)[0]
    name = _NDEVALS.get(base, base) + name[len(base) :]
    written = expanded(name) if name not in _known() else ()
    if not written:
        return [_measure(name)]
    measures = [_measure(known) for one in written if (known := counterpart(one)) is not None]
    if not measures:
        raise WorkbenchError(
            f"trec_eval's {name} has no counterpart among the measures of ir_measures",
            remedy="workbench score --format trec_eval prints it",
        )
    return measures


def _measure(name: str) -> Measure:
    base, parameters = _parsed(name)
    measures = _known()
    if base not in measures:
        raise WorkbenchError(f'there is no measure "{base}"', remedy=_suggestion(base))
    kind: Any = measures[base]
    if "@" in parameters:
        parameters[kind.AT_PARAM] = parameters.pop("@")
    strange = parameters.keys() - kind.SUPPORTED_PARAMS.keys()
    if strange:
        known = ", ".join(kind.SUPPORTED_PARAMS) or "none"
        raise WorkbenchError(f"{base} has no parameter {min(strange)}", remedy=f"it has {known}")
    measure: Measure = kind(**{key: _as_declared(kind, key, value) for key, value in parameters.items()})
    for key in kind.SUPPORTED_PARAMS:
        _check(name, measure, key)
    if kernel := KERNELS.get(str(measure.NAME)):
        for key in sorted(kernel.needed - measure.params.keys()):
            raise WorkbenchError(f'"{name}" needs a {key}', remedy=f"such as {name}@20")
    _check_together(name, measure)
    if kernel_of(measure) is None and not in_the_field(measure):
        raise WorkbenchError(f"no installed scorer computes {measure}", remedy=_installation(measure))
    return measure


def in_the_field(measure: Measure) -> bool:
    """Whether an installed scorer that ir_measures knows computes the measure."""
    # Its scorers do not look at parameters that are not theirs.
    theirs = registry.get(measure.NAME)
    foreign = set() if theirs is None else measure.params.keys() - theirs.SUPPORTED_PARAMS.keys()
    return not foreign and bool(_PIPELINE.supports(measure))


def is_mean(measure: Measure) -> bool:
    """Whether a run is worth the mean of a measure over its topics, not their sum."""
    return isinstance(measure.aggregator(), MeanAgg)


def _known() -> dict[str, Measure]:
    own = own_measures()
    # Aliases, too, mean the measure that has our parameters.
    return {**{name: own.get(str(known.NAME), known) for name, known in registry.items()}, **own}


def _parsed(name: str) -> tuple[str, dict[str, Any]]:
    """The name of a measure and its parameters; what stands after @ is under "@"."""
    parameters: dict[str, Any] = {}
    try:
        node = ast.parse(name, mode="eval").body
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            parameters["@"] = ast.literal_eval(node.right)
            node = node.left
        if isinstance(node, ast.Call) and not node.args:
            parameters.update((str(word.arg), ast.literal_eval(word.value)) for word in node.keywords)
            node = node.func
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        node = None
    if not isinstance(node, ast.Name):
        raise WorkbenchError(f'"{name}" is not the name of a measure', remedy=_suggestion(name))
    return node.id, parameters


def _as_declared(kind: Measure, key: str, value: Any) -> Any:
    """IPrec@1 means IPrec@1.0."""
    wants_float = kind.SUPPORTED_PARAMS[key].dtype is float
    return float(value) if wants_float and type(value) is int else value


def _check(name: str, measure: Measure, key: str) -> None:
    """Raise WorkbenchError where a parameter is missing, of the wrong kind or out of its range."""
    declared: Any = measure.SUPPORTED_PARAMS[key]
    value = measure.params.get(key, NOT_PROVIDED)
    if value is NOT_PROVIDED:
        if declared.required:
            kernel = KERNELS.get(str(measure.NAME))
            remedy = _EXAMPLES if kernel is None else f"such as {kernel.example}"
            message = f'"{name}" needs docs, the number of documents in the collection'
            raise WorkbenchError(message if key == "docs" else f'"{name}" needs a {key}', remedy=remedy)
        return
    mistaken = isinstance(value, bool) and declared.dtype is not bool
    if mistaken or not declared.validate(value):
        choices = declared.choices if isinstance(declared.choices, (list, tuple)) else ()
        remedy = f"one of {', '.join(map(str, choices))}" if choices else f"give {_KINDS[declared.dtype]}"
        raise WorkbenchError(f'{key} in "{name}" cannot be {value!r}', remedy=remedy)
    bounds = _RANGES_OF.get((str(measure.NAME), key)) or _RANGES.get(key)
    if bounds and not bounds[0] <= value <= bounds[1]:
        remedy = f"from {bounds[0]} to {bounds[1]}"
        raise WorkbenchError(f'{key} in "{name}" cannot be {value!r}', remedy=remedy)
    if key == "recall" and round(value, 2) != value:
        # trec_eval knows two decimals; two levels that share them could not be told apart.
        raise WorkbenchError(f'recall in "{name}" cannot be {value!r}', remedy="at most two decimals")
    if key == "gains" and not all(_is_gain(grade, gain) for grade, gain in value.items()):
        raise WorkbenchError(
            f'the gains in "{name}" are wrong', remedy=f"whole numbers from 0 to {LARGEST_GRADE} by grade"
        )


def _check_together(name: str, measure: Measure) -> None:
    """Raise WorkbenchError for parameters that exclude one another."""
    given = measure.params
    # Of NRBP they are two things.
    if measure.NAME in ("F", "E") and "alpha" in given and "beta" in given:
        raise WorkbenchError(
            f'"{name}" has two weights', remedy="give alpha or beta: beta squared is (1 - alpha) / alpha"
        )
    if given.get("interpolation") == "bucket" and (given.get("recall", 0) * 100) % 10 > 1e-9:
        raise WorkbenchError(
            f'recall in "{name}" cannot be {given["recall"]!r}',
            remedy="the bucket rule knows the levels 0, .1, .2 to 1",
        )


def _is_gain(grade: object, gain: object) -> bool:
    return type(grade) is int and type(gain) is int and 0 <= gain <= LARGEST_GRADE


def _suggestion(base: str) -> str:
    """What was probably meant: another spelling, or a few examples."""
    from difflib import get_close_matches

    # Of two spellings of one measure (nDCG, NDCG) the first is its own, the others are aliases.
    spelt = {known.casefold(): known for known in reversed(_known())}
    if base.casefold() in spelt:
        return f"did you mean {spelt[base.casefold()]}?"
    close = get_close_matches(base.casefold(), spelt, n=3, cutoff=0.6)
    return f"did you mean {', '.join(spelt[known] for known in close)}?" if close else _EXAMPLES


def _installation(measure: Measure) -> str:
    """How to install a scorer that computes the measure."""
    ways = [
        provider.install_instructions()
        for provider in _PIPELINE.providers
        if provider.supports(measure) and not provider.is_available()
    ]
    known = [way for way in ways if way]
    return " or ".join(known) if known else "try it with other parameters, such as rel= or a cutoff"


def check_complement(relevance: Relevance, measures: Iterable[Measure]) -> None:
    """Raise WorkbenchError for AUC among judged documents where none of these is not relevant."""
    for measure in measures:
        if measure.NAME != "AUC" or "docs" in measure.params:
            continue
        rel = measure["rel"]
        if (relevance.relevant(0) == relevance.relevant(rel)).all():
            raise WorkbenchError(
                f"{measure} is undefined: the qrels have no document that is not relevant",
                remedy="say how many documents the collection has, as AUC(docs=528155)",
            )


def namesakes(names: Iterable[str]) -> tuple[str, ...]:
    """What to know of those of these measures that are called like another one."""
    found = (NAMESAKES.get(str(measure.NAME), "") for measure in parse_measures(names))
    return tuple(dict.fromkeys(note for note in found if note))


def at_threshold(measure: Measure, relevant_from: int) -> Measure:
    """The measure with this relevance threshold, unless it names one itself or needs none.

    >>> from ir_measures import AP, nDCG
    >>> at_threshold(AP, 2), at_threshold(AP(rel=3), 2), at_threshold(nDCG @ 10, 2)
    (AP(rel=2), AP(rel=3), nDCG@10)
    """
    if "rel" not in measure.SUPPORTED_PARAMS or "rel" in measure.params or relevant_from == 1:
        return measure
    counted: Measure = measure(rel=relevant_from)
    return counted
