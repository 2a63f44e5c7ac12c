"""The names of measures, as the field writes them (`AP`, `nDCG@10`, `P(rel=2)@5`), made into measures.

The vocabulary is that of ir_measures; trec_eval's (`map`, `ndcg_cut_10`, `official`) is understood too. What
would make a scorer written in C stop the whole process (a cutoff of 0, a negative grade) is refused here. The
registry of measures is in `own_measures`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import ir_measures
from ir_measures import Measure
from ir_measures.measures import registry
from ir_measures.measures.base import MeanAgg
from ir_measures.providers.base import NOT_PROVIDED

from workbench.errors import WorkbenchError
from workbench.scoring.binary_kernels import LEVELS
from workbench.scoring.kernels import KERNELS, kernel_of
from workbench.scoring.own_measures import own_measures
from workbench.scoring.relevance import LARGEST_GRADE, Relevance

_KINDS = {
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    str: "a word in quotes",
    dict: "{grade: gain}",
}
_PIPELINE: Any = ir_measures.DefaultPipeline
_EXAMPLES = "use names such as AP, nDCG@10, P(rel=2)@5"
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
            raise WorkbenchError(f'"{name}" needs a {key}', remedy=f"add one, such as {name}@20")
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
            raise WorkbenchError(
                f'"{name}" needs docs, the number of documents in the collection'
                if key == "docs"
                else f'"{name}" needs a {key}',
                remedy=remedy,
            )
        return
    bounds = _RANGES_OF.get((str(measure.NAME), key)) or _RANGES.get(key)
    remedy = ""
    if (isinstance(value, bool) and declared.dtype is not bool) or not declared.validate(value):
        choices = declared.choices if isinstance(declared.choices, (list, tuple)) else ()
        named = ", ".join(map(str, choices))
        remedy = f"choose one of {named}" if choices else f"give {_KINDS[declared.dtype]}"
    elif bounds and not bounds[0] <= value <= bounds[1]:
        remedy = f"give a value from {bounds[0]} to {bounds[1]}"
    elif key == "recall" and round(value, 2) != value:
        # trec_eval knows two decimals; two levels that share them could not be told apart.
        remedy = "at most two decimals"
    if remedy:
        raise WorkbenchError(f'{key} in "{name}" cannot be {value!r}', remedy=remedy)
    if key == "gains" and not all(_is_gain(grade, gain) for grade, gain in value.items()):
        raise WorkbenchError(
            f'the gains in "{name}" are wrong',
            remedy=f"give whole numbers from 0 to {LARGEST_GRADE} by grade",
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
            remedy="use 0, .1, .2 to 1: the bucket rule has only these levels",
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
                remedy="give the number of documents in the collection, as in AUC(docs=528155)",
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


CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
"""Where trec_eval, and the sheets of TREC, cut a ranking."""
_CUTOFFS = tuple(map(str, CUTOFFS))
# The parameters that trec_eval takes where none is given.
_USUAL = {
    "iprec_at_recall": tuple(f"{level:.2f}" for level in LEVELS),
    "P": _CUTOFFS,
    "recall": _CUTOFFS,
    "Rprec_mult": tuple(f"{fifth / 5:.2f}" for fifth in range(1, 11)),
    "ndcg_cut": _CUTOFFS,
    "map_cut": _CUTOFFS,
    "relative_P": _CUTOFFS,
    "success": ("1", "5", "10"),
}
# In the order in which trec_eval prints them.
_PRINTED = """
    runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P recall infAP
    gm_bpref Rprec_mult utility 11pt_avg binG G ndcg ndcg_rel Rndcg ndcg_cut map_cut relative_P success set_P
    set_relative_P set_recall set_map set_F num_nonrel_judged_ret
"""
_PARAMETERS: dict[str, tuple[str, ...]] = {name: _USUAL.get(name, ()) for name in _PRINTED.split()}
_SETS = ("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility")
NICKNAMES: dict[str, tuple[str, ...]] = {
    "official": tuple(_PARAMETERS)[:12],
    "set": (*_SETS, "set_P", "set_relative_P", "set_recall", "set_map", "set_F"),
    "all_trec": tuple(_PARAMETERS),
}
"""trec_eval's names for several measures at once."""

_COUNTERPARTS = {
    "num_q": "NumQ",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRet(rel=1)",
    "map": "AP",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "recip_rank": "RR",
    "iprec_at_recall": "IPrec@{}",
    "P": "P@{}",
    "recall": "R@{}",
    "infAP": "infAP",
    "11pt_avg": "AP11pt",
    "ndcg": "nDCG",
    "ndcg_cut": "nDCG@{}",
    "map_cut": "AP@{}",
    "success": "Success@{}",
    "set_P": "SetP",
    "set_relative_P": "SetP(relative=True)",
    "set_recall": "SetR",
    "set_map": "SetAP",
    "set_F": "SetF",
}
_NUMBER = r"(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
_WITH_PARAMETERS = re.compile(rf"(?P<base>\w+?)[._](?P<values>{_NUMBER}(?:,{_NUMBER})*)")


def expanded(name: str) -> tuple[str, ...]:
    """The measures that trec_eval prints for a name, as it writes them, in its order; () if it knows none.

    >>> expanded("ndcg_cut.10,20"), expanded("success")
    (('ndcg_cut_10', 'ndcg_cut_20'), ('success_1', 'success_5', 'success_10'))
    """
    if name in NICKNAMES:
        return tuple(one for part in NICKNAMES[name] for one in expanded(part))
    if name in _PARAMETERS:
        return tuple(f"{name}_{value}" for value in _PARAMETERS[name]) or (name,)
    match = _WITH_PARAMETERS.fullmatch(name)
    if match is None or not _PARAMETERS.get(match["base"]):
        return ()
    base = match["base"]
    # Levels and shares are printed with two decimals, cutoffs as whole numbers.
    wants_decimals = "." in _PARAMETERS[base][0]
    values = [f"{float(value):.2f}" if wants_decimals else value for value in match["values"].split(",")]
    return tuple(f"{base}_{value}" for value in values if wants_decimals or value.isdigit())


def counterpart(name: str) -> str | None:
    """The measure of ir_measures that one of `expanded` is, as text; None where there is none.

    >>> counterpart("iprec_at_recall_0.10"), counterpart("gm_map")
    ('IPrec@0.10', None)
    """
    if name in _COUNTERPARTS:
        return _COUNTERPARTS[name]
    base, _, value = name.rpartition("_")
    return _COUNTERPARTS[base].format(value) if "{}" in _COUNTERPARTS.get(base, "") else None


def in_trec_evals_words(measures: Sequence[Measure]) -> tuple[tuple[str, ...], int]:
    """The measures under trec_eval's names, in its order, and the one relevance level that they have.

    Raises WorkbenchError for a measure that trec_eval lacks, and for more than one level.
    """
    levels: set[int] = set()
    names: dict[str, None] = {}
    for measure in measures:
        names[_written(measure)] = None
        if "rel" in measure.SUPPORTED_PARAMS and measure.NAME not in {"NumRet", "NumQ"}:
            levels.add(int(measure["rel"]))
    if len(levels) > 1:
        raise WorkbenchError(
            f"trec_eval takes one relevance level at a time, not {', '.join(map(str, sorted(levels)))}",
            remedy="ask for the measures of each level by themselves",
        )
    return in_order(names), levels.pop() if levels else 1


def in_order(names: Iterable[str]) -> tuple[str, ...]:
    """These of `expanded`, each once, in the order in which trec_eval prints them."""
    places = list(_PARAMETERS)

    def key(name: str) -> tuple[int, float]:
        base, _, value = (name, "", "0") if name in _PARAMETERS else name.rpartition("_")
        return places.index(base), float(value)

    return tuple(sorted(set(names), key=key))


def _written(measure: Measure) -> str:
    """A measure as trec_eval writes it; its relevance level is not part of the name."""
    given = {
        key: value for key, value in measure.params.items() if value != measure.SUPPORTED_PARAMS[key].default
    }
    given.pop("rel", None)
    value = given.pop("cutoff", given.pop("recall", None))
    relative = given.pop("relative", False)
    texts = {text: name for name, text in _COUNTERPARTS.items()}
    if measure.NAME == "NumRet" and "rel" in measure.params:
        canonical = "NumRet(rel=1)"
    else:
        canonical = f"{measure.NAME}{'(relative=True)' if relative else ''}{'' if value is None else '@{}'}"
    if given or canonical not in texts:
        raise WorkbenchError(f"trec_eval has no measure {measure}", remedy="leave it out of this format")
    name = texts[canonical]
    if value is None:
        return name
    return f"{name}_{value:.2f}" if measure.NAME == "IPrec" else f"{name}_{value}"
