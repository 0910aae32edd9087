"""Random keys over a live queue manager: whatever is pressed, the program stays alive.

The same keys are pressed in each run. ``MQX_MONKEY_KEYS`` sets how many and ``MQX_MONKEY_SEED`` which; ``make fuzz``
presses 10 000 others.
"""

from __future__ import annotations

import os
import random

from textual import events

from mqtools.errors import MQError
from mqtools.mqi.objects.definitions import delete_queue
from mqtools.tui.keymap import KEYS

NUMBER = int(os.environ.get("MQX_MONKEY_KEYS", "300"))
SEED = int(os.environ.get("MQX_MONKEY_SEED", "26"))
SIZES = ((160, 45), (120, 36), (80, 24), (60, 20), (40, 10))
#: Keys with the character that a terminal sends with them.
CHARACTERS = {"slash": "/", "plus": "+", "number_sign": "#", "asterisk": "*", "question_mark": "?", "colon": ":"}
CHARACTERS |= {"comma": ",", "left_square_bracket": "[", "right_square_bracket": "]", "at": "@"}
CHARACTERS |= {"left_curly_bracket": "{", "right_curly_bracket": "}"}
CHARACTERS |= {"space": " ", "enter": "\r", "tab": "\t", "full_stop": "."}
PRESSED = [key for row in KEYS for key in row.keys.split(",")]
PRESSED += ["escape", "enter", "escape", "enter", "y", "n", "backspace", "delete", "full_stop", "b", "5", "0", "s", "!"]


def traffic(qm, chance: random.Random) -> None:
    """Change something behind the browser's back."""
    what = chance.randrange(10)
    try:
        if what < 5:
            qm.put(f"message {chance.random()}", chance.choice(("Q", "R")), priority=chance.randrange(10))
        elif what < 8:
            qm.get(chance.choice(("Q", "R")))
        elif what < 9:
            qm.define("R")
        else:
            with qm.connection.work() as work:
                delete_queue(work, "QLOCAL", "R", purge=True)
    except MQError:
        pass  # there is nothing to get, or the queue is there already


async def test_random_keys_leave_the_program_alive(qm, browse, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where a key may write a file
    chance = random.Random(SEED)
    for number in range(60):
        qm.put(f'{{"number": {number}}}', chance.choice(("Q", "R")))
    pressed: list[str] = []
    async with browse() as screen:
        app, quits = screen.app, []
        monkeypatch.setattr(app, "exit", lambda *given, **named: quits.append(given))
        while len(pressed) < NUMBER:
            for _ in range(chance.randrange(1, 12)):
                key = chance.choice(PRESSED)
                pressed.append(key)
                app.post_message(events.Key(key, CHARACTERS.get(key, key if len(key) == 1 else None)))
            if chance.random() < 0.3:
                traffic(qm, chance)
            if chance.random() < 0.03:
                await screen.pilot.resize_terminal(*chance.choice(SIZES))
            await screen.pilot.pause(chance.choice((0, 0, 0.01)))
            assert app.crash is None, f"seed {SEED}, keys {pressed[-30:]}"
        await screen.until(lambda: not app._typed)  # what was pressed last must not come after escape
        for _ in range(5):
            await screen.press("escape")
        await screen.until(lambda: app.screen is app.browser)
        if app.browser.is_paused:
            await screen.press("P")
        qm.define("LAST")
        await screen.until(lambda: "LAST" in app.browser.queues.names)
