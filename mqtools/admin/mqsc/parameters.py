"""The parameters of one MQSC command, read by what the command takes; whatever is wrong is a mistake with its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mqtools.formats.mqsc import Command, Mistake, format_command, parse_where, suggestion
from mqtools.rules.attributes.table import INTEGER, SWITCH, WORD, meets, parse_parameter
from mqtools.rules.object_names import is_valid_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mqtools.formats.mqsc import Param
    from mqtools.rules.attributes.table import Attribute


@dataclass(frozen=True, slots=True)
class Filter:
    """A WHERE filter on an attribute; the attribute is shown too."""

    attribute: Attribute
    operator: str
    wanted: str

    def passes(self, values: Mapping[str, object]) -> bool:
        """Tell whether an object passes; one that lacks the attribute does not."""
        value = values.get(self.attribute.name)
        return isinstance(value, (int, str)) and meets(self.attribute, self.operator, self.wanted, value)


class Parameters:
    """The parameters of a command. Each question takes what answers it; ``finish`` refuses what is left."""

    def __init__(self, command: Command, file: str) -> None:
        self.command = command
        self.mistakes: list[Mistake] = []
        self._file = file
        self._left = {param.keyword: param for param in command.params}

    def mistake(self, text: str, param: Param | None = None) -> None:
        """Note a mistake at a parameter, or at the beginning of the command."""
        command = self.command
        at = 0 if param is None else command.params.index(param) + 1
        place = command if param is None else param
        self.mistakes.append(
            Mistake(
                text,
                place.line,
                place.column,
                self._file,
                command.source,
                command.number,
                format_command(command.replace(params=command.params[:at])),
                command.comments,
            )
        )

    def object_name(self) -> str:
        """Give the name of one object."""
        self._check_name(self.command.name, generic=False)
        return (self.command.name or "").rstrip(" ")

    def generic_name(self) -> str:
        """Give the name of an object, or a pattern with ``*``."""
        self._check_name(self.command.name, generic=True)
        return (self.command.name or "").rstrip(" ")

    def no_name(self) -> None:
        """Refuse a name where there is only one such object."""
        if self.command.name is not None:
            self.mistake(f"{self.command.verb} {self.command.object_type} takes no name")

    def _check_name(self, name: str | None, *, generic: bool) -> None:
        command = self.command
        if name is None:
            self.mistake(f"{command.verb} {command.object_type} needs a name: {command.object_type}(NAME)")
            return
        plain = name.rstrip(" ").replace("*", "") if generic else name.rstrip(" ")
        if not is_valid_name(plain) and not (generic and name.startswith("*") and not plain):
            self.mistake(f"{name!r} is no name: letters, digits, . / _ %, 48 at most")

    def take(self, *keywords: str) -> Param | None:
        """Take the first of the keywords that is there."""
        found = next((keyword for keyword in keywords if keyword in self._left), None)
        return None if found is None else self._left.pop(found)

    def flag(self, keyword: str, negated: str = "") -> bool:
        """Take a keyword without value or its negation; neither means no."""
        param = self.take(keyword, negated)
        if param is not None and param.values is not None:
            self.mistake(f"{param.keyword} takes no value", param)
        return param is not None and param.keyword == keyword

    def value(self, keyword: str) -> str | None:
        """Take a keyword with one value; None when it is not there."""
        param = self.take(keyword)
        if param is None:
            return None
        if param.values is None or len(param.values) > 1:
            self.mistake(f"{param.keyword} takes one value: {param.keyword}(...)", param)
        return param.values[0] if param.values else None

    def word(self, words: Mapping[str, str], *keywords: str) -> str | None:
        """Take a keyword whose value is one of some words; give what the word stands for, None without a value."""
        param = self.take(*keywords)
        if param is None or param.values is None:
            return None
        if len(param.values) == 1 and param.values[0].upper() in words:
            return words[param.values[0].upper()]
        self.mistake(f"{param.keyword} must be one of {' '.join(dict.fromkeys(words.values()))}", param)
        return None

    def attributes(self, object_type: str) -> dict[str, object]:
        """Take all that is left as attributes to set: name to value."""
        values: dict[str, object] = {}
        for param in self._take_rest():
            try:
                attribute, value = parse_parameter(object_type, param.keyword, param.values)
            except ValueError as error:
                self.mistake(str(error), param)
                continue
            if attribute.name in values:
                self.mistake(f"{param.keyword} is given twice, once as a synonym", param)
            values[attribute.name] = value
        return values

    def requested(self, rows: Sequence[Attribute], what: str) -> frozenset[str] | None:
        """Take all that is left as attributes to show: their names, or None for ALL."""
        everything = self.flag("ALL")
        names = set()
        for param in self._take_rest():
            row = self._row(rows, what, param.keyword, param)
            if row is not None:
                names.add(row.name)
                if param.values is not None:
                    self.mistake(f"{param.keyword} takes no value here; to select by it: WHERE", param)
        return None if everything else frozenset(names)

    def filter(self, rows: Sequence[Attribute], what: str) -> Filter | None:
        """Take WHERE."""
        param = self.take("WHERE")
        if param is None:
            return None
        try:
            where = parse_where(param)
            row = self._row(rows, what, where.keyword, param)
            if row is None:
                return None
            meets(row, where.operator, where.value, _sample(row))
        except ValueError as error:
            self.mistake(str(error), param)
            return None
        return Filter(row, where.operator, where.value)

    def finish(self) -> None:
        """Refuse what nobody has taken."""
        for param in self._take_rest():
            self.mistake(f"{param.keyword} is not a parameter of {self.command.verb}", param)

    def _take_rest(self) -> list[Param]:
        rest = list(self._left.values())
        self._left.clear()
        return rest

    def _row(self, rows: Sequence[Attribute], what: str, keyword: str, param: Param) -> Attribute | None:
        found = next((row for row in rows if keyword in row.keywords), None)
        if found is None:
            meant = suggestion(keyword, [word for row in rows for word in row.keywords])
            self.mistake(f"{keyword} is not an attribute of {what}{meant}", param)
        return found


def _sample(row: Attribute) -> int | str:
    """Some value of an attribute, to try a filter on before it is run."""
    if row.kind in (WORD, SWITCH):
        return row.words[0][1]
    return 0 if row.kind == INTEGER else ""
