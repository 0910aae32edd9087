"""Implementation of the subcommands of ``mqx channel``."""

from __future__ import annotations

import os
import pwd
import sys
import time
from collections.abc import Callable
from typing import Any

from mqtools.admin import channel_status, channels
from mqtools.admin.channel_status import Status
from mqtools.channel import caller
from mqtools.channel.acceptor import Origin, serve
from mqtools.channel.exit_point import exit_folders as configured_folders
from mqtools.channel.link import Link
from mqtools.channel.listener import BaseListener, Limits, Listener
from mqtools.channel.shutdown import Shutdown
from mqtools.channel.streams import PipeStream
from mqtools.channel.transport import Address, address_of_option
from mqtools.channel.unix_listener import UnixListener
from mqtools.configuration import settings
from mqtools.configuration.read_only import check_writable
from mqtools.constants.names import name_or_number
from mqtools.formats.phrases import counted
from mqtools.formats.rows import Column
from mqtools.formats.units import rfc3339
from mqtools.mqi import authority
from mqtools.mqi.connection import Connection

from ..shared.command_session import PARTLY, Session, UsageError
from ..shared.counts import print_counts
from ..shared.output_rows import print_rows
from ..shared.read_only import connect_read_only
from .signals import serve_until_signal

_COLUMNS = (
    Column("name", "channel"),
    Column("type"),
    Column("state"),
    Column("xmit_q", "xmitq"),
    Column("peer"),
    Column("batches", align="right"),
    Column("messages", align="right"),
    Column("bytes", align="right"),
    Column("sequence", align="right"),
    Column("indoubt_sequence", "in_doubt", "right"),
    Column("last_message_at", "last_message"),
    Column("last_error"),
)


def start(session: Session, name: str, *, drains: bool, to: str | None) -> int:
    """Run a channel until it is stopped or drained; return 9 where a drain could not deliver all messages."""
    refused = 0

    def run(shutdown: Shutdown) -> None:
        nonlocal refused
        refused = caller.start(connection, name, to=_address(to), drains=drains, note=session.note, shutdown=shutdown)

    with session.connect() as connection:
        before = _moved(connection, name)
        try:
            status = serve_until_signal(run)
        finally:
            _print_moved(session, connection, name, before, refused)
    return status or (PARTLY if drains and refused else 0)


def _address(to: str | None) -> Address | None:
    return None if to is None else address_of_option(to)


def _moved(connection: Connection, name: str) -> tuple[int, int]:
    found = channel_status.statuses(connection, name)
    return sum(status.messages for status in found), sum(status.batches for status in found)


def _print_moved(session: Session, connection: Connection, name: str, before: tuple[int, int], refused: int) -> None:
    messages, batches = (now - then for now, then in zip(_moved(connection, name), before, strict=True))
    found = channel_status.statuses(connection, name)
    if not found:
        return  # a definition only: it was refused
    status = found[-1]
    text = f"channel {name}: sent {counted(messages)} in {counted(batches, 'batch', 'batches')}"
    text += f" to {status.peer}" if status.peer else ""
    text += f"; not delivered: {counted(refused)}" if refused else ""
    if status.type == "RCVR":
        text = f"channel {name} may receive"
    totals: dict[str, object] = {"channel": name, "qmgr": connection.name, "peer": status.peer or None}
    print_counts(session, text, {**totals, "messages": messages, "batches": batches, "refused": refused})


def receive(session: Session, q_mgr_name: str | None) -> int:
    """Serve one peer on standard input and output"""
    check_writable("a queue manager")
    # What an exit prints must not get between the frames.
    to_write = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    stream = PipeStream(sys.stdin.fileno(), to_write)
    link = Link(stream)
    origin = Origin(os.environ.get("SSH_CONNECTION", "").partition(" ")[0])  # of sshd: address of the client, ...

    def run(shutdown: Shutdown) -> None:
        serve(lambda: session.connect(q_mgr_name), link, origin=origin, note=session.note, shutdown=shutdown)

    return serve_until_signal(run)


def listen(
    session: Session,
    address: str,
    port: int,
    *,
    limits: Limits,
    is_insecure: bool,
    exit_folders: tuple[str, ...],
) -> int:
    """Serve peers over TCP until interrupted.

    is_insecure: also those without TLS.  exit_folders: below which files may be written, beside the configured ones.
    """
    if not is_insecure:
        _check_tls(address)

    def make(**options: Any) -> tuple[BaseListener, str]:
        listener = Listener(session.connect, address, port, needs_tls=not is_insecure, **options)
        return listener, f"{address}({listener.port})"

    warning = f"--insecure: channels without SSLCIPH are open to {_possible_peers(address)}" if is_insecure else ""
    return _serve(session, make, warning, limits=limits, folders=_folders(exit_folders))


def listen_on_socket(
    session: Session,
    path: str,
    user_ids: frozenset[int],
    *,
    limits: Limits,
    exit_folders: tuple[str, ...],
) -> int:
    """Serve peers on a UNIX socket until interrupted. user_ids: of users that may call, beside the own one.

    exit_folders: below which files may be written, beside the configured ones.
    """

    def make(**options: Any) -> tuple[BaseListener, str]:
        listener = UnixListener(session.connect, path, user_ids, **options)
        return listener, f"unix:{listener.path}"

    return _serve(session, make, "", limits=limits, folders=_folders(exit_folders))


def limits_of(given: dict[str, float]) -> Limits:
    """Return the limits of the options of a command line."""
    return Limits(int(given["max_connections"]), int(given["max_per_address"]), given["greeting"], given["idle"])


def allowed_users(users: tuple[str, ...]) -> frozenset[int]:
    """Return the numbers of users, given by name or number, and of those of the configuration."""
    configured: tuple[str, ...] = settings.value_of(settings.ALLOWED_USERS)
    return frozenset(_user_id(user) for user in (*users, *configured))


def _user_id(user: str) -> int:
    if user.isascii() and user.isdigit():
        return int(user[:10])
    try:
        return pwd.getpwnam(user).pw_uid
    except KeyError:
        raise UsageError(f"there is no user {user} on this machine") from None


def _folders(exit_folders: tuple[str, ...]) -> tuple[str, ...]:
    return (*map(os.path.abspath, exit_folders), *(configured_folders() or ()))


def _serve(session: Session, make: Callable[..., tuple[BaseListener, str]], warning: str, **options: Any) -> int:
    """Serve the callers of a listener until interrupted. make: returns the listener and where it listens, in words."""
    with session.connect() as connection:  # what cannot be connected to is not worth listening for
        authority.check_control(connection)
        q_mgr_name = connection.name

    def run(shutdown: Shutdown) -> None:
        listener, where = make(note=session.note, shutdown=shutdown, **options)
        session.note(f"listening on {where} for {q_mgr_name}")
        if warning:
            session.note(warning)
        try:
            listener.run()
        finally:
            listener.close()

    return serve_until_signal(run)


def _check_tls(address: str) -> None:
    """Raise UsageError when TLS is not configured, MQError when the certificates are not valid."""
    from mqtools.channel.tls import check_configuration

    missing = [key for key in (settings.TLS_CERTIFICATE, settings.TLS_KEY, settings.TLS_TRUST) if not _is_set(key)]
    if missing:
        raise UsageError(
            f"cannot listen without TLS ({', '.join(missing)} not set): any channel would be open to "
            f"{_possible_peers(address)}",
            hint=f"mqx config set {missing[0]} PATH; or use --unix PATH; or use --insecure to listen without TLS",
        )
    check_configuration()


def _is_set(key: str) -> bool:
    return bool(settings.value_of(key))


def _possible_peers(address: str) -> str:
    is_local = address.startswith("127.") or address in ("::1", "localhost")
    return "every user of this machine" if is_local else f"everyone who can reach {address}"


def show_status(session: Session, name: str | None) -> int:
    """Print the status of channels."""
    output = session.list_output
    with connect_read_only(session) as connection:
        rows = [_row(status, output) for status in channel_status.statuses(connection, name)]
    print_rows(session, rows, _COLUMNS, output)
    return 0


def _row(status: Status, output: str) -> dict[str, object]:
    row: dict[str, object] = {column.name: getattr(status, column.name) for column in _COLUMNS}
    if status.last_message_at is not None:
        row["last_message_at"] = rfc3339(status.last_message_at)
    error = status.last_error
    if error is not None:
        at, reason = rfc3339(error.at), name_or_number("MQRC", error.reason)
        is_json = output.startswith("json")
        row["last_error"] = (
            {"at": at, "reason": reason, "message": error.message} if is_json else f"{at} {error.message}"
        )
    return row


def ping(session: Session, name: str, *, to: str | None) -> int:
    """Check that the other end answers, and print the response time."""
    with session.connect() as connection:
        begun = time.monotonic()
        peer = caller.ping(connection, name, to=_address(to), note=session.note)
    took_ms = round((time.monotonic() - begun) * 1000)
    text = f"queue manager {peer} answers on channel {name} in {took_ms} ms"
    print_counts(session, text, {"channel": name, "peer": peer, "took_ms": took_ms})
    return 0


def stop(session: Session, name: str) -> int:
    """Stop a channel"""
    with session.connect() as connection, connection.work() as work:
        channels.stop_channel(work, name)
    print_counts(session, f"channel {name} stopped", {"channel": name, "state": "stopped"})
    return 0


def reset(session: Session, name: str, number: int) -> int:
    """Set the sequence number of the next message."""
    with session.connect() as connection, connection.work() as work:
        channels.reset_channel(work, name, number)
    print_counts(
        session, f"channel {name}: the next message is number {number}", {"channel": name, "next_sequence": number}
    )
    return 0


def resolve(session: Session, name: str, action: str) -> int:
    """Commit or back out a batch in doubt."""
    with session.connect() as connection, connection.work() as work:
        channels.resolve_channel(work, name, action)
    words = "removed" if action == channels.COMMIT else "sent again with the next start"
    print_counts(session, f"channel {name}: batch in doubt {words}", {"channel": name, "action": action})
    return 0
