"""Terminals with few colours, with none, and with few characters; themes."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

import mqtools.tui
from mqtools.tui import ascii_forms, themes

from .terminal import PseudoTerminal, Terminal

SOURCES = sorted(Path(mqtools.tui.__file__).parent.rglob("*.py"))


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_without_utf_8_the_browser_is_drawn_in_characters_that_there_are(qm, encoding):
    qm.put("grün 漢字")
    with closing(Terminal(qm.path, "Q", env={"PYTHONIOENCODING": encoding})) as terminal:
        terminal.until(r"Q . 1 of 1[\s\S]*gr.n [?]{4}[\s\S]*\+--")
        assert terminal.text.isascii() or encoding == "latin-1"


def test_keys_typed_while_an_editor_runs_are_not_for_the_browser(qm, tmp_path):
    qm.put("kept")
    editor, end = tmp_path / "editor", tmp_path / "end"
    editor.write_text(f"#!/bin/sh\necho it runs\nuntil [ -e {end} ]; do sleep 0.05; done\n")
    editor.chmod(0o700)
    with closing(Terminal(qm.path, "Q", env={"EDITOR": str(editor)})) as terminal:
        terminal.until("1 of 1")
        terminal.press("e")
        terminal.until("it runs")
        terminal.type("dydy")
        terminal.until("dydy")  # the terminal has them, and shows them
        end.touch()
        terminal.until("not edited: nothing was changed")
        terminal.press("j")
        terminal.until("1 of 1", gone="Delete")
        assert qm.data() == [b"kept"]


def test_every_character_that_is_drawn_has_an_ascii_form(monkeypatch):
    monkeypatch.setenv(ascii_forms.VARIABLE, "1")
    translate = ascii_forms.translation("utf-8")
    drawn = {
        char
        for source in SOURCES
        for node in ast.walk(ast.parse(source.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for char in node.value
        if not char.isascii() and char not in "\ufeff"
    }
    assert [char for char in drawn if translate(char) == "?"] == []
    assert all(len(translate(char)) == 1 for char in drawn)
    assert translate("DEV.…UE.1") == "DEV.~UE.1", "not as a name is written"


@pytest.mark.parametrize(
    ("environment", "number"),
    [
        ({"NO_COLOR": "1", "TERM": "xterm-256color"}, 0),
        ({"TERM": "dumb"}, 0),
        ({"TERM": "linux"}, 8),
        ({"TERM": "xterm-16color"}, 16),
        ({"TERM": "xterm-256color"}, None),
        ({"TERM": "linux", "COLORTERM": "truecolor"}, None),
    ],
)
def test_the_number_of_colours_is_that_of_the_terminal(monkeypatch, environment, number):
    for name in ("NO_COLOR", "COLORTERM", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert themes.few_colours() == number


async def test_a_theme_is_found_by_its_name_and_shown_while_it_is_chosen(qm, browse, tmp_path):
    async with browse() as screen:
        assert screen.app.theme == "mqx-dark"
        await screen.press("t", "down")
        await screen.until(lambda: screen.app.theme == "mqx-light")
        await screen.press("escape")
        await screen.until(lambda: screen.app.theme == "mqx-dark")
        await screen.press("t", "down", "enter")
        await screen.until(lambda: "mqx-light" in (tmp_path / "state/mqx/tui.json").read_text())
        await screen.press("t")
        await screen.enter("nord")
        await screen.until(lambda: screen.app.theme == "nord")


def test_without_a_queue_manager_one_can_be_created_and_of_several_one_is_chosen(tmp_path):
    home = {name: str(tmp_path) for name in ("MQX_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")}
    mqx = str(Path(sys.executable).with_name("mqx"))

    with closing(PseudoTerminal(mqx, "tui", env=home)) as terminal:
        terminal.until("There is no queue manager yet")
        terminal.press("enter")
        terminal.until("Name of the new queue manager")
        terminal.press("enter")
        terminal.until("QM1 ● LIVE[\\s\\S]*DEV.QUEUE.1")
    subprocess.run([mqx, "-q", "qmgr", "create", "QM2"], env={**os.environ, **home}, check=True)
    with closing(PseudoTerminal(mqx, "tui", env=home)) as terminal:
        terminal.until("Which queue manager[\\s\\S]*QM1[\\s\\S]*QM2[\\s\\S]*create a queue manager")
        terminal.type("2")
        terminal.until(gone="create a queue manager")
        terminal.press("enter")
        terminal.until("QM2 ● LIVE")
