"""The past of a queue in the browser: steps back and on, what is said of it, what is refused, and live again."""

from __future__ import annotations

import json
import re
import time
from datetime import UTC, datetime

import pytest

from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_LOCK,
    MQGMO_MSG_UNDER_CURSOR,
    MQOO_BROWSE,
    MQOO_INPUT_AS_Q_DEF,
)
from mqtools.message import MQMD, Message
from mqtools.mqi.identity import now_ms
from mqtools.mqi.objects.definitions import alter_queue, delete_queue
from mqtools.operations.edit import Changes, edit_batch
from mqtools.operations.key_snapshot import select_keys
from mqtools.operations.selection import EVERYTHING
from mqtools.operations.views import message_envelope
from mqtools.tui.background import detail_reader
from mqtools.tui.dialogs.standard import TextDialog
from mqtools.tui.panes.time_line_pane import braille


def put_apart(qm, *bodies: str, q_name: str = "Q") -> None:
    """Put messages, each in a millisecond of its own."""
    for body in bodies:
        before = now_ms()
        while now_ms() == before:
            time.sleep(0.0005)
        qm.put(body, q_name)


@pytest.fixture
def kept(qm):
    """On Q three messages were put, and the first of them was got, all of it in the journal."""
    qm.define("Q2", journal=2)
    put_apart(qm, "one", "two", "three", q_name="Q2")
    before = now_ms()
    while now_ms() == before:
        time.sleep(0.0005)
    qm.get("Q2")
    return qm


def listed(screen) -> str:
    return " ".join(row.split()[-1] for row in screen.rows if row)


async def test_steps_go_back_event_by_event_and_on_again_to_the_present(kept, browse):
    async with browse("Q2") as screen:
        await screen.until(lambda: listed(screen) == "two three")
        for wanted in ("one two three", "one two", "one"):
            await screen.press("comma")
            await screen.until(lambda wanted=wanted: listed(screen) == wanted)
            assert "◴ PAST" in screen.status
            assert "PAST" in screen.place
            assert "now 4 queues" in screen.status
            assert re.search(r"now \d\d:\d\d UTC$", screen.status)
            assert "Queues now · by name" in screen.text
        for wanted in ("one two", "one two three"):
            await screen.press("full_stop")
            await screen.until(lambda wanted=wanted: listed(screen) == wanted)
        await screen.press("full_stop")
        await screen.until(lambda: listed(screen) == "two three")
        assert "● LIVE" in screen.status
        assert " now " not in screen.text


async def test_the_expiry_is_what_remained_then(qm, browse, tmp_path, monkeypatch):
    qm.define("Q2", journal=2)
    put_apart(qm, "one", q_name="Q2")
    qm.put("two", "Q2", expiry=6000)
    put_apart(qm, "three", q_name="Q2")
    later = now_ms() + 300_000
    for module in (detail_reader, message_envelope):
        monkeypatch.setattr(module, "now_ms", lambda: later)
    async with browse("Q2") as screen:
        await screen.press("comma")
        await screen.until(lambda: listed(screen) == "one two")
        await screen.press("G", "5")
        await screen.until(lambda: re.search(r"Expiry +: (59\d\d|6000)", screen.detail))
        await screen.press("w")
        await screen.until(lambda: "Write 2 messages" in screen.text)
        await screen.enter(str(tmp_path / "written.jsonl"))
        await screen.until(lambda: "wrote 2 messages" in screen.said)
    expiry = json.loads((tmp_path / "written.jsonl").read_text().splitlines()[1])["md"]["expiry"]
    assert 5900 < expiry <= 6000


async def test_keys_pressed_faster_than_it_is_loaded_are_each_a_step(kept, browse):
    async with browse("Q2") as screen:
        await screen.press("comma", "comma", "comma")
        await screen.until(lambda: listed(screen) == "one")


async def test_the_message_of_the_past_can_be_read_and_filtered_but_not_changed(kept, browse):
    async with browse("Q2") as screen:
        await screen.press("comma")
        await screen.until(lambda: listed(screen) == "one two three")
        await screen.press("g")
        await screen.until(lambda: "one" in screen.detail)
        for key, action in (("d", "delete"), ("m", "move"), ("space", "mark"), ("F", "follow the end of the queue")):
            await screen.press(key)
            await screen.until(lambda action=action: f"cannot {action}: the list shows the past" in screen.said)
        assert screen.app.screen is screen.app.browser
        await screen.press("slash", *"tw", "enter")
        await screen.until(lambda: listed(screen) == "two" and not screen.is_searching)
        assert "◴ PAST" in screen.status
        await screen.press("escape")
        await screen.until(lambda: listed(screen) == "one two three")
    assert kept.data("Q2") == [b"two", b"three"]


async def test_all_messages_are_written_to_a_file_as_they_were(kept, browse, tmp_path):
    path = tmp_path / "written.bin"
    async with browse("Q2") as screen:
        await screen.press("comma")
        await screen.until(lambda: listed(screen) == "one two three")
        await screen.press("w")
        await screen.until(lambda: "Write 3 messages from Q2 as it was at " in screen.text)
        await screen.enter(str(path))
        await screen.until(lambda: "wrote 3 messages" in screen.said)
    assert path.read_bytes() == b"one\ntwo\nthree"


async def test_a_copied_command_line_shows_the_message_as_it_was(kept, browse, monkeypatch):
    copied = []
    async with browse("Q2") as screen:
        monkeypatch.setattr(screen.app, "copy_to_clipboard", copied.append)
        await screen.press("space")
        await screen.until(lambda: "1 marked" in screen.place)
        await screen.press("comma")
        await screen.until(lambda: listed(screen) == "one two three")
        assert "marked" not in screen.place
        assert "M" not in "".join(row[:4] for row in screen.rows)
        await screen.press("g")
        await screen.until(lambda: "1 of 3" in screen.place)
        await screen.press("y", "c")
        await screen.until(lambda: copied)
        at = screen.app.browser.past.at
        instant = datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        msg_id = screen.app.browser.current.md.msg_id.hex().upper()
        assert copied == [f"mqx browse Q2 -m {kept.path} --all-states --at {instant} --msg-id {msg_id}"]


async def test_dead_letters_are_grouped_as_they_were_and_no_group_can_be_changed(kept, browse):
    async with browse("Q2") as screen:
        await screen.press("comma")
        await screen.until(lambda: listed(screen) == "one two three")
        await screen.press("D")
        await screen.until(lambda: "Messages on Q2 as it was at " in screen.text)
        assert "3 messages" in screen.text
        assert "r: redrive" not in screen.text
        await screen.press("m", "r")
        await screen.until(lambda: screen.app.screen is screen.app.browser)
        assert "◴ PAST" in screen.status
    assert kept.data("Q2") == [b"two", b"three"]
    assert kept.is_marked("Q2") == [False, False]


async def test_a_rules_table_is_tried_on_the_messages_as_they_were_but_not_run(kept, browse, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules").write_text("ACTION(DISCARD)\n", encoding="utf-8")
    async with browse("Q2") as screen:
        await screen.press("comma")
        await screen.until(lambda: listed(screen) == "one two three")
        await screen.press("R")
        await screen.until(lambda: "for all 3 messages on Q2 as it was at " in screen.text)
        await screen.enter("rules")
        await screen.until(lambda: "rules on Q2 as it was at " in screen.text)
        assert "3 messages" in screen.text
        assert "runs it" not in screen.text
        await screen.press("exclamation_mark", "escape")
        await screen.until(lambda: screen.app.screen is screen.app.browser)
    assert kept.data("Q2") == [b"two", b"three"]


async def test_what_is_put_meanwhile_is_not_in_the_past_and_one_key_leads_back_to_it(kept, browse):
    async with browse("Q2") as screen:
        await screen.press("comma")
        await screen.until(lambda: listed(screen) == "one two three")
        kept.put("four", "Q2")
        await screen.until(
            lambda: any(row["name"] == "Q2" and row["depth"] == 3 for row in screen.app.browser.queues.rows)
        )
        assert listed(screen) == "one two three"
        await screen.press("L")
        await screen.until(lambda: listed(screen) == "two three four")
        await screen.press("L")
        await screen.until(lambda: "locked by" in screen.place)


async def test_a_time_can_be_typed_and_one_before_the_journal_is_refused_with_the_earliest(kept, browse):
    async with browse("Q2") as screen:
        await screen.press("at")
        await screen.enter("2999-01-01")
        await screen.press("at")
        await screen.enter("1h")
        await screen.until(lambda: "Show it at the earliest time, " in screen.text)
        await screen.press("n")
        await screen.until(lambda: "● LIVE" in screen.status)
        assert listed(screen) == "two three"


async def test_the_time_line_is_along_the_bottom_of_a_queue_with_a_journal_only(kept, browse):
    async with browse("Q2") as screen:
        pane = screen.app.browser._time_line
        await screen.until(lambda: pane.display and " puts/" in screen.text)
        assert pane.line.depths[-1] == 2
        assert (sum(pane.line.puts), sum(pane.line.gets)) == (3, 1)
        await screen.pilot.click(pane, offset=(17, 1))
        await screen.until(lambda: "◴ PAST" in screen.status)
        await screen.press("L")
        await screen.until(lambda: "● LIVE" in screen.status)
        await screen.press("h", "g")
        await screen.until(lambda: "DLQ" in screen.place)
        await screen.until(lambda: not pane.display)


async def test_another_queue_is_shown_as_it_is_now(kept, browse):
    kept.put("other")
    async with browse("Q2") as screen:
        await screen.press("comma")
        await screen.until(lambda: listed(screen) == "one two three")
        await screen.press("h", "k")
        await screen.until(lambda: listed(screen) == "other")
        assert "● LIVE" in screen.status


async def test_the_queue_may_be_deleted_while_its_past_is_shown(kept, browse):
    async with browse("Q2") as screen:
        await screen.press("comma")
        await screen.until(lambda: listed(screen) == "one two three")
        with kept.connection.work() as work:
            delete_queue(work, "QLOCAL", "Q2", purge=True)
        await screen.press("L")
        await screen.until(lambda: "● LIVE" in screen.status)
        await screen.until(lambda: "Q2" not in screen.app.browser.queues.names)


async def test_the_time_line_marks_dead_letters_and_can_be_zoomed(kept, browse):
    kept.define("TINY", max_q_depth=0)
    with kept.connection.work() as work:
        alter_queue(work, "QLOCAL", "DLQ", {"journal": 2})
    kept.connection.put_each("TINY", [Message(b"dead", MQMD())], dead_letter=True)
    async with browse("DLQ") as screen:
        pane = screen.app.browser._time_line
        await screen.until(lambda: pane.line and pane.line.dead)
        await screen.until(lambda: " all " in screen.text)
        await screen.press("=")
        await screen.until(lambda: "last 5m00s" in screen.text)
        assert "✉" in pane.draw_line(pane.size.height - 1).text
        assert re.search(r" gets/\S+ +0 ", screen.text)


@pytest.mark.parametrize(
    ("values", "highest", "drawn"), [([0, 1, 2, 4], 4, "\u2880\u28fc"), ([4], 4, "\u2847"), ([1, 1000], 1000, "\u28f8")]
)
def test_values_are_columns_of_dots(values, highest, drawn):
    assert braille(values, highest) == drawn


async def test_a_message_of_the_past_is_compared_with_what_it_is_now(kept, browse):
    seq = select_keys(kept.connection, "Q2", EVERYTHING)[0]
    edit_batch(kept.connection, "Q2", [seq], Changes(body=b"zwei").apply)
    async with browse("Q2") as screen:
        await screen.until(lambda: listed(screen) == "zwei three")
        await screen.press("comma")
        await screen.until(lambda: listed(screen) == "two three")
        await screen.press("V", opens=TextDialog)
        await screen.until(lambda: "-two" in screen.text and "+zwei" in screen.text)
        assert "- then" in screen.text
        assert "descriptor: the same" in screen.text


async def test_a_message_that_was_locked_then_is_shown_without_who_held_it(kept, browse):
    with kept.connection.open("Q2", MQOO_BROWSE | MQOO_INPUT_AS_Q_DEF) as handle:
        handle.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
        time.sleep(0.005)  # the list is that of a millisecond before the get
        handle.get(MQGMO_MSG_UNDER_CURSOR)
    async with browse("Q2") as screen:
        await screen.until(lambda: listed(screen) == "three")
        await screen.press("comma")
        await screen.until(lambda: listed(screen) == "two three")
        await screen.press("k")
        await screen.until(lambda: "locked" in screen.about)
