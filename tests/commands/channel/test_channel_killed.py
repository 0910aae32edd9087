"""A channel whose ends are killed again and again delivers each persistent message once."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import NAME

Run = Callable[..., Any]
MESSAGES = 400
KILLS = 14


@pytest.fixture
def pair(mqx: Run, define_pair: Callable[[str], None]) -> None:
    """QM1 and QM2, with small batches between them and all messages on the transmission queue."""
    define_pair("BATCHSZ(3) SHORTTMR(0)")
    lines = "".join(f"{number}\n" for number in range(MESSAGES)).encode()
    mqx("put", "ORDERS", "--lines", "--persistent", "-m", "QM1", stdin=lines, check=True)


def received(mqx: Run) -> list[int]:
    done = mqx("get", "ORDERS", "--all", "-m", "QM2")
    return [int(line) for line in done.out.split()]


def kill(pid_file: Path) -> bool:
    """Kill the process that has written its number down, if it is still there."""
    try:
        os.kill(int(pid_file.read_text()), signal.SIGKILL)
    except (OSError, ValueError):
        return False
    return True


@pytest.mark.timeout(400)
@pytest.mark.parametrize("seed", [1, 2])
def test_ends_killed_at_random_lose_and_double_nothing(
    mqx: Run, pair: None, start: Run, mqx_path: str, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    pid_file = tmp_path / "receiver.pid"
    to = f"echo $$ > {pid_file}; exec {mqx_path} channel receive QM2"
    numbers: list[int] = []
    for _ in range(KILLS):
        pid_file.unlink(missing_ok=True)
        sender = start("channel", "start", NAME, "-m", "QM1", "--to", to, "-q")
        time.sleep(0.35 + chance.random() * 0.5)
        if chance.random() < 0.5:
            sender.kill()
        else:
            kill(pid_file)
            time.sleep(chance.random() * 0.3)
            sender.kill()
        sender.wait(30)
        numbers += received(mqx)
    done = mqx("channel", "start", NAME, "--drain", "-m", "QM1", "--to", to, timeout=120)
    assert done.status == 0, done.err
    numbers += received(mqx)
    assert sorted(numbers) == list(range(MESSAGES))
    assert mqx("qdepth", "QM2", "--count", "-m", "QM1").out.strip() == b"0"
    counts = [
        mqx("channel", "status", NAME, "-o", "csv", "-m", name).out.split(b"\n")[1].split(b",")[6:9]
        for name in ("QM1", "QM2")
    ]
    assert counts[0] == counts[1]
    assert counts[0][0] == counts[0][2] == str(MESSAGES).encode()


@pytest.mark.skipif(
    not os.path.exists("/usr/sbin/sshd"),
    reason="an OpenSSH server is not installed here: apt-get install openssh-server",
)
def test_a_channel_over_ssh(mqx: Run, pair: None, mqx_path: str, tmp_path: Path, environment: dict[str, str]) -> None:
    """A server of our own for one connection, which is its standard input and output, with keys of its own."""
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / name], check=True)
    (tmp_path / "authorized").write_bytes((tmp_path / "user.pub").read_bytes())
    (tmp_path / "authorized").chmod(0o600)
    config = tmp_path / "sshd_config"
    config.write_text(
        f"HostKey {tmp_path}/host\nAuthorizedKeysFile {tmp_path}/authorized\n"
        f"PidFile none\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"
    )
    if os.geteuid() == 0:  # what starts the service makes it otherwise
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    home = environment["MQX_HOME"]
    ssh = (
        f"ssh -q -o 'ProxyCommand=/usr/sbin/sshd -i -f {config}' -i {tmp_path}/user -o StrictHostKeyChecking=no"
        f" -o UserKnownHostsFile=/dev/null here MQX_HOME={home} {mqx_path} channel receive QM2"
    )
    done = mqx("channel", "start", NAME, "--drain", "-m", "QM1", "--to", f"exec:{ssh}")
    assert done.status == 0, done.err
    assert received(mqx) == list(range(MESSAGES))
