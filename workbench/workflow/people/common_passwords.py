"""Passwords that are guessed first: common words, walks over the keyboard, repetitions, names.

A list of leaked passwords would be long and hold hardly any of twelve characters: 229 of the 30,000 that the
library zxcvbn has. The commonest of them are put together from few pieces, and so a rule refuses them with
all that are made alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

# `password`, `!` and `1` are three.
MOST_PIECES = 3
# Three keys side by side are guessed sooner than a word: four such walks count as three pieces.
WALK, PIECE = 3, 4
FEWEST_DISTINCT = 5
SHORTEST_UNIT = 8
SHORTEST_WALK = 3
SHORTEST_NAME = 3
MOST_READ = 64
_WORDS = """
abc access account admin administrator adobe alexander amanda andrea andrew angel anthony apple april
arsenal ashley august austin avrillavigne awesome babygirl banana barcelona baseball basketball batman
beautiful biteme blessed bond boobies boston brandon butter butterfly cake camera canada change changeme
charlie cheese chelsea chicken chocolate christ christopher coffee computer contortionist cookie corvette
counter counterstrike cowboy crystal dallas dancer daniel database dead december default demo devil diamond
dolphin dragon eagles elephant england evil family fantasy february fender ferrari final finland fireball
flower football forever france freedom friday friend friends fuck fuckyou gandalf garfield generic george
germany gfhjkm ghbdtn ghjcnj ginger god google greenlantern guest guitar hacker hammer hannah happy harley
hello hockey holiday hunter iceman ilove iloveu iloveyou ingodwetrust internet iseedeadpeople jackie jackson
james jamesbond january jasmine jennifer jessica jesus jordan joseph joshua july june justin justinbieber
killer kitten knight lakers leavemealone letmein liverpool lizard london lord lost love lovely loveme lover
loveyou maggie magic manager march marina martin master masturbation matrix matthew maverick me mercedes
merlin michael michelle mickey microsoft minecraft monday money monkey monster morgan morganstanley
mortalkombat mother mountain mustang my natasha need needforspeed newyork nicole nightcrawler ninja november
october office oliver online orange papa pass passphrase passw0rd passwd password patrick peaches peanut
peanutbutter people pepper phoenix pizza playstation please pokemon pornographic princess private public
punksnotdead purple rabbit rachel racing raiders rainbow ranger red residentevil root samantha samsung
sandra sanfrancisco saturday school scooter secret secure security september server shadow silver simple
snoopy soccer sonnenschein sonyericsson sophie spider spring standard star starwars steelers stefan steven
stratocaster strong sucks summer sun sunday sunshine superman superstar support sweet sydney system
systemofadown teacher temp temporary tennis test testing the thecakeisalie thomas thursday ticket tiger
tigger tinkerbell toyota trustno trustnoone tuesday user vanilla victoria vladimirovna warcraft warhammer
warrior web websolutions wednesday welcome whatever whosyourdaddy william windows winner winter wizard
workbench world yamaha yankees yellow you zxcvbn
"""
WORDS = frozenset(_WORDS.split())
# The letter that a digit or a sign is written for.
LETTERS = str.maketrans("@4301!|5$7+89", "aaeoiiisstt" + "bg")
# The keys of a keyboard, each row half a key to the right of the one above it.
ROWS = ("1234567890", "qwertyuiop", "asdfghjkl;", "zxcvbnm,./")
SHIFTED = str.maketrans("!@#$%^&*()", "1234567890")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_PARTS = re.compile(r"[^\W_]+")


def is_guessable(password: str, *, names: Iterable[str] = ()) -> bool:
    """Whether a password is made of few pieces that are guessed first; `names` are those of its owner.

    It is split into common words, walks over the keyboard or the alphabet, years, names and single characters
    so that the pieces are as few as can be. Only its beginning is read: what is longer has more of them.
    """
    unit = _unit("".join(password.casefold().split())[:MOST_READ])
    if len(set(unit)) < FEWEST_DISTINCT or len(unit) < SHORTEST_UNIT:
        return True
    own = {part for name in names for part in _PARTS.findall(name.casefold()) if len(part) >= SHORTEST_NAME}
    # Two that take turns, such as `a1s2d3`, are read one after the other.
    apart = unit[::2] + unit[1::2]
    return min(_cost(unit, WORDS | own), _cost(apart, WORDS | own)) <= MOST_PIECES * PIECE


def _unit(text: str) -> str:
    # What a text repeats, if it does so to its end: `abcabcab` repeats `abc`.
    for length in range(1, len(text) // 2 + 1):
        if all(text[place] == text[place - length] for place in range(length, len(text))):
            return text[:length]
    return text


def _cost(text: str, words: frozenset[str]) -> int:
    longest = max(map(len, words))
    read_as = (text, text.translate(LETTERS))
    cheapest = [0] + [len(text) * PIECE] * len(text)
    for start in range(len(text)):
        ends = [(start + 1, PIECE)]
        for end in range(start + 2, len(text) + 1):
            if not _neighbours(text[end - 2], text[end - 1]):
                break
            ends.append((end, WALK if end - start >= SHORTEST_WALK else PIECE))
        for end in range(start + 2, min(len(text), start + longest) + 1):
            if any(reading[start:end] in words for reading in read_as):
                ends.append((end, PIECE))
        if _YEAR.match(text, start):
            ends.append((start + 4, PIECE))
        for end, cost in ends:
            cheapest[end] = min(cheapest[end], cheapest[start] + cost)
    return cheapest[-1]


def _neighbours(one: str, other: str) -> bool:
    if abs(ord(one) - ord(other)) <= 1:
        return True
    return (one.translate(SHIFTED), other.translate(SHIFTED)) in _BESIDE


def _beside() -> frozenset[tuple[str, str]]:
    place = {key: (row, column) for row, keys in enumerate(ROWS) for column, key in enumerate(keys)}
    found = {("0", "1"), ("1", "0")}
    for one, (row, column) in place.items():
        for other, (its_row, its_column) in place.items():
            if abs(its_row - row) <= 1 and abs(its_column - column) <= 1:
                found.add((one, other))
    return frozenset(found)


_BESIDE = _beside()
