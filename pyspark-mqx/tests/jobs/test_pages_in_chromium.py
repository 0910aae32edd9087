"""A large page in headless Chromium, on a telephone and on a desk: what is seen, read back from what is drawn."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip(
    "aiohttp", reason="textual-serve, which brings aiohttp, is not installed here: pip install 'mqtools[serve]'"
)

from pyspark_mqx.jobs import pages

from tests.tui import chromium

from .test_html_report import hours

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(chromium.PROGRAM is None, reason="Chromium is not installed here"),
]

SIZES = [(390, 844), (1280, 900)]
#: By how much the page is wider than its window, and what it has loaded. Of the texts in charts: the smallest as drawn
#: in pixels, those outside of the window, pairs that cover each other.
TEXTS = """JSON.stringify((() => {
  const place = each => each.getBoundingClientRect();
  const seen = all => [...all].filter(each => place(each).width > 0);
  const size = each => parseFloat(getComputedStyle(each).fontSize) * each.getScreenCTM().d;
  const texts = seen(document.querySelectorAll('svg text'));
  const apart = (a, b) => a.right < b.left || b.right < a.left || a.bottom < b.top + 3 || b.bottom < a.top + 3;
  const over = [];
  for (const chart of document.querySelectorAll('svg.c')) {
    const own = seen(chart.querySelectorAll(':scope > text'));
    own.forEach((one, n) => over.push(...own.slice(n + 1).filter(other => !apart(place(one), place(other)))));
  }
  return {
    wider: document.documentElement.scrollWidth - innerWidth,
    loaded: performance.getEntriesByType('resource').length,
    number: texts.length,
    smallest: Math.min(...texts.map(size)),
    outside: texts.filter(each => place(each).left < 0 || place(each).right > innerWidth).map(each => each.textContent),
    covered: over.map(each => each.textContent),
  };
})())"""


async def evaluate(page: chromium.Chromium, expression: str) -> Any:
    answer = await page._call("Runtime.evaluate", expression=expression, returnByValue=True)
    return answer["result"].get("value")


async def look(path: Path, profile: Path) -> list[dict[str, Any]]:
    """Return what is seen of a page at each size."""
    found = []
    async with chromium.Chromium(profile) as page:
        for width, height in SIZES:
            size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
            await page._call("Emulation.setDeviceMetricsOverride", **size)
            await page._call("Page.navigate", url=f"{path.as_uri()}?{width}")
            ready = f"document.readyState == 'complete' && location.search == '?{width}'"
            async with asyncio.timeout(chromium.PATIENCE_S):
                while not await evaluate(page, ready):
                    await asyncio.sleep(0.02)
            found.append(json.loads(await evaluate(page, TEXTS)))
    return found


@pytest.mark.parametrize("kind", ["stats", "a day of stats", "triage", "reconcile"])
def test_texts_of_charts_can_be_read_at_both_sizes(tmp_path: Path, kind: str) -> None:
    path = str(tmp_path / "page.html")
    if "stats" in kind:
        number = 30 if kind == "a day of stats" else 168
        rows = [row for n in range(50) for row in hours("QM1", f"ORDERS{n}", number, puts=19_999, gets=12_345)]
        pages.write_stats(path, "Queues", rows)
    elif kind == "triage":
        groups = [{"qmgr": f"QM{n}", "reason": "R" * 99, "count": 1_234_567 // (n + 1), "bytes": 5} for n in range(9)]
        pages.write_triage(path, "Dead letters", ["reason"], groups, {"RETRY": 9_234_567, "none": 3})
    else:
        of = {"qmgr": "QM1", "queue": "Q", "orphan": False}
        counted = [{**of, "outcome": "silent", "count": 3}, {**of, "outcome": "delivered", "count": 1_234_567}]
        pages.write_reconcile(path, "Outcomes", counted)
    for seen in asyncio.run(look(Path(path), tmp_path / "profile")):
        assert (seen["wider"] <= 0, seen["loaded"]) == (True, 0)
        assert seen["number"] >= 3
        assert seen["smallest"] >= 11
        assert (seen["outside"], seen["covered"]) == ([], [])
