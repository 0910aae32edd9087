"""What the browser writes to a terminal: only what has changed, so that it can be used over a slow line."""

from __future__ import annotations

import time

import pytest

from .terminal import Terminal

IDLE_S = 5
COLOURS = {"COLORTERM": "truecolor"}


@pytest.mark.parametrize("size", [(120, 40), (200, 50)])
def test_only_what_has_changed_is_written(qm, size):
    for number in range(30):
        qm.put(f'{{"payment": {number}, "debtor": {{"name": "ACME", "city": "Köln"}}, "amount": {number * 7}}}')
    terminal = Terminal(qm.path, "Q", size=size, env=COLOURS)
    try:
        terminal.until("1 of 30[^|]*\n[^$]*Köln")
        time.sleep(2)  # until what keys need is imported, and the queues are there
        terminal.read()
        before = terminal.written
        time.sleep(IDLE_S)
        terminal.read()
        assert terminal.written - before < 1000 * IDLE_S
        for number in range(2, 5):
            before = terminal.written
            terminal.press("j")
            terminal.until(f"{number} of 30")
            time.sleep(0.5)  # for the message in full
            terminal.read()
            assert 0 < terminal.written - before < 4000
    finally:
        terminal.close()
