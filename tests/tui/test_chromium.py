"""``mqx tui --serve`` as somebody sees it who opens the page in a web browser."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from . import chromium

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(chromium.PROGRAM is None, reason="Chromium is not installed here"),
]
pytest.importorskip("textual_serve", reason="textual-serve is not installed here: pip install 'mqtools[serve]'")


@contextmanager
def served(path: str, *words: str) -> Iterator[tuple[str, int]]:
    """Serve a browser on a free port; yield the address with the token, and the port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    mqx = str(Path(sys.executable).with_name("mqx"))
    line = [mqx, "tui", "Q", "--serve", str(port), "-m", path, *words]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, text=True, env=dict(os.environ))
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip(), port
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(chromium.PATIENCE_S) == 0


def listeners(port: int) -> set[str]:
    """Return the addresses on which a port is listened on, as the kernel writes them."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    lines += [line.split() for line in Path("/proc/net/tcp6").read_text().splitlines()[1:]]
    places = [fields[1].split(":") for fields in lines if fields[3] == "0A"]
    return {address for address, number in places if int(number, 16) == port}


def test_the_page_shows_the_queue_takes_keys_and_only_reads(qm, tmp_path):
    for body in ("one", "two", "three"):
        qm.put(body)

    async def story() -> None:
        with served(qm.path) as (url, port):
            assert listeners(port) == {"0100007F"}
            async with chromium.Chromium(tmp_path / "profile") as page:
                assert await page.open(f"http://127.0.0.1:{port}/") == 401
                assert await page.open(f"{url}x") == 401
                assert await page.open(url) == 200
                await page.until_shown("● LIVE +read-only")
                await page.until_shown("Q · 1 of 3")
                await page.press("j")
                await page.until_shown("Q · 2 of 3")
                await page.press("enter", "2")
                await page.until_shown("‹2 hex›")
                await page.press("d")
                await page.until_shown("cannot delete: this")

    asyncio.run(story())
    assert qm.data() == [b"one", b"two", b"three"]


def test_an_address_that_is_taken_is_refused_and_not_announced(qm):
    with served(qm.path) as (url, port):
        assert url.startswith(f"http://127.0.0.1:{port}/?token=")
        mqx = str(Path(sys.executable).with_name("mqx"))
        line = [mqx, "tui", "--serve", str(port), "-m", qm.path]
        done = subprocess.run(line, capture_output=True, text=True, timeout=chromium.PATIENCE_S, check=False)
        assert (done.returncode, done.stdout) == (2, "")
        assert "address already in use" in done.stderr.lower()


def test_a_page_that_may_change_something_does_so_when_it_is_asked_for(qm, tmp_path):
    for body in ("one", "two"):
        qm.put(body)

    async def story() -> None:
        with served(qm.path, "--read-write") as (url, _):
            async with chromium.Chromium(tmp_path / "profile") as page:
                assert await page.open(url) == 200
                await page.until_shown("Q · 1 of 2")
                await page.press("d")
                await page.until_shown(r"Delete 1 message from Q\?")
                await page.press("y")
                await page.until_shown("deleted 1 message")

    asyncio.run(story())
    assert qm.data() == [b"two"]
