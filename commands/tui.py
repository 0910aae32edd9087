"""``mqx tui``: start the live browser, or serve it to web browsers."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import click

from mqtools.configuration import read_only
from mqtools.configuration.locate import find
from mqtools.operations.queue_manager_view import QueueManagerView
from mqtools.operations.selection import Selection
from mqtools.operations.stored_messages import local_queue
from mqtools.tui.keymap import as_toml

from .shared import click_options, command_session
from .shared.command_session import Session, UsageError
from .shared.live_browser import TuiRequest, browse_live
from .shared.program import AGAIN


@click.command("tui")
@click.argument("queue", required=False)
@click.option("--no-mouse", is_flag=True, help="Do not use the mouse, so that the terminal can select text")
@click.option("--ascii", "is_ascii", is_flag=True, help="Draw with ASCII characters only")
@click.option(
    "--serve",
    metavar="[HOST:PORT]",
    is_flag=False,
    flag_value="127.0.0.1:8000",
    help="Serve the browser to web browsers, read-only (127.0.0.1:8000)",
)
@click.option("--print-keymap", is_flag=True, help="Print the keys as the [keymap] table of the configuration file")
@click_options.selection
@partial(click_options.general, read_write="Allow changes: with --serve, or at an mq: address")
def command(session: Session, queue: str | None, selection: Selection, print_keymap: bool, **given: Any) -> int:
    """Browse queues live: depths, messages, the details of a message, and actions on it.

    \b
    mqx tui
    mqx tui ORDERS --grep ACME
    mqx tui DLQ -m PROD
    mqx tui --serve

    ? shows all keys and signs, : finds actions, queues and queue managers, q quits. Arrows or j k g G move, h l tab
    change the pane, enter opens, esc goes back one step. 1 to 6 choose the view of a message: text, hex, JSON, XML,
    descriptor, headers and properties. In JSON, XML and headers o folds or unfolds an element, O all of them.

    / filters messages while you type: by text, a selector (colour = 'red') or hex BYTES. S searches all queues. s
    sorts, C chooses columns, b shows saved filters. G goes to the end of the list, F follows it. # goes to a number, a
    part of the list (50%) or a time (14:30). f shows one pane only. $XDG_STATE_HOME/mqx/tui.json keeps what you choose.

    space marks for the co-operating readers of the queue, v marks a range, ctrl+a all listed messages, M removes all
    marks. L locks and unlocks; it asks before it takes over messages under a lock id (mqx lock). m c d e r p a X w
    move, copy, delete, edit, redrive, put, report or reply, get, and write to a file; z undoes deletions, moves, edits.
    A changes the queue, V compares two messages. Marks and locks end with the browser.

    T traces the message under the cursor in the journals of all queue managers of the home folder. A queue with a
    journal has a time line below; = zooms it. With JOURNAL(BODY) , and . go back and forward by an event, [ and ] by a
    step of the time line, @ goes to a time (-15m, 10:05). Then the first line shows PAST, and nothing can be changed. L
    or esc returns to the present.

    On a dead-letter queue D groups the messages by reason and destination, and R shows what a rules table would do. J
    shows long operations, and stops them. H shows the actions of this session. Q shows all queue managers: enter opens
    one in a tab. The setting tui.notify (bell or osc9) announces new dead letters.

    The first line shows the state: LIVE, PAUSED, QUIESCING or ENDED for the queue manager, FILE GONE when its file was
    deleted or replaced. Without UTF-8, or with --ascii, signs are ASCII.

    --serve prints an address for a web browser. Anyone with its token can read all messages, and with --read-write
    change them. Nothing is encrypted. It needs pip install 'mqtools[serve]'. --read-only, and a protected queue manager
    without --yes-protected, allow no marks, locks and actions. At a queue manager elsewhere (mqx remote), delete, move,
    copy, put and edit need a read-write remote. Locks, undo, other actions, trace, past, rules and error log are
    missing.

    Exit status: 0 quit; 2 no terminal; 5 unknown queue or queue manager; 143 ended by SIGTERM or SIGHUP.
    """
    if print_keymap:
        return _print_keymap()
    if not selection.is_everything and (queue is None or given["serve"] is not None):
        raise UsageError("a selection requires QUEUE, and cannot be combined with --serve")
    if given["serve"] is not None or (session.read_write and not session.is_elsewhere):
        return _serve(session, queue, given["serve"])
    return browse_live(session, TuiRequest(queue, selection, not given["no_mouse"], given["is_ascii"]))


def _serve(session: Session, queue: str | None, address: str | None) -> int:
    """Serve the browser until it is stopped; each page has its own process."""
    if address is None:
        raise UsageError("--read-write needs --serve")
    if session.read_write and read_only.is_set(read_only.READ_ONLY):
        raise UsageError("--read-write cannot be combined with --read-only")
    try:
        from mqtools.tui import serve  # here: the server is an extra
    except ImportError:
        words = "--serve needs the package textual-serve, which is not installed"
        raise UsageError(words, "pip install 'mqtools[serve]'") from None
    try:
        listen_on = serve.parse_address(address)
    except ValueError as error:
        raise UsageError(str(error)) from None
    path = find(session.qmgr)
    with QueueManagerView(path) as view:
        q_name = "" if queue is None else local_queue(view, queue).name
    line = [*AGAIN, "tui", *([q_name] if q_name else []), "-m", path]
    if not session.read_write:
        line.append("--read-only")
    if not listen_on.is_loopback:
        command_session.print_error_line(
            f"warning: {listen_on.host} can be reached by others, and nothing is encrypted"
        )
    serve.TokenServer(line, listen_on, f"mqx {q_name or path}", _announce).serve()
    return 0


def _announce(url: str) -> None:
    command_session.write_line(url)
    sys.stdout.flush()


def _print_keymap() -> int:
    for line in as_toml():
        command_session.write_line(line)
    return 0
