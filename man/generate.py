"""Generate the manual pages from the commands: ``man/mqx.1`` and one page per subcommand.

The text of a page is the help of its command; the sections that all pages share are in the tables below. The
pages are the same on every machine: they have the version, not the date. ``man/mqx-states.7`` shows the states
of a message, from the table of their transitions.
"""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.metadata import entry_points, version
from pathlib import Path
from typing import NamedTuple

import click
import dmpmqmsg
import state_diagram
import topics

from mqtools.rules.exit_status import MEANINGS

HERE = Path(__file__).resolve().parent

#: Exit status and its meaning, unless the page of the command says otherwise.
EXIT_STATUS = (
    *((str(number), meaning) for number, meaning in MEANINGS.items() if number < 100),
    ("130, 141, 143", "interrupted; closed pipe; terminated"),
)

#: Environment variables and their meanings.
ENVIRONMENT = (
    ("MQX_HOME", "Folder of the queue managers. Default: $XDG_DATA_HOME/mqx, or ~/.local/share/mqx."),
    ("MQX_QMGR", "Queue manager when -m is not given: a name, or a path with / or .db."),
    ("MQX_PASSWORD", "Password of the user of a remote; programs that mqx starts do not get it."),
    ("MQSERVER, MQCCDTURL, MQCHLLIB, MQCHLTAB", "Queue manager of -m mq: and of no other."),
    ("MQX_READ_ONLY", "1 refuses every change, like --read-only, also in the programs that mqx starts."),
    ("MQX_YES_PROTECTED", "1 allows changes of protected queue managers, like --yes-protected."),
    ("MQX_LOCK_TIMEOUT", "How long a command waits while another program writes: 30s; then it ends with status 10."),
    ("MQX_DISK_FREE_LIMIT", "Free disk space below which mqx warns: 64MiB; 0: no warning."),
    ("MQX_TRASH_MAX_AGE, MQX_TRASH_MAX_SIZE", "Maximum age and size of the trash: 7d, 256MiB; 0: no trash."),
    ("MQX_TLS_CERTIFICATE, MQX_TLS_KEY, MQX_TLS_TRUST", "PEM files for channels with SSLCIPH."),
    ("MQX_TUI_NOTIFY", "How mqx tui announces new dead letters: off, bell or osc9."),
    ("MQX_TLS_VERIFY", "no: accept every certificate of a queue manager elsewhere."),
    ("MQX_EXIT_FOLDERS", "Folders, separated by colons, below which files of reference messages may be written."),
    ("MQX_ALLOW_UIDS", "Users that may call mqx channel listen --unix, besides the one that runs it."),
    ("MQX_MAX_CHANNELS", "Callers that a listener serves at a time: 100."),
    ("MQX_LOCK_LEASE", "Lease of mqx lock without --lease: 1h, or never."),
    ("MQX_PLAIN_LISTENERS", "yes: LISTENER objects serve message channels without TLS, too."),
    ("MQ_APP_PASSWORD, MQ_ADMIN_PASSWORD", "Passwords of the users app and admin for mqx serve --dev."),
    ("VISUAL, EDITOR", "Editor of mqx edit. Default: vi."),
    (
        "XDG_CONFIG_HOME, XDG_STATE_HOME",
        "Folders of the configuration (default: ~/.config) and of the settings saved by mqx tui.",
    ),
    ("XDG_CACHE_HOME", "Folder of the class archive of mqx pipeline prepare. Default: ~/.cache."),
    ("JAVA_HOME, SPARK_HOME", "Java of mqx pipeline, and a Spark to use instead of the installed one."),
    ("NO_COLOR, FORCE_COLOR", "No colour, or colour also without a terminal; --color overrides both."),
)

#: Files and their contents.
FILES = (
    ("$MQX_HOME/NAME.db", "The queue manager NAME: one SQLite file."),
    ("$MQX_HOME/NAME.db-wal, NAME.db-shm", "Log of changes that are not in NAME.db yet, and its index."),
    (
        "$MQX_HOME/NAME.db-reserve",
        "Disk space kept to get and delete messages when the disk is full, up to 8 MiB; not needed in a backup.",
    ),
    ("$MQX_HOME/NAME.db-unflushed", "A flush to disk has failed: nothing is acknowledged until one succeeds."),
    ("$MQX_HOME/NAME.db-wal.foreign-N", "A log of another file or time, found next to NAME.db and not used."),
    ("$MQX_HOME/NAME.db.vN.bak", "The file as it was before a newer mqx migrated it."),
    ("$MQX_HOME/NAME.db-run", "Pipes of the running programs of NAME; not needed in a backup."),
    ("$MQX_HOME/NAME.db-tls", "Development certificate of mqx serve --tls dev, and truststore for Java."),
    ("$XDG_CONFIG_HOME/mqx/config.toml", "The configuration: see mqx-config(5)."),
    ("$MQX_HOME/remotes.toml", "Queue managers elsewhere: see mqx-remote(1)."),
    ("$MQX_HOME/remote-changes.jsonl", "Changes on queue managers elsewhere, a line for each unit of work."),
    ("$MQX_HOME/config.toml", "The default queue manager of $MQX_HOME, which mqx qmgr use sets."),
    ("$XDG_CONFIG_HOME/mqx/config.toml.bak", "The configuration before mqx config set removed its comments."),
    ("$XDG_STATE_HOME/mqx/", "Settings of mqx tui, and the history of mqx shell."),
    ("$XDG_CACHE_HOME/mqx/", "Class archives of mqx pipeline prepare."),
)

#: Commands that change the state of a message; their pages refer to the page of the states.
LIFECYCLE = ("put", "get", "lock", "unlock", "confirm", "undo", "delete")

#: Command to the other pages that its page refers to.
RELATED = {
    **dict.fromkeys(LIFECYCLE, ("mqx-states.7",)),
    "unload": ("mqx-load", "mqx-copy", "mqx-move"),
    "load": ("mqx-unload",),
}

#: Longest line of a page in bytes, with its escapes; more is against the style of `mandoc -T lint`.
_WIDTH = 80
#: Date in the title of the pages: that of the version's first day, so that they are the same on every machine.
_DATE = "2026-11-25"


class Help(NamedTuple):
    """Parts of a help text: prose before the examples, examples, prose after them, exit statuses."""

    before: list[str]
    examples: list[str]
    after: list[str]
    status: list[str]


def load_group() -> tuple[click.Group, dict[str, tuple[str, str]]]:
    """Return the command group of the installed script, and its table of subcommands with their summaries."""
    (script,) = entry_points(group="console_scripts", name="mqx")
    package = script.load().__module__
    group: click.Group = import_module(f"{package}._cli").mqx
    table: dict[str, tuple[str, str]] = import_module(f"{package}._subcommands").SUBCOMMANDS
    return group, table


def pages() -> Iterator[tuple[str, str]]:
    """Yield the file name and text of each page."""
    for name, lines in _pages():
        yield name, "\n".join(_without_empty_paragraphs(lines)) + "\n"


def _pages() -> Iterator[tuple[str, Iterable[str]]]:
    group, table = load_group()
    summaries = {name: summary for name, (_, summary) in table.items()}
    yield "mqx.1", _main_page(group, summaries)
    context = click.Context(group, info_name="mqx", **group.context_settings)
    for name, summary in summaries.items():
        command = group.get_command(context, name)
        assert command is not None, name
        yield f"mqx-{name}.1", _command_page(group, command, click.Context(command, context, info_name=name), summary)
    yield "mqx-states.7", _states_page()
    for name, (section, summary) in topics.PAGES.items():
        yield f"{name}.{section}", _topic_page(name, section, summary)


def _without_empty_paragraphs(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a page without a paragraph break directly after a heading, which begins a paragraph."""
    before = ""
    for line in lines:
        if line != ".PP" or not before.startswith((".SH", ".SS")):
            yield line
        before = line


def _main_page(group: click.Group, summaries: dict[str, str]) -> Iterator[str]:
    context = click.Context(group, info_name="mqx", **group.context_settings)
    text = split_help(group.help or "")
    yield from _title("mqx", text.before[0].split(",")[0])
    yield from _synopsis(context)
    yield ".SH DESCRIPTION"
    yield from _paragraphs([*text.before, *text.after])
    yield from _examples(text)
    yield ".SH COMMANDS"
    yield from _list((f"mqx-{name}(1)", summary) for name, summary in summaries.items())
    yield ".SH OPTIONS"
    yield "These options work before and after the subcommand."
    yield from _options(context, group.get_params(context))
    yield from _common(text)
    yield ".SH SEE ALSO"
    yield from _see_also([*(f"mqx-{name}" for name in summaries), "mqx-states.7", *_topics()])


def _command_page(group: click.Group, command: click.Command, context: click.Context, summary: str) -> Iterator[str]:
    text = split_help(command.help or "")
    general = {parameter.name for parameter in group.get_params(context)}
    yield from _title(context.command_path.replace(" ", "-"), summary.rstrip("."))
    yield from _synopsis(context)
    yield ".SH DESCRIPTION"
    yield from _paragraphs([*text.before, *text.after])
    yield from _examples(text)
    if isinstance(command, click.Group):
        yield ".SH COMMANDS"
        hidden = {
            parameter.name for parameter in command.params if isinstance(parameter, click.Option) and parameter.hidden
        }
        for name in command.list_commands(context):
            yield from _subcommand(command, name, context, general - hidden)
    own = [parameter for parameter in command.params if parameter.name not in general]
    if any(isinstance(parameter, click.Option) for parameter in own):
        yield ".SH OPTIONS"
        yield from _options(context, own)
    yield ".SH GENERAL OPTIONS"
    yield from _options(context, [parameter for parameter in command.get_params(context) if parameter.name in general])
    if context.info_name == "unload":
        yield ".SH OPTIONS OF DMPMQMSG"
        yield "Equivalents in mqx:"
        yield from _list(dmpmqmsg.OPTIONS)
    yield from _common(text)
    yield ".SH SEE ALSO"
    yield from _see_also(["mqx", *RELATED.get(context.info_name or "", ())])


def _states_page() -> Iterator[str]:
    yield from _title("mqx-states", "states of a message, and their transitions", section=7)
    yield ".SH DESCRIPTION"
    yield from _paragraphs(
        [
            "A stored message is in one of six states. The lifecycle commands reach them with confirm ids and lock "
            "ids, which outlive their process. The MQI reaches them with units of work and browse locks, which end "
            "with their process.",
        ]
    )
    yield from _list(
        (state_diagram.NAMES[state][0], f"{who} Through the MQI: {mqi}. It {state_diagram.counts(state)}.")
        for state, (who, mqi) in state_diagram.MEANINGS.items()
    )
    yield ".SH TRANSITIONS"
    yield from _paragraphs(["Conditions are in brackets; there are no other transitions."])
    yield from _block(list(state_diagram.graph()))
    yield ".SH EVENTS IN STATES"
    yield from _paragraphs(
        [
            "The next state by event and state. A point means that the event is rejected: for the caller the message "
            "is not there (status 3) or not held by that id (status 6), and nothing changes."
        ]
    )
    yield from _block(list(state_diagram.matrix()))
    yield from _paragraphs(
        [
            "A confirmed put arrives when it is confirmed, behind all messages on the queue. A get that is undone "
            "increments the backout count. Only an unlocked message expires. The end of a lease unlocks the messages "
            "of a lock, and undoes the gets of a confirm id.",
        ]
    )
    yield ".SH SEE ALSO"
    yield from _see_also(["mqx", *(f"mqx-{name}" for name in LIFECYCLE)])


def _topics() -> list[str]:
    """Return the pages on topics with their sections."""
    return [f"{name}.{section}" for name, (section, _) in topics.PAGES.items()]


def _topic_page(name: str, section: int, summary: str) -> Iterator[str]:
    yield from _title(name, summary, section)
    for heading, paragraphs, terms in topics.parts_of(name):
        yield f".SH {heading}"
        yield from _paragraphs(paragraphs)
        yield from _list(terms)
    yield ".SH SEE ALSO"
    yield from _see_also(["mqx", *(other for other in _topics() if other != f"{name}.{section}")])


def _subcommand(group: click.Group, name: str, parent: click.Context, general: set[str]) -> Iterator[str]:
    command = group.get_command(parent, name)
    assert command is not None, name
    context = click.Context(command, parent, info_name=name)
    text = split_help(command.help or "")
    yield f".SS {_escaped(' '.join([name, *command.collect_usage_pieces(context)[1:]]))}"
    yield from _paragraphs(text.before)
    yield from _block(text.examples)
    yield from _paragraphs([*text.after, *text.status])
    yield from _options(context, [parameter for parameter in command.params if parameter.name not in general])


def split_help(text: str) -> Help:
    """Split a help text into prose and examples, which begin with a backspace line.

    A paragraph that begins with "Exit status:" belongs to the section of exit statuses.
    """
    parts = Help([], [], [], [])
    for paragraph in text.expandtabs().split("\n\n"):
        lines = [line.strip() for line in paragraph.strip().splitlines()]
        if lines and lines[0] == "\b":
            parts.examples.extend(lines[1:])
        elif lines and " ".join(lines).startswith("Exit status:"):
            parts.status.append(" ".join(lines))
        elif lines:
            (parts.after if parts.examples else parts.before).append(" ".join(lines))
    return parts


def _title(name: str, summary: str, section: int = 1) -> Iterator[str]:
    number, source = version("mqtools"), "the help of the command" if section == 1 else "the tables of the code"
    yield f'.\\" Generated by man/generate.py from {source}; do not edit.'
    yield f'.TH {_escaped(name.upper())} {section} "{_DATE}" "mqx {number}" "mqx manual"'
    yield ".SH NAME"
    yield f"{_escaped(name)} \\- {_escaped(summary)}"


def _synopsis(context: click.Context) -> Iterator[str]:
    pieces = context.command.collect_usage_pieces(context)
    yield ".SH SYNOPSIS"
    yield f".B {_escaped(context.command_path)}"
    yield _escaped(" ".join(pieces))


def _examples(text: Help) -> Iterator[str]:
    if text.examples:
        yield ".SH EXAMPLES"
        yield from _block(text.examples)


def _block(lines: list[str]) -> Iterator[str]:
    """Yield preformatted lines in a fixed-width font."""
    if lines:
        yield ".PP"
        yield ".nf"
        yield ".ft CR"
        yield from (_continued(_line(_escaped(line))) for line in lines)
        yield ".ft R"
        yield ".fi"


def _paragraphs(paragraphs: list[str]) -> Iterator[str]:
    for paragraph in paragraphs:
        yield ".PP"
        yield from _prose(paragraph)


def _options(context: click.Context, parameters: Iterable[click.Parameter]) -> Iterator[str]:
    options = (parameter for parameter in parameters if isinstance(parameter, click.Option))
    records = (option.get_help_record(context) for option in options)
    yield from _list(record for record in records if record is not None)


def _list(entries: Iterable[tuple[str, str]]) -> Iterator[str]:
    for term, meaning in entries:
        yield ".TP"
        yield f".B {_escaped(term)}"
        yield from _prose(meaning)


def _common(text: Help) -> Iterator[str]:
    """Yield the sections that all pages share: exit status, environment, files."""
    yield ".SH EXIT STATUS"
    yield from _paragraphs([paragraph.removeprefix("Exit status:").strip() for paragraph in text.status])
    if text.status:
        yield from _paragraphs(["In general:"])
    yield from _list(EXIT_STATUS)
    yield ".SH ENVIRONMENT"
    yield from _list(ENVIRONMENT)
    yield ".SH FILES"
    yield from _list(FILES)


def _see_also(names: Iterable[str]) -> Iterator[str]:
    pages = [name.rsplit(".", 1) if "." in name else (name, "1") for name in names]
    yield ",\n".join(f".BR {_escaped(name)} ({section})" for name, section in pages).replace(",\n", " ,\n")


def _prose(text: str) -> Iterator[str]:
    lines = textwrap.wrap(_escaped(" ".join(text.split())), _WIDTH, break_long_words=False, break_on_hyphens=False)
    return map(_line, lines)


def _line(text: str) -> str:
    """Return an escaped text line so that it does not start a roff request."""
    return f"\\&{text}" if text.startswith((".", "'")) else text


def _continued(line: str) -> str:
    """Return a line of preformatted text as input lines that are not too long: a backslash at an end continues it."""
    pieces = [""]
    for atom in re.findall(r"\\\[.*?\]|\\\(..|\\.|.", line):
        if len(pieces[-1]) + len(atom) >= _WIDTH:
            pieces.append("")
        pieces[-1] += atom
    return "\\\n".join(pieces)


def _escaped(text: str) -> str:
    """Return a text escaped for roff, in ASCII."""
    literal = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    literal = literal.replace("^", "\\(ha").replace("~", "\\(ti").replace('"', "\\(dq")
    return "".join(char if char.isascii() else f"\\[u{ord(char):04X}]" for char in literal)


def main() -> None:
    """Write all pages, and delete those of removed commands."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--to", type=Path, default=HERE, help="folder to write to")
    folder: Path = parser.parse_args().to
    written = set()
    for name, text in pages():
        (folder / name).write_text(text, encoding="ascii")
        written.add(name)
    for old in folder.glob("*.[157]"):
        if old.name not in written:
            old.unlink()


if __name__ == "__main__":
    main()
