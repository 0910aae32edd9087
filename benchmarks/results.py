"""The table and the picture of ``benchmarks/README.md``, from the lines of a run."""

from __future__ import annotations

import platform
import re
import sqlite3
from datetime import date
from pathlib import Path

_FOLDER = Path(__file__).parent
_BEGIN, _END = "<!-- results: written by run.py --write -->", "<!-- end of results -->"
_RATIO = re.compile(r"\d+\.\d\d")
_ROW_HEIGHT, _NAME_WIDTH, _BAR_WIDTH = 22, 470, 360

Line = tuple[str, str, str, str]


def write_results(lines: list[Line]) -> None:
    """Write the lines of a run as the table of the README and as ``ratios.svg``."""
    readme = _FOLDER / "README.md"
    before, _, rest = readme.read_text(encoding="utf-8").partition(_BEGIN)
    after = rest.partition(_END)[2]
    readme.write_text(f"{before}{_BEGIN}\n{_table(lines)}\n{_END}{after}", encoding="utf-8")
    (_FOLDER / "ratios.svg").write_text(_picture(lines), encoding="utf-8")


def _table(lines: list[Line]) -> str:
    made = f"{date.today()}, Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {platform.system()}"
    rows = [f"| {section} | {what} | {value} | {goal} |" for section, what, value, goal in lines]
    return "\n".join([made, "", "| Section | What | Result | Goal |", "| --- | --- | --- | --- |", *rows])


def _picture(lines: list[Line]) -> str:
    """Return a bar for each ratio; the line is where both sides are equal."""
    ratios = [(f"{section}: {what}", float(value)) for section, what, value, _ in lines if _RATIO.fullmatch(value)]
    most = max((ratio for _, ratio in ratios), default=1.0)
    scale = _BAR_WIDTH / max(1.0, min(most, 4.0))
    height = _ROW_HEIGHT * (len(ratios) + 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_NAME_WIDTH + _BAR_WIDTH + 60}" height="{height}"'
        ' font-family="sans-serif" font-size="12">'
    ]
    for number, (name, ratio) in enumerate(ratios):
        y = _ROW_HEIGHT * number + 4
        width = min(ratio * scale, _BAR_WIDTH)
        text = name.replace("&", "&amp;").replace("<", "&lt;")
        parts.append(f'<text x="{_NAME_WIDTH - 8}" y="{y + 12}" text-anchor="end">{text}</text>')
        parts.append(f'<rect x="{_NAME_WIDTH}" y="{y}" width="{width:.0f}" height="15" fill="#3b7ddd"/>')
        parts.append(f'<text x="{_NAME_WIDTH + width + 6:.0f}" y="{y + 12}">{ratio:.2f}</text>')
    x = _NAME_WIDTH + scale
    parts.append(f'<line x1="{x:.0f}" y1="0" x2="{x:.0f}" y2="{height - _ROW_HEIGHT}" stroke="#b00"/>')
    parts.append(f'<text x="{x:.0f}" y="{height - 6}" text-anchor="middle" fill="#b00">equal</text></svg>')
    return "\n".join(parts) + "\n"
