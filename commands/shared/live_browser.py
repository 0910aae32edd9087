"""The live browser in this terminal: what ``mqx tui`` and ``mqx browse --live`` have in common."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import Any, NamedTuple

from mqtools.configuration import protection
from mqtools.configuration.locate import find, is_elsewhere, list_names, requested_qmgr
from mqtools.operations.queue_manager_view import QueueManagerView
from mqtools.operations.selection import Selection
from mqtools.operations.stored_messages import local_queue
from mqtools.operations.views.queue_search import MessageFilter

from .command_session import Session, UsageError
from .program import AGAIN


class BrowsedPlace(NamedTuple):
    """Queue that the browser shows first. path: of the file.  elsewhere: fills that, None for one of ours."""

    path: str
    q_name: str
    elsewhere: Any = None


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
    """Run the browser until it ends, and again for each queue manager that is chosen in it; return its exit status."""
    named = requested_qmgr(session.qmgr)[0]
    if named is None and len(list_names()) != 1 and sys.stdin.isatty() and sys.stdout.isatty():
        start = import_module("mqtools.tui.start")  # only here: the first rows do not wait for it
        named = start.choose_queue_manager(has_mouse=request.has_mouse)
        if named is None:
            return 0
    if named and is_elsewhere(named):
        opened = _open_elsewhere(session, named, request.queue or "")
    else:
        opened = nullcontext(_open_first(session, named, request.queue))
    while True:
        with opened as place:
            status, chosen = _run(place, request)
        if chosen is None:
            return status
        named, q_name = chosen
        request = request._replace(selection=None)
        if is_elsewhere(named):
            opened = _open_elsewhere(session, named, q_name)
        else:
            opened = nullcontext(BrowsedPlace(find(named), q_name))


def _open_first(session: Session, named: str | None, q_name: str | None) -> BrowsedPlace:
    """Return a queue of a queue manager of ours, and check that the browser can connect to it."""
    path = find(named)
    with QueueManagerView(path) as view:
        place = BrowsedPlace(path, "" if q_name is None else local_queue(view, q_name).name)
        # The browser connects after its first rows, unless something is known that forbids it.
        can_connect = view.is_running and os.access(path, os.W_OK)
    if protection.allows_changes(path) and not can_connect:
        session.connect().disconnect()  # this says why, before the screen is taken
    return place


def _open_elsewhere(session: Session, name: str, q_name: str) -> AbstractContextManager[BrowsedPlace]:
    module = import_module(".live_elsewhere", __package__)  # only here: it needs more modules than the first rows
    opened: AbstractContextManager[BrowsedPlace] = module.open_mirror(session, name, q_name)
    return opened


def _run(place: BrowsedPlace, request: TuiRequest) -> tuple[int, tuple[str, str] | None]:
    """Run the browser; return its exit status, and the queue manager and queue that were chosen in it."""
    is_page = "TEXTUAL_DRIVER" in os.environ  # a web page is the terminal
    if not is_page and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the browser requires a terminal", "mqx browse, mqx qdepth --watch 2s")
    if not is_page and not sys.stderr.isatty():
        vars(sys)["__stderr__"] = sys.__stdout__  # where the application draws
    gc.disable()  # until the first rows are there: it would look through everything that is imported, again and again
    try:
        return _show(place, request, is_page=is_page)
    finally:
        gc.enable()


def _show(place: BrowsedPlace, request: TuiRequest, *, is_page: bool) -> tuple[int, tuple[str, str] | None]:
    from mqtools.tui import app, ascii_forms, session, themes

    gc.freeze()  # what is imported stays
    if request.is_ascii:
        os.environ[ascii_forms.VARIABLE] = "1"
    wanted = None
    if request.selection is not None and not request.selection.is_everything:
        wanted = MessageFilter("as on the command line", request.selection)
    if place.elsewhere is None:
        read_only = not protection.allows_changes(place.path)
    else:
        read_only = place.elsewhere.connect is None
    browser = session.BrowserSession(
        place.path, place.q_name, read_only=read_only, wanted=wanted, elsewhere=place.elsewhere
    )
    browser.program = [*AGAIN]
    shown = app.BrowserApp(browser, None if is_page else themes.few_colours())
    try:
        shown.run(mouse=request.has_mouse)
    finally:
        shown.end_sessions()
    if shown.crash is not None:
        raise shown.crash
    return shown.return_code or 0, shown.return_value
