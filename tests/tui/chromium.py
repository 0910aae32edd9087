"""A page in headless Chromium, and the terminal that it shows, driven by the debugging protocol over aiohttp."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pyte

PATIENCE_S = 60
PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
_FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync --disable-dev-shm-usage --remote-debugging-port=0"
)
#: Keys by name: what a web browser calls them, and the code that it sends.
_NAMED = {"enter": ("Enter", 13, "\r"), "escape": ("Escape", 27, "")}


class Chromium:
    """A web browser with one page. The terminal of the page is made of what its socket has sent and received."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        assert PROGRAM is not None
        line = [PROGRAM, *_FLAGS.split(), f"--user-data-dir={folder}", "about:blank"]
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(line, stdout=quiet, stderr=quiet, env={**os.environ, "HOME": str(folder)})
        self._number = 0
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._terminal = pyte.Screen(80, 24)
        self._stream = pyte.ByteStream(self._terminal)
        self._status: dict[str, int] = {}

    async def __aenter__(self) -> Chromium:
        from aiohttp import ClientSession

        self._session = ClientSession()
        port_file = self._folder / "DevToolsActivePort"
        await self._until(lambda: port_file.exists() and port_file.read_text().count("\n"))
        port = port_file.read_text().split()[0]
        async with self._session.get(f"http://127.0.0.1:{port}/json") as response:
            (page, *_) = [one for one in await response.json() if one["type"] == "page"]
        self._socket = await self._session.ws_connect(page["webSocketDebuggerUrl"], max_msg_size=0)
        self._listener = asyncio.create_task(self._listen())
        await self._call("Network.enable")
        await self._call("Page.enable")
        await self._call("Emulation.setFocusEmulationEnabled", enabled=True)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._listener.cancel()
        await self._socket.close()
        await self._session.close()
        self._process.terminate()
        self._process.wait()

    async def open(self, url: str) -> int:
        """Open a page; return the status of the answer."""
        await self._call("Page.navigate", url=url)
        await self._until(lambda: url in self._status)
        return self._status[url]

    async def press(self, *keys: str) -> None:
        """Press keys in the terminal: characters, or names."""
        await self._call("Runtime.evaluate", expression="document.querySelector('textarea').focus()")
        for key in keys:
            name, code, text = _NAMED.get(key, (key, ord(key[0].upper()), key))
            about = {"key": name, "windowsVirtualKeyCode": code}
            await self._call("Input.dispatchKeyEvent", type="keyDown", **about, **({"text": text} if text else {}))
            await self._call("Input.dispatchKeyEvent", type="keyUp", **about)

    @property
    def text(self) -> str:
        """What the terminal shows."""
        return "\n".join(line.rstrip() for line in self._terminal.display)

    async def until_shown(self, pattern: str) -> None:
        """Wait until a pattern is shown."""
        await self._until(lambda: re.search(pattern, self.text))

    async def _until(self, claim: Any) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not claim():
            assert time.monotonic() < deadline, f"it never happened; the page:\n{self.text}"
            await asyncio.sleep(0.02)

    async def _call(self, method: str, **given: Any) -> Any:
        self._number += 1
        answer = self._answers[self._number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": self._number, "method": method, "params": given})
        return await asyncio.wait_for(answer, PATIENCE_S)

    async def _listen(self) -> None:
        async for message in self._socket:
            said = json.loads(message.data)
            if "id" in said:
                self._answers.pop(said["id"]).set_result(said.get("result"))
            elif said["method"] == "Network.responseReceived":
                response = said["params"]["response"]
                self._status[response["url"]] = response["status"]
            elif said["method"] == "Network.webSocketFrameReceived":
                frame = said["params"]["response"]
                if frame["opcode"] == 2:
                    self._stream.feed(base64.b64decode(frame["payloadData"]))
            elif said["method"] == "Network.webSocketFrameSent":
                kind, *sizes = json.loads(said["params"]["response"]["payloadData"])
                if kind == "resize":
                    self._terminal.resize(sizes[0]["height"], sizes[0]["width"])
