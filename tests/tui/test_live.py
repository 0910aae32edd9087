"""The browser while others work: what comes, what goes, what is held, and whose it is."""

from __future__ import annotations

from threading import Event

from mqtools.constants.options import MQGMO_BROWSE_FIRST, MQGMO_LOCK, MQGMO_SYNCPOINT, MQOO_BROWSE, MQOO_INPUT_SHARED
from mqtools.mqi.connection import connect

from .conftest import states


def test_a_message_that_comes_appears_at_once(qm, browse):
    async def story(screen):
        assert "no messages" in screen.text
        qm.put("news")
        await screen.until(lambda: screen.cursor_line == (0, "news"))

    browse(story)


def test_arrivals_of_a_higher_priority_do_not_move_the_line_under_the_cursor_and_are_counted_above(qm, browse):
    for number in range(3):
        qm.put(f"message {number}", priority=1)

    async def story(screen):
        await screen.press("j")
        qm.put("urgent", priority=9)
        qm.put("urgent too", priority=9)
        await screen.until(lambda: "of 5" in screen.place)
        assert screen.cursor_line == (1, "message 1")
        assert "↑ 2 rows above" in screen.text
        await screen.press("g")
        await screen.until(lambda: screen.cursor_line == (0, "urgent"))

    browse(story)


def test_a_message_that_goes_says_gone_and_its_content_stays_readable(qm, browse):
    qm.put("soon gone")
    qm.put("stays")

    async def story(screen):
        await screen.until(lambda: screen.detail == "soon gone")
        assert qm.get() == b"soon gone"
        await screen.until(lambda: states(screen)[0] == "gone")
        assert screen.detail == "soon gone"
        assert "gone at" in screen.about
        assert screen.cursor_line == (0, "soon gone")
        await screen.press("j")
        await screen.until(lambda: screen.detail == "stays")
        assert "1 of 1" in screen.place

    browse(story)


def test_follow_stays_at_the_end_until_somebody_moves(qm, browse):
    for number in range(60):
        qm.put(f"message {number}")

    async def story(screen):
        await screen.press("F")
        await screen.until(lambda: screen.cursor_line[1] == "message 59")
        qm.put("last")
        await screen.until(lambda: screen.cursor_line[1] == "last")
        assert "follow" in screen.place
        await screen.press("k")
        qm.put("later")
        await screen.until(lambda: "of 62" in screen.place)
        assert screen.cursor_line[1] == "message 59"

    browse(story)


def test_who_moves_while_the_end_is_read_is_not_taken_there(qm, browse, monkeypatch):
    from mqtools.tui.controllers import message_list

    for number in range(60):
        qm.put(f"message {number}")
    reading, goes_on, real = Event(), Event(), message_list.last_page

    def slowly(*given):
        reading.set()
        goes_on.wait(100)
        return real(*given)

    async def story(screen):
        await screen.press("F")
        await screen.until(lambda: screen.cursor_line[1] == "message 59")
        monkeypatch.setattr(message_list, "last_page", slowly)
        qm.put("last")
        await screen.until(reading.is_set)
        await screen.press("k")
        goes_on.set()
        await screen.until(lambda: "of 61" in screen.place)
        assert screen.cursor_line[1] == "message 58"

    browse(story)


def test_under_constant_traffic_the_row_in_the_middle_is_not_counted_again_each_time(qm, browse, monkeypatch):
    from mqtools.store.scans import pages
    from mqtools.tui.controllers import message_list

    for number in range(600):
        qm.put(f"message {number}")
    counted, real = [], pages.count_before
    monkeypatch.setattr(pages, "count_before", lambda *given: (counted.append(given), real(*given))[1])
    monkeypatch.setattr(message_list, "_LEAST_COUNT_S", 1000)

    async def story(screen):
        window = screen.app.browser.messages.window
        while window.at_start or window.at_end:
            await screen.press("ctrl+d")
            await screen.until(lambda: not screen.app.browser.message_list._is_asking)
        number = int(screen.cursor_line[1].split()[1]) + 1
        await screen.until(lambda: f" {number} of 600" in screen.place)
        for arrival in range(5):
            qm.put("more")
            await screen.until(lambda total=601 + arrival: f"{number} of {total}" in screen.place)
        assert f" ~{number} of 605" in screen.place
        assert len(counted) <= 1  # at the first change, unless it was before
        qm.get()
        screen.app.browser.message_list._count_again_at = 0
        await screen.until(lambda: f" {number - 1} of 604" in screen.place)

    browse(story)


def test_on_a_quiet_queue_the_row_in_the_middle_is_counted_once(qm, browse, monkeypatch):
    from mqtools.store.scans import pages

    for number in range(600):
        qm.put(f"message {number}")
    counted, real = [], pages.count_before
    monkeypatch.setattr(pages, "count_before", lambda *given: (counted.append(given), real(*given))[1])

    async def story(screen):
        browser = screen.app.browser
        while browser.messages.window.at_start or browser.messages.window.at_end:
            await screen.press("ctrl+d")
            await screen.until(lambda: not browser.message_list._is_asking)
        number = int(screen.cursor_line[1].split()[1]) + 1
        await screen.until(lambda: f" {number} of 600" in screen.place)
        for _ in range(3):
            browser.message_list._count_again_at = 0
            browser.changed()
            await screen.until(lambda: not browser.message_list._is_asking)
            assert f" {number} of 600" in screen.place
        assert len(counted) <= 1

    browse(story)


def test_paused_nothing_moves(qm, browse):
    qm.put("first")

    async def story(screen):
        await screen.press("P")
        assert "paused" in screen.place
        qm.put("second")
        await screen.pilot.pause(0.6)
        assert "1 of 1" in screen.place
        await screen.press("P")
        await screen.until(lambda: "1 of 2" in screen.place)

    browse(story)


def test_what_is_uncommitted_locked_or_expired_says_so(qm, browse):
    from mqtools.message import MQMD, Message

    qm.put("got")
    qm.put("locked")
    qm.put("short", expiry=1)
    with connect(qm.path, user_identifier="bob") as other:
        got = other.open("Q", MQOO_INPUT_SHARED)
        got.get(MQGMO_SYNCPOINT)
        lock = other.open("Q", MQOO_BROWSE)
        lock.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
        other.put1("Q", Message(b"put", MQMD()), 2)  # MQPMO_SYNCPOINT

        async def story(screen):
            await screen.until(lambda: states(screen) == ["U", "L", "E", "U"])
            await screen.until(lambda: "got but not committed, by bob pid" in screen.place)
            await screen.press("j")
            await screen.until(lambda: "locked by bob pid" in screen.place)
            lock.close()
            other.backout()
            await screen.until(lambda: states(screen)[:3] == ["", "", "E"])

        browse(story)


# -- marks --------------------------------------------------------------------------------------------------


def test_space_marks_for_the_co_operating_set_goes_down_and_takes_the_mark_off_again(qm, browse):
    qm.put("one")
    qm.put("two")

    async def story(screen):
        await screen.press("space")
        assert screen.cursor_line[1] == "two"
        await screen.until(lambda: qm.is_marked() == [True, False])
        assert states(screen) == ["M", ""]
        assert "1 marked" in screen.place
        await screen.press("k", "space")
        await screen.until(lambda: qm.is_marked() == [False, False])
        assert "marked" not in screen.place

    browse(story)
    assert qm.is_marked() == [False, False]


def test_a_message_that_was_just_unmarked_is_not_anothers_until_it_is_read_again(qm, browse):
    qm.put("first")
    qm.put("second")

    async def story(screen):
        await screen.press("space")
        await screen.until(lambda: screen.app.browser.messages.window.rows[0].is_marked)
        await screen.press("P", "k", "space")  # paused: nothing is read again
        await screen.until(lambda: not any(qm.is_marked()))
        assert states(screen) == ["", ""]
        await screen.press("P")
        await screen.until(lambda: screen.status.count("LIVE"))
        assert states(screen) == ["", ""]

    browse(story)


def test_marks_are_renewed_while_the_session_lives_and_released_when_it_ends(qm, browse, monkeypatch):
    from mqtools.tui.background import writer

    qm.alter(msg_mark_browse_interval=60_000)
    monkeypatch.setattr(writer, "_RENEW_AT", 1 / 200)
    qm.put("one")

    async def story(screen):
        await screen.press("space")
        await screen.until(lambda: qm.is_marked() == [True])
        until = qm.marked_until()
        await screen.until(lambda: qm.marked_until() > until)
        assert qm.is_marked() == [True]

    browse(story)
    assert qm.is_marked() == [False]


def test_what_another_has_marked_shows_and_cannot_be_marked(qm, browse):
    from mqtools.mqi.browse_marks import mark_for_set
    from mqtools.mqi.resolution import find_queue
    from mqtools.store.messages import messages

    qm.alter(msg_mark_browse_interval=-1)
    qm.put("one")
    with qm.connection.work() as work:
        queue = find_queue(work.db, "Q")
        (stored,) = messages.available(work.db, queue.id)
        mark_for_set(work, queue.id, stored.seq, stays=True)

    async def story(screen):
        await screen.until(lambda: states(screen) == ["m"])
        await screen.press("space")
        await screen.until(lambda: "marked by another session" in screen.said)
        assert "1 marked" not in screen.place

    browse(story)
    assert qm.is_marked() == [True]


def test_inverting_marks_all_that_is_listed(qm, browse):
    for number in range(700):
        qm.put(f"message {number}")

    async def story(screen):
        await screen.press("space", "asterisk")
        await screen.until(lambda: "699 marked" in screen.place)
        await screen.until(lambda: states(screen)[:2] == ["", "M"])  # when the row has been read again

    browse(story)


def test_a_range_is_marked_from_where_it_was_begun_to_the_cursor_however_far_that_is(qm, browse):
    for number in range(700):
        qm.put(f"message {number}")

    async def story(screen):
        await screen.press("j", "v")
        assert "range" in screen.place
        await screen.press("j", "j")
        assert [line[:1] for line in screen.rows[:5]] == [" ", ">", ">", ">", " "]
        await screen.press("v")
        await screen.until(lambda: "3 marked" in screen.place)
        assert states(screen)[:5] == ["", "M", "M", "M", ""]
        await screen.press("j", "v", "G")
        await screen.until(lambda: "700 of 700" in screen.place)
        await screen.press("space")
        await screen.until(lambda: "699 marked" in screen.place)

    browse(story)


def test_all_that_a_filter_finds_is_marked_and_escape_takes_off_the_filter_and_never_the_marks(qm, browse):
    for number in range(30):
        qm.put(f"message {number}")

    async def story(screen):
        await screen.press("slash")
        await screen.type("message 2")
        await screen.press("enter")
        await screen.until(lambda: "1 of 11" in screen.place and not screen.is_searching)
        await screen.press("ctrl+a")
        await screen.until(lambda: sum(qm.is_marked()) == 11)
        await screen.press("v", "escape")
        assert "range" not in screen.place
        await screen.press("escape")
        await screen.until(lambda: "1 of 30 · 11 marked" in screen.place)
        await screen.press("escape")
        await screen.until(lambda: screen.app.browser.pane == "queues")
        await screen.press("escape", "enter")
        assert "Take 11" not in screen.text
        assert sum(qm.is_marked()) == 11
        await screen.press("M")
        await screen.until(lambda: "Take 11 marks off Q?" in screen.text)
        await screen.press("y")
        await screen.until(lambda: not any(qm.is_marked()))

    browse(story)


def test_no_more_is_marked_than_can_be_renewed_in_time(qm, browse, monkeypatch):
    from mqtools.tui.background import mark_job

    monkeypatch.setattr(mark_job, "MOST", 20)
    for number in range(30):
        qm.put(f"message {number}")

    async def story(screen):
        await screen.press("ctrl+a")
        await screen.until(lambda: "cannot mark more than 20 messages" in screen.said)
        await screen.until(lambda: "20 marked" in screen.place)
        assert sum(qm.is_marked()) == 20

    browse(story)


# -- locks --------------------------------------------------------------------------------------------------


def test_locking_keeps_a_message_from_everybody_else_until_it_is_unlocked(qm, browse):
    qm.put("one")
    qm.put("two")
    qm.put("three")

    async def story(screen):
        await screen.press("L", "j", "L")
        await screen.until(lambda: states(screen) == ["L", "L", ""])
        await screen.until(lambda: "locked by" in screen.place)
        assert qm.get() == b"three"
        await screen.press("L")
        await screen.until(lambda: states(screen)[:2] == ["L", ""])
        assert qm.get() == b"two"

    browse(story)
    assert qm.get() == b"one"


def test_what_somebody_else_has_locked_cannot_be_locked_and_the_owner_is_said(qm, browse):
    qm.put("one")
    with connect(qm.path, user_identifier="bob") as other:
        other.open("Q", MQOO_BROWSE).get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)

        async def story(screen):
            await screen.until(lambda: states(screen) == ["L"])
            await screen.press("L")
            await screen.until(lambda: "locked by bob pid" in screen.said)

        browse(story)


def test_the_set_of_an_action_is_fixed_when_its_dialog_opens(qm, browse):
    for name in ("one", "two", "three"):
        qm.put(name)

    async def story(screen):
        await screen.press("space", "space", "d")
        await screen.until(lambda: "Delete 2 messages from Q?" in screen.text)
        assert qm.get() == b"one"
        qm.put("late")
        await screen.press("y")
        await screen.until(lambda: "deleted 1 message; 1 no longer there" in screen.said)
        assert qm.data() == [b"three", b"late"]

    browse(story)


def test_a_queue_manager_that_quiesces_is_not_held_up_and_one_that_is_back_is_used_again(qm, browse):
    from mqtools.admin import queue_managers

    qm.put("one", persistence=1)
    qm.connection.disconnect()

    async def story(screen):
        await screen.press("space", "L")
        await screen.until(lambda: "locked: nobody else" in screen.said)
        queue_managers.end(qm.path)
        await screen.until(lambda: "QM1 ✗ ENDED" in screen.status)
        await screen.press("L")
        assert "cannot lock: queue manager QM1 has ended; start it with: mqx qmgr start QM1" in screen.said
        queue_managers.start(qm.path)
        await screen.until(lambda: "QM1 ● LIVE" in screen.status)
        await screen.press("L")
        await screen.until(lambda: screen.said.count("locked: nobody else") == 2)

    browse(story)


# -- what is edited elsewhere -------------------------------------------------------------------------------


def edit(qm, msg_id, **changes):
    from mqtools.mqi.resolution import find_queue
    from mqtools.operations.edit import Changes, edit_batch
    from mqtools.store.messages import messages

    (stored,) = messages.by_msg_id(qm.connection.db, find_queue(qm.connection.db, "Q").id, msg_id)
    assert edit_batch(qm.connection, "Q", [stored.seq], Changes(**changes).apply).number == 1


def test_a_message_that_is_edited_elsewhere_to_the_same_length_shows_its_new_text(qm, browse):
    qm.put("first")
    msg_id = qm.put("old text")

    async def story(screen):
        await screen.press("j")
        await screen.until(lambda: screen.detail == "old text")
        edit(qm, msg_id, body=b"new text")
        await screen.until(lambda: screen.cursor_line == (1, "new text"))
        await screen.until(lambda: screen.detail == "new text")
        edit(qm, msg_id, fields={"format": "OTHER", "feedback": 7})
        await screen.press("5")
        await screen.until(lambda: "OTHER" in screen.detail)

    browse(story)


def test_an_edit_behind_the_beginning_shows_in_the_open_message_and_the_place_in_it_stays(qm, browse):
    lines = [f"line {number:3}" for number in range(400)]
    msg_id = qm.put("\n".join(lines))

    async def story(screen):
        await screen.until(lambda: "line 399" in screen.detail)
        await screen.press("enter", "pagedown")
        await screen.until(lambda: screen.app.browser.detail.lines.scroll_offset.y > 0)
        place = screen.app.browser.detail.lines.scroll_offset.y
        lines[390] = "edited!!"
        edit(qm, msg_id, body="\n".join(lines).encode())
        await screen.until(lambda: "edited!!" in screen.detail)
        assert screen.app.browser.detail.lines.scroll_offset.y == place

    browse(story)


def test_a_report_that_comes_shows_with_the_headers_of_the_open_message(qm, browse):
    msg_id = qm.put("order", reply_to_q="R")

    async def story(screen):
        await screen.press("6")
        await screen.until(lambda: "no headers" in screen.detail)
        qm.put("done", "R", correl_id=msg_id, msg_type=2)
        await screen.until(lambda: "R : reply" in screen.detail)

    browse(story)


def test_what_has_not_changed_is_not_laid_out_again(qm, browse, monkeypatch):
    from mqtools.tui.display import detail

    qm.put("text")
    laid_out = []
    real = detail._LAYOUTS[detail.TEXT]
    monkeypatch.setitem(detail._LAYOUTS, detail.TEXT, lambda *given: (laid_out.append(given), real(*given))[1])

    async def story(screen):
        await screen.until(lambda: screen.detail == "text")
        for arrival in range(4):
            qm.put("more")
            await screen.until(lambda total=arrival + 2: f"of {total}" in screen.place)
            if not arrival:  # by now the panes have their widths
                number = len(laid_out)
        assert len(laid_out) == number

    browse(story)


def test_a_message_that_lacks_data_says_so_and_the_others_are_listed(qm, browse):
    qm.put("one")
    qm.put(b"x" * 300_000)
    qm.put("three")
    with qm.connection.db.writing():
        qm.connection.db.run("delete from message_chunks")

    async def story(screen):
        await screen.until(lambda: len([row for row in screen.rows if row]) == 3)
        assert "part of the data is missing" in screen.rows[1]
        assert screen.rows[2].endswith("three")
        await screen.press("j")
        await screen.until(lambda: "a part of the data of a message is missing" in screen.said)
        await screen.press("j")
        await screen.until(lambda: screen.detail == "three")

    browse(story)


def test_a_queue_that_cannot_be_opened_shows_nothing_of_the_one_before(qm, browse):
    qm.put("on Q")

    async def story(screen):
        await screen.until(lambda: screen.cursor_line[1] == "on Q")
        screen.app.browser.open_queue("NO.SUCH")
        await screen.until(lambda: "MQRC_UNKNOWN_OBJECT_NAME" in screen.said)
        qm.put("more")
        await screen.pilot.pause(0.5)
        assert screen.rows[1] == ""
        screen.app.browser.open_queue("Q")
        await screen.until(lambda: "1 of 2" in screen.place)

    browse(story)


def test_the_cursor_of_the_queues_stays_where_it_was_moved_while_another_queue_is_listed(qm, browse):
    async def story(screen):
        queues = screen.app.browser.queues
        await screen.press("h", "j")
        await screen.until(lambda: queues.current["name"] == "R")
        qm.put("a change", "DLQ")
        await screen.until(lambda: any(row["name"] == "DLQ" and row["depth"] for row in queues.rows))
        assert queues.current["name"] == "R"

    browse(story)
