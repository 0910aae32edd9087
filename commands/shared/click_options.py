"""Options that several commands share, each with one name, meaning and help text."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, TypeVar

import click

from mqtools.constants import names
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.formats import units
from mqtools.formats.phrases import did_you_mean, nearest
from mqtools.formats.properties import parse_property
from mqtools.formats.zones import times_in
from mqtools.message import Property
from mqtools.operations.selection import Selection

from .command_session import Session, UsageError, as_text, option_word
from .named_values import with_suggestion
from .output_formats import check_format
from .protection_options import PROTECTION
from .rate import parse_rate

F = TypeVar("F", bound=Callable[..., Any])


#: Options that would mean something else when a script gives an empty variable to them.
_NEVER_EMPTY = frozenset(
    (
        *("qmgr", "output", "to", "target", "queue", "queues", "to_queue", "to_qmgr", "job_id"),
        *("folder", "origin", "sent", "reports", "rules", "html", "checkpoint", "quarantine"),
    )
)

#: The fields of a session that the general options set.
_GENERAL = ("qmgr", "output", "quiet", "verbose", "debug", "color", "yes", "wide", "read_write")


class Number(click.IntRange):
    """Integer within limits."""

    name = "number"


class Converted(click.ParamType[object]):
    """Parameter type with a conversion function that raises ValueError."""

    def __init__(self, name: str, convert: Callable[[str], object]) -> None:
        self.name = name
        self._convert = convert

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> object:
        if not isinstance(value, str):
            return value
        try:
            return self._convert(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


def _batch(text: str) -> int | None:
    if text == "all":
        return None
    if text.isdigit() and int(text) > 0:
        return int(text)
    raise ValueError("a number of messages from 1, or all")


def _value_in(families: Sequence[str], text: str) -> int | None:
    """Return the value of a constant in the first family that has it, or a number; None for any other text."""
    for family in families:
        with suppress(ValueError):
            return names.value_of(family, text)
    return None


def _feedback(text: str) -> int:
    found = _value_in(("MQFB", "MQRC"), text)
    if found is not None:
        return found
    known = [*names.family("MQFB"), *names.family("MQRC")]
    words = f"{text!r} is not a feedback code: coa, cod, expiration, pan, nan, an MQFB_ or MQRC_ name, or a number"
    raise ValueError(with_suggestion(words, text, known))


def _lock_id(text: str) -> bytes:
    if len(units.parse_id(text, length=8, prefix=True)) < 8:
        raise ValueError(f"{text!r} is not a lock id: it has 16 hex digits")
    return units.parse_id(text, length=8)


BATCH = Converted("N|all", _batch)
FEEDBACK = Converted("feedback", _feedback)
DURATION = Converted("duration", units.parse_duration_s)
LEASE = Converted("duration|never", units.parse_lease)
TIMES = Converted("zone", times_in)
SIZE = Converted("size", units.parse_size)
ID_PREFIX = Converted("hex", functools.partial(units.parse_id, prefix=True))
IDS = Converted("hex", units.parse_ids)
ID = Converted("hex", units.parse_id)
LOCK_ID = Converted("hex", _lock_id)


def together(*decorators: Callable[[Any], Any]) -> Callable[[F], F]:
    """Return a decorator that adds several options and arguments, in this order."""
    return lambda function: functools.reduce(lambda made, add: add(made), reversed(decorators), function)


#: Number of messages, as ``limit``.
number = click.option("-n", "limit", type=Number(min=1), help="Number of messages; default: all")
#: The same of a command with a selection.
most = click.option("-n", "limit", type=Number(min=1), help="Maximum number of messages; default: all that match")
#: One of the messages under a lock id or a confirm id.
one_message = click.option(
    "--msg-id", type=ID_PREFIX, metavar="HEX", help="Only this message; a unique prefix is enough"
)
message_properties = click.option(
    "--property", "properties", multiple=True, metavar="NAME[:TYPE]=VALUE", help="Message property; repeatable"
)

expiry = click.option(
    "--expiry",
    type=Converted("duration", units.parse_expiry),
    help="Time to live with its unit, such as 30s, 5m, 1h, 300t (tenths of a second); default: unlimited",
)
rate = click.option("--rate", type=Converted("rate", parse_rate), metavar="N/s", help="At most so many: 100/s, 10/m")


def none_for_stream(_context: click.Context, _parameter: click.Parameter, path: str | None) -> str | None:
    """Return the name of a file; None for -, a standard stream."""
    return None if path == "-" else path


def confirm_id(help: str, *, required: bool = False) -> Callable[[F], F]:
    """Return the option --confirm-id."""
    return click.option("--confirm-id", type=Number(1, 2**63 - 1), metavar="N", required=required or None, help=help)


def batch(default: int, help: str) -> Callable[[F], F]:
    """Return the option --batch: a number of messages, or None for all."""
    return click.option("--batch", type=BATCH, default=str(default), show_default=True, help=help)


_with_qmgr = functools.partial(
    click.option, "-m", "--qmgr", metavar="NAME", help="Queue manager: a name, a path with / or .db, a remote, mq://…"
)


def general(function: F, **shown: Any) -> F:
    """Add the general options, which work before and after the subcommand, as one ``session``.

    shown: options that the help of the command lists, as ``_general``.
    """
    return _with_qmgr()(_general(function, **shown))  # type: ignore[no-any-return]


def general_of_destroyer(function: F) -> F:
    """Add the general options to a command that asks for confirmation."""
    return general(function, asks=True)


def general_elsewhere(function: F) -> F:
    """Add the general options to a command that changes queue managers elsewhere, too, and asks before it does."""
    return general(function, asks=True, read_write="Allow changes at an mq: address")


def general_for_several(function: F) -> F:
    """Add the general options, with those queue managers as ``qmgrs`` that -m names: none, one or several."""

    @functools.wraps(function)
    def with_qmgrs(session: Session, qmgr: tuple[str, ...], **parameters: Any) -> Any:
        qmgrs = qmgr or ((session.qmgr,) if session.qmgr else ())
        return function(session=session, qmgrs=qmgrs, **parameters)

    return _with_qmgr(multiple=True)(_general(with_qmgrs))  # type: ignore[no-any-return]


def _general(function: Any, *, asks: bool = False, read_write: str = "") -> Any:
    """Add the general options, without -m. asks: help lists --yes.  read_write: help of --read-write, or empty."""

    @click.option("-o", "--output", metavar="FORMAT", help="Output format: see mqx COMMAND --help")
    @click.option("-q", "--quiet", is_flag=True, help="Print only errors to stderr")
    @click.option("-v", "--verbose", count=True, help="Print what was done to stderr")
    @click.option("--debug", is_flag=True, help="Show the traceback of an error")
    @click.option("--color", type=click.Choice(["auto", "always", "never"]), help="Colour in tables")
    @click.option("--yes", is_flag=True, hidden=not asks, help="Do not ask for confirmation")
    @click.option("--wide", is_flag=True, help="Do not fit tables to the terminal")
    @click.option("--read-only", is_flag=True, help="Refuse every change, with exit status 8")
    @click.option("--read-write", is_flag=True, hidden=not read_write, help=read_write)
    @click.option("--yes-protected", is_flag=True, help="Change protected queue managers, too")
    @click.pass_context
    @functools.wraps(function)
    def with_session(ctx: click.Context, /, **parameters: Any) -> Any:
        session = ctx.ensure_object(Session)
        # Of mqx itself: the command to come, for what is wrong before it begins.
        session.command = ctx.command_path.removeprefix("mqx").strip() or ctx.invoked_subcommand or ""
        _refuse_empty(ctx, parameters)
        for name in _GENERAL:
            if isinstance(parameters.get(name), tuple):
                continue  # several queue managers are the command's own
            value = parameters.pop(name)
            if value:
                setattr(session, name, value)
        if not isinstance(ctx.command, click.Group):
            session.output = check_format(ctx, session.command, session.output)
        for name, variable in PROTECTION.items():
            if parameters.pop(name):
                os.environ[variable] = "1"
        queue = parameters.get("queue")
        if isinstance(queue, str):
            session.queue = as_text(queue.partition("@")[0])
        return function(session=session, **parameters)

    return with_session


def _refuse_empty(ctx: click.Context, parameters: dict[str, Any]) -> None:
    """Raise UsageError for an empty word where it would mean all, the default, or the current folder."""
    for parameter in ctx.command.params:
        value = parameters.get(parameter.name or "")
        if isinstance(parameter, click.Option):
            is_empty = parameter.name in _NEVER_EMPTY and (value == "" or (isinstance(value, tuple) and "" in value))
            word = parameter.opts[0]
        else:
            is_empty = not parameter.required and value == ""
            word = parameter.make_metavar(ctx).strip("[]")
        if is_empty:
            raise UsageError(f"{word} is empty", "check that the variables of the script are set")


class _SingleOption(click.Option):
    """Selection option that can be given only once: otherwise one of two values would silently be ignored."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        settings["multiple"] = True
        super().__init__(*arguments, **settings)

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        values = super().process_value(ctx, value)
        if len(values) > 1:
            raise click.BadOptionUsage(self.opts[0], f"{self.opts[0]} can be given only once", ctx)
        return values[0] if values else None


#: Names of the selection options.
SELECTION = (
    *("msg_ids", "correl_ids", "group_ids", "ids", "pos", "where", "grep", "ignore_case", "grep_hex"),
    *("not_grep", "not_grep_hex", "older", "newer", "reason"),
)

_selection = together(
    click.option(
        "--msg-id",
        "msg_ids",
        multiple=True,
        type=IDS,
        help="Message id: hex, a unique prefix, or text:WORDS; repeatable",
    ),
    click.option(
        "--correl-id", "correl_ids", multiple=True, type=IDS, help="Correlation id, like --msg-id; repeatable"
    ),
    click.option("--group-id", "group_ids", multiple=True, type=IDS, help="Group id, like --msg-id; repeatable"),
    click.option("--ids", cls=_SingleOption, metavar="FILE", help="File of message ids, one per line; - is stdin"),
    click.option("--pos", cls=_SingleOption, metavar="N..M", help="Positions in the queue, from 1, inclusive"),
    click.option(
        "--where", cls=_SingleOption, metavar="SELECTOR", help="SQL-92 selector on properties and Root.MQMD.Field"
    ),
    click.option("--grep", cls=_SingleOption, metavar="TEXT", help="Literal text in the data"),
    click.option("-i", "ignore_case", is_flag=True, help="Ignore case in --grep and --not-grep"),
    click.option("--grep-hex", cls=_SingleOption, metavar="HEX", help="Bytes in the data"),
    click.option("--not-grep", multiple=True, metavar="TEXT", help="Literal text not in the data; repeatable"),
    click.option("--not-grep-hex", multiple=True, metavar="HEX", help="Bytes not in the data; repeatable"),
    click.option("--older", cls=_SingleOption, type=DURATION, help="Put longer ago than this time"),
    click.option("--newer", cls=_SingleOption, type=DURATION, help="Put more recently than this time"),
    click.option("--reason", cls=_SingleOption, metavar="NAME|N", help="Reason in the dead-letter header"),
)


def selection(function: F) -> F:
    """Add the selection options as one ``selection``."""

    @functools.wraps(function)
    def with_selection(**parameters: Any) -> Any:
        given = {name: parameters.pop(name) for name in SELECTION}
        return function(selection=_selection_of(given), **parameters)

    return _selection(with_selection)  # type: ignore[return-value]


def _selection_of(given: dict[str, Any]) -> Any:
    for name in ("where", "grep", "grep_hex", "not_grep", "not_grep_hex"):
        if given[name] == "" or (isinstance(given[name], tuple) and "" in given[name]):
            # An unset variable of a script must not select everything.
            raise UsageError(f"{option_word(name)} is empty")
    first, last = _places(given["pos"])
    return Selection(
        msg_ids=(*chain(*given["msg_ids"]), *_ids_from(given["ids"])),
        correl_ids=tuple(chain(*given["correl_ids"])),
        group_ids=tuple(chain(*given["group_ids"])),
        first=first,
        last=last,
        where=given["where"] or "",
        grep=as_text(given["grep"] or ""),
        ignore_case=given["ignore_case"],
        grep_hex=_bytes("grep-hex", given["grep_hex"]) if given["grep_hex"] else b"",
        not_grep=tuple(as_text(word) for word in given["not_grep"]),
        not_grep_hex=tuple(_bytes("not-grep-hex", word) for word in given["not_grep_hex"]),
        older_s=given["older"],
        newer_s=given["newer"],
        reason=_reason(given["reason"]),
    )


def properties_of(words: Sequence[str]) -> dict[str, Property]:
    """Parse the values of --property. Raise UsageError that names every invalid one."""
    properties, mistakes = {}, []
    for word in words:
        try:
            name, value = parse_property(word)
            properties[name] = value
        except MQError as error:
            mistakes.append(str(error))
    if mistakes:
        raise UsageError(f"--property {'; '.join(mistakes)}")
    return properties


def _places(text: str | None) -> tuple[int | None, int | None]:
    if text is None:
        return None, None
    first, dots, last = text.partition("..")
    try:
        if not (first or last):
            raise ValueError
        begin = int(first) if first else 1
        end = (int(last) if last else None) if dots else begin
    except ValueError:
        raise UsageError(f"--pos {text}: expected positions such as 3, 3..7, 3.. or ..7") from None
    if begin < 1 or (end is not None and end < begin):
        raise UsageError(f"--pos {text}: positions start at 1, and the first must not be after the last")
    return begin, end


def _ids_from(path: str | None) -> list[bytes]:
    if path is None:
        return []
    with click.open_file(path, "rb") as file:
        text = file.read()
    lines = [line.strip() for line in text.decode("utf-8", "surrogateescape").splitlines()]
    words = [word for line in lines for word in ([line] if line.startswith("text:") else line.split())]
    try:
        ids = [each for word in words for each in units.parse_ids(word)]
    except ValueError as error:
        raise UsageError(f"--ids {path}: {error}") from None
    if not ids:
        raise NoMessageAvailable(f"--ids {path}: no ids in it")
    return ids


def _bytes(option: str, text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise UsageError(f"--{option} {text}: expected pairs of hexadecimal digits") from None


def _reason(text: str | None) -> int | None:
    if text is None:
        return None
    found = _value_in(("MQRC", "MQFB"), text)
    if found is not None:
        return found
    similar = nearest(text.upper(), (*names.family("MQRC"), *names.family("MQFB")))
    raise UsageError(f"--reason {text}: unknown reason", did_you_mean(similar) or f"mqx explain {text}")
