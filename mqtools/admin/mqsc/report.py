"""Reports of MQSC runs: one per command, formatted as runmqsc output or as JSON."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from mqtools.constants.names import name_or_number
from mqtools.constants.reasons import (
    MQRC_FUNCTION_NOT_SUPPORTED,
    MQRC_OBJECT_ALREADY_EXISTS,
    MQRC_OBJECT_IN_USE,
    MQRC_Q_NOT_EMPTY,
    MQRC_Q_TYPE_ERROR,
    MQRC_UNKNOWN_CHANNEL_NAME,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from mqtools.errors import MQError
from mqtools.formats.mqsc.output import display_block, echo, message, summary, syntax_error_block
from mqtools.formats.mqsc.script import SyntaxMistake
from mqtools.rules.attributes.table import (
    INTEGER,
    SWITCH,
    WORD,
    Attribute,
    Table,
    display_pair,
    format_value,
    rows_of,
)

OK, SYNTAX, FAILED, SKIPPED = "ok", "syntax", "failed", "skipped"

#: Stands among the skipped parts of a command for all of it.
WHOLE_COMMAND = ""

#: Reason code of a failure to the number of the runmqsc message. Other reasons have the text of the error only.
_FAILURES = {
    MQRC_UNKNOWN_OBJECT_NAME: "AMQ8147E",
    MQRC_UNKNOWN_CHANNEL_NAME: "AMQ8147E",
    MQRC_Q_TYPE_ERROR: "AMQ8147E",
    MQRC_OBJECT_IN_USE: "AMQ8148E",
    MQRC_Q_NOT_EMPTY: "AMQ8143E",
    MQRC_OBJECT_ALREADY_EXISTS: "AMQ8150E",
}


@dataclass(frozen=True, slots=True)
class DisplayedObject:
    """One displayed object.

    title: of its block.  pairs: keyword and value as MQSC displays them; None for a keyword without value (NOSHARE).
    values: by Python name, for JSON: numbers, texts, and enumerations as MQSC keywords; None if unknown.
    parameters: by keyword in lower case, for REST; a keyword without value is yes or no.
    """

    title: str
    pairs: list[tuple[str, str | None]]
    values: dict[str, object]
    parameters: dict[str, object] = field(default_factory=dict)

    @property
    def attributes(self) -> dict[str, str | None]:
        """The displayed values by keyword."""
        return dict(self.pairs)


@dataclass(frozen=True, slots=True)
class Response:
    """The result of a valid command: messages, displayed objects, and a reason code if it failed."""

    messages: list[str]
    objects: list[DisplayedObject] = field(default_factory=list)
    reason: int = 0
    error: MQError | None = None


@dataclass(frozen=True, slots=True)
class CommandReport:
    """One command of a run. line, column: of its start, or of its first mistake, from 1.

    response: empty if it was not run.  skipped: what was left out, with WHOLE_COMMAND where that is all of it.
    has_unknown: whether it has attributes that mqx does not have, other than misspelt ones.
    without_effect: object type and keyword of attributes that are stored and do nothing in mqx.
    source, comments: its physical lines, and the comment lines before it.
    """

    number: int
    source: str
    line: int
    column: int
    response: Response = field(default_factory=lambda: Response([]))
    mistakes: list[SyntaxMistake] = field(default_factory=list)
    comments: tuple[str, ...] = ()
    skipped: list[str] = field(default_factory=list)
    has_unknown: bool = False
    without_effect: list[str] = field(default_factory=list)

    @property
    def messages(self) -> list[str]:
        """The messages that runmqsc prints for the command."""
        return self.response.messages or (syntax_error_block(self.mistakes) if self.mistakes else [])

    @property
    def objects(self) -> list[DisplayedObject]:
        """The objects that the command displays."""
        return self.response.objects

    @property
    def reason(self) -> int:
        """The reason code of a command that failed, else 0."""
        return self.response.reason

    @property
    def outcome(self) -> str:
        """OK, SYNTAX (it has mistakes and was not run), FAILED (reason is an MQRC) or SKIPPED (all of it)."""
        if WHOLE_COMMAND in self.skipped:
            return SKIPPED
        return SYNTAX if self.mistakes else FAILED if self.reason else OK


@dataclass(frozen=True, slots=True)
class MqscReport:
    """All commands of a run in order, with the counts that runmqsc prints at the end."""

    commands: list[CommandReport]

    @property
    def read(self) -> int:
        """The number of commands."""
        return len(self.commands)

    @property
    def syntax_errors(self) -> int:
        """The number of commands with mistakes."""
        return sum(command.outcome == SYNTAX for command in self.commands)

    @property
    def failed(self) -> int:
        """The number of valid commands that failed."""
        return sum(command.outcome == FAILED for command in self.commands)

    @property
    def skipped(self) -> list[str]:
        """A line for each command that was left out wholly or in part."""
        return [f"line {each.line}: {_left_out(each)}" for each in self.commands if each.skipped]

    @property
    def without_effect(self) -> list[str]:
        """Object type and keyword of attributes that the run has stored and that do nothing in mqx, each once."""
        done = [each for each in self.commands if each.outcome == OK]
        return list(dict.fromkeys(word for each in done for word in each.without_effect))

    @property
    def has_unsupported(self) -> bool:
        """Whether a command failed for what mqx does not have, as definitions of IBM MQ may, rather than a typo."""
        return any(each.has_unknown or each.reason == MQRC_FUNCTION_NOT_SUPPORTED for each in self.commands)

    @property
    def mistakes(self) -> list[SyntaxMistake]:
        """The mistakes of all commands, with file, line, column and text."""
        return [mistake for command in self.commands for mistake in command.mistakes]


def _left_out(command: CommandReport) -> str:
    """Return in words what a run leaves out of a command."""
    if command.outcome != SKIPPED:
        return " ".join(command.skipped)
    begin = command.source.splitlines()[0].rstrip(" +-")
    cause = command.skipped[command.skipped.index(WHOLE_COMMAND) + 1 :][:1]
    return " ".join([begin, *(what for what in cause if what not in begin)])


def failure(error: MQError, name: str) -> Response:
    """Return the response of a failed command: the runmqsc message, then the error with its reason code.

    name: of the object in the message.
    """
    number = _FAILURES.get(error.reason)
    lines = [message(number, name)] if number else []
    return Response([*lines, *_words_of(error)], reason=error.reason, error=error)


def _words_of(error: MQError) -> list[str]:
    return [f"mqx: {error}", *([f"hint: {error.hint}"] if error.hint else [])]


def none_found(kind: str, pattern: str, reason: int = MQRC_UNKNOWN_OBJECT_NAME) -> Response:
    """Return the response of a DISPLAY that found nothing. kind: of object, in words; pattern: its generic name."""
    words = f"no {kind} matches {pattern}" if "*" in pattern else f"{kind} {pattern} does not exist"
    return failure(MQError(words, reason), pattern)


def display_object(
    number: str, table: Table, names: Collection[str] | None, values: Mapping[str, object]
) -> DisplayedObject:
    """Return an object to display: those of its attributes that are named, or all (None).

    number: of the message that is its title.  table: of its attributes; one that is not among the values, and has no
    default, is not shown.
    """
    pairs: list[tuple[str, str | None]] = []
    by_name: dict[str, object] = {}
    parameters: dict[str, object] = {}
    for row in rows_of(table):
        has_value = row.name in values or row.default is not None
        if row.keyword and has_value and (names is None or row.name in names):
            value = values.get(row.name, row.default)
            shown = _in_mqsc(row, value)
            if isinstance(shown, (int, str)):
                pairs.append(display_pair(row, shown))
                by_name[row.name] = format_value(row, shown) if row.kind in (WORD, SWITCH) else shown
            else:
                pairs.append((row.keyword, ""))
                by_name[row.name] = shown
            parameters[row.keyword.lower()] = _in_json(row, value, by_name[row.name])
    return DisplayedObject(message(number), pairs, by_name, parameters)


def _in_json(row: Attribute, value: object, shown: object) -> object:
    """Return a value for REST: several as a list, a keyword without value as yes or no. shown: as MQSC has it."""
    if isinstance(value, (list, tuple)):
        return [format_value(row, each) for each in value]
    return ("yes" if value else "no") if row.kind == SWITCH else shown


def _in_mqsc(row: Attribute, value: object) -> object:
    """Return a value for MQSC: several values as one text, a set of words in alphabetical order."""
    if not isinstance(value, (list, tuple)):
        return value
    words = [format_value(row, each) for each in value]
    if row.kind != INTEGER or row.many:
        return ",".join(words)
    return ",".join(sorted(words)) or "NONE"


def lines(report: MqscReport, *, has_errors: bool = True) -> Iterator[str]:
    """Yield a run as runmqsc prints it: each command with its responses, and the counts at the end.

    has_errors: with the words of errors below the messages of runmqsc.
    """
    for command in report.commands:
        yield from echo(command.number, command.source, command.comments)
        error = command.response.error
        words = [*map(str, command.mistakes), *([] if error is None else _words_of(error))]
        yield from (line for line in command.messages if has_errors or line not in words)
        for item in command.objects:
            yield from display_block(item.title, item.pairs)
    yield from summary(report.read, report.syntax_errors, report.failed)


def as_json(report: MqscReport) -> list[dict[str, object]]:
    """Return a run as JSON values, one object per command.

    Keys: number, command, outcome, message, reason (its name, None unless failed), mistakes (line, column,
    message) and objects (attributes by name).
    """
    return [_command_as_json(command) for command in report.commands]


def _command_as_json(command: CommandReport) -> dict[str, object]:
    titles = [item.title for item in command.objects[:1]]
    return {
        "number": command.number,
        "command": command.source,
        "outcome": command.outcome,
        "message": "\n".join(command.messages or titles),
        "reason": name_or_number("MQRC", command.reason) if command.outcome == FAILED else None,
        "mistakes": [
            {"line": mistake.line, "column": mistake.column, "message": mistake.text} for mistake in command.mistakes
        ],
        "objects": [item.values for item in command.objects],
    }
