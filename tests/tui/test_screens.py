"""Pictures of the whole screen, with colours: ``cat tests/tui/screens/NAME.ansi`` shows one in a terminal.

``MQX_SCREENS=write`` writes them anew; the difference belongs into the review.
"""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.color import ColorSystem
from rich.style import Style

from mqtools.message import MQMD, Message

HERE = Path(__file__).with_name("screens")
NOON_NS = int(datetime(2026, 11, 20, 12, 0, tzinfo=UTC).timestamp()) * 1_000_000_000
JSON = '{"orderId": "EU-100243", "items": [{"sku": "A-17", "count": 3}], "paid": true, "note": null}'
XML = "<Document><GrpHdr><MsgId a='1'>MSG-000000</MsgId></GrpHdr></Document>"

#: Name -> queue, size, keys, theme, and what is on the screen when they have had their effect.
SCREENS = {
    "queues": ("", (120, 36), ("j", "j", "j"), "textual-dark", "3/20"),
    "queues-by-depth-light": ("", (120, 20), ("s", "g"), "textual-light", "by depth"),
    "dead-letters": ("DEAD", (120, 36), ("j", "space"), "textual-dark", "3 of 3 · 1 marked"),
    "json": ("ORDERS", (120, 36), ("enter", "3"), "textual-dark", '"paid": true'),
    "xml-light": ("ORDERS", (100, 30), ("j", "4"), "textual-light", "</GrpHdr>"),
    "descriptor": ("ORDERS", (160, 45), ("5",), "nord", "MsgFlags"),
    "usual-terminal": ("ORDERS", (80, 24), ("j", "j"), "textual-dark", "␛[31m"),
    "low-terminal": ("ORDERS", (40, 10), ("j",), "textual-dark", "2 of 3"),
    "narrow-detail": ("ORDERS", (60, 20), ("enter", "2"), "textual-dark", "00000010"),
    "delete": ("DEAD", (80, 24), ("d",), "textual-dark", "Delete (y)"),
    "move-without-room": ("DEAD", (80, 24), ("ctrl+a", "m", *"TINY"), "textual-dark", "room for 0 of 3"),
    "all-actions": ("ORDERS", (80, 24), ("colon", *"mark"), "textual-dark", "mark all"),
    "filter": ("ORDERS", (120, 20), ("slash", *"EU-", "enter"), "textual-dark", "1 hit"),
    "dry-run": ("DEAD", (100, 24), ("R", *"rules", "enter"), "textual-dark", "all of these"),
    "past": ("KEPT", (120, 30), ("at", "minus", *"3m30s", "enter"), "textual-dark", "▲ 11:56:30"),
    "help": ("ORDERS", (80, 24), ("question_mark", *"purge"), "textual-dark", "delete"),
    "found-on-queues": ("ORDERS", (80, 24), ("S", *"MSG", "enter"), "textual-light", "4 hits · searched"),
    "queue-managers": ("ORDERS", (100, 24), ("Q",), "textual-dark", "1 full queue"),
    "groups": ("DEAD", (100, 24), ("D",), "textual-dark", "MQRC_Q_FULL"),
}


@pytest.fixture
def contents(qm, monkeypatch, tmp_path, request):
    clock = [NOON_NS]
    monkeypatch.setattr("time.time_ns", lambda: clock[0])
    monkeypatch.chdir(tmp_path)
    Path("rules").write_text("DESTQ(TINY) ACTION(FWD) FWDQ(SMALL)\nACTION(DISCARD)\n", encoding="utf-8")
    qm.define("TINY", max_q_depth=0)
    qm.define("ORDERS", max_q_depth=20)
    qm.define("A.QUEUE.WITH.A.LONG.NAME.THAT.DIFFERS.AT.ITS.END", max_q_depth=5)
    qm.define("DEAD")
    qm.alter(dead_letter_q_name="DEAD")
    for number in range(4):
        qm.put(f"{number}", "A.QUEUE.WITH.A.LONG.NAME.THAT.DIFFERS.AT.ITS.END")
    for data in (JSON, XML, "text \x1b[31m with escapes"):
        qm.put(data, "ORDERS", priority=4)
    letters = [Message(XML.encode(), MQMD(format="MQSTR", put_date="20261120", put_time="12000000")) for _ in range(3)]
    qm.connection.put_each("TINY", letters, dead_letter=True)
    if "dry-run" in request.node.name:
        qm.define("SMALL", max_q_depth=2)
    if "past" in request.node.name:
        for minute, number in enumerate((4, 2, -3, 5, 0, -4, 1)):
            clock[0] = NOON_NS - (10 - minute) * 60 * 1_000_000_000
            if not minute:
                qm.define("KEPT", journal=2)
            for count in range(abs(number)):
                qm.put(f"minute {minute}, message {count}", "KEPT") if number > 0 else qm.get("KEPT")
        clock[0] = NOON_NS
    return qm


def picture(screen) -> str:
    """Return the screen with its colours; identifiers of messages, which differ in each run, are zeros."""
    height = screen.app.size.height
    lines = []
    for strip in screen.app.screen._compositor.render_strips()[:height]:
        parts = [(part.style or Style()).render(part.text, color_system=ColorSystem.TRUECOLOR) for part in strip]
        lines.append("".join(parts))
    return re.sub(r"[0-9A-F]{12,}", lambda found: "0" * len(found.group()), "\n".join(lines)) + "\n"


@pytest.mark.parametrize("name", SCREENS)
async def test_the_screen_is_as_in_the_picture(contents, browse, name):
    q_name, size, keys, theme, sign = SCREENS[name]
    path = HERE / f"{name}.ansi"
    async with browse(q_name, size=size) as screen:
        screen.app.theme = theme
        for key in keys:
            await screen.press(key)
        await screen.until(lambda: sign in screen.text)
        if os.environ.get("MQX_SCREENS") == "write":
            await screen.pilot.pause(1)
            path.write_text(picture(screen), encoding="utf-8")
        wanted = path.read_text(encoding="utf-8")
        await screen.until(lambda: picture(screen) == wanted)
