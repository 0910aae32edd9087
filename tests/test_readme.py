"""Examples of the README: each works as it is printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from .documents import check_sessions, read_blocks

README = Path(__file__).parent.parent / "README.md"


@pytest.mark.slow
def test_the_commands_run_and_show_what_the_readme_shows(tmp_path: Path) -> None:
    check_sessions(README, tmp_path)


def test_the_readme_opens_with_the_two_commands() -> None:
    (first,) = (block.text for block in read_blocks(README) if block.language == "sh")
    commands = [line.split("#")[0].strip() for line in first.splitlines()]
    assert commands == ["make demo", "make test"]
    targets = (README.parent / "Makefile").read_text(encoding="utf-8")
    assert all(f"\n{command.removeprefix('make ')}: " in targets for command in commands)


def test_every_block_is_run_or_a_file_that_a_command_reads() -> None:
    blocks = read_blocks(README)
    assert README.read_text(encoding="utf-8").count("```") == 2 * len(blocks)
    assert {block.language for block in blocks if block.title is None} == {"sh", "console"}
