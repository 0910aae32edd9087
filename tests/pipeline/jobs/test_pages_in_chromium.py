"""A large page in headless Chromium, on a telephone and on a desk: what is seen, read back from what is drawn."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("aiohttp")

from mqtools.pipeline.jobs import pages

from ...tui import chromium
from .test_html_report import hours

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(chromium.PROGRAM is None, reason="Chromium is not installed here"),
]

SIZES = [(390, 844), (1440, 900)]
#: By how much the page is wider than its window, its large numbers, charts drawn, the first row, what it has loaded.
SEEN = """JSON.stringify({
  wider: document.documentElement.scrollWidth - innerWidth,
  numbers: [...document.querySelectorAll('dl div')].map(each => each.innerText.split(/\\s*\\n\\s*/)),
  charts: [...document.querySelectorAll('svg[role=img]')].filter(each => each.clientWidth > 100).length,
  first: [...document.querySelectorAll('table tr')[1].cells].map(each => each.innerText),
  loaded: performance.getEntriesByType('resource').length,
})"""


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
            found.append(json.loads(await evaluate(page, SEEN)))
    return found


def test_a_page_of_500_queues_is_read_at_both_sizes(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    rows = [row for n in range(500) for row in hours(f"QM{n % 20}", f"Q{n:03}", 168, gets=9 if n == 7 else 10)]
    pages.write_stats(str(path), "Queues", rows)
    assert path.stat().st_size < 3_000_000
    for seen in asyncio.run(look(path, tmp_path / "profile")):
        assert seen["wider"] <= 0
        assert dict(seen["numbers"])["puts"] == "840,000"
        assert dict(seen["numbers"])["depth"] == "168"
        assert seen["first"][:3] == ["QM7", "Q007", "1,680"]
        assert seen["charts"] >= 2
        assert seen["loaded"] == 0
