"""The keys: one table that the bindings, the help, the footer, the palette and the configuration are made from."""

from __future__ import annotations

from mqtools.configuration import file
from mqtools.errors import MQError
from mqtools.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: The table of the configuration file that changes keys: id to keys, several with commas.
TABLE = "keymap"


class Key(Record):
    """One thing that a key does.

    id: in the configuration.  keys: by default.  action: of the screen.  words: what it does.  group: in the help.
    short: in the footer, empty where it is not there.  writes: it changes something, so not when reading only.
    """

    __slots__ = ("id", "keys", "action", "words", "group", "short", "writes")

    def __init__(
        self, id: str, keys: str, action: str, words: str, group: str, *, short: str = "", writes: bool = False
    ) -> None:
        self.id = id
        self.keys = keys
        self.action = action
        self.words = words
        self.group = group
        self.short = short
        self.writes = writes


_MOVE, _LOOK, _MARK, _ACT, _APP = "Moving", "Looking", "Marks and locks", "Actions", "The browser"

KEYS = (
    Key("move.down", "j,down", "move(1)", "one line down", _MOVE),
    Key("move.up", "k,up", "move(-1)", "one line up", _MOVE),
    Key("move.first", "g,home", "first", "the first message", _MOVE),
    Key("move.last", "G,end", "last", "the last message", _MOVE),
    Key("move.page_down", "pagedown,ctrl+d", "page(1)", "a page down", _MOVE),
    Key("move.page_up", "pageup,ctrl+u", "page(-1)", "a page up", _MOVE),
    Key(
        "goto",
        "number_sign,ctrl+g",
        "goto",
        "go to a number, part or time: 500, 50%, 14:30",
        _MOVE,
        short="go to",
    ),
    Key("pane.left", "h,left", "pane(-1)", "the pane before", _MOVE),
    Key("pane.right", "l,right", "pane(1)", "the pane behind", _MOVE),
    Key("pane.next", "tab", "cycle(1)", "the next pane", _MOVE),
    Key("pane.previous", "shift+tab", "cycle(-1)", "the pane before", _MOVE),
    Key("open", "enter", "open", "open the queue or the message", _MOVE, short="open"),
    Key("back", "escape", "back", "go back one thing: detail, range, search, filter, marks", _MOVE),
    Key("tab.text", "1", "tab(1)", "the body as text", _LOOK),
    Key("tab.hex", "2", "tab(2)", "the data in hex, ASCII and EBCDIC", _LOOK),
    Key("tab.json", "3", "tab(3)", "the body as JSON", _LOOK),
    Key("tab.xml", "4", "tab(4)", "the body as XML", _LOOK),
    Key("tab.descriptor", "5", "tab(5)", "the descriptor, by MQ's names", _LOOK),
    Key("tab.headers", "6", "tab(6)", "headers, properties, reports and replies", _LOOK),
    Key("more", "plus", "more", "show more of long data", _LOOK),
    Key(
        "filter",
        "slash",
        "filter",
        "filter: text, where SELECTOR, hex BYTES; find in the message",
        _LOOK,
        short="filter",
    ),
    Key("hit.next", "n", "hit(1)", "the next hit in the body", _LOOK),
    Key("hit.previous", "N", "hit(-1)", "the hit before", _LOOK),
    Key("follow", "F", "follow", "follow the end of the queue", _LOOK),
    Key("pause", "P", "pause", "pause: nothing moves", _LOOK),
    Key("times", "u", "times", "times in UTC, local, or as age", _LOOK),
    Key("columns", "C", "columns", "choose the columns", _LOOK, short="columns"),
    Key("groups", "D", "groups", "dead letters by reason and destination; mark a group", _LOOK),
    Key("explain", "x", "explain", "explain the reason or feedback", _LOOK),
    Key("mark", "space", "mark", "mark or unmark, for the co-operating set", _MARK, short="mark", writes=True),
    Key("mark.range", "v", "range", "begin a range, or mark it", _MARK, writes=True),
    Key("mark.all", "ctrl+a", "mark_all", "mark all that is listed", _MARK, writes=True),
    Key("mark.invert", "asterisk", "invert", "invert the marks on all that is listed", _MARK, writes=True),
    Key(
        "lock",
        "L",
        "lock",
        "lock, unlock; take over what a lock id locks",
        _MARK,
        short="lock",
        writes=True,
    ),
    Key("move", "m", "carry(False)", "move", _ACT, short="move", writes=True),
    Key("copy", "c", "carry(True)", "copy", _ACT, short="copy", writes=True),
    Key("delete", "d", "delete", "delete", _ACT, short="delete", writes=True),
    Key("undo", "z", "undo", "undo: put back what was deleted last", _ACT, writes=True),
    Key("edit", "e", "edit", "edit and put back", _ACT, writes=True),
    Key("redrive", "r", "redrive", "redrive: dead letters back to where they came from", _ACT, writes=True),
    Key("put", "p", "put", "put a message", _ACT, writes=True),
    Key("report", "a", "report", "report, reply or forward", _ACT, writes=True),
    Key("get", "T", "get", "get: remove as if read", _ACT, writes=True),
    Key("rules", "R", "rules", "a rules table: dry run, and run", _ACT),
    Key("write", "w", "write", "write to a file", _ACT),
    Key("yank", "y", "yank", "copy to the terminal's clipboard", _ACT),
    Key("jobs", "J", "jobs", "the jobs of this session: how far they are, stop", _APP),
    Key("help", "question_mark,f1", "help", "this help", _APP, short="help"),
    Key("palette", "colon", "app.command_palette", "the palette (ctrl+p too)", _APP),
    Key("theme", "t", "app.change_theme", "theme", _APP),
    Key("suspend", "ctrl+z", "app.suspend_process", "suspend", _APP),
    Key("quit", "q,ctrl+q", "quit", "quit", _APP, short="quit"),
)
BY_ID = {key.id: key for key in KEYS}


def as_toml() -> Iterator[str]:
    """Write the default keys as the table of the configuration file that would set them."""
    yield f"[{TABLE}]"
    width = max(len(key.id) for key in KEYS) + 2
    for key in KEYS:
        quoted = f'"{key.id}"'
        yield f'{quoted:{width}} = "{key.keys}"  # {key.words}'


def configured() -> tuple[dict[str, str], list[str]]:
    """Read the keys of the configuration file: id to keys, and what is wrong there; what is wrong is left out."""
    try:
        table = file.read().get(TABLE, {})
    except MQError as error:
        return {}, [str(error)]
    if not isinstance(table, dict):
        return {}, [f"{TABLE} is not a table"]
    keys, wrong = {}, []
    for name, value in table.items():
        if name not in BY_ID:
            wrong.append(f"{TABLE}.{name}: there is no such id; mqx tui --print-keymap")
        elif not isinstance(value, str) or not value.strip():
            wrong.append(f'{TABLE}.{name}: keys are text, such as "j,down"')
        else:
            keys[name] = value
    return _without_clashes(keys, wrong), wrong


def _without_clashes(keys: dict[str, str], wrong: list[str]) -> dict[str, str]:
    """Leave out what would take a key from something else; the default stays."""
    taken: dict[str, str] = {}
    for key in KEYS:
        if key.id not in keys:
            taken.update(dict.fromkeys(key.keys.split(","), key.id))
    kept = {}
    for name, value in keys.items():
        mine = [one.strip() for one in value.split(",")]
        clash = next((one for one in mine if one in taken), None)
        if clash is None:
            kept[name] = value
            taken.update(dict.fromkeys(mine, name))
        else:
            wrong.append(f"{TABLE}.{name}: {clash} is {taken[clash]} already")
    return kept
