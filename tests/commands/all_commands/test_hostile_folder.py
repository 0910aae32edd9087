"""A hostile working directory: no module is loaded from it."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.slow
def test_a_command_that_another_one_starts_loads_nothing_from_the_working_directory(mqx, qm, tmp_path):
    unit = mqx("service", "install", "--print", "dlq", "dlq-handle", check=True).out.decode()
    (line,) = (line for line in unit.splitlines() if line.startswith("ExecStart="))
    again = shlex.split(line.removeprefix("ExecStart="))[:-1]
    (tmp_path / "mqtools").mkdir()
    for name in ("mqtools/__init__.py", "json.py", "click.py"):
        (tmp_path / name).write_text("print('loaded')")
    done = subprocess.run([*again, "--version"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("mqx, version ")


def test_commands_start_others_by_one_command_line():
    assert [path.name for path in (ROOT / "commands").rglob("*.py") if "sys.executable" in path.read_text()] == [
        "program.py"
    ]
