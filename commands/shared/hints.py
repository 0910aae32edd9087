"""Hints that repeat the command line as typed, so that the suggested command can be run unchanged."""

from __future__ import annotations

import re
from contextlib import suppress
from shlex import join, quote

from mqtools.configuration.locate import is_elsewhere, list_names, requested_qmgr
from mqtools.constants.reasons import MQRC_UNKNOWN_OBJECT_NAME
from mqtools.errors import MQError
from mqtools.formats.phrases import did_you_mean, nearest
from mqtools.operations.queue_manager_view import open_view
from mqtools.rules.object_names import is_valid_name

#: Words of a line that a hint shows; the rest is data more often than not.
_MOST_WORDS = 12
#: Queue managers to search for an unknown queue.
_MOST_QUEUE_MANAGERS = 20
#: Commands about two queues of one queue manager.
_TWO_QUEUES = frozenset(("move", "copy", "replay", "mqsc", "dlq-handle", "shell"))
#: Commands about a queue manager as a whole: a local copy of messages does not help where they refuse a remote.
_ABOUT_QUEUE_MANAGER = frozenset(("qmgr", "doctor", "log", "stats", "events", "user", "serve", "channel", "service"))

#: Beginning of a command in a hint that means the queue manager of the line.
_COMMAND = re.compile(r"\bmqx (?=[a-z])(?!(?:config|explain|pull|push|remote|service|qmgr (?!transactions))\b)")


def hint_for(arguments: list[str], error: Exception) -> str | None:
    """Return a hint for an error: the same command line for another queue manager, else the hint of the error.

    Another queue manager is the one that the line names behind a queue, or, for a line that names none, one that has a
    queue of an unknown name. The commands in the hint of the error get the -m of the line.
    """
    qmgr, _ = without_qmgr(arguments)
    if isinstance(error, MQError) and error.reason == MQRC_UNKNOWN_OBJECT_NAME:
        q_name, at, q_mgr_name = (error.q_name or "").partition("@")
        if at and q_name and q_mgr_name:
            return _line_at(arguments, error.q_name or "", q_name, q_mgr_name)
        elsewhere = None if qmgr else _find_elsewhere(q_name)
        if elsewhere is not None:
            where = f"queue {q_name} is on {elsewhere}"
            repeats = arguments[:1] and not _TWO_QUEUES.intersection(arguments)
            return f"{where}: {_line_at(arguments, q_name, q_name, elsewhere)}" if repeats else where
    hint: str | None = getattr(error, "hint", None)
    if hint is None and isinstance(error, MQError) and error.reason == MQRC_UNKNOWN_OBJECT_NAME:
        return _definition(arguments, qmgr, error.q_name or "")
    if hint is not None and hint.startswith("mqx pull") and _ABOUT_QUEUE_MANAGER.intersection(arguments):
        return None
    if hint is None or qmgr is None or " -m " in hint or "--help" in hint:
        return hint
    return _COMMAND.sub(f"mqx -m {quote(qmgr)} ".replace("\\", r"\\"), hint)


def _definition(arguments: list[str], q_mgr_name: str | None, q_name: str) -> str | None:
    """Return a hint with a similar queue, else with the command that defines an unknown one.

    None for what can be no name of a queue.
    """
    if q_name not in arguments or not is_valid_name(q_name):
        return None
    similar = _find_similar(q_mgr_name, q_name)
    if similar is not None:
        return did_you_mean(similar)
    shown = q_name if q_name.replace(".", "").isalnum() and q_name == q_name.upper() else f"'{q_name}'"  # MQSC folds it
    words = ["mqx", *(("-m", q_mgr_name) if q_mgr_name else ()), "mqsc", f"DEFINE QLOCAL({shown})"]
    return f"to define it: {join(words)}"


def _find_similar(q_mgr_name: str | None, q_name: str) -> str | None:
    if is_elsewhere(requested_qmgr(q_mgr_name)[0]):
        return None
    try:
        with open_view(q_mgr_name) as view:
            return nearest(q_name, view.queue_names())
    except MQError:
        return None  # a hint is no reason for another error


def _find_elsewhere(q_name: str) -> str | None:
    """Return a queue manager in the home folder that has a queue of exactly this name."""
    for name in list_names()[:_MOST_QUEUE_MANAGERS]:
        # A hint is no reason for another error.
        with suppress(MQError), open_view(name) as view:
            if view.queue(q_name) is not None:
                return name
    return None


def _line_at(arguments: list[str], word: str, q_name: str, q_mgr_name: str) -> str:
    """Return the command line with ``-m``: commands that only read a queue accept no QUEUE@QMGR."""
    words = [q_name if typed == word else typed for typed in without_qmgr(arguments)[1]]
    shown = join(["mqx", "-m", q_mgr_name, *words[:_MOST_WORDS]])
    return shown if len(words) <= _MOST_WORDS else f"{shown} ..."


def without_qmgr(arguments: list[str]) -> tuple[str | None, list[str]]:
    """Return the queue manager that a command line names, and the command line without it."""
    q_mgr_name: str | None = None
    kept: list[str] = []
    rest = iter(arguments)
    for word in rest:
        if word in ("-m", "--qmgr"):
            q_mgr_name = next(rest, None)
        elif word.startswith("--qmgr="):
            q_mgr_name = word.removeprefix("--qmgr=")
        elif word.startswith("-m") and not word.startswith("--"):
            q_mgr_name = word.removeprefix("-m")
        else:
            kept.append(word)
    return q_mgr_name, kept
