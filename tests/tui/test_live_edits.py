"""The browser while messages are edited, damaged or reported on elsewhere: what is shown stays true."""

from __future__ import annotations

from mqtools.operations.edit import Changes, edit_batch
from mqtools.operations.views.message_view import find_on_queue


def edit(qm, msg_id, **changes):
    stored = find_on_queue(qm.connection.db, "Q", msg_id)
    assert edit_batch(qm.connection, "Q", [stored.seq], Changes(**changes).apply).number == 1


async def test_a_message_that_is_edited_elsewhere_to_the_same_length_shows_its_new_text(qm, browse):
    qm.put("first")
    msg_id = qm.put("old text")
    async with browse() as screen:
        await screen.press("j")
        await screen.until(lambda: screen.detail == "old text")
        edit(qm, msg_id, body=b"new text")
        await screen.until(lambda: screen.cursor_line == (1, "new text"))
        await screen.until(lambda: screen.detail == "new text")
        edit(qm, msg_id, fields={"format": "OTHER", "feedback": 7})
        await screen.press("5")
        await screen.until(lambda: "OTHER" in screen.detail)


async def test_an_edit_behind_the_beginning_shows_in_the_open_message_and_the_place_in_it_stays(qm, browse):
    lines = [f"line {number:3}" for number in range(400)]
    msg_id = qm.put("\n".join(lines))
    async with browse() as screen:
        await screen.until(lambda: "line 399" in screen.detail)
        await screen.press("enter", "pagedown")
        await screen.until(lambda: screen.app.browser.detail.lines.scroll_offset.y > 0)
        place = screen.app.browser.detail.lines.scroll_offset.y
        lines[390] = "edited!!"
        edit(qm, msg_id, body="\n".join(lines).encode())
        await screen.until(lambda: "edited!!" in screen.detail)
        assert screen.app.browser.detail.lines.scroll_offset.y == place


async def test_a_report_that_comes_shows_with_the_headers_of_the_open_message(qm, browse):
    msg_id = qm.put("order", reply_to_q="R")
    async with browse() as screen:
        await screen.press("6")
        await screen.until(lambda: "no headers" in screen.detail)
        qm.put("done", "R", correl_id=msg_id, msg_type=2)
        await screen.until(lambda: "R : reply" in screen.detail)


async def test_a_message_that_lacks_data_says_so_and_the_others_are_listed(qm, browse):
    qm.put("one")
    qm.put(b"x" * 300_000)
    qm.put("three")
    with qm.connection.db.writing():
        qm.connection.db.run("delete from message_chunks")
    async with browse() as screen:
        await screen.until(lambda: len([row for row in screen.rows if row]) == 3)
        assert "the message is damaged" in screen.rows[1]
        assert screen.rows[2].endswith("three")
        await screen.press("j")
        await screen.until(lambda: "some of them are missing" in screen.said)
        await screen.press("j")
        await screen.until(lambda: screen.detail == "three")


async def test_a_queue_that_cannot_be_opened_shows_nothing_of_the_one_before(qm, browse):
    qm.put("on Q")
    async with browse() as screen:
        await screen.until(lambda: screen.cursor_line[1] == "on Q")
        screen.app.browser.open_queue("NO.SUCH")
        await screen.until(lambda: "MQRC_UNKNOWN_OBJECT_NAME" in screen.said)
        qm.put("more")
        await screen.pilot.pause(0.5)
        assert screen.rows[1] == ""
        screen.app.browser.open_queue("Q")
        await screen.until(lambda: "1 of 2" in screen.place)


async def test_a_list_that_cannot_be_opened_leaves_the_rows_of_before(qm, browse):
    qm.put_numbered(300)
    async with browse(size=(120, 20)) as screen:
        screen.app.browser.message_list.open("NO.SUCH")
        await screen.until(lambda: "MQRC_UNKNOWN_OBJECT_NAME" in screen.said)
        await screen.press("pagedown", "pagedown", "pagedown", "pagedown")
        assert "message 29" in screen.text


async def test_the_cursor_of_the_queues_stays_where_it_was_moved_while_another_queue_is_listed(qm, browse):
    async with browse() as screen:
        queues = screen.app.browser.queues
        await screen.press("h", "j")
        await screen.until(lambda: queues.current["name"] == "R")
        qm.put("a change", "DLQ")
        await screen.until(lambda: any(row["name"] == "DLQ" and row["depth"] for row in queues.rows))
        assert queues.current["name"] == "R"
