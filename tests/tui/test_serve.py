"""The browser in a web browser: the address that is listened on, who is answered, and what the command refuses."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mqtools.tui.serve import DEFAULT_ADDRESS, ListenAddress, complete_page, is_allowed, parse_address

HERE = ListenAddress("127.0.0.1", 8000)


@pytest.mark.parametrize(
    ("text", "host", "port", "is_loopback"),
    [
        (DEFAULT_ADDRESS, "127.0.0.1", 8000, True),
        ("9000", "127.0.0.1", 9000, True),
        ("localhost:80", "localhost", 80, True),
        ("[::1]:8000", "::1", 8000, True),
        ("0.0.0.0:8000", "0.0.0.0", 8000, False),
    ],
)
def test_an_address_is_a_host_and_a_port_and_loopback_without_a_host(text, host, port, is_loopback):
    address = parse_address(text)
    assert (address.host, address.port, address.is_loopback) == (host, port, is_loopback)


@pytest.mark.parametrize("text", ["", "ORDERS", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:65536", ":8000", "host:x"])
def test_what_is_no_address_is_refused_by_name(text):
    with pytest.raises(ValueError, match="is not HOST:PORT"):
        parse_address(text)


@pytest.mark.parametrize(
    ("given", "origin", "allowed"),
    [
        ("secret", None, True),
        ("secret", "http://127.0.0.1:8000", True),
        ("secret", "http://elsewhere.example", False),
        ("", None, False),
        ("secre", None, False),
        ("sécret", None, False),
    ],
)
def test_only_who_knows_the_token_is_answered_and_no_page_from_elsewhere(given, origin, allowed):
    assert is_allowed(given, origin, "secret", HERE) is allowed


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--read-write",), "--read-write needs --serve"),
        (("--serve", "--read-only", "--read-write"), "cannot be combined with --read-only"),
        (("--serve", "ORDERS"), "'ORDERS' is not HOST:PORT"),
    ],
)
def test_what_cannot_be_combined_is_refused(qm, words, said):
    mqx = Path(sys.executable).with_name("mqx")
    done = subprocess.run([mqx, "tui", *words, "-m", qm.path], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


@pytest.mark.slow
def test_a_page_starts_a_browser_that_only_reads_and_without_its_package_the_package_is_named(qm, tmp_path):
    """A stand-in for textual-serve says what it would serve."""
    package = tmp_path / "stand_in" / "textual_serve"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    mqx = Path(sys.executable).with_name("mqx")

    def serve(*words: str, server: str) -> subprocess.CompletedProcess[str]:
        (package / "server.py").write_text(server)
        line = [mqx, "tui", "Q", "--serve", "-m", qm.path, *words]
        environment = {**os.environ, "PYTHONPATH": str(package.parent)}
        return subprocess.run(line, capture_output=True, text=True, check=False, env=environment)

    said = """
class Server:
    def __init__(self, command, host, port, title, public_url):
        self.words = [host, str(port), *command.split()[-6:]]
    def serve(self):
        print(*self.words)
"""
    assert serve(server=said).stdout.split()[:2] == ["127.0.0.1", "8000"]
    assert serve(server=said).stdout.endswith(f"tui Q -m {qm.path} --read-only\n")
    assert serve("--read-write", server=said).stdout.endswith(f"tui Q -m {qm.path}\n")
    assert "can be reached by others" in serve("--serve", "0.0.0.0:8000", server=said).stderr
    missing = serve(server="raise ImportError")
    assert missing.returncode == 2
    assert "textual-serve" in missing.stderr


def test_a_page_has_a_title_keys_at_once_and_nothing_from_other_hosts():
    server = pytest.importorskip("textual_serve.server")
    page = (Path(server.__file__).parent / "templates/app_index.html").read_text()
    assert "https://" in page
    shown = complete_page(page, "mqx <QM1>")
    assert "https://" not in shown.replace("https://www.w3.org", "")
    assert "<title>mqx &lt;QM1&gt;</title>" in shown
    assert "keys.focus()" in shown
