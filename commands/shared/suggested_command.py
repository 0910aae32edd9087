"""Commands that hints suggest."""

from __future__ import annotations

from shlex import quote

from .command_session import Session


def suggest(session: Session, command: str) -> str:
    """Return a command of mqx for a hint, with the -m of the line. command: its words, quoted."""
    return f"mqx {f'-m {quote(session.qmgr)} ' if session.qmgr else ''}{command}"
