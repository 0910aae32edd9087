"""The live browser in this terminal: what ``mqx tui`` and ``mqx browse --live`` have in common."""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module
from typing import NamedTuple

from mqtools.configuration import protection
from mqtools.configuration.locate import find, list_names, requested_qmgr
from mqtools.operations.queue_manager_view import QueueManagerView
from mqtools.operations.selection import Selection
from mqtools.operations.stored_messages import local_queue
from mqtools.operations.views.queue_search import MessageFilter

from .command_session import Session, UsageError
from .program import AGAIN


class TuiRequest(NamedTuple):
    """Request of the live browser.

    queue: first queue, None for the list of queues.  selection: initial filter, None for none.
    has_mouse: whether it uses the mouse of the terminal.  is_ascii: whether it draws with ASCII characters only.
    """

    queue: str | None
    selection: Selection | None = None
    has_mouse: bool = True
    is_ascii: bool = False


def browse_live(session: Session, request: TuiRequest) -> int:
    """Run the browser until it ends; return its exit status."""
    named = session.qmgr
    if requested_qmgr(named)[0] is None and len(list_names()) != 1 and sys.stdin.isatty() and sys.stdout.isatty():
        start = import_module("mqtools.tui.start")  # only here: the first rows do not wait for it
        named = start.choose_queue_manager(has_mouse=request.has_mouse)
        if named is None:
            return 0
    path = find(named)
    with QueueManagerView(path) as view:
        q_name = "" if request.queue is None else local_queue(view, request.queue).name
        # The browser connects after its first rows, unless something is known that forbids it.
        can_connect = view.is_running and os.access(path, os.W_OK)
    if protection.allows_changes(path) and not can_connect:
        session.connect().disconnect()  # this says why, before the screen is taken
    if "TEXTUAL_DRIVER" in os.environ:  # a web page is the terminal
        return _run(path, q_name, request, is_page=True)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the browser requires a terminal", "mqx browse, mqx qdepth --watch 2s")
    if not sys.stderr.isatty():
        vars(sys)["__stderr__"] = sys.__stdout__  # where the application draws
    return _run(path, q_name, request)


def _run(path: str, q_name: str, request: TuiRequest, *, is_page: bool = False) -> int:
    """Run the browser. is_page: in a web page."""
    gc.disable()  # it would look through everything that is imported, again and again
    from mqtools.tui import app, ascii_forms, session, themes

    gc.freeze()  # what is imported stays
    gc.enable()
    if request.is_ascii:
        os.environ[ascii_forms.VARIABLE] = "1"
    wanted = None
    if request.selection is not None and not request.selection.is_everything:
        wanted = MessageFilter("as on the command line", request.selection)
    browser = session.BrowserSession(path, q_name, read_only=not protection.allows_changes(path), wanted=wanted)
    browser.program = [*AGAIN]
    shown = app.BrowserApp(browser, None if is_page else themes.few_colours())
    try:
        shown.run(mouse=request.has_mouse)
    finally:
        shown.end_sessions()
    if shown.crash is not None:
        raise shown.crash
    return shown.return_code or 0
