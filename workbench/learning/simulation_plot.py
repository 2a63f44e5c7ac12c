"""A simulation as a picture: recall by documents read, and where the rules stopped, as SVG."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from workbench.learning.simulation import LearnerSimulation

_WIDTH, _HEIGHT = 720, 440
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 32, 72, 56
_INK, _FAINT, _LINE, _MARK = "#1f2933", "#d5dae0", "#1f5fa8", "#b3401a"
_KEY = "Line: mean; band: middle half of the topics; numbered marks: mean stop of a rule"
_NUMBER_HEIGHT, _NUMBER_WIDTH, _LEGEND_HEIGHT = 14, 16, 17


def simulation_svg(found: LearnerSimulation) -> str:
    """The mean recall with its quartiles over topics, and each rule's mean stop; a file that stands alone."""
    name = escape(found.options.learner)
    seeds = "1 seed" if found.options.repeats == 1 else f"{found.options.repeats} seeds"
    many = f"{found.topics} topics, {seeds}, {found.collection:,} documents"
    title = f"Recall by documents read: {name} ({many})"
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
            f'font-family="sans-serif" font-size="12" fill="{_INK}">',
            f"<title>{title}</title>",
            f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
            f'<text x="{_LEFT}" y="22" font-size="14">{title}</text>',
            f'<text x="{_LEFT}" y="38">{_KEY}</text>',
            *_axes(found.collection),
            *_curve(found),
            *_marks(found),
            "</svg>\n",
        )
    )


def _across(read: float, collection: int) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * read / collection


def _down(recall: float) -> float:
    return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * recall


def _axes(collection: int) -> Iterator[str]:
    for tenths in range(0, 11, 2):
        y, x = _down(tenths / 10), _across(collection * tenths / 10, collection)
        yield f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="{_FAINT}"/>'
        yield f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{tenths / 10:.1f}</text>'
        read = round(collection * tenths / 10)
        yield f'<text x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{read:,}</text>'
    yield f'<text x="{_LEFT - 40}" y="{_TOP - 14}">Recall</text>'
    yield f'<text x="{_WIDTH - _RIGHT}" y="{_HEIGHT - 14}" text-anchor="end">Documents read</text>'


def _curve(found: LearnerSimulation) -> Iterator[str]:
    points = found.curve()
    forth = [(read, high) for read, _, _, high in points]
    back = [(read, low) for read, _, low, _ in reversed(points)]
    band = _points([*forth, *back], found.collection)
    yield f'<polygon points="{band}" fill="{_LINE}" fill-opacity="0.15"/>'
    line = _points([(read, mean) for read, mean, _, _ in points], found.collection)
    yield f'<polyline points="{line}" fill="none" stroke="{_LINE}" stroke-width="2"/>'


def _points(places: Iterable[tuple[float, float]], collection: int) -> str:
    return " ".join(f"{_across(read, collection):.1f},{_down(recall):.1f}" for read, recall in places)


def _marks(found: LearnerSimulation) -> Iterator[str]:
    """A numbered dot for each rule, and below the curve what the numbers mean; no number covers another."""
    stops = sorted((one.read.value, one.recall.value, one.rule) for one in found.rules())
    numbers: list[tuple[float, float]] = []
    top = _down(0) - 12 - _LEGEND_HEIGHT * (len(stops) - 1)
    for number, (read, recall, rule) in enumerate(stops, start=1):
        x, y = _across(read, found.collection), _down(recall)
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{_MARK}"/>'
        below = y + 18
        while any(abs(x - at) < _NUMBER_WIDTH and abs(below - line) < _NUMBER_HEIGHT for at, line in numbers):
            below += _NUMBER_HEIGHT
        numbers.append((x, below))
        yield f'<text x="{x:.1f}" y="{below:.1f}" text-anchor="middle">{number}</text>'
        label = f"{number}  {escape(rule)}: recall {recall:.2f}, {read:,.0f} documents read"
        yield f'<text x="{_WIDTH / 2}" y="{top + _LEGEND_HEIGHT * (number - 1):.1f}">{label}</text>'
