"""Commands of the catalogue as JSON: a command is read from JSON values into one of MQSC, which then parses it.

So the catalogue says once what a parameter is. Keywords and words are those of MQSC, in any case.
"""

from __future__ import annotations

from collections.abc import Mapping

from mqtools.admin.commands.catalogue import BY_WORDS
from mqtools.errors import UsageError
from mqtools.formats.mqsc.script import OBJECT_TYPES, VERBS, Command, Param, format_command
from mqtools.rules.attributes.table import SWITCH, Attribute, by_keyword
from mqtools.rules.commands.command import AdminCommand

_YES, _NO = ("yes", "true", ""), ("no", "false")
#: Asks for all attributes.
_ALL = "ALL"


def read_command(values: Mapping[str, object]) -> Command:
    """Return the command of JSON values: ``command``, ``qualifier``, ``name``, ``parameters``, ``responseParameters``.

    Raises UsageError for values of other types, and for words that are not a command.
    """
    verb = _word(values, "command", VERBS)
    object_type = _word(values, "qualifier", OBJECT_TYPES)
    name, parameters, asked = values.get("name"), values.get("parameters", {}), values.get("responseParameters", [])
    if name is not None and not isinstance(name, str):
        raise UsageError("name is not a string")
    if not isinstance(parameters, Mapping):
        raise UsageError("parameters is not an object")
    if not isinstance(asked, list) or not all(isinstance(each, str) for each in asked):
        raise UsageError("responseParameters is not an array of strings")
    command = BY_WORDS.get((verb, object_type))
    params = {each.keyword: each for each in (_param(command, object_type, *item) for item in parameters.items())}
    for each in map(str.upper, asked):
        params.setdefault(each, Param(each))
    if _ALL in params:
        params = {key: each for key, each in params.items() if each.values is not None or key == _ALL}
    made = Command(verb, object_type, name or None, tuple(params.values()), line=1, column=1, number=1)
    return made.replace(source=format_command(made))


def _word(values: Mapping[str, object], key: str, words: Mapping[str, str]) -> str:
    given = values.get(key)
    found = words.get(given.upper()) if isinstance(given, str) else None
    if found is None:
        raise UsageError(f"{key} {given!r} is not one of MQSC" if given else f"{key} is missing")
    return found


def _param(command: AdminCommand | None, object_type: str, key: str, value: object) -> Param:
    """Return a parameter. A keyword without a value in MQSC has yes or no here."""
    keyword = key.upper()
    if keyword == "WHERE" and isinstance(value, str):
        parts = value.split(None, 2)
        return Param(keyword, tuple([*parts[:2], *(part.strip("'") for part in parts[2:])]))
    row = _row(command, object_type, keyword)
    if row is not None and row.kind == SWITCH:
        words = [word for word, _ in row.words]
        given = str(value).lower() if value is not None else ""
        if given not in (*_YES, *_NO, *map(str.lower, words)):
            raise UsageError(f"{key} must be yes or no")
        if given in _NO:
            keyword = next(word for word in words if word != keyword)
        return Param(given.upper() if given.upper() in words else keyword)
    if value is None:
        return Param(keyword)
    given_values = value if isinstance(value, list) else [value]
    if not all(isinstance(each, (str, int, float)) for each in given_values):
        raise UsageError(f"{key} must be a string, a number or an array of these")
    return Param(keyword, tuple(("NO", "YES")[each] if isinstance(each, bool) else str(each) for each in given_values))


def _row(command: AdminCommand | None, object_type: str, keyword: str) -> Attribute | None:
    """Return what the catalogue says about a keyword of a command; None if it does not have it."""
    own = (row for row in command.parameters if row.keyword and keyword in row.keywords) if command else iter(())
    table = command.table if command is not None and isinstance(command.table, str) and command.table else object_type
    return next(own, None) or by_keyword(table, keyword)
