"""Draw the pictures of the live browser for README and guides: a queue manager made for it, keys, the screen as SVG."""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from pathlib import Path

from mqtools.admin import queue_managers
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
from mqtools.mqi.objects.definitions import alter_qmgr, define_queue
from mqtools.tui.app import BrowserApp
from mqtools.tui.session import BrowserSession

HERE = Path(__file__).parent
#: File -> queue, size, keys, theme.
PICTURES = {
    "browser.svg": ("ORDERS", (120, 32), ("j", "space", "j", "L", "g", "3"), "mqx-dark"),
    "browser-dead-letters.svg": ("DEAD.LETTERS", (120, 32), ("j", "space", "tab", "5"), "mqx-dark"),
    "browser-queues.svg": ("", (120, 32), ("s",), "mqx-light"),
}
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


async def draw(path: str, q_name: str, size: tuple[int, int], keys: tuple[str, ...], theme: str) -> str:
    """Press the keys, and return the screen as SVG without the fonts of the network."""
    app = BrowserApp(BrowserSession(path, q_name))
    async with app.run_test(size=size) as pilot:
        app.theme = theme
        await pilot.pause(1)
        for key in keys:
            await pilot.press(key)
            await pilot.pause(0.3)
        app.clear_notifications()
        await pilot.pause(1)
        picture = app.export_screenshot(title=f"mqx tui {q_name}".rstrip())
    return re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.S)


def main() -> None:
    """Write the pictures."""
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(MQX_HOME=home, XDG_CONFIG_HOME=home, XDG_STATE_HOME=home)
        path = make_queue_manager()
        for name, (q_name, size, keys, theme) in PICTURES.items():
            (HERE / name).write_text(asyncio.run(draw(path, q_name, size, keys, theme)), encoding="utf-8")


if __name__ == "__main__":
    main()
