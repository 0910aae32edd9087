"""The whole screen, line by line, at the size that every terminal has."""

from __future__ import annotations

import re
from datetime import UTC, datetime

NOON_NS = int(datetime(2026, 11, 20, 12, 0, tzinfo=UTC).timestamp()) * 1_000_000_000

SCREEN = """\
 mqx · QM1 · live
queue          depth full│     time UTC p type       length data
DLQ                0   0%│     12:00:00 4 datagram        5 hello
Q                  3   0%│M    12:00:00 4 datagram       16 [/] ␛[31m red\\u200b
R                  0   0%│     12:00:00 4 datagram        5 third
                         │
                         │
                         │
                         │
                         │
                         │
                         │Q · 3 of 3 · 1 marked
                         │──────────────────────────────────────────────────────
                         │[1 text] 2 hex  3 JSON  4 XML  5 descriptor  6 header…
                         │ID
                         │third
                         │
                         │
                         │
                         │
oldest 0s of 5000        │
open in 0 out 0, uncom. 0│
0.0/s                    │
 ? help  q quit  ⏎ open  / filter  space mark  L lock  m move  c copy  d delete"""


def test_the_screen_at_80_by_24(qm, browse, monkeypatch):
    monkeypatch.setattr("time.time_ns", lambda: NOON_NS)
    for data in ("hello", "[/] \x1b[31m red\u200b", "third"):
        qm.put(data, priority=4)

    async def story(screen):
        await screen.press("j", "space")
        await screen.until(lambda: screen.detail == "third" and "M " in screen.text)
        await screen.until(lambda: re.sub("[0-9A-F]{48}", "ID", screen.text).splitlines() == SCREEN.splitlines())

    browse(story, size=(80, 24))
