"""Comparison of two messages in the live browser."""

from __future__ import annotations

import pytest

from mqtools.message import Property
from mqtools.tui.dialogs.standard import TextDialog


@pytest.mark.parametrize(
    ("bodies", "expected", "same"),
    [
        (
            ('{"order": {"id": 1, "lines": [1, 2]}, "x": 1}', '{"x": 1, "order": {"id": 2, "lines": [1]}, "y": []}'),
            ["- order.id : 1", "+ order.id : 2", "- order.lines[1] : 2", "+ y : []"],
            "x : 1",
        ),
        (('{"a": 1}', '{ "a": 1 }'), ["only blanks or the order differ"], "a : 1"),
        (("one\ntwo\nthree", "one\nzwei\nthree"), ["-two", "+zwei"], "-one"),
        (
            ("one\n" * 1001, "two\n" + "one\n" * 1000),
            ["more than 1000 lines: each is compared with that in its place", "- one", "+ two"],
            "- two",
        ),
        (
            (b"\0" * 16 + b"\1" * 4, b"\0" * 16 + b"\2" * 4),
            ["- 00000010:  0101 0101", "+ 00000010:  0202 0202"],
            "00000000:",
        ),
    ],
)
async def test_two_marked_messages_are_compared_as_what_they_are(qm, browse, bodies, expected, same):
    for priority, body in enumerate(bodies):
        binary = {"format": "", "coded_char_set_id": 1208} if isinstance(body, bytes) else {}
        properties = {"colour": Property(0x400, "red" if priority else "blue\x1b[2J")}
        qm.put(body, priority=5 - priority, properties=properties, **binary)
    async with browse() as screen:
        await screen.press("space", "space")
        await screen.until(lambda: "2 marked" in screen.place)
        await screen.press("V", opens=TextDialog)
        await screen.until(lambda: "body: different" in screen.text)
        for words in ["- priority : 5", "+ priority : 4", '+ colour.value : "red"', "headers: the same", *expected]:
            assert words in screen.text
        assert same not in screen.text
        assert "\x1b" not in screen.text


async def test_a_marked_message_is_compared_with_the_one_under_the_cursor_until_one_is_gone(qm, browse):
    qm.put("one")
    qm.put("two")
    async with browse() as screen:
        await screen.press("space")
        await screen.until(lambda: "1 marked" in screen.place)
        await screen.press("V", opens=TextDialog)
        await screen.until(lambda: "+two" in screen.text)
        await screen.press("escape", "space")
        await screen.until(lambda: "2 marked" in screen.place)
        qm.get(msg_id=screen.app.browser.messages.window.rows[0].md.msg_id)
        await screen.press("V")
        await screen.until(lambda: "the first message is no longer on the queue" in screen.said)
