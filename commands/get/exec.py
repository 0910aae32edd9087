"""``mqx get --exec``: a shell command for each message; it decides by its exit status whether the message goes.

A message is got under syncpoint while its command runs: nobody else sees it, nothing is locked, and when
this process dies the message is back. What is in a message reaches the command as standard input and as
environment, never as words of the command.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from itertools import islice

from mqtools.configuration import locate
from mqtools.constants.options import (
    MQGMO_WAIT,
    MQMO_MATCH_MSG_TOKEN,
    MQOO_FAIL_IF_QUIESCING,
    MQOO_INPUT_SHARED,
    MQWI_UNLIMITED,
)
from mqtools.constants.reasons import MQRC_TRUNCATED_MSG_FAILED
from mqtools.errors import NoMessageAvailable
from mqtools.formats.descriptor import md_to_dict
from mqtools.formats.phrases import counted
from mqtools.formats.rows import cell_text
from mqtools.mqi.get import search
from mqtools.operations.selection import EVERYTHING, select

from ..shared.command_session import FAILED, NOTHING_THERE, PARTLY, WARNING, Session, end_on_sigterm
from ..shared.key_snapshot import hint_at_holder, let_the_dead_go
from .held import check_length

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Self

    from mqtools.message import Message
    from mqtools.mqi.connection import Connection
    from mqtools.mqi.get.get import GetResult
    from mqtools.mqi.handle import Handle

    from .get import GetRequest

_PROPERTY = "MQX_PROPERTY_"

#: What stands for a NUL, which no environment can hold.
_NUL_PICTURE = "\u2400"

#: Bytes of one variable that the kernel takes at most, and how many of all that it takes are left for the command.
_LONGEST_VARIABLE, _LEFT_FREE = 128 << 10, 64 << 10
_POINTER = 8

#: Seconds that a command has to end after an interrupt, before it is killed.
_GRACE_S = 2


def get_and_run(session: Session, request: GetRequest, command: str) -> int:
    """Run a command for each message: its exit 0 commits the get, anything else backs it out.

    A message that was backed out is not tried again in this run. Gives 0 when all succeeded, 9 when some
    failed and others succeeded, 1 when all failed, 3 when there was no message.
    """
    if request.dry_run:
        from ..browse.browse import BrowseRequest, browse_messages

        selection = request.selection or EVERYTHING
        return browse_messages(session, BrowseRequest(request.queue, limit=request.limit, selection=selection))
    end_on_sigterm()
    with (
        session.connect() as connection,
        connection.open(request.queue, MQOO_INPUT_SHARED | MQOO_FAIL_IF_QUIESCING) as handle,
    ):
        run = _Run(session, connection, handle, request)
        for result in islice(run.messages(), request.limit):
            run.try_one(result, command)
        if not run.done and not run.failed:
            hint_at_holder(connection, session, request.queue, request.selection or EVERYTHING)
            return NOTHING_THERE
    return run.status()


class _Run:
    """One run over a queue; failed: keys of the messages whose command failed; done: how many succeeded."""

    def __init__(self, session: Session, connection: Connection, handle: Handle, request: GetRequest) -> None:
        self.done = 0
        self.failed: set[int] = set()
        self._failures = 0
        self._warned = False
        self._session = session
        self._connection = connection
        self._handle = handle
        self._request = request
        self._waits = request.waits
        self._options = request.options

    def try_one(self, result: GetResult, command: str) -> None:
        """Run the command for one message, and commit or back out its get."""
        self._warned = self._warned or bool(result.reason)
        environment = environment_of(result.message, self._request.queue, self._names())
        msg_id = result.message.md.msg_id.hex().upper()
        try:
            with _Spill(environment) as spill:
                for name, length, instead in spill.moved:
                    self._session.note(
                        f"message {msg_id}: {name} has {length} bytes, too many for an environment: {instead} names a "
                        "file with them"
                    )
                failure = _run(command, result.message, environment)
        except BaseException:
            self._connection.backout()
            raise
        if failure is None:
            self._connection.commit()
            self.done += 1
            return
        self.failed.update(self._connection.last_got)  # of a whole message all its segments
        self._failures += 1
        self._connection.backout()
        self._session.note(f"message {msg_id} backed out: {failure}")

    def status(self) -> int:
        """Give the exit status of the run, and its balance on stderr where something failed."""
        if not self.failed:
            return WARNING if self._warned else 0
        self._session.note(f"{counted(self.done)} done, {self._failures} backed out")
        return PARTLY if self.done else FAILED

    def _names(self) -> str:
        """The queue manager as a command that is run can name it: its path where its name leads elsewhere."""
        name, path = self._connection.name, os.path.abspath(self._connection.db.path)
        return name if os.path.realpath(locate.path_of(name)) == os.path.realpath(path) else path

    def messages(self) -> Iterator[GetResult]:
        """Get one message after the other, but for those that failed in this run."""
        selection = self._request.selection
        if selection is not None and not selection.is_everything:
            yield from self._selected()
            return
        while True:
            result = self._first_not_failed() if self.failed else self._first()
            if result is None:
                return
            yield result

    def _first(self) -> GetResult | None:
        wait_ms = MQWI_UNLIMITED if self._request.follow else int(self._request.wait_s * 1000)
        options = self._options | (MQGMO_WAIT if self._waits else 0)
        return self._get(options, wait_ms=wait_ms if self._waits else 0)

    def _first_not_failed(self) -> GetResult | None:
        """Get the first message that has not failed yet, looked for from the front: order goes before speed."""
        deadline = None if self._request.follow else time.monotonic() + self._request.wait_s
        last_look = False
        while True:
            result = next(self._walk(), None)
            if result is not None or not self._waits or last_look:
                return result
            last_look = not self._handle.wait_for_arrival(deadline, self._is_there)

    def _selected(self) -> Iterator[GetResult]:
        """Get what the selection means, in one walk; with a wait, walk again after each arrival."""
        selection = self._request.selection
        assert selection is not None
        places = selection.first is not None or selection.last is not None
        last_look = False
        while True:
            deadline = None if self._request.follow else time.monotonic() + self._request.wait_s
            found = False
            for result in self._walk():
                found = True
                yield result
            if not self._waits or places or (last_look and not found):
                return  # places are of the queue as it was
            last_look = not found and not self._handle.wait_for_arrival(deadline, self._is_there)

    def _walk(self) -> Iterator[GetResult]:
        let_the_dead_go(self._connection, self._handle.queue_id)
        for seq in self._keys():
            token = search.token_of(seq)
            result = self._get(self._options, match_options=MQMO_MATCH_MSG_TOKEN, msg_token=token)
            if result is not None:
                yield result

    def _keys(self) -> Iterator[int]:
        """Give the keys of what is selected and has not failed, read page by page while the commands run."""
        selection, db = self._request.selection or EVERYTHING, self._connection.db
        left = (stored.seq for stored in select(db, self._handle.queue_id, selection) if stored.seq not in self.failed)
        if self._request.asked is None or not self._request.asked.is_whole:
            return left
        from .groups import whole_messages

        return whole_messages(db, left)

    def _is_there(self) -> bool:
        return next(self._keys(), None) is not None

    def _get(
        self, options: int, *, wait_ms: int = 0, match_options: int = 0, msg_token: bytes = b""
    ) -> GetResult | None:
        """Get a message, or None where there is none (any more). Raises MQError for one that is too long (7)."""
        try:
            result = self._handle.get(
                options,
                wait_ms=wait_ms,
                msg_token=msg_token,
                max_length=self._request.max_length,
                **{**self._request.parameters(), "match_options": match_options},
            )
        except NoMessageAvailable:
            return None
        if result.reason == MQRC_TRUNCATED_MSG_FAILED:
            check_length(self._request, result.data_length)
        return result


def _run(command: str, message: Message, environment: Mapping[bytes, bytes]) -> str | None:
    """Run a shell command with a message; say how it failed, or None when it did not."""
    try:
        child = subprocess.Popen(["/bin/sh", "-c", command], stdin=subprocess.PIPE, env=environment)
    except OSError as error:
        return f"it cannot be run: {error.strerror}"
    try:
        child.communicate(message.data)
    except BaseException:
        _end(child)
        raise
    if child.returncode < 0:
        return f"ended by signal {-child.returncode}"
    return f"exit status {child.returncode}" if child.returncode else None


def _end(child: subprocess.Popen[bytes]) -> None:
    """End a command whose message is about to be backed out, so that nobody works on it twice."""
    child.terminate()
    try:
        child.wait(_GRACE_S)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


class _Spill:
    """Files in the place of properties that no environment can hold, as long as the command runs.

    ``MQX_PROPERTY_NAME_FILE`` takes the place of ``MQX_PROPERTY_NAME``, with ``_`` behind it where that is a property.
    moved: variable that was taken out, the bytes it would have had, and the one in its place.
    """

    def __init__(self, environment: dict[bytes, bytes]) -> None:
        self.moved: list[tuple[str, int, str]] = []
        self._environment = environment
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Self:
        properties = [name for name in self._environment if name.startswith(_PROPERTY.encode())]
        for name in sorted(properties, key=lambda each: -len(self._environment[each])):
            if _size(name, self._environment[name]) > _LONGEST_VARIABLE or self._is_too_large():
                self._spill(name)
        return self

    def __exit__(self, *_: object) -> None:
        if self._folder is not None:
            self._folder.cleanup()

    def _is_too_large(self) -> bool:
        return sum(_size(*variable) for variable in self._environment.items()) > os.sysconf("SC_ARG_MAX") - _LEFT_FREE

    def _spill(self, name: bytes) -> None:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="mqx-exec-")
        path = os.path.join(self._folder.name, str(len(self.moved) + 1))
        value = self._environment.pop(name)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(value)
        instead = name + b"_FILE"
        while instead in self._environment:
            instead += b"_"
        self._environment[instead] = os.fsencode(path)
        self.moved.append((name.decode("ascii"), len(value), instead.decode("ascii")))


def _size(name: bytes, value: bytes) -> int:
    """Bytes of a variable as the kernel counts them: with its sign, its end, and where it stands."""
    return len(name) + len(value) + 2 + _POINTER


def environment_of(message: Message, q_name: str, q_mgr_name: str) -> dict[bytes, bytes]:
    """Give the environment of a command: ours, and the message in ``MQX_*``.

    Each field of the descriptor as in JSON, lists joined by commas; each property under its name in capitals,
    with ``_`` for whatever is no letter or digit of ASCII. Of two that become the same the first counts.
    """
    environment = {name: value for name, value in os.environb.items() if not name.startswith(_PROPERTY.encode())}
    values: dict[str, object] = {"MQX_QUEUE": q_name, "MQX_QMGR": q_mgr_name}
    for field, value in md_to_dict(message.md).items():
        values[f"MQX_{field.upper()}"] = value
    for name, prop in message.properties.items():
        values.setdefault(_PROPERTY + _sanitized(name), prop.value)
    for name, value in values.items():
        text = cell_text(value).replace("\0", _NUL_PICTURE)
        environment[name.encode("ascii")] = text.encode("utf-8", "backslashreplace")
    return environment


def _sanitized(name: str) -> str:
    return "".join(char if char.isascii() and char.isalnum() else "_" for char in name.upper())
