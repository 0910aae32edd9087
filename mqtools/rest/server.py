"""HTTP server of the REST API: uvicorn with limits on slow and hostile clients, TLS, and an ordered end."""

from __future__ import annotations

import asyncio
import socket
import ssl
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from mqtools.admin.bound_port import BACKLOG, listen
from mqtools.configuration.tls import TlsFiles, peer_certificate, server_context
from mqtools.rest.application import CERTIFICATE_NAME, make_application
from mqtools.rest.host import RestHost as RestHost

#: Bytes and number of the headers of a request.
_LONGEST_HEAD, _MOST_HEADERS = 65_536, 100
#: Seconds for a request to arrive, for its answer to be read, for a TLS handshake, without a request on a connection,
#: and for requests to end.
_REQUEST_S, _ANSWER_S, _HANDSHAKE_S, _IDLE_S, _GRACE_S = 30.0, 60.0, 10.0, 60, 8
_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class RestServer:
    """HTTP server at an address and port; ``run`` serves until it is woken.

    tls_files: None without TLS.
    Raises MQError: MQRC_HOST_NOT_AVAILABLE when the port cannot be bound, MQRC_CHANNEL_SSL_ERROR.
    """

    def __init__(self, host: RestHost, address: str, port: int, tls_files: TlsFiles | None = None) -> None:
        self._host = host
        self._address = address
        self._context = None if tls_files is None else server_context(tls_files)
        self._socket = listen(host.path, address, port)
        config = uvicorn.Config(
            make_application(host),
            http=_LimitedProtocol,
            ws="none",
            loop="asyncio",
            lifespan="off",
            log_config=None,
            log_level="critical",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            limit_concurrency=host.most_connections + 1,  # the caller counts too
            timeout_keep_alive=_IDLE_S,
            timeout_graceful_shutdown=_GRACE_S,
        )
        self._server = _Server(config, self._socket, self._context, host)

    @property
    def port(self) -> int:
        """Bound port, also when 0 was requested."""
        port: int = self._socket.getsockname()[1]
        return port

    @property
    def url(self) -> str:
        """URL of version 2 of the API."""
        name = f"[{self._address}]" if ":" in self._address else self._address
        return f"{'https' if self._host.is_secure else 'http'}://{name}:{self.port}/ibmmq/rest/v2"

    @property
    def is_running(self) -> bool:
        """Whether a request is in progress, which an end of the process waits for."""
        return bool(self._server.server_state.tasks)

    def run(self) -> None:
        """Serve until woken, then end the requests in progress."""
        try:
            asyncio.run(self._server.serve())
        finally:
            self._socket.close()
            self._host.close()

    def wake(self) -> None:
        """End ``run``. May be called by another thread."""
        self._server.end()


class _Server(uvicorn.Server):
    """Server on a socket that is listening. It sleeps while nothing happens: no tick counts seconds."""

    def __init__(
        self, config: uvicorn.Config, listening: socket.socket, context: ssl.SSLContext | None, host: RestHost
    ) -> None:
        super().__init__(config)
        self._listening = listening
        self._context = context
        self._host = host
        self._loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:  # noqa: ARG002 - as uvicorn has it
        self._loop = asyncio.get_running_loop()
        serving = await self._loop.create_server(
            lambda: _LimitedProtocol(self.config, self.server_state, {}),
            sock=self._listening,
            ssl=self._context,
            ssl_handshake_timeout=None if self._context is None else _HANDSHAKE_S,
            backlog=BACKLOG,
        )
        self.servers = [serving]
        self.started = True

    async def main_loop(self) -> None:
        if not self.should_exit:
            await self._host.ending.wait()

    def end(self) -> None:
        self.should_exit = True
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._host.ending.set)


class _LimitedProtocol(HttpToolsProtocol):
    """HTTP of one client, with limits on its headers and on the time that requests and answers take."""

    _head: int | None = None
    _slow: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._begin()
        connected: Any = transport.get_extra_info("ssl_object")
        if connected is not None:
            names = peer_certificate(connected).subject.get("commonName", [])
            self.app_state = {CERTIFICATE_NAME: names[0]} if len(names) == 1 else {}

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_wait()
        if self._unread is not None:
            self._unread.cancel()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        self._unread = self.loop.call_later(_ANSWER_S, self.transport.abort)
        super().pause_writing()

    def resume_writing(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
        super().resume_writing()

    def _begin(self) -> None:
        """Begin to count the bytes of the headers, and the time."""
        self._end_wait()
        self._head = 0
        self._slow = self.loop.call_later(_REQUEST_S, self.transport.close)

    def _end_wait(self) -> None:
        if self._slow is not None:
            self._slow.cancel()
            self._slow = None

    def data_received(self, data: bytes) -> None:
        if self._slow is None and (self.cycle is None or self.cycle.response_complete):
            self._begin()  # also for what begins no request
        if self._head is not None:
            self._head += len(data)
        super().data_received(data)
        if self._head is not None and self._head > _LONGEST_HEAD:
            self._refuse()

    def on_message_begin(self) -> None:
        if self._slow is None:
            self._begin()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._head = None
        if len(self.headers) > _MOST_HEADERS:
            self._refuse()
        if not self.transport.is_closing():
            super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._end_wait()
        if self.cycle is not None:
            super().on_message_complete()

    def on_body(self, body: bytes) -> None:
        if self.cycle is not None:
            super().on_body(body)

    def _refuse(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(_TOO_LARGE)
            self.transport.close()
