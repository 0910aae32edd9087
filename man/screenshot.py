"""Draw the pictures of the live browser for README and guides: a queue manager made for it, keys, the screen as SVG."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from pathlib import Path

from mqtools.admin import queue_managers
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
from mqtools.mqi.objects.definitions import alter_qmgr, alter_queue, define_queue
from mqtools.tui.app import BrowserApp
from mqtools.tui.session import BrowserSession

HERE = Path(__file__).parent
#: Keys of the picture for README: marks, a lock, a body of JSON.
README_KEYS = ("j", "space", "j", "L", "g", "3")
#: File -> keys that lead to its picture from the one before: from a dead letter to its cause, and back in time.
SEQUENCE = {
    "browser-1-dead-letters.svg": ("j",),
    "browser-2-why.svg": ("x",),
    "browser-3-rehearse.svg": ("escape", "R", *"night.rules", "enter"),
    "browser-4-redrive.svg": ("escape", "ctrl+a", "r"),
    "browser-5-past.svg": ("y", "comma", "comma"),
}
SIZE = (120, 32)
RULES = """\
INPUTQ(DEAD.LETTERS) WAIT(NO)
REASON(MQRC_Q_FULL) DESTQ(PAYMENTS) ACTION(RETRY)
REASON(MQRC_PUT_INHIBITED) ACTION(FWD) FWDQ(PARKED)
"""
ORDERS = (
    (b'{"order": 4711, "customer": "ACME", "items": [{"sku": "A-17", "count": 3}]}', 7),
    (b'{"order": 4712, "customer": "Duff", "items": []}', 4),
    (b"<order id='4713'><customer>Hooli</customer></order>", 4),
    (b'{"order": 4714, "customer": "Stark", "items": [{"sku": "B-2", "count": 40}]}', 4),
    (b"\x00\x01\x02 packed", 4),
    (b"text with \x1b[31mescapes\x1b[0m and [markup], shown as it is", 2),
)


def make_queue_manager() -> str:
    """Make a queue manager with something to look at; return its path."""
    path = queue_managers.create("QM1")
    with connect(path) as connection:
        with connection.work() as work:
            for name, depth in (("DEAD.LETTERS", 5000), ("ORDERS", 20), ("PARKED", 5000), ("PAYMENTS", 2)):
                define_queue(work, "QLOCAL", name, {"max_q_depth": depth, "journal": 2})
            alter_qmgr(work, {"dead_letter_q_name": "DEAD.LETTERS"})
        for data, priority in ORDERS:
            connection.put1("ORDERS", Message(data, MQMD(format="MQSTR", priority=priority)))
    return path


def make_dead_letters(path: str) -> None:
    """Put payments on a queue with too little room, and some after puts to it were disabled; then make room."""
    with connect(path, appl_name="payments") as connection:
        for first, disabled in ((1009, 0), (1014, 1)):
            with connection.work() as work:
                alter_queue(work, "QLOCAL", "PAYMENTS", {"inhibit_put": disabled})
            payments = [f'{{"payment": {first + n}, "amount": {first * 7 % 100 + n}.50}}' for n in range(5 - disabled)]
            messages = [Message(text.encode(), MQMD(format="MQSTR")) for text in payments]
            connection.put_each("PAYMENTS", messages, dead_letter=True)
        with connection.work() as work:
            alter_queue(work, "QLOCAL", "PAYMENTS", {"inhibit_put": 0, "max_q_depth": 5000})


async def draw(path: str, q_name: str, size: tuple[int, int], pictures: dict[str, tuple[str, ...]]) -> dict[str, str]:
    """Press the keys of each picture; return the screens as SVG without the fonts of the network."""
    app = BrowserApp(BrowserSession(path, q_name))
    drawn = {}
    async with app.run_test(size=size) as pilot:
        await pilot.pause(1)
        for name, keys in pictures.items():
            for key in keys:
                await pilot.press(key)
                await pilot.pause(0.3)
            await pilot.pause(1)
            app.clear_notifications()
            await pilot.pause(0.3)
            picture = app.export_screenshot(title=f"mqx tui {q_name}".rstrip())
            drawn[name] = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.S)
    return drawn


def main() -> None:
    """Write the pictures. Arguments: the size of the sequence, and its folder, in place of the usual ones."""
    columns, lines, folder = sys.argv[1:] or (*SIZE, HERE.parent / "docs" / "recordings")
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(MQX_HOME=home, XDG_CONFIG_HOME=home, XDG_STATE_HOME=home)
        os.chdir(home)
        Path("night.rules").write_text(RULES, encoding="utf-8")
        path = make_queue_manager()
        found = asyncio.run(draw(path, "ORDERS", SIZE, {"browser.svg": README_KEYS}))
        (HERE / "browser.svg").write_text(found["browser.svg"], encoding="utf-8")
        make_dead_letters(path)
        size = int(columns), int(lines)
        for name, picture in asyncio.run(draw(path, "DEAD.LETTERS", size, SEQUENCE)).items():
            (Path(folder) / name).write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
