"""The error log in the browser: what is there, what comes meanwhile, and hostile texts."""

from __future__ import annotations

from mqtools.admin import error_log
from mqtools.admin.error_log import Inserts


async def test_the_error_log_shows_what_is_there_and_what_comes(qm, browse):
    error_log.note(qm.connection, "AMQ9202E", "first failure", Inserts(channel="TO.QM2"))
    async with browse() as screen:
        await screen.press("E")
        await screen.until(lambda: "Error log · 2 entries" in screen.text)
        assert "AMQ9202E" in screen.text
        assert "TO.QM2" in screen.text
        for _ in range(2):
            error_log.note(qm.connection, "AMQ9999E", "\x1b[2J came later", Inserts(channel="TO.\u202eQM3"))
        await screen.until(lambda: "2×" in screen.text)
        assert "␛[2J came later" in screen.text
        await screen.until(lambda: "Correct what the words of this entry say" in screen.text)  # the cursor is there
        await screen.press("k")
        await screen.until(lambda: "Check CONNAME" in screen.text)
        error_log.note(qm.connection, "AMQ9604E", "one more")
        await screen.until(lambda: "4 entries" in screen.text)
        assert "Check CONNAME" in screen.text
        await screen.press("escape")
        await screen.until(lambda: "Error log" not in screen.text)
