"""The keymap: one table for bindings, help, footer, palette and configuration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mqtools.configuration import file
from mqtools.errors import MQError

#: Table of the configuration file that changes keys: id -> keys, separated by commas.
TABLE = "keymap"


class Key(NamedTuple):
    """An entry of the keymap.

    id: in the configuration.  keys: default keys.  words: description.  group: in the help.  short: in the footer,
    empty for none.  writes: refused in a read-only session.
    """

    id: str
    keys: str
    words: str
    group: str
    short: str = ""
    writes: bool = False


_MOVE, _LOOK, _PAST, _MARK, _ACT, _APP = (
    "Moving",
    "Looking",
    "The past of a queue with JOURNAL(BODY)",
    "Marks and locks",
    "Actions",
    "The browser",
)

KEYS = (
    Key("move.down", "j,down", "one line down", _MOVE),
    Key("move.up", "k,up", "one line up", _MOVE),
    Key("move.first", "g,home", "the first message", _MOVE),
    Key("move.last", "G,end", "the last message", _MOVE),
    Key("move.page_down", "pagedown,ctrl+d", "a page down", _MOVE),
    Key("move.page_up", "pageup,ctrl+u", "a page up", _MOVE),
    Key("goto", "number_sign,ctrl+g", "go to a number, part, time or age: 500, 50%, 14:30, 15m", _MOVE, short="go to"),
    Key("pane.left", "h,left", "the pane before", _MOVE),
    Key("pane.right", "l,right", "the pane after", _MOVE),
    Key("pane.next", "tab", "the next pane", _MOVE),
    Key("pane.previous", "shift+tab", "the pane before", _MOVE),
    Key("open", "enter", "open the queue or the message; fold or unfold", _MOVE, short="open"),
    Key("back", "escape", "go back one step: detail, range, filter, list", _MOVE),
    Key("tab.text", "1", "the body as text", _LOOK),
    Key("tab.hex", "2", "the data in hex, ASCII and EBCDIC", _LOOK),
    Key("tab.json", "3", "the body as JSON", _LOOK),
    Key("tab.xml", "4", "the body as XML", _LOOK),
    Key("tab.descriptor", "5", "the descriptor, by MQ's names", _LOOK),
    Key("tab.headers", "6", "headers, properties, reports and replies", _LOOK),
    Key("fold", "o", "fold or unfold the element of JSON, XML or headers", _LOOK, short="fold"),
    Key("fold.all", "O", "fold all elements, or unfold them", _LOOK, short="fold all"),
    Key("more", "plus", "show more of long data", _LOOK, short="more"),
    Key("filter", "slash", "filter by text, selector or hex BYTES; find", _LOOK, short="filter"),
    Key("search.all", "S", "search all queues: where is a message?", _LOOK, short="search all"),
    Key("filters", "b", "saved filters: choose, save, forget", _LOOK, short="saved filters"),
    Key("hit.next", "n", "the next hit in the body", _LOOK, short="next hit"),
    Key("hit.previous", "N", "the hit before", _LOOK),
    Key("sort", "s", "sort: the queues by name, depth, age; messages by a column", _LOOK, short="sort"),
    Key("follow", "F", "follow the end of the queue", _LOOK),
    Key("pause", "P", "pause: nothing moves", _LOOK),
    Key("times", "u", "times in UTC, local, or as age", _LOOK),
    Key("columns", "C", "choose the columns", _LOOK, short="columns"),
    Key("groups", "D", "dead letters by reason and destination: mark, redrive, move", _LOOK, short="groups"),
    Key("trace", "T", "trace: the life of the message, from the journals", _LOOK, short="trace"),
    Key("compare", "V", "compare two marked messages; in the past: then and now", _LOOK, short="compare"),
    Key("explain", "x", "explain the reason or feedback", _LOOK, short="explain"),
    Key("past.event_before", "comma", "the queue before the last event", _PAST, short="past"),
    Key("past.event_behind", "full_stop", "the queue after the next event", _PAST, short="event on"),
    Key("past.earlier", "left_square_bracket", "a step back on the time line", _PAST, short="earlier"),
    Key("past.later", "right_square_bracket", "a step on", _PAST, short="later"),
    Key("past.at", "at", "the queue as it was at a time: 15m, 10:05", _PAST, short="at a time"),
    Key("past.zoom", "equals_sign", "the time line of 5 minutes, an hour, a day, or all", _PAST, short="zoom time"),
    Key("live", "L", "live again: back to the present", _PAST, short="live"),
    Key("mark", "space", "mark or unmark, for the co-operating set", _MARK, short="mark", writes=True),
    Key("mark.range", "v", "begin a range, or mark it", _MARK, writes=True),
    Key("mark.all", "ctrl+a", "mark all that is listed", _MARK, writes=True),
    Key("mark.invert", "asterisk", "invert the marks on all that is listed", _MARK, writes=True),
    Key("mark.none", "M", "take all marks off", _MARK, writes=True),
    Key("lock", "L", "lock, unlock; take over what a lock id locks", _MARK, short="lock", writes=True),
    Key("move", "m", "move", _ACT, short="move", writes=True),
    Key("copy", "c", "copy", _ACT, short="copy", writes=True),
    Key("delete", "d", "delete", _ACT, short="delete", writes=True),
    Key("undo", "z", "undo the last deletion, move or edit", _ACT, writes=True),
    Key("edit", "e", "edit and put back", _ACT, short="edit", writes=True),
    Key("redrive", "r", "redrive: dead letters back to where they came from", _ACT, short="redrive", writes=True),
    Key("put", "p", "put a message", _ACT, short="put", writes=True),
    Key("queue", "A", "change a queue: MAXDEPTH, PUT, GET; clear, define", _ACT, short="change", writes=True),
    Key("report", "a", "report, reply or forward", _ACT, writes=True),
    Key("get", "X", "get, as a program would", _ACT, writes=True),
    Key("rules", "R", "a rules table: dry run, and run", _ACT, short="rules"),
    Key("write", "w", "write to a file", _ACT),
    Key("yank", "y", "copy to the terminal's clipboard", _ACT, short="copy to clipboard"),
    Key("qmgr", "Q", "all queue managers at a glance; open one in a tab", _APP, short="queue managers"),
    Key("qmgr.next", "right_curly_bracket", "the next open queue manager", _APP),
    Key("qmgr.previous", "left_curly_bracket", "the open queue manager before", _APP),
    Key("qmgr.close", "ctrl+w", "close this queue manager", _APP),
    Key("zoom", "f", "show only this pane, or all again", _APP, short="zoom"),
    Key("narrower", "less_than_sign", "make the queues pane narrower", _APP),
    Key("wider", "greater_than_sign", "make the queues pane wider", _APP),
    Key("errors", "E", "the error log of the queue manager", _APP, short="errors"),
    Key("log", "H", "what this session has done, with the error log", _APP, short="log"),
    Key("jobs", "J", "the jobs of this session: progress, stop", _APP, short="jobs"),
    Key("help", "question_mark,f1", "this help; type to search it", _APP, short="help"),
    Key("palette", "colon,ctrl+p", "search actions, queues, queue managers", _APP, short="all"),
    Key("theme", "t", "theme", _APP, short="theme"),
    Key("suspend", "ctrl+z", "suspend", _APP),
    Key("quit", "q,ctrl+q", "quit", _APP, short="quit"),
)
#: Ids that may have the same key: never are two of them enabled at a time.
ALTERNATIVES = {"lock", "live"}
BY_ID = {key.id: key for key in KEYS}
#: Ids of what only a file of ours has, next to the past.
_OF_FILE = {"trace", "errors", "rules", "search.all", "lock", "undo", "redrive", "queue", "report", "get"}


def is_of_file(id: str) -> bool:
    """Return whether an action needs a file of ours, which a queue manager elsewhere lacks."""
    return id in _OF_FILE or id.startswith("past.")


def as_toml() -> Iterator[str]:
    """Yield the default keys as a table of the configuration file."""
    yield f"[{TABLE}]"
    width = max(len(key.id) for key in KEYS) + 2
    for key in KEYS:
        quoted = f'"{key.id}"'
        yield f'{quoted:{width}} = "{key.keys}"  # {key.words}'


def read_keymap() -> tuple[dict[str, str], list[str]]:
    """Return the configured keys as id -> keys, without the invalid ones, and the words for those."""
    try:
        table = file.read().get(TABLE, {})
    except MQError as error:
        return {}, [str(error)]
    if not isinstance(table, dict):
        return {}, [f"{TABLE} is not a table"]
    keys, wrong = {}, []
    for name, value in table.items():
        if name not in BY_ID:
            wrong.append(f"{TABLE}.{name}: unknown id; mqx tui --print-keymap lists all")
        elif not isinstance(value, str) or not value.strip():
            wrong.append(f'{TABLE}.{name}: keys are text, such as "j,down"')
        else:
            keys[name] = value
    return _without_clashes(keys, wrong), wrong


def _without_clashes(keys: dict[str, str], wrong: list[str]) -> dict[str, str]:
    """Drop entries whose key belongs to another action; those keep the default."""
    taken: dict[str, str] = {}
    for key in KEYS:
        if key.id not in keys:
            taken.update(dict.fromkeys(key.keys.split(","), key.id))
    kept = {}
    for name, value in keys.items():
        mine = [one.strip() for one in value.split(",")]
        clash = next((one for one in mine if one in taken and not {name, taken[one]} <= ALTERNATIVES), None)
        if clash is None:
            kept[name] = value
            taken.update(dict.fromkeys(mine, name))
        else:
            wrong.append(f"{TABLE}.{name}: {clash} is already the key of {taken[clash]}")
    return kept
