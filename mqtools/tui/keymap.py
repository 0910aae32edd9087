"""The keymap: one table for bindings, help, footer, palette and configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mqtools.configuration import file
from mqtools.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Table of the configuration file that changes keys: id -> keys, separated by commas.
TABLE = "keymap"


class Key(NamedTuple):
    """An entry of the keymap.

    id: in the configuration.  keys: default keys.  action: method of a controller of ``Browser``, or of the app.
    words: description.  group: in the help.  short: in the footer, empty for none.  writes: refused in a read-only
    session.  value: argument of the method, None for no argument.
    """

    id: str
    keys: str
    action: str
    words: str
    group: str
    short: str = ""
    writes: bool = False
    value: int | None = None


_MOVE, _LOOK, _PAST, _MARK, _ACT, _APP = (
    "Moving",
    "Looking",
    "The past of a queue with JOURNAL(BODY)",
    "Marks and locks",
    "Actions",
    "The browser",
)

KEYS = (
    Key("move.down", "j,down", "movement.move", "one line down", _MOVE, value=1),
    Key("move.up", "k,up", "movement.move", "one line up", _MOVE, value=-1),
    Key("move.first", "g,home", "movement.go_first", "the first message", _MOVE),
    Key("move.last", "G,end", "movement.go_last", "the last message", _MOVE),
    Key("move.page_down", "pagedown,ctrl+d", "movement.page", "a page down", _MOVE, value=1),
    Key("move.page_up", "pageup,ctrl+u", "movement.page", "a page up", _MOVE, value=-1),
    Key(
        "goto",
        "number_sign,ctrl+g",
        "prompts.go_to",
        "go to a number, part or time: 500, 50%, 14:30",
        _MOVE,
        short="go to",
    ),
    Key("pane.left", "h,left", "movement.change_pane", "the pane before", _MOVE, value=-1),
    Key("pane.right", "l,right", "movement.change_pane", "the pane behind", _MOVE, value=1),
    Key("pane.next", "tab", "movement.cycle_panes", "the next pane", _MOVE, value=1),
    Key("pane.previous", "shift+tab", "movement.cycle_panes", "the pane before", _MOVE, value=-1),
    Key("open", "enter", "movement.open", "open the queue or the message; fold or unfold", _MOVE, short="open"),
    Key("back", "escape", "movement.go_back", "go back one step: detail, range, filter, list", _MOVE),
    Key("tab.text", "1", "movement.show_tab", "the body as text", _LOOK, value=1),
    Key("tab.hex", "2", "movement.show_tab", "the data in hex, ASCII and EBCDIC", _LOOK, value=2),
    Key("tab.json", "3", "movement.show_tab", "the body as JSON", _LOOK, value=3),
    Key("tab.xml", "4", "movement.show_tab", "the body as XML", _LOOK, value=4),
    Key("tab.descriptor", "5", "movement.show_tab", "the descriptor, by MQ's names", _LOOK, value=5),
    Key("tab.headers", "6", "movement.show_tab", "headers, properties, reports and replies", _LOOK, value=6),
    Key("fold", "o", "movement.fold", "fold or unfold the element of JSON, XML or headers", _LOOK, short="fold"),
    Key("fold.all", "O", "movement.fold_all", "fold all elements, or unfold them", _LOOK, short="fold all"),
    Key("more", "plus", "movement.show_more", "show more of long data", _LOOK, short="more"),
    Key(
        "filter",
        "slash",
        "prompts.filter",
        "filter by text, selector or hex BYTES; find",
        _LOOK,
        short="filter",
    ),
    Key("hit.next", "n", "movement.go_to_hit", "the next hit in the body", _LOOK, short="next hit", value=1),
    Key("hit.previous", "N", "movement.go_to_hit", "the hit before", _LOOK, value=-1),
    Key("sort", "s", "queue_list.sort", "sort the queues: by name, depth, age, dead letters", _LOOK, short="sort"),
    Key("follow", "F", "movement.toggle_follow", "follow the end of the queue", _LOOK),
    Key("pause", "P", "movement.toggle_pause", "pause: nothing moves", _LOOK),
    Key("times", "u", "movement.change_times", "times in UTC, local, or as age", _LOOK),
    Key("columns", "C", "prompts.choose_columns", "choose the columns", _LOOK, short="columns"),
    Key(
        "groups",
        "D",
        "dead_letters.show_groups",
        "dead letters by reason and destination: mark, redrive, move",
        _LOOK,
        short="groups",
    ),
    Key("trace", "T", "traces.show", "trace: the life of the message, from the journals", _LOOK, short="trace"),
    Key("explain", "x", "dead_letters.explain", "explain the reason or feedback", _LOOK, short="explain"),
    Key("past.event_before", "comma", "past.step", "the queue before the last event", _PAST, short="past", value=-1),
    Key(
        "past.event_behind",
        "full_stop",
        "past.step",
        "the queue after the next event",
        _PAST,
        short="event on",
        value=1,
    ),
    Key(
        "past.earlier",
        "left_square_bracket",
        "past.step_bar",
        "a step back on the time line",
        _PAST,
        short="earlier",
        value=-1,
    ),
    Key("past.later", "right_square_bracket", "past.step_bar", "a step on", _PAST, short="later", value=1),
    Key("past.at", "at", "past.choose", "the queue as it was at a time: -15m, 10:05", _PAST, short="at a time"),
    Key("live", "L", "past.live", "live again: back to the present", _PAST, short="live"),
    Key("mark", "space", "marks.toggle", "mark or unmark, for the co-operating set", _MARK, short="mark", writes=True),
    Key("mark.range", "v", "marks.mark_range", "begin a range, or mark it", _MARK, writes=True),
    Key("mark.all", "ctrl+a", "marks.mark_all", "mark all that is listed", _MARK, writes=True),
    Key("mark.invert", "asterisk", "marks.invert", "invert the marks on all that is listed", _MARK, writes=True),
    Key("mark.none", "M", "marks.unmark_all", "take all marks off", _MARK, writes=True),
    Key(
        "lock",
        "L",
        "locks.toggle",
        "lock, unlock; take over what a lock id locks",
        _MARK,
        short="lock",
        writes=True,
    ),
    Key("move", "m", "actions.move", "move", _ACT, short="move", writes=True),
    Key("copy", "c", "actions.copy", "copy", _ACT, short="copy", writes=True),
    Key("delete", "d", "actions.delete", "delete", _ACT, short="delete", writes=True),
    Key("undo", "z", "actions.undo", "undo: put back what was deleted last", _ACT, writes=True),
    Key("edit", "e", "actions.edit", "edit and put back", _ACT, short="edit", writes=True),
    Key(
        "redrive",
        "r",
        "actions.redrive",
        "redrive: dead letters back to where they came from",
        _ACT,
        short="redrive",
        writes=True,
    ),
    Key("put", "p", "actions.put", "put a message", _ACT, short="put", writes=True),
    Key("report", "a", "actions.report", "report, reply or forward", _ACT, writes=True),
    Key("get", "X", "actions.get", "get, as a program would", _ACT, writes=True),
    Key("rules", "R", "dead_letters.apply_rules", "a rules table: dry run, and run", _ACT, short="rules"),
    Key("write", "w", "export.write", "write to a file", _ACT),
    Key("yank", "y", "export.copy", "copy to the terminal's clipboard", _ACT, short="copy to clipboard"),
    Key("qmgr", "Q", "prompts.choose_queue_manager", "choose another queue manager", _APP, short="queue manager"),
    Key("zoom", "f", "layout.zoom", "show only this pane, or all again", _APP, short="zoom"),
    Key("narrower", "less_than_sign", "layout.resize_queues", "make the queues pane narrower", _APP, value=-1),
    Key("wider", "greater_than_sign", "layout.resize_queues", "make the queues pane wider", _APP, value=1),
    Key("jobs", "J", "work.show_jobs", "the jobs of this session: progress, stop", _APP, short="jobs"),
    Key("help", "question_mark,f1", "prompts.help", "this help", _APP, short="help"),
    Key("palette", "colon,ctrl+p", "prompts.palette", "all actions, to be searched", _APP, short="all"),
    Key("theme", "t", "prompts.choose_theme", "theme", _APP, short="theme"),
    Key("suspend", "ctrl+z", "app.suspend_process", "suspend", _APP),
    Key("quit", "q,ctrl+q", "work.quit", "quit", _APP, short="quit"),
)
#: Ids that may have the same key: never are two of them enabled at a time.
ALTERNATIVES = {"lock", "live"}
BY_ID = {key.id: key for key in KEYS}


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
