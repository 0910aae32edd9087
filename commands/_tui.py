"""What ``mqx tui`` and ``mqx browse --live`` do once their line is understood: check, run the application, end."""

from __future__ import annotations

import sys

from mqtools.configuration.locate import find
from mqtools.mqi.resolution import resolve_for_get
from mqtools.operations.selection import EVERYTHING, Selection
from mqtools.records import Record
from mqtools.store.database import open_database

from .shared import command_session
from .shared.command_session import Session, UsageMistake


class TuiRequest(Record):
    """One browser.

    queue: where it begins, None for the list of queues.  selection: what is listed at first.  has_mouse: it takes the
    mouse from the terminal.
    """

    __slots__ = ("queue", "read_only", "selection", "has_mouse")

    def __init__(
        self,
        queue: str | None,
        *,
        read_only: bool = False,
        selection: Selection = EVERYTHING,
        has_mouse: bool = True,
    ) -> None:
        self.queue = queue
        self.read_only = read_only
        self.selection = selection
        self.has_mouse = has_mouse


def print_keymap() -> int:
    """Write the default keys to stdout."""
    from mqtools.tui.keymap import as_toml

    for line in as_toml():
        command_session.write_line(line)
    return 0


def browse_live(session: Session, request: TuiRequest) -> int:
    """Run the browser until it is quit; give the status of how it ended."""
    path = find(session.qmgr)
    q_name = _checked(path, request)
    if not request.read_only:
        session.connect().disconnect()  # an ended queue manager is said before the screen is taken
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageMistake("the browser needs a terminal", "mqx browse, mqx qdepth --watch 2s")
    if not sys.stderr.isatty():
        vars(sys)["__stderr__"] = sys.__stdout__  # where the application draws
    return _run(path, q_name, request)


def _checked(path: str, request: TuiRequest) -> str:
    """Give the local queue that is meant. Raises MQError: MQRC_UNKNOWN_OBJECT_NAME."""
    if request.queue is None:
        return ""
    db = open_database(path, read_only=True)
    try:
        return resolve_for_get(db, request.queue)[0].name
    finally:
        db.close()


def _run(path: str, q_name: str, request: TuiRequest) -> int:
    from mqtools.operations.queue_search import Filter
    from mqtools.tui.app import BrowserApp
    from mqtools.tui.session import Session as Browser

    wanted = None if request.selection.is_everything else Filter("as on the command line", request.selection)
    browser = Browser(path, q_name, read_only=request.read_only, wanted=wanted)
    browser.program = [sys.executable, "-c", _AGAIN]
    app = BrowserApp(browser)
    try:
        app.run(mouse=request.has_mouse)
    finally:
        browser.end()
    if app.crash is not None:
        raise app.crash
    return app.return_code or 0


#: A program that runs another command line of ours.
_AGAIN = f"import sys; from {__package__} import main; main(sys.argv[1:])"
