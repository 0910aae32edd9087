"""Hook of mkdocs that fills the tables of the reference pages in, from the commands and the tables of the code.

A line ``<!-- table: NAME -->`` of a page is replaced by the table of the function with that name in ``TABLES``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click
import generate
from mkdocs.structure.files import File

from mqtools.admin.commands.catalogue import BY_NUMBER, BY_WORDS, COMMANDS
from mqtools.configuration.settings import SETTINGS
from mqtools.constants import cmqc, cmqcfc
from mqtools.constants.names import name_or_number
from mqtools.explanations.rules import CatalogueRule, Places, read_catalogue, read_places
from mqtools.formats.envelope.schema import envelope_schema
from mqtools.rest.object_names import CHANNEL, QUEUE, QUEUE_STATUS, SUBSCRIPTION
from mqtools.rules.attributes import unsupported
from mqtools.rules.attributes.channel import CHANNEL_TYPES
from mqtools.rules.attributes.queue import QUEUE_TYPES
from mqtools.rules.attributes.table import INTEGER, SWITCH, WORD, Attribute, attributes_of, format_value, without_effect
from mqtools.rules.commands.command import AdminCommand
from mqtools.rules.exit_status import MEANINGS, OTHER_MEANINGS, STATUS_OF_FAILURE
from mqtools.rules.statistics import RECORD_TYPES, RecordField
from mqtools.store.schema.view_columns import VIEWS

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

#: Characters in a line of a help text.
_WIDTH = 80
_ATTRIBUTES = (
    ("QUEUE", "Queues"), ("QMGR", "Queue manager"), ("CHANNEL", "Channels"), ("TOPIC", "Topics"),
    ("SUB", "Subscriptions"), ("NAMELIST", "Name lists"), ("PROCESS", "Processes"),
    ("AUTHINFO", "Authentication information"), ("LISTENER", "Listeners"), ("SERVICE", "Services"),
)  # fmt: skip
#: Tables of what commands show besides definitions.
_ANSWERS = (
    "QSTATUS", "QSTATUS HANDLE", "CONN", "CONN HANDLE", "CHSTATUS", "QMSTATUS", "QSTATS", "SBSTATUS", "TPSTATUS",
    "TPSTATUS SUB", "PUBSUB", "AUTHREC", "ENTAUTH", "CHLAUTH", "LSSTATUS", "SVSTATUS", "APSTATUS", "APSTATUS QMGR",
    "APSTATUS LOCAL", "AUTHSERV",
)  # fmt: skip
_REST_NAMES = {"queue": QUEUE, "queue status": QUEUE_STATUS, "channel": CHANNEL, "subscription": SUBSCRIPTION}
_COMMAND_NAMES = {getattr(cmqcfc, name): name for name in dir(cmqcfc) if name.startswith("MQCMD_")}
_PARAMETER_NAMES = {
    value: name
    for module in (cmqc, cmqcfc)
    for name, value in reversed(vars(module).items())
    if re.match(r"MQ(IA|CA|BA|IACF|CACF|BACF|IACH|CACH)_", name) and not re.search(r"_(FIRST|LAST|LAST_USED)$", name)
}
_TYPES = {"QUEUE": QUEUE_TYPES, "CHANNEL": CHANNEL_TYPES}


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Add the JSON Schema of a message to the site."""
    schema = json.dumps(envelope_schema(), indent=2) + "\n"
    files.append(File.generated(config, "reference/envelope.schema.json", content=schema))


def on_page_markdown(markdown: str, **_: object) -> str:
    """Return a page with its tables."""
    return re.sub(r"^<!-- table: (\w+) -->$", lambda found: "\n".join(TABLES[found[1]]()), markdown, flags=re.M)


def _commands() -> Iterator[str]:
    group, table = generate.load_group()
    context = click.Context(group, info_name="mqx", **group.context_settings, terminal_width=_WIDTH)
    yield from _help(context, "")
    for name in table:
        command = group.get_command(context, name)
        assert command is not None, name
        inner = click.Context(command, context, info_name=name)
        yield from _help(inner, "##")
        for word in command.list_commands(inner) if isinstance(command, click.Group) else ():
            below = command.get_command(inner, word)
            assert below is not None, word
            yield from _help(click.Context(below, inner, info_name=word), "###")


def _help(context: click.Context, heading: str) -> Iterator[str]:
    if heading:
        yield from ("", f"{heading} {context.command_path}")
    yield from ("", "```text", context.command.get_help(context), "```")


def _statuses() -> Iterator[str]:
    yield from _table(("status", "meaning"), MEANINGS.items())


def _other_statuses() -> Iterator[str]:
    yield from _table(("command", "status"), OTHER_MEANINGS.items())


def _reasons() -> Iterator[str]:
    rows = ((reason, name_or_number("MQRC", reason), status) for reason, status in sorted(STATUS_OF_FAILURE.items()))
    yield from _table(("reason", "name", "status"), rows)


def _settings() -> Iterator[str]:
    rows = ((f"`{each.key}`", ", ".join(each.variables), each.default, each.what) for each in SETTINGS)
    yield from _table(("key", "environment", "default", "meaning"), rows)


def _mqsc_commands() -> Iterator[str]:
    yield from _table(("command", "object types", "parameters", "in PCF"), _rows_of_mqsc())


def _rows_of_mqsc() -> Iterator[tuple[str, str, str, str]]:
    for command in sorted(COMMANDS, key=lambda each: (each.verb, each.object_types)):
        if command.object_types:
            words = ", ".join(dict.fromkeys(f"`{row.keyword}`" for row in command.parameters if row.keyword))
            rest = ["attributes"] if command.sets or command.shows else []
            parameters = ", ".join([*([words] if words else []), *rest])
            yield command.verb, ", ".join(command.object_types), parameters, ", ".join(_names_in_pcf(command))


def _names_in_pcf(command: AdminCommand) -> list[str]:
    return [_COMMAND_NAMES.get(number, str(number)) for number in (command.number, command.copy_number) if number]


def _mqsc_attributes() -> Iterator[str]:
    for table, heading in _ATTRIBUTES:
        types: dict[tuple[str, str, str, str], list[str]] = {}
        for object_type in _TYPES.get(table, (table,)):
            for row in attributes_of(object_type):
                types.setdefault(_described(table, row), []).append(object_type)
        yield from ("", f"### {heading}", "")
        rows = ((f"`{keyword}`", ", ".join(names), *rest) for (keyword, *rest), names in sorted(types.items()))
        yield from _table(("attribute", "object types", "values", "default", "effect"), rows)


def _mqsc_status() -> Iterator[str]:
    rows = (
        (
            f"DISPLAY {object_type}" + (f" TYPE({kind})" if kind else ""),
            ", ".join(_keyword(row) for row in attributes_of(table) if row.keyword),
        )
        for table, object_type, kind in ((each, *each.partition(" ")[::2]) for each in _ANSWERS)
        if ("DISPLAY", object_type) in BY_WORDS
    )
    yield from _table(("command", "attributes"), rows)


def _keyword(row: Attribute) -> str:
    return f"`{row.keyword}`"


def _described(table: str, row: Attribute) -> tuple[str, str, str, str]:
    """Return keyword, values, default and effect of an attribute."""
    values = " ".join(word for word, _ in row.words) if row.kind in (WORD, SWITCH) else _limits(row)
    default = "" if row.default is None else format_value(row, row.default)
    return row.keyword, values, default, _effect(table, row.keyword) if row.settable else "display only"


def _effect(object_type: str, keyword: str) -> str:
    return "no" if keyword in without_effect(object_type) else "yes"


def _limits(row: Attribute) -> str:
    words = "".join(f", {word}" for word, _ in row.words)
    return f"{row.minimum} to {row.maximum}{words}" if row.kind == INTEGER else f"up to {row.maximum} bytes"


def _pcf_commands() -> Iterator[str]:
    rows = [
        (_COMMAND_NAMES.get(number, number), number, _in_mqsc(command), ", ".join(_parameters(command, number)))
        for number, command in BY_NUMBER.items()
    ]
    texts = ", ".join(
        f"`{_parameter_name(number)}`" for number in (cmqcfc.MQIACF_ESCAPE_TYPE, cmqcfc.MQCACF_ESCAPE_TEXT)
    )
    rows.append(("MQCMD_ESCAPE", cmqcfc.MQCMD_ESCAPE, "any", texts))
    yield from _table(("command", "number", "in MQSC", "parameters"), sorted(rows, key=lambda row: row[1]))


def _rest_names() -> Iterator[str]:
    rows = (
        (f"`{name}`", resource, ", ".join(keywords), ", ".join(f"{ours} {theirs}" for ours, theirs in words.items()))
        for resource, table in _REST_NAMES.items()
        for name, (keywords, words) in table.rows.items()
    )
    yield from _table(("attribute", "resource", "in MQSC", "values"), rows)


def _lacking_attributes() -> Iterator[str]:
    rows = (
        (group, ", ".join(f"`{each}`" for each in sorted(keywords))) for group, keywords in unsupported.KEYWORDS.items()
    )
    yield from _table(("object type or command", "attributes"), rows)


def _statistics_records() -> Iterator[str]:
    for kind in RECORD_TYPES:
        yield from ("", f"## {kind.words}", "", f"Command: `{_COMMAND_NAMES[kind.command]}`.", "")
        for words, fields in (("value", kind.fields), ("value in a group", kind.members)):
            if fields:
                yield from _table((words, "parameter"), map(_record_field, fields))
                yield ""


def _record_field(field: RecordField) -> tuple[str, str]:
    length = f" [{field.length}]" if field.length > 1 else ""
    family = r"MQ(IAMO64|CAMO)_" if field.is_wide else r"MQ(IAMO|CAMO|IA|CA|IACF|CACF|BACF|IACH|CACH)_"
    names = (name for module in (cmqcfc, cmqc) for name, value in vars(module).items() if value == field.parameter)
    return f"`{field.name}`{length}", f"`{next(name for name in names if re.match(family, name))}`"


def _in_mqsc(command: AdminCommand) -> str:
    return f"{command.verb} {', '.join(command.object_types)}" if command.object_types else ""


def _parameters(command: AdminCommand, number: int) -> Iterator[str]:
    for row in command.parameters:
        selector = row.number(copies=number == command.copy_number)
        if selector is not None:
            yield f"`{_parameter_name(selector)}`"
    if command.asked:
        yield f"`{_parameter_name(command.asked)}`"
    if command.sets:
        yield "attributes"


def _pcf_attributes() -> Iterator[str]:
    for object_type in (*(name for name, _ in _ATTRIBUTES), *_ANSWERS):
        names = {row.selector: row for each in _TYPES.get(object_type, (object_type,)) for row in attributes_of(each)}
        rows = (
            (f"`{_parameter_name(selector)}`", row.keyword, _values_in_pcf(row), "yes" if row.settable else "no")
            for selector, row in sorted(
                (each for each in names.items() if each[0] is not None), key=lambda each: each[0]
            )
        )
        yield from ("", f"### {object_type}", "")
        head = (
            ("parameter", "in MQSC", "values") if object_type in _ANSWERS else ("parameter", "in MQSC", "values", "set")
        )
        yield from _table(head, (row[: len(head)] for row in rows))


def _values_in_pcf(row: Attribute) -> str:
    words = [(word, row.numbers.get(value, value)) for word, value in row.words] or row.numbers.items()
    return ", ".join(f"{number} {word}" for word, number in words)


def _parameter_name(number: int) -> str:
    return _PARAMETER_NAMES.get(number, str(number))


def _views() -> Iterator[str]:
    for view, columns in VIEWS.items():
        yield from ("", f"## {view}", "")
        yield from _table(("column", "meaning"), ((f"`{name}`", what or "attribute") for name, what in columns.items()))


def _journal_columns() -> Iterator[str]:
    columns = VIEWS["journal"].items()
    yield from _table(("column", "meaning"), ((f"`{name}`", what or "of the message") for name, what in columns))


def _json_keys() -> Iterator[str]:
    yield from ("[envelope.schema.json](envelope.schema.json) is the JSON Schema of a message.", "")
    yield from _table(("key", "type"), ((f"`{name}`", _type(kind)) for name, kind in _properties().items()))


def _json_descriptor() -> Iterator[str]:
    keys = _properties()["md"]["properties"].items()
    yield from _table(("key", "type"), ((f"`{name}`", _type(kind)) for name, kind in keys))


def _properties() -> dict[str, dict[str, dict[str, dict[str, object]]]]:
    return envelope_schema()["properties"]


def _type(kind: dict[str, object]) -> str:
    if "pattern" in kind:
        return "hex"
    if "const" in kind or "enum" in kind:
        return str(kind.get("const") or ", ".join(map(str, kind["enum"])))  # type: ignore[call-overload]
    if "anyOf" in kind:
        return " or ".join(_type(each) for each in kind["anyOf"])  # type: ignore[attr-defined]
    found = kind["type"]
    return " or ".join(found) if isinstance(found, list) else str(found)


def _rules() -> Iterator[str]:
    places = read_places()
    for area in read_catalogue():
        yield from ("", f"## {area.prefix}: {area.title}", "")
        rows = (
            (rule.id, _says(rule), ", ".join(rule.reasons), rule.source, _tests(rule, places)) for rule in area.rules
        )
        yield from _table(("rule", "says", "reason", "source", "tests"), rows)


def _says(rule: CatalogueRule) -> str:
    limits = [f"Only on {rule.only_on}."] if rule.only_on else []
    limits += [f"Not applicable: {rule.not_applicable}."] if rule.not_applicable else []
    return " ".join([rule.sentence, *limits])


def _tests(rule: CatalogueRule, places: dict[str, Places]) -> str:
    return ", ".join(places.get(rule.id, Places()).tested[:2])


def _coded(rows: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    return ((f"`{name}`", meaning) for name, meaning in rows)


def _table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    yield _row(head)
    yield _row("---" for _ in head)
    yield from map(_row, rows)


def _row(cells: Iterable[object]) -> str:
    """Return a row of a table. In a cell that does not begin with code, Markdown finds no markup."""
    return f"| {' | '.join('' if cell is None else _escaped(str(cell)) for cell in cells)} |"


def _escaped(text: str) -> str:
    return re.sub(r"\|" if text.startswith("`") else r"[\\*_<>\[\]|]", r"\\\g<0>", text)


#: Name in a page to the function that yields the lines.
TABLES = {
    "commands": _commands,
    "statuses": _statuses,
    "other_statuses": _other_statuses,
    "reasons": _reasons,
    "settings": _settings,
    "environment": lambda: _table(("variable", "meaning"), _coded(generate.ENVIRONMENT)),
    "files": lambda: _table(("file", "contents"), _coded(generate.FILES)),
    "mqsc_commands": _mqsc_commands,
    "mqsc_attributes": _mqsc_attributes,
    "mqsc_status": _mqsc_status,
    "rest_names": _rest_names,
    "pcf_commands": _pcf_commands,
    "lacking_attributes": _lacking_attributes,
    "statistics_records": _statistics_records,
    "pcf_attributes": _pcf_attributes,
    "views": _views,
    "journal_columns": _journal_columns,
    "json_keys": _json_keys,
    "json_descriptor": _json_descriptor,
    "rules": _rules,
}
