"""Parts of a report as one self-contained HTML file: numbers, charts, tables; texts from messages are escaped.

Charts are SVG made here, without a program in the page: so it prints, needs no network, and is as small as its lines.
They are as wide as the window: lines are stretched, and texts are not, so that a telephone shows texts one can read.
"""

from __future__ import annotations

import json
import math
import re
from datetime import UTC, datetime, timedelta
from html import escape, unescape
from typing import TYPE_CHECKING

from mqtools.formats.files import replace_text
from mqtools.formats.terminal import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    #: A line of a chart: its name, and a value at each time, None where there is none.
    Line = tuple[str, Sequence[float | None]]

_STYLE = """
:root { color-scheme: light dark; --ink: #1a1a1a; --paper: #fff; --faint: #767676; --rule: #d4d4d4;
--c0: #0072b2; --c1: #d55e00; --c2: #007a5e; --c3: #a8558a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8e8; --paper: #16181c; --faint: #9a9a9a; --rule: #3a3d44;
--c0: #56b4e9; --c1: #e69f00; --c2: #35c49c; --c3: #e08cc0; } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem; color: var(--ink);
background: var(--paper); }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
td, th { padding: .2rem .9rem .2rem 0; text-align: left; vertical-align: top; }
th { border-bottom: 1px solid var(--faint); }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
svg text { fill: var(--ink); font-size: 12px; } svg .t { fill: var(--faint); }
.g { stroke: var(--rule); } .b { fill: var(--c0); } .l { fill: none; stroke-width: 2; stroke-linecap: round;
vector-effect: non-scaling-stroke; }
.c { display: block; overflow: visible; height: 200px; margin-left: 68px; width: calc(100% - 70px); }
ul { list-style: none; padding: 0; } li svg { display: block; width: 100%; height: 20px; overflow: visible; }
li span { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-size: 13px; }
.h { stroke-width: 36; stroke-linecap: butt; }
.s0 { stroke: var(--c0); } .s1 { stroke: var(--c1); stroke-dasharray: 6 3; } .s2 { stroke: var(--c2); }
.s3 { stroke: var(--c3); stroke-dasharray: 2 3; }
dl { display: flex; flex-wrap: wrap; gap: .5rem 2.5rem; }
dt { color: var(--faint); } dd { margin: 0; font-size: 1.5rem; }
summary { cursor: pointer; padding: .3rem 0; font-weight: 600; } small { color: var(--faint); font-size: .85rem; }
@media (max-width: 44rem) { body { margin: 1rem auto; } td { white-space: nowrap; } .o { display: none; } }
@media print { :root { --ink: #000; --paper: #fff; } details { break-inside: avoid; } }
"""

#: Length of the longest bar in percent: its number is behind it.
_LONGEST_BAR = 78
#: Sizes of a chart over time in pixels: of all, and of its margins below and above.
_CHART_HEIGHT, _BELOW, _ABOVE = 200, 24, 10
#: Units of a line from its first time to its last; they are stretched to the width of the window.
_ACROSS = 1000
_TICKS = 4
#: Name of the element that keeps the numbers of a page for the next run.
_SUMMARY = "mqx-summary"


def text(value: object) -> str:
    """Return a value as HTML text: control characters made visible, markup escaped."""
    return escape(visible("" if value is None else str(value)))


def number(value: float) -> str:
    """Return a number as HTML text with thousands separators: integers exact, others to three digits or more."""
    if float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def note(words: str) -> str:
    """Return a paragraph with one sentence."""
    return f"<p>{text(words)}</p>"


def heading(words: str) -> str:
    """Return a heading."""
    return f"<h2>{text(words)}</h2>"


def numbers(values: Mapping[str, object], changes: Mapping[str, str] | None = None) -> str:
    """Return some large numbers, each with its name and what changed."""
    parts = []
    for name, value in values.items():
        shown = number(value) if isinstance(value, (int, float)) else text(value)
        change = f" <small>{text(changes[name])}</small>" if changes and changes.get(name) else ""
        parts.append(f"<div><dt>{text(name)}</dt><dd>{shown}{change}</dd></div>")
    return f"<dl>{''.join(parts)}</dl>"


def details(title: str, parts: Sequence[str], *, is_open: bool = False) -> str:
    """Return a part that opens when its title is chosen."""
    tag = '<details open="">' if is_open else "<details>"
    return f"{tag}<summary>{text(title)}</summary>{''.join(parts)}</details>"


def bars(title: str, values: Sequence[tuple[object, float]]) -> str:
    """Draw a horizontal bar for each value. A name without room is cut where it ends; its tooltip has all of it."""
    most = max((value for _, value in values), default=0) or 1
    parts = []
    for name, value in values:
        length = f"{max(0.2, value / most * _LONGEST_BAR):.3g}%"
        bar = f'<rect y="2" width="{length}" height="14" class="b"></rect>'
        behind = f'<text x="{length}" dx="6" y="14">{number(value)}</text>'
        parts.append(f'<li><span title="{text(name)}">{text(name)}</span><svg>{bar}{behind}</svg></li>')
    return f"{heading(title)}<ul>{''.join(parts)}</ul>"


def chart(title: str, unit: str, times: Sequence[datetime], lines: Sequence[Line]) -> str:
    """Draw lines over time, with axes: ticks of round numbers with their unit, and times of the day or days."""
    highest = max((value for _, values in lines for value in values if value is not None), default=0.0)
    ticks = _ticks(highest)
    top = ticks[-1]
    parts = []
    for tick in ticks:
        y = _height_of(tick, top)
        parts.append(f'<line class="g" x2="100%" y1="{y:.1f}" y2="{y:.1f}"></line>')
        parts.append(f'<text class="t" x="-6" y="{y + 4:.1f}" text-anchor="end">{number(tick)}</text>')
    parts += _time_axis(times)
    drawn, legend = [], []
    for n, (name, values) in enumerate(lines):
        kind, path = ("l h", _bar(n, values[0], top)) if len(times) == 1 else ("l", _path(values, top))
        drawn.append(f'<path class="{kind} s{n % 4}" d="{path}"><title>{text(name)}</title></path>')
        sample = f'<path class="l s{n % 4}" d="M1 5H25"></path>'
        legend.append(f'<svg width="26" height="10" aria-hidden="true">{sample}</svg> {text(name)}')
    size = f'viewBox="0 0 {_ACROSS} {_CHART_HEIGHT}" preserveAspectRatio="none" width="100%" height="{_CHART_HEIGHT}"'
    parts.append(f'<svg {size} overflow="visible">{"".join(drawn)}</svg>')
    label = f"{title}, {unit}, at most {number(highest)}"
    return (
        f"<h3>{text(title)} <small>{text(unit)}, at most {number(highest)}</small></h3><p>{' '.join(legend)}</p>"
        f'<svg class="c" role="img" aria-label="{text(label)}">{"".join(parts)}</svg>'
    )


def _ticks(highest: float) -> list[float]:
    """Return round numbers from 0 to at least the highest value."""
    if highest <= 0:
        return [0.0, 1.0]
    rough = highest / _TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
    return [step * n for n in range(math.ceil(highest / step - 0.001) + 1)]


def _height_of(value: float, top: float) -> float:
    room = _CHART_HEIGHT - _BELOW - _ABOVE
    return _ABOVE + room - value / top * room


def _place_of(n: int, number_of_times: int) -> float:
    """Return where a time is between the first and the last, from 0 to 1."""
    return n / max(1, number_of_times - 1)


def _path(values: Sequence[float | None], top: float) -> str:
    """Return the path of a line, interrupted where there is no value; a single value is a short line."""
    found = []
    is_down = False
    for n, value in enumerate(values):
        if value is None:
            is_down = False
            continue
        x, y = _ACROSS * _place_of(n, len(values)), _height_of(value, top)
        is_alone = not is_down and (n + 1 == len(values) or values[n + 1] is None)
        found.append(f"{'L' if is_down else 'M'}{x:.4g} {y:.4g}{'h4' if is_alone else ''}")
        is_down = True
    return "".join(found)


def _bar(n: int, value: float | None, top: float) -> str:
    """Return the path of the bar of a line that has one time alone. n: number of the line."""
    x = _ACROSS * (n + 1) / 20
    return "" if value is None else f"M{x:.4g} {_height_of(0, top):.4g}V{_height_of(value, top):.4g}"


def _time_axis(times: Sequence[datetime]) -> list[str]:
    if not times:
        return []
    places = sorted({round(part * (len(times) - 1) / 4) for part in range(5)})
    is_short = times[-1] - times[0] < timedelta(days=2)
    form = "%m-%d %H:%M" if is_short else "%Y-%m-%d"
    found = []
    for place, n in enumerate(places):
        anchor = "start" if n == 0 else "end" if n == len(times) - 1 else "middle"
        words = f"{times[n]:{form}}{'Z' if is_short else ''}"
        kind = "t o" if place % 2 and n != len(times) - 1 else "t"  # without room only every second is shown
        at = f'x="{100 * _place_of(n, len(times)):.4g}%" y="{_CHART_HEIGHT - 6}"'
        found.append(f'<text class="{kind}" {at} text-anchor="{anchor}">{words}</text>')
    return found


def table(rows: Sequence[Mapping[str, object]]) -> str:
    """Return rows as an HTML table."""
    if not rows:
        return note("No rows.")
    are_numbers = {name for name in rows[0] if all(isinstance(row[name], (int, float, type(None))) for row in rows)}
    lines = ["".join(_cell("th", name, name in are_numbers) for name in rows[0])]
    lines += ["".join(_cell("td", value, name in are_numbers) for name, value in row.items()) for row in rows]
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def _cell(tag: str, value: object, is_number: bool) -> str:
    shown = number(value) if isinstance(value, (int, float)) and is_number else text(value)
    side = ' class="n"' if is_number else ""
    return f"<{tag}{side}>{shown}</{tag}>"


def previous_summary(path: str) -> dict[str, object]:
    """Return the numbers on the page of the previous run; empty without such a page."""
    try:
        with open(path, encoding="utf-8") as file:
            found = re.search(f'<meta name="{_SUMMARY}" content="([^"]*)"', file.read(100_000))
        summary = json.loads(unescape(found[1])) if found else {}
    except (OSError, ValueError):
        return {}
    return summary if isinstance(summary, dict) else {}


def changes(now: Mapping[str, object], before: Mapping[str, object]) -> dict[str, str]:
    """Return in words how numbers differ from those of the run before."""
    found = {}
    for name, value in now.items():
        other = before.get(name)
        if isinstance(value, (int, float)) and isinstance(other, (int, float)):
            difference = value - other
            sign = "+" if difference > 0 else "−"
            found[name] = "unchanged" if not difference else f"{sign}{number(abs(difference))}"
    return found


def write(path: str, title: str, parts: Sequence[str], summary: Mapping[str, object] | None = None) -> None:
    """Write a page, readable by its owner only; an existing file is replaced. Raises OSError.

    summary: numbers that the next run compares its own with.
    """
    now = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}Z"
    kept = escape(json.dumps({**(summary or {}), "made": now}))
    page = (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="{_SUMMARY}" content="{kept}"><title>{text(title)}</title><style>{_STYLE}</style></head>'
        f"<body><h1>{text(title)}</h1><p><small>Made {now} by mqx; times are UTC.</small></p>"
        f"{''.join(parts)}</body></html>\n"
    )
    replace_text(path, page)
