"""Names that look alike: letters of other scripts that are drawn as Latin ones.

Only whole scripts are compared (Latin, Cyrillic, Greek): digits and letters such as 1 and l are left alone,
since people have such names.
"""

from __future__ import annotations

import re
import unicodedata

# By shape, in common typefaces; Unicode Technical Standard 39 has the full table of such letters.
_CYRILLIC = "аеорсухіјѕһԁԛԝӏАВЕКМНОРСТУХІЈЅ", "aeopcyxijshdqwlABEKMHOPCTYXIJS"
_GREEK = "οανικρυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "oavikpuxABEZHIKMNOPTYX"
_LATIN = "ıɑɡ", "iag"
_SHAPES = str.maketrans("".join(each[0] for each in (_CYRILLIC, _GREEK, _LATIN)), "".join(
    each[1] for each in (_CYRILLIC, _GREEK, _LATIN)
))  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+")
SCRIPTS = frozenset({"LATIN", "CYRILLIC", "GREEK"})


def shape_of(name: str) -> str:
    """What a name looks like: two names of the same shape are easily taken for each other."""
    return unicodedata.normalize("NFKC", name).translate(_SHAPES).casefold()


def mixes_scripts(name: str) -> bool:
    """Whether a word of a name has letters of several of the scripts that are drawn alike."""
    return any(len(_scripts(word)) > 1 for word in _WORD.findall(name) if not word.isascii())


def _scripts(word: str) -> set[str]:
    return {unicodedata.name(letter, "").partition(" ")[0] for letter in word} & SCRIPTS
