"""``mqx serve``: offer a queue manager to clients and channels on one port."""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import tempfile
from threading import Thread
from typing import TYPE_CHECKING, Any

import click

from mqtools.admin import channels, developer_objects, queue_managers
from mqtools.channel.exit_point import exit_folders
from mqtools.configuration import locate, settings
from mqtools.configuration.read_only import check_writable
from mqtools.configuration.tls import TlsFiles, configured_files
from mqtools.formats.jsontext import dumps
from mqtools.mqi import authority
from mqtools.mqi.connection import Connection, connect
from mqtools.network.dispatch import Limits, Service
from mqtools.network.listener import Listener, raise_descriptor_limit
from mqtools.network.watch import QueueManagerWatch
from mqtools.operations.shutdown import Shutdown
from mqtools.rules.security.admission import AdmissionPolicy, Peer

from .shared import click_options, command_session
from .shared.command_session import JSON, Session, UsageError
from .shared.service_run import run_until_signal

if TYPE_CHECKING:
    from mqtools.rest.server import RestServer

#: Name of the queue manager of --dev and --temporary, if none is given.
_NAME = "QM1"
#: How the names of the folders of --temporary begin and end.
_PREFIX, _SUFFIX = "mqx-", ".serve"
#: Port of --rest, if none is given.
_REST_PORT = 9443


@click.command("serve")
@click.option(
    "--dev",
    "developer",
    metavar="[NAME]",
    is_flag=False,
    flag_value=_NAME,
    help="Serve NAME (QM1), created with the DEV.* objects if it does not exist",
)
@click.option("--temporary", is_flag=True, help="Create the queue manager in a folder that is deleted at the end")
@click.option(
    "--port", type=click_options.Number(0, 65535), default=1414, show_default=True, help="TCP port; 0: any free port"
)
@click.option("--address", default="127.0.0.1", show_default=True, help="Local address to listen on")
@click.option(
    "--rest",
    "rest_port",
    metavar="[PORT]",
    is_flag=False,
    flag_value=_REST_PORT,
    type=click_options.Number(0, 65535),
    help=f"Serve IBM MQ's REST API too, on PORT ({_REST_PORT}); 0: any free port",
)
@click.option("--tls", type=click.Choice(["dev"]), help="dev: use a development certificate, made on first use")
@click.option("--allow-plain-passwords", is_flag=True, help="Accept passwords without TLS from other machines")
@click.option("--no-owner", is_flag=True, help="Require a password or certificate from programs of the owner")
@click_options.general
def command(session: Session, developer: str | None, temporary: bool, **given: Any) -> int:
    """Serve the queue manager to MQI clients and to message channels on one port, until interrupted.

    Programs that use IBM MQ's client libraries connect to it as to any queue manager: JMS, Spring, base Java classes.
    They name a channel of type SVRCONN.

    \b
    mqx serve
    mqx serve --dev
    mqx serve --dev --temporary --port 0 -o json
    mqx serve --dev --rest
    mqx serve -m QM1 --address 0.0.0.0 --port 1415

    When it is ready it prints the address and the line "ready" on stderr. With -o json it writes one object on stdout:
    qmgr, host, port, rest, channels, conn_name.

    --dev creates the queue manager like mqx qmgr create --dev. MQ_APP_PASSWORD and MQ_ADMIN_PASSWORD in the environment
    set the passwords of the users app and admin. --temporary always creates a new queue manager, and ends with the
    program that started it. If mqx serve is killed, the next start with --temporary deletes its folder.

    A client needs one of these: a user and password of mqx user; over TLS a certificate that SSLPEER and CHLAUTH
    accept; or, on this machine, a socket of the owner of the queue manager, as the kernel reports. Passwords are
    accepted over TLS and on this machine. A client acts as the user that CHLAUTH maps it to, else as the user who gave
    a password, else as MCAUSER.

    --rest serves the administrative and messaging REST API below /ibmmq/rest/v2, v1 and v3. Each request needs a user
    with a password, or a client certificate whose common name is a user. Without TLS, only programs on this machine can
    call it. It needs pip install 'mqtools[rest]'.

    --tls dev makes a certificate and a truststore for Java next to the queue manager, and prints how Java uses it. It
    needs the package cryptography: pip install 'mqtools[tls]'. With --dev the DEV channels then have
    SSLCIPH(ANY_TLS12_OR_HIGHER), until they are served without it. Without --tls the certificates that mqx config
    explain shows under tls are used.

    Message channels are served as by mqx channel listen without --insecure: over TLS only.

    SIGTERM and SIGINT end it after the current units of work, with exit status 0 and 130; a second signal ends it at
    once. It also ends when the queue manager ends.

    Exit status: 0 ended; 1 port in use; 2 usage; 5 unknown queue manager; 8 not authorized, read-only.
    """
    if developer is not None and session.qmgr is not None:
        raise UsageError("--dev and -m cannot be combined: --dev NAME names the queue manager")
    check_writable("a queue manager")
    raise_descriptor_limit()
    parent_id = os.getppid()
    folder = _make_folder() if temporary else None
    try:
        path = _queue_manager(session, developer, folder)

        def run(shutdown: Shutdown) -> None:
            with QueueManagerWatch(path, "mqx serve") as watch:
                authority.check_control(watch.connection)
                service = _service(session, path, shutdown, given)
                _prepare(session, watch.connection, service, given["tls"], is_developer=developer is not None)
                _serve(session, watch, service, given, parent_id if temporary else 0)

        return run_until_signal(run, at_exit=(lambda: _remove(folder)) if temporary else None)
    finally:
        _remove(folder)


def _make_folder() -> str:
    """Return a new folder for a queue manager, and delete those whose processes were killed.

    Its process holds a lock on it. It gets its name when it is locked.
    """
    made = tempfile.mkdtemp(prefix=_PREFIX)
    above = os.path.dirname(made)
    for name in os.listdir(above):
        path = os.path.join(above, name)
        if name.startswith(_PREFIX) and name.endswith(_SUFFIX) and (lock := _lock(path)) is not None:
            shutil.rmtree(path, ignore_errors=True)
            os.close(lock)
    _lock(made)
    os.rename(made, made + _SUFFIX)
    return made + _SUFFIX


def _lock(folder: str) -> int | None:
    """Lock a folder of this user until the descriptor is closed; None for any other, or if it is locked."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        if os.fstat(descriptor).st_uid == os.geteuid():
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return descriptor
    except OSError:
        pass  # its process lives, or the file system has no locks
    os.close(descriptor)
    return None


def _remove(folder: str | None) -> None:
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


def _queue_manager(session: Session, developer: str | None, folder: str | None) -> str:
    """Return the path of the queue manager to serve; create it if the options ask for it."""
    name = developer or session.qmgr or _NAME
    if folder is not None:
        path = os.path.join(folder, f"{locate.name_of_path(name)}.db")
    elif developer is None:
        return locate.find(session.qmgr)
    else:
        path = locate.path_of(name)
    if not os.path.exists(path):
        queue_managers.create(path, developer=developer is not None)
        session.note(f"queue manager {locate.name_of_path(path)} created: {path}")
    return path


def _service(session: Session, path: str, shutdown: Shutdown, given: dict[str, Any]) -> Service:
    most: int = settings.value_of(settings.MAX_CHANNELS)
    return Service(
        path=path,
        connect=lambda: connect(path, appl_name="mqx"),
        note=session.note,
        limits=Limits(most=most, most_per_address=most),
        needs_tls=True,
        folders=exit_folders() or (),
        policy=AdmissionPolicy(
            allow_plain_passwords=given["allow_plain_passwords"], owner_allowed=not given["no_owner"]
        ),
        shutdown=shutdown,
    )


def _prepare(
    session: Session, connection: Connection, service: Service, tls: str | None, *, is_developer: bool
) -> None:
    """Set what the options and the environment say. is_developer: of a queue manager with the DEV objects."""
    if tls is not None:
        _use_development_certificate(session, connection, service)
    if is_developer:
        developer_objects.set_dev_passwords(connection, os.environ)
        if tls is not None or not settings.value_of(settings.TLS_CERTIFICATE):
            with connection.work() as work:
                developer_objects.use_tls(work, uses_tls=tls is not None)


def _use_development_certificate(session: Session, connection: Connection, service: Service) -> None:
    """Make the service use the development certificate."""
    try:
        from mqtools.network import development_certificate
    except ImportError:
        words = "--tls dev needs the package cryptography, which is not installed"
        raise UsageError(words, "pip install 'mqtools[tls]'") from None
    files = development_certificate.provide_certificate(f"{service.path}-tls", connection.name)
    service.tls_files = TlsFiles(files.server, files.server, settings.value_of(settings.TLS_TRUST))
    session.note(
        f"TLS: java -Djavax.net.ssl.trustStore={files.truststore} -Djavax.net.ssl.trustStoreType=PKCS12 "
        f"-Djavax.net.ssl.trustStorePassword={development_certificate.TRUSTSTORE_PASSWORD}\n"
        f"TLS: cipher suite *TLS12ORHIGHER in the program, {developer_objects.CIPHER} in SSLCIPH of its channel; "
        f"CA: {files.ca}"
    )


def _rest_server(connection: Connection, service: Service, address: str, port: int) -> RestServer:
    """Return the server of the REST API. It uses TLS if there is a certificate."""
    try:
        from mqtools.rest.server import RestHost, RestServer
    except ImportError:
        words = "--rest needs the packages starlette, uvicorn and httptools, which are not installed"
        raise UsageError(words, "pip install 'mqtools[rest]'") from None
    files = service.tls_files
    if files is None and settings.value_of(settings.TLS_CERTIFICATE):
        files = configured_files(needs_trust=False)
    is_local = address == "localhost" or Peer(address=address).is_local
    if files is None and not is_local:
        raise UsageError(
            f"--rest on {address} needs TLS", "mqx serve --tls dev, or mqx config set tls.certificate PATH"
        )
    host = RestHost(
        path=service.path,
        q_mgr_name=connection.name,
        connect=service.connect,
        note=service.note,
        names=frozenset({"localhost", address.lower(), *(() if is_local else (socket.gethostname().lower(),))}),
        takes_addresses=not is_local,
        is_secure=files is not None,
        most_connections=service.limits.most,
    )
    return RestServer(host, address, port, files)


def _serve(session: Session, watch: QueueManagerWatch, service: Service, given: dict[str, Any], parent_id: int) -> None:
    """Serve callers until the end of the service is requested, or the queue manager or a parent process ends."""
    shutdown, address, rest_port = service.shutdown, given["address"], given["rest_port"]
    assert shutdown is not None
    rest = None if rest_port is None else _rest_server(watch.connection, service, address, rest_port)
    listener = Listener(service, address, given["port"])
    failures: list[Exception] = []

    def run(server: Listener | RestServer) -> None:
        try:
            shutdown.add(server)
            server.run()
        except Exception as error:
            failures.append(error)
            shutdown.request()

    servers: list[Listener | RestServer] = [listener] if rest is None else [listener, rest]
    threads = [Thread(target=run, args=(server,), daemon=True) for server in servers]
    for thread in threads:
        thread.start()
    _announce(session, watch.connection, listener, rest)
    why = watch.wait(shutdown, parent_id)
    for server in servers:
        server.wake()
    for thread in threads:
        thread.join()
    listener.close()
    if failures:
        raise failures[0]
    if why:
        session.note(f"{why}: this service ends")
        shutdown.request()


def _announce(session: Session, connection: Connection, listener: Listener, rest: RestServer | None) -> None:
    host, port = listener.address, listener.port
    session.note(f"clients and channels: {f'[{host}]' if ':' in host else host}:{port}")
    if rest is not None:
        session.note(f"REST: {rest.url}")
    session.note("ready")
    if session.output in JSON:
        shown = {
            "qmgr": connection.name,
            "host": host,
            "port": port,
            "rest": None if rest is None else rest.url,
            "channels": channels.client_channel_names(connection),
            "conn_name": f"{host}({port})",
        }
        command_session.write_out(dumps(shown).encode() + b"\n")
