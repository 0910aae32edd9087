"""Going to a place in the list: a number, a part, a time; and that it takes no longer on a deep queue."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.constants.options import MQGMO_BROWSE_FIRST, MQGMO_LOCK, MQOO_BROWSE
from mqtools.operations.stored_messages import load_message
from mqtools.operations.views import queue_pages
from mqtools.operations.views.queue_pages import HitPages, QueuePages, interpolate
from mqtools.tui.background.goto import Position, parse_position
from mqtools.tui.display.times import AGE, LOCAL_TIME, UTC_TIME

from ..rows import rows

#: Behind the last place of a queue.
END = 10 << 48


def ms(*parts: int) -> int:
    return int(datetime(*parts, tzinfo=UTC).timestamp() * 1000)  # type: ignore[arg-type, misc]


NOON = ms(2026, 11, 20, 12, 0)


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("500", Position(number=500)),
        (" -1 ", Position(number=-1)),
        ("50%", Position(part=0.5)),
        ("0%", Position(part=0.0)),
        ("11:30", Position(at_ms=ms(2026, 11, 20, 11, 30))),
        ("11:30:15", Position(at_ms=ms(2026, 11, 20, 11, 30, 15))),
        ("14:30", Position(at_ms=ms(2026, 11, 19, 14, 30))),
        ("2026-11-18", Position(at_ms=ms(2026, 11, 18))),
        ("2026-11-18 14:30", Position(at_ms=ms(2026, 11, 18, 14, 30))),
        ("2026-11-21 14:30", Position(at_ms=ms(2026, 11, 21, 14, 30))),
        ("2026-11-20T08:15:42.330Z", Position(at_ms=ms(2026, 11, 20, 8, 15, 42) + 330)),
        ("2026-11-20T08:15+05:30", Position(at_ms=ms(2026, 11, 20, 2, 45))),
        ("10m", Position(at_ms=NOON - 600_000)),
        ("-10m", Position(at_ms=NOON - 600_000)),
        ("1h ago", Position(at_ms=NOON - 3_600_000)),
    ],
)
@pytest.mark.parametrize("times", [UTC_TIME, AGE])
def test_a_place_is_a_number_a_part_a_time_or_an_age(text, position, times):
    assert parse_position(text, NOON, times) == position


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0", "1 is the first"),
        ("--5", "1 is the first"),
        ("9" * 5000, "is not a message number"),
        ("soon", "is not a position"),
        ("25:00", "is not a position"),
        ("2026-13-01", "is not a position"),
        ("101%", "is not a percentage"),
        ("\u0665", "is not a position"),
    ],
)
def test_what_is_no_place_says_what_places_are(text, words):
    with pytest.raises(ValueError, match=words):
        parse_position(text, NOON, UTC_TIME)


def test_a_time_is_local_where_the_list_has_local_times(monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    time.tzset()
    try:
        assert parse_position("17:00", NOON, LOCAL_TIME) == Position(at_ms=ms(2026, 11, 20, 11, 30))
        assert parse_position("18:00", NOON, LOCAL_TIME) == Position(at_ms=ms(2026, 11, 19, 12, 30))
        assert parse_position("2026-11-18 05:30", NOON, LOCAL_TIME) == Position(at_ms=ms(2026, 11, 18))
        assert parse_position("2026-11-18 05:30Z", NOON, LOCAL_TIME) == Position(at_ms=ms(2026, 11, 18, 5, 30))
    finally:
        monkeypatch.undo()
        time.tzset()


# -- where a number is ----------------------------------------------------------------------------------------


@given(
    st.lists(st.tuples(st.integers(1, 50), st.integers(1, 50)), min_size=1, max_size=5),
    st.data(),
)
def test_a_guess_is_exact_where_nothing_has_gone_and_else_where_messages_lie(parts, data):
    scan_batches, at = [], 0
    for gap, length in parts:
        scan_batches.append((at + gap, at + gap + length - 1))
        at += gap + length
    keys = [key for first, last in scan_batches for key in range(first, last + 1)]
    number = data.draw(st.integers(1, len(keys)))
    assert interpolate(scan_batches, (0, -1), (len(keys) + 1, END), number) == (keys[number - 1], True)
    there = data.draw(st.integers(1, len(keys)))
    found, is_exact = interpolate(scan_batches, (0, -1), (there + 1, END), min(number, there))
    assert found in keys
    assert is_exact == (there == len(keys))


def order_keys(qm):
    """Return what the messages of all queues are delivered by, in order."""
    return [key for (key,) in rows(qm.path, "select order_key from messages order by order_key")]


def test_the_nth_message_is_counted_over_all_priorities_and_states(qm):
    for number in range(40):
        group = {"group_id": b"G" * 24, "msg_flags": 8, "msg_seq_number": number + 1} if number % 3 == 0 else {}
        qm.put(f"message {number}", priority=number % 4, **group)
    lock = qm.connection.open("Q", MQOO_BROWSE)
    for _ in range(5):
        lock.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
        lock = qm.connection.open("Q", MQOO_BROWSE)
    db = qm.connection.db
    queue, keys = QueuePages(db, "Q"), order_keys(qm)
    assert len(keys) == 40
    with db.reading():
        found = [queue.place_of(db, number, 40, None) for number in range(1, 41)]
    assert found == [(key, False) for key in keys]


def test_a_number_behind_what_is_walked_over_is_exact_where_nothing_has_gone_in_between(qm, monkeypatch):
    monkeypatch.setattr(queue_pages, "WALKED", 10)
    qm.put_numbered(100, priority=4)
    for _ in range(30):
        qm.get()
    db = qm.connection.db
    queue, keys = QueuePages(db, "Q"), order_keys(qm)
    with db.reading():
        found = [queue.place_of(db, number, 70, None) for number in range(1, 71)]
        known = (40, keys[39])
        assert queue.place_of(db, 45, 70, known) == (keys[44], False)
        assert queue.place_of(db, 40, 70, known) == (keys[39], False)
    assert found == [(key, False) for key in keys]


def test_a_number_far_from_both_ends_is_guessed_where_messages_have_gone(qm, monkeypatch):
    monkeypatch.setattr(queue_pages, "WALKED", 10)
    ids = [qm.put(f"message {number}") for number in range(100)]
    for number in range(20, 60, 2):
        qm.get(msg_id=ids[number])
    db = qm.connection.db
    queue = QueuePages(db, "Q")
    with db.reading():
        place, is_near = queue.place_of(db, 40, 80, None)
        assert is_near
        assert abs(sum(key < place for key in order_keys(qm)) + 1 - 40) < 15


# -- where a time is ------------------------------------------------------------------------------------------


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self, monkeypatch) -> None:
        self.at = NOON
        monkeypatch.setattr("time.time_ns", lambda: self.at * 1_000_000)

    def put(self, qm, minute: int, data: str = "x", **fields: object) -> bytes:
        self.at = NOON + minute * 60_000
        return qm.put(data, **fields)


def test_the_first_message_since_a_time_is_found_also_where_messages_have_gone(qm, monkeypatch):
    clock = Clock(monkeypatch)
    ids = [clock.put(qm, minute // 2, priority=minute % 10) for minute in range(200)]
    for gone in range(60, 90):
        qm.get(msg_id=ids[gone])
    db = qm.connection.db
    queue_id = QueuePages(db, "Q").queue_id
    for minute in (0, 10, 29, 35, 44, 45, 99):
        seq = queue_pages.pages.first_since(db, queue_id, NOON + minute * 60_000)
        stored = load_message(qm.connection, seq)
        expected = 2 * minute if not 60 <= 2 * minute < 90 else 90
        assert stored.md.msg_id == ids[expected]
    assert queue_pages.pages.first_since(db, queue_id, NOON + 100 * 60_000) is None
    assert load_message(qm.connection, queue_pages.pages.first_since(db, queue_id, 0)).md.msg_id == ids[0]


def test_hits_have_numbers_and_times_of_their_own(qm, monkeypatch):
    clock = Clock(monkeypatch)
    for minute in range(10):
        clock.put(qm, minute, priority=minute % 2)
    db = qm.connection.db
    queue = QueuePages(db, "Q")
    listed = queue.behind(db, -1, 100)
    hits = HitPages(db, "Q")
    hits.add((stored.order_key, stored.seq) for stored in listed[::2])
    assert [hits.place_of(db, number, 5, None) for number in (1, 5)] == [
        (listed[0].order_key, False),
        (listed[8].order_key, False),
    ]
    later = [stored for stored in listed[::2] if stored.put_at >= NOON + 4 * 60_000]
    assert hits.first_since(db, NOON + 4 * 60_000) == min(later, key=lambda stored: stored.put_at).order_key
    assert hits.first_since(db, NOON + 60 * 60_000) is None


# -- in the browser -------------------------------------------------------------------------------------------


async def go_to(screen, text: str) -> None:
    await screen.press("number_sign")
    await screen.until(lambda: screen.app.screen is not screen.app.browser)
    await screen.enter(text)
    await screen.until(lambda: not screen.app.browser.message_list._is_asking)


@pytest.mark.slow
@pytest.mark.parametrize("read_only", [False, True])
async def test_a_number_goes_to_that_message_from_either_end(qm, browse, read_only):
    for number in range(1, 501):
        qm.put(f"message {number}")
    async with browse(read_only=read_only) as screen:
        for text, number in (
            ("250", 250),
            ("1", 1),
            ("-1", 500),
            ("-100", 401),
            ("50%", 251),
            ("100%", 500),
            ("260", 260),
        ):
            await go_to(screen, text)
            await screen.until(lambda number=number: f" {number} of 500" in screen.place)
            assert screen.cursor_line[1] == f"message {number}"
        line, _ = screen.cursor_line
        assert line == screen.app.browser.messages.window.height // 2
        await screen.press("k")
        assert screen.cursor_line[1] == "message 259"
        assert screen.app.browser.pane == "messages"


async def test_a_number_that_is_not_there_goes_to_the_nearest_end_and_says_how_many_there_are(qm, browse):
    qm.put_numbered(3)
    async with browse() as screen:
        await go_to(screen, "7")
        await screen.until(lambda: screen.cursor_line[1] == "message 2")
        await screen.until(lambda: "there are 3 messages" in screen.said)
        await go_to(screen, "-9")
        await screen.until(lambda: screen.cursor_line[1] == "message 0")


async def test_on_an_empty_queue_there_is_nowhere_to_go(qm, browse):
    async with browse() as screen:
        for text in ("1", "-1", "50%", "10m"):
            await go_to(screen, text)
            assert "no messages" in screen.text
        qm.put("news")
        await screen.until(lambda: screen.cursor_line[1] == "news")


async def test_a_guessed_number_says_so_is_counted_and_is_exact_the_second_time(qm, browse, monkeypatch):
    monkeypatch.setattr(queue_pages, "WALKED", 120)
    ids = [qm.put(f"message {number}") for number in range(900)]
    for number in range(0, 600, 2):
        qm.get(msg_id=ids[number])
    async with browse() as screen:
        await go_to(screen, "250")
        await screen.until(lambda: "near 250" in screen.said)
        assert screen.cursor_line[1] != "message 499"
        screen.app.browser.message_list._count_again_at = 0
        await screen.until(lambda: "~" not in screen.place and "…" not in screen.place)
        assert " 250 of" not in screen.place
        await go_to(screen, "250")
        await screen.until(lambda: " 250 of 600" in screen.place)
        assert screen.cursor_line[1] == "message 499"


async def test_a_time_goes_to_the_first_message_that_came_then_or_later(qm, browse, monkeypatch):
    clock = Clock(monkeypatch)
    for minute in range(300):
        clock.put(qm, minute, f"minute {minute}", priority=4)
    clock.put(qm, 310, "minute 310", priority=4)
    async with browse() as screen:
        await go_to(screen, "14:30")
        await screen.until(lambda: screen.cursor_line[1] == "minute 150")
        await screen.until(lambda: " 151 of 301" in screen.place)
        await go_to(screen, "10m")
        await screen.until(lambda: screen.cursor_line[1] == "minute 310")
        await go_to(screen, "2026-11-20 18:00")
        await screen.until(lambda: "no message has arrived since" in screen.said)
        assert screen.cursor_line[1] == "minute 310"
        await go_to(screen, "2020-01-01")
        await screen.until(lambda: screen.cursor_line[1] == "minute 0")


async def test_going_somewhere_ends_following_and_works_among_the_hits_of_a_filter(qm, browse):
    for number in range(200):
        qm.put(f"{'even' if number % 2 == 0 else 'odd'} {number}")
    async with browse() as screen:
        await screen.press("F")
        await screen.until(lambda: "follow" in screen.place)
        await go_to(screen, "3")
        await screen.until(lambda: screen.cursor_line[1] == "even 2")
        assert "follow" not in screen.place
        await screen.press("slash")
        await screen.enter("odd")
        await screen.until(lambda: "of 100" in screen.place and not screen.is_searching)
        await go_to(screen, "50")
        await screen.until(lambda: "50 of 100" in screen.place)
        assert screen.cursor_line[1] == "odd 99"


# -- in a message ---------------------------------------------------------------------------------------------


@pytest.mark.slow
async def test_in_a_message_a_line_is_gone_to_and_in_hex_a_byte(qm, browse):
    qm.put("\n".join(f"line {number} {'x' * (200 if number == 3 else 1)}" for number in range(1, 401)))
    async with browse(size=(150, 36)) as screen:
        await screen.until(lambda: "line 400" in screen.detail)
        await screen.press("enter")
        lines = screen.app.browser.detail.lines

        async def first_line(text: str) -> str:
            await go_to(screen, text)
            return screen.tree[lines.scroll_offset.y]

        assert await first_line("100") == "line 100 x"
        assert await first_line("1") == "line 1 x"
        assert await first_line("0xC8") == "line 200 x"
        await screen.press("2")
        await screen.until(lambda: screen.detail.startswith("00000000:"))
        assert (await first_line("0x1F4")).startswith("000001F0:")
        assert (await first_line("0")).startswith("00000000:")
        assert (await first_line("1000")).startswith("000003E0:")
        for wrong, words in (("soon", "is not a byte number"), ("99999", "only 4 "), ("-99999", "only 4 ")):
            await go_to(screen, wrong)
            await screen.until(lambda words=words: words in screen.text)
            await screen.press("escape")
        assert screen.app.browser.pane == "detail"
