"""Implementation of the subcommands of ``mqx channel``."""

from __future__ import annotations

import os
import pwd
import sys
from collections.abc import Callable

from mqtools.admin import channel_status
from mqtools.channel import caller
from mqtools.channel.acceptor import Origin, serve
from mqtools.channel.link import Link
from mqtools.channel.streams import PipeStream
from mqtools.channel.transport import address_of_option
from mqtools.configuration import locate, settings
from mqtools.configuration.read_only import check_writable
from mqtools.configuration.tls import configured_files, server_context
from mqtools.formats.phrases import counted
from mqtools.mqi import authority
from mqtools.mqi.connection import Connection
from mqtools.network.dispatch import Limits, Service
from mqtools.network.listener import BaseListener, Listener, raise_descriptor_limit
from mqtools.network.unix_listener import UnixListener
from mqtools.operations.shutdown import Shutdown

from ..shared.command_session import PARTLY, Session, UsageError
from ..shared.counts import print_totals
from ..shared.service_run import run_until_signal


def start(session: Session, name: str, *, drains: bool, to: str | None) -> int:
    """Run a channel until it is stopped or drained; return 9 where a drain could not deliver all messages."""
    refused = 0
    there = None if to is None else address_of_option(to)

    def run(shutdown: Shutdown) -> None:
        nonlocal refused
        refused = caller.start(connection, name, to=there, drains=drains, note=session.note, shutdown=shutdown)

    with session.connect() as connection:
        before = _moved(connection, name)
        try:
            status = run_until_signal(run)
        finally:
            _print_moved(session, connection, name, before, refused)
    return status or (PARTLY if drains and refused else 0)


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
    print_totals(session, text, messages, {**totals, "batches": batches, "refused": refused})


def receive(session: Session, q_mgr_name: str | None) -> int:
    """Serve one peer on standard input and output"""
    check_writable("a queue manager")
    # The output of an exit must not get between the frames.
    to_write = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    stream = PipeStream(sys.stdin.fileno(), to_write)
    link = Link(stream)
    origin = Origin(os.environ.get("SSH_CONNECTION", "").partition(" ")[0])  # of sshd: address of the client, ...

    def run(shutdown: Shutdown) -> None:
        serve(lambda: session.connect(q_mgr_name), link, origin=origin, note=session.note, shutdown=shutdown)

    return run_until_signal(run)


def listen(
    session: Session, address: str, port: int, limits: Limits, folders: tuple[str, ...], *, is_insecure: bool
) -> int:
    """Serve peers over TCP until interrupted. is_insecure: also those without TLS.  limits, folders: of Service."""
    if not is_insecure:
        _check_tls(address)

    def make(shutdown: Shutdown) -> tuple[BaseListener, str]:
        service = _service(session, limits, folders, shutdown)
        service.needs_tls = not is_insecure
        listener = Listener(service, address, port)
        return listener, f"{address}({listener.port})"

    warning = f"--insecure: channels without SSLCIPH are open to {_possible_peers(address)}" if is_insecure else ""
    return _serve(session, make, warning)


def listen_on_socket(
    session: Session, path: str, users: tuple[str, ...], limits: Limits, folders: tuple[str, ...]
) -> int:
    """Serve peers on a UNIX socket until interrupted.

    users: more users that may call, by name or number.  limits, folders: of Service.
    """
    user_ids = frozenset(_user_id(user) for user in (*users, *settings.value_of(settings.ALLOWED_USERS)))

    def make(shutdown: Shutdown) -> tuple[BaseListener, str]:
        listener = UnixListener(_service(session, limits, folders, shutdown), path, user_ids)
        return listener, f"unix:{listener.path}"

    return _serve(session, make)


def _service(session: Session, limits: Limits, folders: tuple[str, ...], shutdown: Shutdown) -> Service:
    return Service(
        path=locate.find(session.qmgr),
        connect=session.connect,
        note=session.note,
        limits=limits,
        folders=folders,
        shutdown=shutdown,
    )


def _user_id(user: str) -> int:
    if user.isascii() and user.isdigit():
        return int(user[:10])
    try:
        return pwd.getpwnam(user).pw_uid
    except KeyError:
        raise UsageError(f"there is no user {user} on this machine") from None


def _serve(session: Session, make: Callable[[Shutdown], tuple[BaseListener, str]], warning: str = "") -> int:
    """Serve the callers of a listener until interrupted. make: returns the listener and where it listens, in words."""
    raise_descriptor_limit()
    with session.connect() as connection:  # what cannot be connected to is not worth listening for
        authority.check_control(connection)
        q_mgr_name = connection.name

    def run(shutdown: Shutdown) -> None:
        listener, where = make(shutdown)
        session.note(f"listening on {where} for {q_mgr_name}")
        if warning:
            session.note(warning)
        try:
            listener.run()
        finally:
            listener.close()

    return run_until_signal(run)


def _check_tls(address: str) -> None:
    """Raise UsageError when TLS is not configured, MQError when the certificates are not valid."""
    keys = (settings.TLS_CERTIFICATE, settings.TLS_KEY, settings.TLS_TRUST)
    missing = [key for key in keys if not settings.value_of(key)]
    if missing:
        raise UsageError(
            f"cannot listen without TLS ({', '.join(missing)} not set): any channel would be open to "
            f"{_possible_peers(address)}",
            hint=f"mqx config set {missing[0]} PATH; or use --unix PATH; or use --insecure to listen without TLS",
        )
    server_context(configured_files())


def _possible_peers(address: str) -> str:
    is_local = address.startswith("127.") or address in ("::1", "localhost")
    return "every user of this machine" if is_local else f"everyone who can reach {address}"
