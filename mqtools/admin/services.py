"""Unit files of systemd that run a command of mqx as a service of a user."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from mqtools.configuration.read_only import check_writable
from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED, MQRC_OBJECT_ALREADY_EXISTS, MQRC_OBJECT_NAME_ERROR
from mqtools.errors import MQError
from mqtools.formats.files import replace_text

_NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")

#: Variables that a service takes over from the shell that installs it.
VARIABLES = ("MQX_HOME", "MQX_QMGR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")


def unit_path(name: str) -> str:
    """Return the path of the unit file of a service. Raises MQError: MQRC_OBJECT_NAME_ERROR."""
    if not name or not _NAME_CHARACTERS.issuperset(name) or name.startswith((".", "-")):
        raise MQError(f"{name!r} is not a service name: use letters, digits, . _ -", MQRC_OBJECT_NAME_ERROR)
    folder = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(folder, "systemd", "user", f"mqx-{name}.service")


def unit_text(name: str, line: Sequence[str], environment: Mapping[str, str], *, stop_s: float, restart: str) -> str:
    """Return the unit file of a service.

    line: program and arguments.  environment: variables to set.  stop_s: time to end in order after SIGTERM, which only
    the program itself gets: commands that it runs may end.  restart: value of Restart.
    """
    lines = [
        "[Unit]",
        f"Description=mqx {name}",
        "",
        "[Service]",
        "Type=exec",
        *(f"Environment={_quote(f'{key}={value}', dollar='$')}" for key, value in environment.items()),
        f"ExecStart={' '.join(map(_quote, line))}",
        f"Restart={restart}",
        "RestartSec=5",
        "KillMode=mixed",
        f"TimeoutStopSec={stop_s:g}",
        "SuccessExitStatus=143",
        "",
        "[Install]",
        "WantedBy=default.target",
    ]
    return "\n".join(lines) + "\n"


def install(name: str, text: str, *, force: bool = False) -> str:
    """Write a unit file and return its path; an existing one is replaced with force.

    Raises MQError: MQRC_OBJECT_ALREADY_EXISTS, MQRC_NOT_AUTHORIZED.
    """
    path = unit_path(name)
    check_writable(path)
    if os.path.exists(path) and not force:
        raise MQError(f"{path} exists", MQRC_OBJECT_ALREADY_EXISTS, hint="--force replaces it")
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        replace_text(path, text)
    except OSError as error:
        raise MQError(f"{error.filename or path}: {error.strerror}", MQRC_NOT_AUTHORIZED) from error
    return path


def _quote(word: str, *, dollar: str = "$$") -> str:
    """Return a word as systemd reads it: specifiers and variables are escaped, blanks and quotes quoted."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", dollar)
    escaped = escaped.replace("\n", "\\n").replace("\t", "\\t")
    return escaped if escaped == word and word and not set(word) & set(" ';#") else f'"{escaped}"'
