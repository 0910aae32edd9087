"""Every key of the keymap, pressed in a real terminal: one row of a table for each, with what changes on the screen."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

import pytest

from mqtools.admin import queue_managers
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
from mqtools.mqi.objects.definitions import alter_qmgr, define_queue
from mqtools.tui.keymap import KEYS

from .terminal import Terminal

#: Where every row begins and ends: the first of 30 messages on Q, the list of messages has the focus.
HOME = r"Q · 1 of 30(?!.*(marked|range))[\s\S]*focus messages"
FILLER = "\n".join(f"filler {line}" for line in range(99))


@dataclass
class Row:
    """What a key changes.

    after: pattern that is on the screen then and not before.  gone: pattern that is on it before and not then.
    before: keys that lead there, each with the pattern to wait for, and one that is gone.  undo: the way back.
    """

    after: str = ""
    gone: str = ""
    before: tuple = ()
    undo: tuple = ()


def dialog(after: str) -> Row:
    return Row(after, undo=(("escape", HOME, after),))


def tab(number: int, name: str) -> Row:
    other = ("1", r"‹1 text›") if number > 1 else ("2", r"‹2 hex›")
    return Row(f"‹{number} {name}", before=(other,), undo=(("1", r"‹1 text›"),))


TOP = (("g", r"Q · 1 of 30"),)
FOUND = (
    ("slash", "Filter Q"),
    *((letter, "") for letter in "needle"),
    ("enter", r"Q · 1 of 1 [\s\S]*filter: needle · 1 hit(?!.*esc stops)"),
)
HEADERS = (("6", "▾ MQDLH"),)
UNFILTERED = (("escape", "2 of 30"), *TOP)
IN_THE_PAST = (("comma", "◴ PAST"),)
LIVE_AGAIN = (("L", HOME, "PAST"),)
UNMARKED = (("M", "Take 30 marks off"), ("y", HOME))

ROWS = {
    "move.down": Row(r"Q · 2 of 30", undo=TOP),
    "move.up": Row(r"Q · 1 of 30", before=(("j", r"Q · 2 of 30"),)),
    "move.first": Row(r"Q · 1 of 30", before=(("G", r"30 of 30"),)),
    "move.last": Row(r"30 of 30", undo=TOP),
    "move.page_down": Row(r"Q · \d\d of 30", undo=TOP),
    "move.page_up": Row(r"Q · (?!30)\d+ of 30", before=(("G", r"30 of 30"),), undo=TOP),
    "goto": dialog("Position on Q"),
    "pane.left": Row("focus queues", undo=(("l", HOME),)),
    "pane.right": Row("focus detail", undo=(("h", HOME),)),
    "pane.next": Row("focus detail", undo=(("shift+tab", HOME),)),
    "pane.previous": Row("focus queues", undo=(("tab", HOME),)),
    "open": Row("focus detail", undo=(("escape", HOME),)),
    "back": Row("focus messages", before=(("enter", "focus detail"),)),
    "tab.text": tab(1, "text"),
    "tab.hex": tab(2, "hex"),
    "tab.json": tab(3, "JSON"),
    "tab.xml": tab(4, "XML"),
    "tab.descriptor": tab(5, "descriptor"),
    "tab.headers": tab(6, "headers"),
    "fold": Row("▸ MQDLH", before=HEADERS, undo=(("o", "▾ MQDLH"), ("1", r"‹1 text›"))),
    "fold.all": Row("▸ MQDLH", before=HEADERS, undo=(("O", "▾ MQDLH"), ("1", r"‹1 text›"))),
    "more": Row("128.0 KiB of", before=(("j", "64.0 KiB of"),), undo=TOP),
    "filter": dialog("Filter Q"),
    "search.all": dialog("Search all queues"),
    "filters": Row("no filter is saved"),
    "hit.next": Row("[│┃]needle one", before=FOUND, undo=UNFILTERED),
    "hit.previous": Row("[│┃]needle two", before=FOUND, undo=UNFILTERED),
    "follow": Row("30 of 30 · follow", undo=(("F", "30 of 30 ━"), *TOP)),
    "pause": Row("‖ PAUSED", undo=(("P", "● LIVE"),)),
    "sort": dialog("Sort Q by"),
    "times": Row("      local ", undo=(("u", "      age "), ("u", "      time UTC "))),
    "columns": dialog("Columns of the list"),
    "groups": dialog("Dead letters on Q"),
    "trace": dialog(r"Trace of .* · \d+ events?"),
    "past.event_before": Row("◴ PAST", undo=LIVE_AGAIN),
    "past.event_behind": Row("● LIVE", before=IN_THE_PAST),
    "past.earlier": Row("◴ PAST", undo=LIVE_AGAIN),
    "past.later": Row("● LIVE", before=(("left_square_bracket", "◴ PAST"),)),
    "past.at": dialog("Q as it was at"),
    "past.zoom": Row("last 5m00s", undo=(("=", "last 1h"), ("=", "last 1d"), ("=", "all "))),
    "live": Row("● LIVE", before=IN_THE_PAST),
    "compare": Row("mark two messages to compare them"),
    "explain": dialog("Explain[\\s\\S]*MQRC_Q_FULL"),
    "mark": Row("1 marked", undo=(("M", r"Q · 2 of 30(?! · 1)"), *TOP)),
    "mark.range": Row("1 of 30 · range", undo=(("escape", HOME),)),
    "mark.all": Row("30 marked", undo=UNMARKED),
    "mark.invert": Row("30 marked", undo=UNMARKED),
    "mark.none": Row(gone="1 marked", before=(("space", "2 of 30 · 1 marked"),), undo=TOP),
    "lock": Row("1 of 30 · locked by", undo=(("L", HOME, "locked by"),)),
    "move": dialog("Move 1 message from Q to queue"),
    "copy": dialog("Copy 1 message from Q to queue"),
    "delete": dialog(r"Delete 1 message from Q\?"),
    "undo": Row("nothing has been deleted, moved or edited here"),
    "queue": dialog("FULL: holds 0 of 0"),
    "edit": Row("not edited: nothing was changed"),
    "redrive": dialog("Redrive 1 message from Q"),
    "put": dialog("Put a message on Q"),
    "report": dialog("Make of 1 message on Q"),
    "get": dialog("Get 1 message from Q"),
    "rules": dialog(r"Rules table \(file\), for all 30 messages"),
    "write": dialog("Write 1 message from Q to"),
    "yank": dialog("Copy to the clipboard"),
    "errors": dialog("Error log · 1 entry"),
    "log": dialog("Log of this session, with the error log"),
    "jobs": Row(
        "Jobs of this session[\\s\\S]*Mark a range on Q",
        before=(("v", "· range"), ("v", "1 marked")),
        undo=(("escape", "1 of 30 · 1 marked", "Jobs of this"), ("M", HOME)),
    ),
    "zoom": Row(gone="Queues · by", undo=(("f", "Queues · by"),)),
    "narrower": Row("(?m)^.{25}┏", undo=(("greater_than_sign", "(?m)^.{29}┏"),)),
    "wider": Row("(?m)^.{33}┏", undo=(("less_than_sign", "(?m)^.{29}┏"),)),
    "qmgr": dialog("Queue managers"),
    "qmgr.next": Row("no next queue manager"),
    "qmgr.previous": Row("no previous queue manager"),
    "qmgr.close": Row("this is the only queue"),
    "help": dialog("Moving[\\s\\S]*one line down"),
    "palette": dialog("What to do, or where to go"),
    "theme": dialog("Themes"),
    "suspend": Row("cannot suspend: no shell"),
}


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    home = tmp_path_factory.mktemp("keys")
    return {
        "MQX_HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_STATE_HOME": str(home / "state"),
        "VISUAL": "true",
        "EDITOR": "true",
    }


@pytest.fixture(scope="module")
def qmgr(environment: dict[str, str]) -> str:
    """A queue manager: on Q a dead letter, a long message with two lines to be found, and 28 short ones."""
    path = queue_managers.create(os.path.join(environment["MQX_HOME"], "QM1.db"))
    with connect(path) as connection:
        with connection.work() as work:
            for name, depth in (("Q", 5000), ("R", 5000), ("TINY", 1000)):
                define_queue(work, "QLOCAL", name, {"max_q_depth": depth, "journal": 2})
            alter_qmgr(work, {"dead_letter_q_name": "Q"})
        with connection.work() as work:
            define_queue(work, "QLOCAL", "FULL", {"max_q_depth": 0})
        connection.put_each("FULL", [Message(b"hello", MQMD(format="MQSTR"))], dead_letter=True)
        body = "\n".join([FILLER, "needle one", FILLER, FILLER, "needle two", FILLER, "x" * 200_000])
        for text in [body, *(f"message {number}" for number in range(28))]:
            connection.put1("Q", Message(text.encode(), MQMD(format="MQSTR")))
    return path


@pytest.fixture(scope="module")
def opened():
    """The terminal for all rows, once it is open; another one after a row that went wrong."""
    opened: list[Terminal] = []
    yield opened
    for terminal in opened:
        terminal.close()


def go(terminal: Terminal, way: tuple) -> None:
    for key, *patterns in way:
        terminal.press(key)
        terminal.until(*patterns)


@pytest.mark.xdist_group("keys")
@pytest.mark.parametrize(
    ("id", "key"), [(row.id, key) for row in KEYS if row.id != "quit" for key in row.keys.split(",")]
)
def test_every_key_of_the_keymap_changes_the_screen(opened, qmgr, environment, id, key):
    row = ROWS[id]
    if not opened:
        opened.append(Terminal(qmgr, "Q", env=environment))
        go(opened[0], (("", HOME), ("", r"‹1 text›")))
    (terminal,) = opened
    try:
        go(terminal, row.before)
        assert not (row.after and terminal.shows(row.after)), f"{row.after!r} is there before:\n{terminal.text}"
        assert not (row.gone and terminal.shows(gone=row.gone)), f"{row.gone!r} is not there before:\n{terminal.text}"
        terminal.press(key)
        terminal.until(row.after, row.gone)
        go(terminal, row.undo)
        terminal.until(HOME)
    except BaseException:
        opened.pop().close()
        raise


@pytest.mark.slow
@pytest.mark.xdist_group("keys")
@pytest.mark.parametrize("key", next(row.keys for row in KEYS if row.id == "quit").split(","))
def test_quit_ends_the_program_with_0(qmgr, environment, key):
    terminal = Terminal(qmgr, "Q", env=environment)
    terminal.until(HOME)
    terminal.press(key)
    assert terminal.end() == 0


@pytest.mark.slow
@pytest.mark.xdist_group("keys")
def test_suspend_stops_the_program_and_what_comes_after_the_shell_has_resumed_it_is_shown(qmgr, environment):
    terminal = Terminal(qmgr, "Q", env=environment, shell=("bash", "--norc", "--noprofile", "-i"))
    try:
        terminal.until(HOME)
        (key,) = (row.keys for row in KEYS if row.id == "suspend")
        for number in range(3):
            if number == 2:
                terminal.press("question_mark")  # a dialog is suspended too
                terminal.until("one line down")
            terminal.press(key)
            terminal.until("Stopped")
            time.sleep(0.2)  # longer than what the threads wait for
            terminal.screen.reset()
            terminal.type("fg\r")
            terminal.until("● LIVE")
            with connect(qmgr) as connection:
                connection.put1("R", Message(b"later", MQMD()))
            if number == 2:
                terminal.until("one line down")
                terminal.press("escape")
            terminal.until(rf"\bR +{number + 1}\b")
        terminal.press("q")
        terminal.until(r"bash-\d")
        terminal.type("exit\r")
        assert terminal.end() == 0
    finally:
        terminal.close()
