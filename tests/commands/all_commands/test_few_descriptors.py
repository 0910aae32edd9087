"""Commands with few file descriptors: an error in words and its status, or the work is done; never a traceback."""

from __future__ import annotations

import subprocess

import pytest

Q = "DEV.QUEUE.1"
STORAGE, NOTHING_LEFT = 10, 3
WORDS = "too few file descriptors are left"

LINES = {
    "put": ("put", Q, "x"),
    "get": ("get", Q),
    "browse": ("browse", Q),
    "qdepth": ("qdepth",),
    "mqsc": ("mqsc", "DISPLAY QLOCAL(*)"),
    "move": ("move", Q, "DEV.QUEUE.2"),
    "backup": ("qmgr", "backup", "copy.db", "--force"),
    "sql": ("sql", "select count(*) from messages"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LINES)
def test_few_descriptors_are_named_and_lose_nothing(
    name: str, qm: str, mqx_path: str, environment: dict[str, str], bodies, mqx, tmp_path
) -> None:
    """Python itself needs five to start; from some number on each command is done."""
    mqx("mqsc", f"ALTER QLOCAL({Q}) DEFPSIST(NO)", check=True)  # a flush that fails is reported after the commit
    mqx("put", Q, "kept", check=True)
    statuses = []
    for number in range(6, 21):
        line = " ".join(f"'{word}'" for word in (mqx_path, *LINES[name]))
        done = subprocess.run(
            ["sh", "-c", f"ulimit -n {number}; {line}"],
            env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert "Traceback" not in done.stderr, (number, done.stderr)
        assert done.returncode in (0, STORAGE, NOTHING_LEFT), (number, done)
        assert done.returncode != STORAGE or WORDS in done.stderr, (number, done.stderr)
        statuses.append(done.returncode)
        if done.returncode != STORAGE:
            break
    assert statuses[0] == STORAGE
    assert statuses[-1] == 0 or name == "move"  # the one before may have failed after its commit
    left = [*bodies(Q), *bodies("DEV.QUEUE.2")]
    assert left == {"put": [b"kept", b"x"], "get": []}.get(name, [b"kept"])
