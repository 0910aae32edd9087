"""The browser in a web browser: a server on the loopback address that asks for a token. Needs textual-serve.

Each opened page starts its own process of ``mqx tui``, whose terminal is the page.
"""

from __future__ import annotations

import asyncio
import hmac
import re
import secrets
import shlex
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from aiohttp import web
from textual_serve.server import Server

from mqtools.admin.bound_port import bind

DEFAULT_ADDRESS = "127.0.0.1:8000"
_TOKEN = "mqx_token"
#: Pause between two checks whether the server listens (seconds).
_LISTENING_S = 0.01
#: Content policy of a page: nothing from other hosts.
_POLICY = "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; connect-src 'self' ws: wss:"
_FOREIGN_LINK = re.compile(r"<link\b[^>]*https?://[^>]*>")
_FONT = """<style>
      @font-face { font-family: "Roboto Mono"; src: url("/static/fonts/RobotoMono-VariableFont_wght.ttf"); }
    </style>"""
#: Gives the terminal the keys as soon as it is there.
_FOCUS = """<script>
      const waiting = setInterval(() => {
        const keys = document.querySelector(".xterm-helper-textarea");
        if (keys) { keys.focus(); }
        if (keys && document.body.classList.contains("-first-byte")) { clearInterval(waiting); }
      }, 50);
      window.addEventListener("focus", () => document.querySelector(".xterm-helper-textarea")?.focus());
    </script>"""
_UNAUTHORIZED = "Open the page with the address that mqx tui --serve has printed: it holds the token."


@dataclass(frozen=True, slots=True)
class ListenAddress:
    """Address that a server listens on."""

    host: str
    port: int

    @property
    def url(self) -> str:
        return f"http://[{self.host}]:{self.port}" if ":" in self.host else f"http://{self.host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Whether only programs on this machine can reach it."""
        return self.host in ("localhost", "::1") or self.host.startswith("127.")


def parse_address(text: str) -> ListenAddress:
    """Parse HOST:PORT, or a port of the loopback address. Raises ValueError."""
    host, colon, port = text.rpartition(":")
    if not port.isascii() or not port.isdigit() or not 0 < int(port) < 65_536 or (colon and not host):
        raise ValueError(f"{text!r} is not HOST:PORT, such as {DEFAULT_ADDRESS}")
    return ListenAddress(host.strip("[]") or "127.0.0.1", int(port))


class TokenServer(Server):  # type: ignore[misc,unused-ignore]
    """Server of a command that answers only those who know the token.

    announce: takes the URL with the token once the server listens.
    """

    def __init__(
        self, command: Sequence[str], address: ListenAddress, title: str, announce: Callable[[str], None]
    ) -> None:
        super().__init__(shlex.join(command), host=address.host, port=address.port, title=title, public_url=address.url)
        self._address, self._announced = address, announce
        self._token = secrets.token_urlsafe(24)

    def initialize_logging(self) -> None:
        """Log nothing: an address in a log would hold the token."""

    async def on_startup(self, _: Any) -> None:
        """Announce the address as soon as it is listened on. Raise MQError for one that is taken."""
        address = self._address
        bind(address.host, address.port).close()
        self._announcing = asyncio.create_task(self._announce())

    async def _announce(self) -> None:
        await _wait_for_listener(self._address)
        self._announced(f"{self._address.url}/?token={self._token}")

    async def _make_app(self) -> Any:
        app = await super()._make_app()
        app.middlewares.append(check_token(self._token, self._address, self.title))
        return app


async def _wait_for_listener(address: ListenAddress) -> None:
    """Wait until an address is listened on: the server has no call for that."""
    while True:
        try:
            _, writer = await asyncio.open_connection(address.host, address.port)
        except OSError:
            await asyncio.sleep(_LISTENING_S)
        else:
            writer.close()
            return


def check_token(token: str, address: ListenAddress, title: str) -> Any:
    """Return the middleware that refuses requests without the token: in the first one's URL, then in a cookie.

    title: of the page.
    """

    async def check(request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        given = request.query.get("token") or request.cookies.get(_TOKEN, "")
        if not is_allowed(given, request.headers.get("Origin"), token, address):
            return web.Response(status=401, text=_UNAUTHORIZED)
        response = await handler(request)
        if request.path == "/":
            response.set_cookie(_TOKEN, token, httponly=True, samesite="Strict")
            response.text = complete_page(response.text, title)
            response.headers["Content-Security-Policy"] = _POLICY
        return response

    return web.middleware(check)


def complete_page(page: str, title: str) -> str:
    """Return the page with a title and keys at once, and without what it loads from other hosts."""
    own = _FOREIGN_LINK.sub("", page)
    return own.replace("<head>", f"<head>\n    <title>{escape(title)}</title>\n    {_FONT}", 1).replace(
        "</body>", f"{_FOCUS}\n  </body>", 1
    )


def is_allowed(given: str, origin: str | None, token: str, address: ListenAddress) -> bool:
    """Return whether a request may be answered. origin: page that made it, None where the web browser names none."""
    return hmac.compare_digest(given.encode(), token.encode()) and origin in (None, address.url)
