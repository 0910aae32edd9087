"""What the README shows works as it stands there."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqtools.admin import queue_managers

from .documents import read_blocks

README = Path(__file__).parent.parent / "README.md"


def test_the_python_examples_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from mqtools.mqi.connection import connect
    from mqtools.mqi.definitions import define_queue

    monkeypatch.setenv("MQX_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    queue_managers.create("QM1")
    with connect("QM1") as connection, connection.work() as work:
        define_queue(work, "QLOCAL", "ORDERS", {})
        define_queue(work, "QLOCAL", "PAID", {})
    mqi, lifecycle = (block.text for block in read_blocks(README) if block.language == "python")
    exec(compile(mqi, "README.md", "exec"), {})
    assert capsys.readouterr().out.startswith("b'pay 100' 414d51")
    exec(compile(lifecycle, "README.md", "exec"), {})
    assert capsys.readouterr().out == "b'pay 200'\n"


def test_the_readme_opens_with_the_two_commands() -> None:
    first = next(block.text for block in read_blocks(README) if block.language == "sh")
    assert [line.split("#")[0].strip() for line in first.splitlines()[:2]] == ["make demo", "make test"]
