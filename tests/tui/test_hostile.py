"""Whatever a message holds, the screen shows it and does nothing else."""

from __future__ import annotations

import pytest

from mqtools.constants.properties import MQTYPE_STRING
from mqtools.message import Property
from mqtools.tui.dialogs.standard import ChoiceDialog

HOSTILE = [
    b"[/]",
    b"[bold",
    b"[@click=app.quit]x[/]",
    b"\x1b]52;c;aGFja2Vk\x07",
    b"\x1b]8;;http://example.com\x1b\\link\x1b]8;;\x1b\\",
    b"\x1bc\x1b[2J\x1b[?1049l",
    b"\x9b31m \x90 \x9d",
    "\x9b31m\x85".encode(),
    "\u202egnp.exe \u2066x\u2069 \u200b\u200d".encode(),
    b"nul\0byte",
    "\ud800".encode("utf-8", "surrogatepass"),
    b"\xff\xfe\xfa",
    "日本語のテキスト 👩‍👩‍👧 e\u0301".encode(),
    b"tab\tand\rreturn\nline",
    b"x" * 100_000,
    b'{"\x1b[31m": "\\u001b]52;c;aGk=\\u0007"}',
    b"<a b='&#x9b;'>&#x202e;</a>",
]
#: What may steer a terminal or hide; nothing of it may reach one.
FORBIDDEN = {*(chr(code) for code in (*range(0x20), *range(0x7F, 0xA0))), *"\u202e\u2066\u2069\u200b\u200d\ud800"}


@pytest.mark.parametrize("size", [(120, 36), (40, 10)])
async def test_hostile_data_is_literal_in_the_list_and_in_every_tab(qm, browse, size):
    """All of it is on one queue: a browser for each message would cost seconds."""
    for data in HOSTILE:
        qm.put(data, appl_origin_data="[/]", properties={"colour": Property(MQTYPE_STRING, "\x1b[31m[/]")})
    async with browse(size=size) as screen:
        browser = screen.app.browser
        for data in HOSTILE:
            seq = browser.current.seq
            for key in ("1", "2", "3", "4", "5", "6"):
                await screen.press(key)
                shown = (seq, int(key))
                await screen.until(lambda shown=shown: (browser.detail.detail.seq, browser.detail.detail.tab) == shown)
                assert not FORBIDDEN & set(screen.detail.replace("\n", "")), data
                if key in "16":
                    assert not FORBIDDEN & set(screen.text.replace("\n", "")), data
            await screen.press("j")
        await screen.press("enter", "escape", "space", "d")
        await screen.until(lambda: "Delete 1 message" in screen.text)
        assert not FORBIDDEN & set(screen.text.replace("\n", ""))
        assert screen.app.is_running


async def test_a_control_character_is_made_visible_once_in_the_question_before_a_deletion(qm, browse):
    qm.put("\x1b[2J")
    async with browse() as screen:
        await screen.press("d")
        await screen.until(lambda: "datagram  ␛[2J" in screen.text)


async def test_markup_is_shown_as_it_is(qm, browse):
    qm.put("[@click=app.quit]x[/] [bold")
    async with browse() as screen:
        assert "[@click=app.quit]x[/] [bold" in screen.text
        await screen.press("slash")
        await screen.enter("[/]")
        await screen.until(lambda: "1 hit" in screen.text)


async def test_what_is_said_in_passing_is_literal_too(qm, browse):
    qm.put("\x1b]52;c;aGk=\x07[/]")
    async with browse() as screen:
        await screen.press("y", opens=ChoiceDialog)
        await screen.press("b")
        await screen.until(lambda: "sent to the terminal" in screen.said)
        assert "\x1b" not in screen.said
        await screen.pilot.pause(0.2)
        assert not FORBIDDEN & set(screen.text.replace("\n", ""))
