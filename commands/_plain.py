"""Fast path for plain command lines of the everyday commands, without click.

``put``, ``get``, ``browse`` and ``qdepth`` run in loops of shell scripts, where importing click costs more than the
work; ``tui`` shows its first rows sooner. A line that consists only of the words below is parsed here; any other line,
and any usage error, is left to click, which gives the same result or reports the error.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from mqtools.constants.message import MQPER_PERSISTENT

from .shared.command_session import FORMER_NAMES, JSON, Session, as_text, end_on_sigterm

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Runner: TypeAlias = Callable[[Session, list[str], dict[str, str | bool]], int | None]

#: Options of every command, before or after its name: word to the field of the session it sets, and whether a value
#: follows.
GENERAL = {
    "-m": ("qmgr", True),
    "--qmgr": ("qmgr", True),
    "-o": ("output", True),
    "--output": ("output", True),
    "-q": ("quiet", False),
    "--quiet": ("quiet", False),
}

#: Command to its options: word to parameter, and whether a value follows. An option not listed is not plain.
OPTIONS: dict[str, dict[str, tuple[str, bool]]] = {
    "put": {
        "--priority": ("priority", True),
        "--persistent": ("persistent", False),
        "--expiry": ("expiry", True),
        "--print-id": ("print_id", False),
    },
    "get": {"-n": ("number", True), "--all": ("everything", False), "--wait": ("wait", True)},
    "browse": {"-n": ("number", True), "--all-states": ("all_states", False)},
    "qdepth": {"--count": ("count", False)},
    "tui": {},
}


def run(session: Session, arguments: list[str]) -> int | None:
    """Run a plain line; return None when the line is not plain."""
    command = ""
    options = GENERAL
    parameters: dict[str, str | bool] = {}
    words: list[str] = []
    rest = iter(arguments)
    for word in rest:
        if not word.startswith("-") or word == "-":
            if command:
                words.append(word)
            elif word in OPTIONS:
                session.command = command = word
                options = {**GENERAL, **OPTIONS[command]}
            else:
                return None
            continue
        target, takes_value = options.get(word, ("", False))
        value = next(rest, None) if takes_value else True
        if not target or not value or value in FORMER_NAMES:
            return None
        if word in GENERAL:
            setattr(session, target, value)
        else:
            parameters[target] = value
    if not command:
        return None
    return _RUNNERS[command](session, words, parameters)


def _is_number(text: str) -> bool:
    """Check that a text is a number that this parser and click read the same way."""
    return text.isascii() and text.isdecimal() and len(text) < 10


def _put(session: Session, words: list[str], parameters: dict[str, str | bool]) -> int | None:
    if len(words) < 2 or "-" in words or "@" in words[0] or session.output not in (None, *JSON):
        return None
    from mqtools.message import MQMD

    from .put import put, request

    md = MQMD()
    priority = parameters.get("priority")
    if isinstance(priority, str):
        if not _is_number(priority):
            return None
        md.priority = int(priority)
    if parameters.get("persistent"):
        md.persistence = MQPER_PERSISTENT
    expiry = parameters.get("expiry")
    if isinstance(expiry, str):
        from mqtools.formats.units import parse_expiry

        try:
            md.expiry = parse_expiry(expiry)
        except ValueError:
            return None
    session.queue = as_text(words[0])
    asked = request.PutRequest(words[0], md, print_id=bool(parameters.get("print_id")), number=len(words) - 1)
    return put.put_all(session, asked, put.read_arguments(asked, words[1:]))


def _get(session: Session, words: list[str], parameters: dict[str, str | bool]) -> int | None:
    number = _number(parameters, "1") if "number" in parameters else 1
    if len(words) != 1 or not number or ("everything" in parameters and "number" in parameters):
        return None
    wait, wait_ms = parameters.get("wait"), 0
    if isinstance(wait, str):
        from mqtools.formats.units import parse_duration_s

        try:
            wait_ms = -int(-parse_duration_s(wait) * 1000 // 1)  # rounded up; ``math`` takes a while to import
        except ValueError:
            return None
    from .get import get, request

    session.queue = as_text(words[0])
    limit = None if parameters.get("everything") else number
    asked = request.GetRequest(words[0], limit=limit, wait_ms=wait_ms, ending=b"" if limit == 1 else b"\n")
    return get.get_messages(session, asked)


def _browse(session: Session, words: list[str], parameters: dict[str, str | bool]) -> int | None:
    number = _number(parameters, "0")
    if len(words) != 1 or number is None or (not number and "number" in parameters) or _shows_tables():
        return None
    from .browse import browse, request

    session.queue = as_text(words[0])
    asked = request.BrowseRequest(words[0], limit=number or None, all_states=bool(parameters.get("all_states")))
    return browse.browse_messages(session, asked)


def _number(parameters: dict[str, str | bool], default: str) -> int | None:
    """Return the number of messages of -n; None where click could read it differently."""
    number = parameters.get("number", default)
    return int(number) if isinstance(number, str) and _is_number(number) else None


def _shows_tables() -> bool:
    """Check whether the default output is a table, which takes longer to load than click."""
    return sys.stdout.isatty()


def _qdepth(session: Session, words: list[str], parameters: dict[str, str | bool]) -> int | None:
    if _shows_tables() or session.output == "nagios":
        return None
    from .qdepth import qdepth, request

    qdepth.show_depths(session, request.DepthRequest(words, count=bool(parameters.get("count"))))
    return 0


def _tui(session: Session, words: list[str], _: dict[str, str | bool]) -> int | None:
    if len(words) > 1 or session.output is not None:
        return None
    from .shared.live_browser import TuiRequest, browse_live

    if words:
        session.queue = as_text(words[0])
    end_on_sigterm()
    return browse_live(session, TuiRequest(words[0] if words else None))


_RUNNERS: dict[str, Runner] = {"put": _put, "get": _get, "browse": _browse, "qdepth": _qdepth, "tui": _tui}
