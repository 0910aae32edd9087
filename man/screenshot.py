"""Draw the picture of the live browser in the README: a queue manager made for it, keys pressed, the screen as SVG."""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from pathlib import Path

from mqtools.admin import queue_managers
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
from mqtools.mqi.definitions import alter_qmgr, define_queue
from mqtools.tui.app import BrowserApp, Session

PICTURE = Path(__file__).with_name("browser.svg")
SIZE = (110, 30)
KEYS = ("j", "space", "j", "L", "g", "3")
ORDERS = (
    (b'{"order": 4711, "customer": "ACME", "items": [{"sku": "A-17", "count": 3}]}', 7),
    (b'{"order": 4712, "customer": "Duff", "items": []}', 4),
    (b"<order id='4713'><customer>Hooli</customer></order>", 4),
    (b'{"order": 4714, "customer": "Stark", "items": [{"sku": "B-2", "count": 40}]}', 4),
    (b"\x00\x01\x02 packed", 4),
    (b"text with \x1b[31mescapes\x1b[0m and [markup], shown as it is", 2),
)


def make_queue_manager() -> str:
    """Make a queue manager with something to look at; give its path."""
    path = queue_managers.create("QM1")
    with connect(path) as connection:
        with connection.work() as work:
            for name, depth in (("DEAD.LETTERS", 5000), ("ORDERS", 20), ("ORDERS.REPLY", 5000), ("TINY", 1)):
                define_queue(work, "QLOCAL", name, {"max_q_depth": depth})
            alter_qmgr(work, {"dead_letter_q_name": "DEAD.LETTERS"})
        for data, priority in ORDERS:
            connection.put1("ORDERS", Message(data, MQMD(format="MQSTR", priority=priority)))
        connection.put_each("TINY", [Message(b"x", MQMD()) for _ in range(3)], dead_letter=True)
    return path


async def draw(path: str) -> str:
    """Press the keys, and give the screen as SVG without the fonts of the network."""
    app = BrowserApp(Session(path, "ORDERS"))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause(1)
        for key in KEYS:
            await pilot.press(key)
            await pilot.pause(0.3)
        app.clear_notifications()
        await pilot.pause(1)
        picture = app.export_screenshot(title="mqx tui ORDERS")
    return re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.S)


def main() -> None:
    """Write the picture."""
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(MQX_HOME=home, XDG_CONFIG_HOME=home)
        PICTURE.write_text(asyncio.run(draw(make_queue_manager())), encoding="utf-8")


if __name__ == "__main__":
    main()
