"""Report as one self-contained HTML file: tables and bar charts; texts from messages are escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from mqtools.formats.files import replace_text
from mqtools.formats.terminal import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #1a1a1a; }
table { border-collapse: collapse; margin: 1rem 0; } td, th { padding: .2rem .8rem .2rem 0; text-align: left; }
td.n, th.n { text-align: right; } th { border-bottom: 1px solid #999; } svg { max-width: 100%; height: auto; }
@media (prefers-color-scheme: dark) { body { background: #16181c; color: #e8e8e8; } text { fill: #e8e8e8; } }
"""

#: Sizes of a chart in pixels: of a bar, which is below its name, with the number behind it.
_NAME, _BAR, _STEP, _WIDTH = 16, 14, 40, 670
_COLUMN_HEIGHT, _CHART_WIDTH = 160, 760
#: Characters of a name that are sure to fit.
_LONGEST_NAME = 72


def text(value: object) -> str:
    """Return a value as HTML text: control characters made visible, markup escaped."""
    return escape(visible("" if value is None else str(value)))


def number(value: float) -> str:
    """Return a number as HTML text: integers exact, others to six digits."""
    return f"{value:.0f}" if float(value).is_integer() else f"{value:g}"


def bars(title: str, values: Sequence[tuple[object, float]]) -> str:
    """Draw a horizontal bar for each value. A long name is cut; its tooltip has all of it."""
    most = max((value for _, value in values), default=0) or 1
    parts = []
    for n, (name, value) in enumerate(values):
        y, length = n * _STEP, max(1.0, value / most * _WIDTH)
        shown = visible(str(name))
        cut = shown if len(shown) <= _LONGEST_NAME else f"{shown[: _LONGEST_NAME - 1]}…"
        parts.append(
            f'<text x="0" y="{y + _NAME - 3}">{escape(cut)}<title>{escape(shown)}</title></text>'
            f'<rect x="0" y="{y + _NAME}" width="{length:.1f}" height="{_BAR}" fill="#3b78c2"></rect>'
            f'<text x="{length + 6:.1f}" y="{y + _NAME + _BAR - 2}">{number(value)}</text>'
        )
    return _svg(title, f'viewBox="0 0 {_CHART_WIDTH} {max(1, len(values)) * _STEP}"', parts)


def note(words: str) -> str:
    """Return a paragraph with one sentence."""
    return f"<p>{text(words)}</p>"


def columns(title: str, values: Sequence[tuple[object, float]]) -> str:
    """Draw values over time as columns, each with its name and value as a tooltip."""
    highest = max((value for _, value in values), default=0)
    most = highest or 1
    step = _CHART_WIDTH / max(1, len(values))
    parts = []
    for n, (name, value) in enumerate(values):
        height = max(1.0, value / most * _COLUMN_HEIGHT) if value > 0 else 0
        parts.append(
            f'<rect x="{n * step:.1f}" y="{_COLUMN_HEIGHT - height:.1f}" width="{max(1.0, step - 1):.1f}"'
            f' height="{height:.1f}" fill="#3b78c2"><title>{text(name)}: {number(value)}</title></rect>'
        )
    ends = [name for name, _ in values[:1]] + [name for name, _ in values[1:][-1:]]
    for n, name in enumerate(ends):
        anchor = "end" if n else "start"
        parts.append(
            f'<text x="{n * _CHART_WIDTH}" y="{_COLUMN_HEIGHT + 18}" text-anchor="{anchor}">{text(name)}</text>'
        )
    return _svg(f"{title}, at most {number(highest)}", f'viewBox="0 0 {_CHART_WIDTH} {_COLUMN_HEIGHT + 26}"', parts)


def _svg(title: str, size: str, parts: Sequence[str]) -> str:
    drawn = f'<svg {size} width="{_CHART_WIDTH}" role="img" aria-label="{text(title)}">{"".join(parts)}</svg>'
    return f"<h2>{text(title)}</h2>{drawn}"


def table(rows: Sequence[dict[str, object]]) -> str:
    """Return rows as an HTML table."""
    if not rows:
        return note("No rows.")
    numbers = {name for name in rows[0] if all(isinstance(row[name], (int, float, type(None))) for row in rows)}
    lines = ["".join(_cell("th", name, name in numbers) for name in rows[0])]
    lines += ["".join(_cell("td", value, name in numbers) for name, value in row.items()) for row in rows]
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def _cell(tag: str, value: object, is_number: bool) -> str:
    shown = number(value) if isinstance(value, float) else value
    side = ' class="n"' if is_number else ""
    return f"<{tag}{side}>{text(shown)}</{tag}>"


def write(path: str, title: str, parts: Sequence[str]) -> None:
    """Write a page, readable by its owner only; an existing file is replaced. Raises OSError."""
    page = (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{text(title)}</title>'
        f"<style>{_STYLE}</style></head><body><h1>{text(title)}</h1>{''.join(parts)}</body></html>\n"
    )
    replace_text(path, page)
