"""trec_eval's names for measures (`map`, `ndcg_cut_10`, `official`), and their names in ir_measures."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ir_measures import Measure

from workbench.errors import WorkbenchError

_CUTOFFS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")
_LEVELS = ("0.00", "0.10", "0.20", "0.30", "0.40", "0.50", "0.60", "0.70", "0.80", "0.90", "1.00")
_SHARES = ("0.20", "0.40", "0.60", "0.80", "1.00", "1.20", "1.40", "1.60", "1.80", "2.00")
# In the order in which trec_eval prints them: the parameters that it takes where none is given.
_PARAMETERS: dict[str, tuple[str, ...]] = {
    "runid": (),
    "num_q": (),
    "num_ret": (),
    "num_rel": (),
    "num_rel_ret": (),
    "map": (),
    "gm_map": (),
    "Rprec": (),
    "bpref": (),
    "recip_rank": (),
    "iprec_at_recall": _LEVELS,
    "P": _CUTOFFS,
    "recall": _CUTOFFS,
    "infAP": (),
    "gm_bpref": (),
    "Rprec_mult": _SHARES,
    "utility": (),
    "11pt_avg": (),
    "binG": (),
    "G": (),
    "ndcg": (),
    "ndcg_rel": (),
    "Rndcg": (),
    "ndcg_cut": _CUTOFFS,
    "map_cut": _CUTOFFS,
    "relative_P": _CUTOFFS,
    "success": ("1", "5", "10"),
    "set_P": (),
    "set_relative_P": (),
    "set_recall": (),
    "set_map": (),
    "set_F": (),
    "num_nonrel_judged_ret": (),
}
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
_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
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


def in_order(names: Sequence[str] | dict[str, None]) -> tuple[str, ...]:
    """These of `expanded`, each once, in the order in which trec_eval prints them."""
    places = {name: place for place, name in enumerate(_PARAMETERS)}
    return tuple(sorted(dict.fromkeys(names), key=lambda name: (places[_base(name)], _value(name))))


def _base(name: str) -> str:
    return name if name in _PARAMETERS else name.rpartition("_")[0]


def _value(name: str) -> float:
    return 0.0 if name in _PARAMETERS else float(name.rpartition("_")[2])


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
