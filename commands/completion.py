"""``mqx completion``: the script that lets a shell complete commands, queues, queue managers and ids."""

from __future__ import annotations

import os
from pathlib import Path

import click

from .shared import click_options, command_session
from .shared.command_session import Session


def _data_home() -> Path:
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")


def _config_home() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")


#: Shell to where it looks for the script by itself.
_PLACES = {
    "bash": lambda: _data_home() / "bash-completion" / "completions" / "mqx",
    "zsh": lambda: _data_home() / "zsh" / "site-functions" / "_mqx",
    "fish": lambda: _config_home() / "fish" / "completions" / "mqx.fish",
}


@click.command("completion")
@click.argument("shell", type=click.Choice(sorted(_PLACES)))
@click.option("--install", is_flag=True, help="Write it where the shell looks for it.")
@click_options.general
def command(session: Session, shell: str, install: bool) -> int:
    """Print the script that completes mqx's words in SHELL: bash, zsh or fish.

    \b
    source <(mqx completion bash)
    mqx completion bash --install
    mqx completion fish --install

    Commands, options, queues, queue managers, channels, message ids, reasons and files are completed. Nothing is
    created by it, and a queue manager is only read. zsh reads the file that --install writes when its folder is in
    fpath.
    """
    from click.shell_completion import get_completion_class

    from ._cli import mqx
    from ._completion import VARIABLE

    kind = get_completion_class(shell)
    assert kind is not None
    # Not source() of the bash class, which starts a bash to ask for its version.
    script = kind.source_template % kind(mqx, {}, "mqx", VARIABLE).source_vars()
    if not install:
        command_session.write_out(script.encode("utf-8"))
        return 0
    place = _PLACES[shell]()
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(script, encoding="utf-8")
    session.note(f"written: {place}")
    return 0
