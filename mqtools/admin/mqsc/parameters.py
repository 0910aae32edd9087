"""Parameters of one MQSC command, parsed by type; each syntax error is recorded with its position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mqtools.admin.mqsc.report import WHOLE_COMMAND
from mqtools.formats.mqsc.script import Command, Param, SyntaxMistake, format_command, parse_where, suggestion
from mqtools.rules.attributes.table import (
    INTEGER,
    SWITCH,
    WORD,
    Attribute,
    by_keyword,
    keyword_suggestion,
    meets,
    parse_parameter,
    parse_value,
    without_effect,
)
from mqtools.rules.attributes.unsupported import lacks_keyword, lacks_value
from mqtools.rules.commands.command import ANY, FREE, GENERIC, OBJECT, PROFILE
from mqtools.rules.object_names import is_valid_name

_CHANNEL_NAME = 20


@dataclass(frozen=True, slots=True)
class WhereFilter:
    """A WHERE filter on an attribute, which is displayed too."""

    attribute: Attribute
    operator: str
    wanted: str

    def passes(self, values: Mapping[str, object]) -> bool:
        """Return whether an object passes the filter; an object without the attribute does not."""
        value = values.get(self.attribute.name)
        if isinstance(value, (list, tuple)) and not self.attribute.many:
            value = ",".join(map(str, value))  # one text in MQSC
        is_value = isinstance(value, (list, tuple) if self.attribute.many else (int, str))
        return is_value and meets(self.attribute, self.operator, self.wanted, value)


class MqscParameters:
    """The parameters of a command. Each method consumes parameters; ``finish`` records the unknown rest as mistakes.

    skipped: what mqx does not have, where the text may have it: keywords, and WHOLE_COMMAND.  has_unknown: whether it
    has some and must not, other than misspelt ones.  without_effect: keywords that are stored and do nothing in mqx.
    """

    def __init__(self, command: Command, file: str, *, skips_unknown: bool = False) -> None:
        self.command = command
        self.mistakes: list[SyntaxMistake] = []
        self.skipped: list[str] = []
        self.has_unknown = False
        self.without_effect: list[str] = []
        self._skips_unknown = skips_unknown
        self._file = file
        self._left = {param.keyword: param for param in command.params}

    def mistake(self, text: str, param: Param | None = None) -> None:
        """Record a mistake at a parameter, or at the start of the command."""
        command = self.command
        at = 0 if param is None else command.params.index(param) + 1
        place = command if param is None else param
        self.mistakes.append(
            SyntaxMistake(
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

    def leave_out(self, what: str, param: Param | None = None, *, whole: bool = False) -> None:
        """Leave out what mqx lacks, or all of the command; where the text must not have it, record a mistake."""
        if self._skips_unknown:
            self.skipped += [WHOLE_COMMAND, what] if whole else [what]
        else:
            self.has_unknown = True
            self.mistake(f"mqx does not have {what}", param)

    def name(self, form: str) -> str:
        """Return the name in the command; record a mistake for one that its form excludes."""
        given, about = self.command.name, f"{self.command.verb} {self.command.object_type}"
        name = (given or "").rstrip(" ")
        plain = name.replace("*", "") if form in (GENERIC, PROFILE) else name
        if form == ANY:
            return given or ""
        if form == PROFILE and not (0 < len(name) <= _CHANNEL_NAME and is_valid_name(plain or "A")):
            self.mistake(f"{about} needs a channel name of at most {_CHANNEL_NAME} characters, or a pattern")
        elif given is None or (form == FREE and not name):
            self.mistake(f"{about} needs a name: {self.command.object_type}(NAME)")
        elif form in (OBJECT, GENERIC) and not is_valid_name(plain) and (plain or not name.startswith("*")):
            self.mistake(f"{given!r} is not a valid name: use letters, digits, . / _ %, at most 48 characters")
        return name

    def no_name(self) -> None:
        """Record a mistake if the command has a name."""
        if self.command.name is not None:
            self.mistake(f"{self.command.verb} {self.command.object_type} takes no name")

    def take(self, *keywords: str) -> Param | None:
        """Consume the first of the keywords that is present."""
        found = next((keyword for keyword in keywords if keyword in self._left), None)
        return None if found is None else self._left.pop(found)

    def take_noted(self, keyword: str) -> None:
        """Consume a keyword that is accepted without effect."""
        if self.take(keyword) is not None:
            self.note_effect(self.command.object_type, keyword)

    def is_alone(self, keyword: str) -> bool:
        """Return whether a keyword is present without a value."""
        return keyword in self._left and self._left[keyword].values is None

    def flag(self, keyword: str, negated: str = "") -> bool:
        """Consume a keyword without a value, or its negation; return False if neither is present."""
        param = self.take(keyword, negated)
        if param is not None and param.values is not None:
            self.mistake(f"{param.keyword} takes no value", param)
        return param is not None and param.keyword == keyword

    def value(self, keyword: str) -> str | None:
        """Consume a keyword with one value; return None if it is absent."""
        param = self.take(keyword)
        if param is None:
            return None
        if param.values is None or len(param.values) > 1:
            self.mistake(f"{param.keyword} takes one value: {param.keyword}(...)", param)
        return param.values[0] if param.values else None

    def word(self, row: Attribute) -> int | str | None:
        """Consume a keyword with an enumerated value; return the value, None if it is absent."""
        param = self.take(row.keyword, *row.synonyms)
        if param is None or param.values is None:
            return None
        words = dict(row.words)
        if len(param.values) == 1 and param.values[0].upper() in words:
            return words[param.values[0].upper()]
        if lacks_value(param.keyword, param.values):
            self.leave_out(f"{param.keyword}({param.values[0]})", param, whole=param.keyword != "MODE")
            return None
        firsts = {value: word for word, value in reversed(row.words)}
        self.mistake(
            f"{param.keyword} must be one of {' '.join(word for word in words if word in firsts.values())}", param
        )
        return None

    def texts(self, row: Attribute) -> tuple[str, ...] | None:
        """Consume a keyword with values; return None if it is absent."""
        param = self.take(row.keyword)
        if param is not None and param.values is None:
            self.mistake(f"{param.keyword} needs a value", param)
        return None if param is None else param.values or ()

    def parsed(self, row: Attribute) -> int | str | None:
        """Consume a keyword with a number, a text or digits, within the limits of its row."""
        text = self.value(row.keyword)
        try:
            return None if text is None else parse_value(row, text)
        except ValueError as error:
            self.mistake(str(error))
            return None

    def attributes(self, object_type: str) -> dict[str, object]:
        """Consume the rest as attributes to set: name to value."""
        values: dict[str, object] = {}
        for param in self._take_rest():
            try:
                attribute, value = parse_parameter(object_type, param.keyword, param.values)
            except ValueError as error:
                self._refuse(object_type, param, error)
                continue
            if attribute.name in values:
                self.mistake(f"{param.keyword} is given twice, once as a synonym", param)
            values[attribute.name] = value
            if value != attribute.default:
                self.note_effect(object_type, attribute.keyword)
        return values

    def note_effect(self, object_type: str, keyword: str) -> None:
        """Note a keyword that is stored, if it does nothing in mqx."""
        if keyword in without_effect(object_type):
            self.without_effect.append(keyword)

    def _refuse(self, object_type: str, param: Param, error: ValueError) -> None:
        """Leave out an attribute that IBM MQ has, or may have; record a mistake for one that is wrong or misspelt."""
        keyword = param.keyword
        known = by_keyword(object_type, keyword)
        if known is not None and known.settable:
            if lacks_value(keyword, param.values):
                self.leave_out(f"{keyword}({','.join(param.values or ())})", param)
                return
        elif lacks_keyword(object_type, keyword):
            self.leave_out(keyword, param)
            return
        elif known is not None or not keyword_suggestion(object_type, keyword):
            if self._skips_unknown:
                self.skipped.append(keyword)
                return
            self.has_unknown |= known is None
        self.mistake(str(error), param)

    def requested_attributes(self, rows: Sequence[Attribute], what: str) -> frozenset[str] | None:
        """Consume the rest as attributes to display; return their names, or None for ALL."""
        everything = self.flag("ALL")
        names = set()
        for param in self._take_rest():
            row = self._row(rows, what, param.keyword, param)
            if row is not None:
                names.add(row.name)
                if param.values is not None:
                    self.mistake(f"{param.keyword} takes no value here; filter by it with WHERE", param)
        return None if everything else frozenset(names)

    def filter(self, rows: Sequence[Attribute], what: str) -> WhereFilter | None:
        """Consume WHERE."""
        param = self.take("WHERE")
        if param is None:
            return None
        try:
            where = parse_where(param)
            row = self._row(rows, what, where.keyword, param, whole=True)
            if row is None:
                return None
            meets(row, where.operator, where.value, _sample(row))
        except ValueError as error:
            self.mistake(str(error), param)
            return None
        return WhereFilter(row, where.operator, where.value)

    def finish(self) -> None:
        """Record a mistake for each parameter that no method consumed."""
        for param in self._take_rest():
            if lacks_keyword(self.command.object_type, param.keyword):
                self.leave_out(param.keyword, param)
            else:
                self.mistake(f"{param.keyword} is not a parameter of {self.command.verb}", param)

    def _take_rest(self) -> list[Param]:
        rest = list(self._left.values())
        self._left.clear()
        return rest

    def _row(
        self, rows: Sequence[Attribute], what: str, keyword: str, param: Param, *, whole: bool = False
    ) -> Attribute | None:
        found = next((row for row in rows if keyword in row.keywords), None)
        if found is None and lacks_keyword(what, keyword):
            self.leave_out(keyword, param, whole=whole)
        elif found is None:
            meant = suggestion(keyword, [word for row in rows for word in row.keywords])
            self.mistake(f"{keyword} is not an attribute of {what}{meant}", param)
        return found


def _sample(row: Attribute) -> int | str | tuple[()]:
    """Return a possible value of an attribute, to validate a filter."""
    if row.many:
        return ()
    if row.kind in (WORD, SWITCH):
        return row.words[0][1]
    return 0 if row.kind == INTEGER else ""
