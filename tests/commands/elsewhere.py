"""The queue manager of a test as one elsewhere: served in this process, and reached by the client protocol."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.mqi.connection import connect
from mqtools.network.dispatch import Service
from mqtools.network.listener import Listener

REMOTE, READ_ONLY = "ELSEWHERE", "ELSEWHERE.RO"
CHANNEL = "DEV.ADMIN.SVRCONN"

#: Commands that work elsewhere.
COMMANDS = ("put", "get", "browse", "qdepth", "mqsc", "dlq-handle", "load", "unload", "move", "copy", "pub", "sub")
#: Options of these that only a queue manager of mqx offers, and those of which no message is sent.
_HERE = {
    *("--all-states", "--at", "--check", "--confirm-id", "--dead-letter", "--delay", "--deliver-at", "--dry-run"),
    *("--exec", "--explain", "--help", "--lease", "--live", "--lock-id", "--mark", "--no-trash", "--once", "--qmgr"),
    *("--read-only", "--redrive", "--reference", "--skip-unsupported", "--suggest", "--summary", "--unmarked"),
    *("--watch", "-m"),
}


@contextmanager
def served(path: str) -> Iterator[int]:
    """Serve a queue manager to this user; yield the port."""
    with connect(path) as connection:
        run_mqsc(connection, "ALTER QMGR CHLAUTH(DISABLED)")
    listener = Listener(Service(path=path, connect=lambda: connect(path), note=lambda _: None), "127.0.0.1", 0)
    thread = Thread(target=listener.run, daemon=True)
    thread.start()
    try:
        yield listener.port
    finally:
        listener.close()
        thread.join()


def write_remotes(home: Path, port: int) -> None:
    """Write the remotes of a home folder: one that may be changed, one that may not."""
    connection = f'connection = "127.0.0.1({port})"\nchannel = "{CHANNEL}"\n'
    text = f'[{REMOTE}]\n{connection}read_write = true\n["{READ_ONLY}"]\n{connection}'
    (home / "remotes.toml").write_text(text, encoding="utf-8")


def runs_elsewhere(words: Sequence[str]) -> bool:
    """Return whether a command line works on a queue manager elsewhere."""
    options = {word.partition("=")[0] for word in words}
    if words and words[0] == "dlq-handle" and "--once" in options:
        options.discard("--once")
    return bool(words) and words[0] in COMMANDS and not options & _HERE
