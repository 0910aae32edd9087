"""MQSC, the language of runmqsc scripts: text to commands and mistakes, and commands back to text.

It knows verbs, object types and punctuation; which attributes an object has is not its business.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mqtools.formats.mqsc.lines import BLANKS, QUOTES, LogicalLine, entries, fold
from mqtools.formats.phrases import did_you_mean, nearest
from mqtools.records import Record

#: Verb to the object types that its commands have.
OBJECT_TYPES_OF = {
    verb: tuple(object_types.split())
    for verb, object_types in {
        "ALTER": (
            "AUTHINFO BUFFPOOL CFSTRUCT CHANNEL COMMINFO LISTENER NAMELIST PROCESS PSID QALIAS QLOCAL QMGR QMODEL "
            "QREMOTE SECURITY SERVICE SMDS STGCLASS SUB TOPIC TRACE"
        ),
        "ARCHIVE": "LOG",
        "BACKUP": "CFSTRUCT",
        "CLEAR": "QLOCAL TOPICSTR",
        "DEFINE": (
            "AUTHINFO BUFFPOOL CFSTRUCT CHANNEL COMMINFO LISTENER LOG MAXSMSGS NAMELIST PROCESS PSID QALIAS QLOCAL "
            "QMODEL QREMOTE SERVICE STGCLASS SUB TOPIC"
        ),
        "DELETE": (
            "AUTHINFO AUTHREC BUFFPOOL CFSTRUCT CHANNEL COMMINFO LISTENER NAMELIST POLICY PROCESS PSID QALIAS QLOCAL "
            "QMODEL QREMOTE SERVICE STGCLASS SUB TOPIC"
        ),
        "DISPLAY": (
            "APSTATUS ARCHIVE AUTHINFO AUTHREC AUTHSERV CFSTATUS CFSTRUCT CHANNEL CHINIT CHLAUTH CHSTATUS CLUSQMGR "
            "CMDSERV COMMINFO CONN ENTAUTH GROUP LISTENER LOG LSSTATUS MAXSMSGS NAMELIST POLICY PROCESS PUBSUB QALIAS "
            "QCLUSTER QLOCAL QMGR QMODEL QMSTATUS QREMOTE QSTATUS QUEUE SBSTATUS SECURITY SERVICE SMDS SMDSCONN "
            "STGCLASS SUB SVSTATUS SYSTEM TCLUSTER THREAD TOPIC TPSTATUS TRACE USAGE"
        ),
        "MOVE": "QLOCAL",
        "PING": "CHANNEL QMGR",
        "PURGE": "CHANNEL",
        "RECOVER": "BSDS CFSTRUCT",
        "REFRESH": "CLUSTER QMGR SECURITY",
        "RESET": "CFSTRUCT CHANNEL CLUSTER QMGR QSTATS SMDS TPIPE",
        "RESOLVE": "CHANNEL INDOUBT",
        "RESUME": "QMGR",
        "RVERIFY": "SECURITY",
        "SET": "ARCHIVE AUTHREC CHLAUTH LOG POLICY SYSTEM",
        "START": "CHANNEL CHINIT CMDSERV LISTENER QMGR SERVICE SMDSCONN TRACE",
        "STOP": "CHANNEL CHINIT CMDSERV CONN LISTENER QMGR SERVICE SMDSCONN TRACE",
        "SUSPEND": "QMGR",
    }.items()
}

#: Verb or standard synonym to the verb. DELETE has no synonym, on purpose; other abbreviations are mistakes.
VERBS = {word: word for word in (*OBJECT_TYPES_OF, "END")} | {
    "ALT": "ALTER", "ARC": "ARCHIVE", "DEF": "DEFINE", "DIS": "DISPLAY", "EXIT": "END", "QUIT": "END", "REC": "RECOVER",
    "REF": "REFRESH", "RES": "RESOLVE", "REV": "RVERIFY", "STA": "START",
}  # fmt: skip

#: Object type or standard synonym to the object type. A word not listed is a mistake.
OBJECT_TYPES = {word: word for words in OBJECT_TYPES_OF.values() for word in words} | {
    "CHI": "CHINIT", "CHL": "CHANNEL", "CHS": "CHSTATUS", "LSTR": "LISTENER", "NL": "NAMELIST", "PRO": "PROCESS",
    "Q": "QUEUE", "QA": "QALIAS", "QC": "QCLUSTER", "QL": "QLOCAL", "QM": "QMODEL", "QR": "QREMOTE", "QS": "QSTATUS",
    "SEC": "SECURITY", "STC": "STGCLASS", "THD": "THREAD", "TPS": "TPSTATUS",
}  # fmt: skip

#: Operators of a WHERE filter.
OPERATORS = ("LT", "GT", "EQ", "NE", "LE", "GE", "LK", "NL", "CT", "EX", "CTG", "EXG")

#: Characters that a value may have without quotes: others are folded to upper case, or misread.
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./_%*")
_WORD_ENDS = frozenset(BLANKS + QUOTES + "()")


@dataclass(slots=True)
class Param(Record):
    """One parameter of a command. values: None for a keyword alone. line, column: of the keyword, from 1."""

    keyword: str
    values: tuple[str, ...] | None = None
    line: int = 0
    column: int = 0


@dataclass(slots=True)
class Command(Record):
    """One command without syntax mistakes.

    verb, object_type: in full, never a synonym.  name: as given (folded unless quoted), None without one.
    number: of the command in its text, from 1.  source: its physical lines.  comments: the comment lines before it.
    """

    verb: str
    object_type: str
    name: str | None = None
    params: tuple[Param, ...] = ()
    line: int = 0
    column: int = 0
    source: str = ""
    number: int = 0
    comments: tuple[str, ...] = ()


@dataclass(slots=True)
class SyntaxMistake(Record):
    """One syntax mistake; a command can have several, all with its number, and is then not given as a Command.

    file: name of the text.  line, column: from 1, physical.  segment: the command up to its first mistake.
    """

    text: str
    line: int
    column: int
    file: str = "<stdin>"
    source: str = ""
    number: int = 0
    segment: str = ""
    comments: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.text}"


@dataclass(slots=True)
class Where(Record):
    """A filter ``WHERE(keyword operator value)``."""

    keyword: str
    operator: str
    value: str


def parse_mqsc(text: str, name: str = "<stdin>") -> list[Command | SyntaxMistake]:
    """Read all commands of a text, each as a Command or as its Mistakes, in order; never raises.

    ``END``, ``QUIT`` and ``EXIT`` end the text: they are not given, and what follows is not read.
    """
    found: list[Command | SyntaxMistake] = []
    for number, reader in enumerate(_readers(text, name), 1):
        command = reader.command(number)
        if isinstance(command, Command) and command.verb == "END":
            break
        if command is not None:
            found.append(command)
        else:
            found += sorted(reader.mistakes, key=lambda mistake: (mistake.line, mistake.column))
    return found


def parse_where(param: Param) -> Where:
    """Read the three parts of a WHERE parameter. Not three parts, or an unknown operator: ValueError."""
    values = param.values or ()
    if len(values) != 3:
        raise ValueError("WHERE takes an attribute, an operator and a value; put a value with blanks in quotes")
    keyword, operator, value = values[0].upper(), values[1].upper(), values[2]
    if operator not in OPERATORS:
        raise ValueError(f"{operator} is not an operator of WHERE: {' '.join(OPERATORS)}")
    return Where(keyword, operator, value)


def suggestion(word: str, words: Iterable[str]) -> str:
    """Return a suggestion to append to a mistake; empty where no word is near."""
    meant = did_you_mean(nearest(word.upper(), sorted(words)))
    return f"; {meant}" if meant else ""


def quote(value: str) -> str:
    """Write a value so that it reads back the same: in quotes unless plain. Line breaks cannot be written."""
    if value and _PLAIN.issuperset(value):
        return value
    return "'" + value.replace("'", "''") + "'"


def format_command(command: Command) -> str:
    """Write a command on one line; it parses back to the same command."""
    name = "" if command.name is None else f"({quote(command.name)})"
    words = [command.verb, command.object_type + name]
    for keyword, values in ((param.keyword, param.values) for param in command.params):
        words.append(keyword if values is None else f"{keyword}({','.join(map(quote, values))})")
    return " ".join(words)


def _readers(text: str, file: str) -> Iterator[_Reader]:
    for entry in entries(text):
        comments = tuple(entry.comments)
        for start, end in entry.commands():
            yield _Reader(entry, start, end, file, comments)
            comments = ()


class _Reader:
    """Reads one command from left to right and collects its mistakes."""

    __slots__ = ("at", "comments", "end", "entry", "file", "mistakes", "number", "source", "start", "text")

    def __init__(self, entry: LogicalLine, start: int, end: int, file: str, comments: tuple[str, ...]) -> None:
        self.entry = entry
        self.text = entry.text
        self.start = self.at = start
        self.end = end
        self.file = file
        self.comments = comments
        self.source = entry.source(start, end)
        self.number = 0
        self.mistakes: list[SyntaxMistake] = []

    def command(self, number: int) -> Command | None:
        """Return the command, or None when it has mistakes."""
        self.number = number
        begin = self._skip()
        verb = self._known(VERBS, "a verb", "a command begins with a verb")
        if verb is None:
            return None
        if verb == "END":
            return Command(verb, "")
        begin_type = self._skip()
        object_type = self._known(OBJECT_TYPES, "an object type", f"{verb} needs an object type")
        if object_type is not None and object_type not in OBJECT_TYPES_OF[verb]:
            meant = suggestion(object_type, OBJECT_TYPES_OF[verb])
            self._mistake(f"{object_type} is not an object type of {verb}{meant}", begin_type)
        name = self._name() if self._skip() < self.end and self.text[self.at] == "(" else None
        params = self._params()
        if object_type is None or self.mistakes:
            return None
        line, column = self.entry.position(begin)
        return Command(verb, object_type, name, params, line, column, self.source, number, self.comments)

    def _mistake(self, text: str, offset: int) -> None:
        line, column = self.entry.position(offset)
        until_here = self.text[self.start : max(self.at, offset + 1)].strip()
        segment = self.mistakes[0].segment if self.mistakes else until_here
        self.mistakes.append(
            SyntaxMistake(text, line, column, self.file, self.source, self.number, segment, self.comments)
        )

    def _skip(self) -> int:
        while self.at < self.end and self.text[self.at] in BLANKS:
            self.at += 1
        return self.at

    def _word(self) -> str:
        start = self.at
        while self.at < self.end and self.text[self.at] not in _WORD_ENDS:
            self.at += 1
        return fold(self.text[start : self.at])

    def _known(self, table: dict[str, str], what: str, missing: str) -> str | None:
        begin = self.at
        word = self._word()
        if not word:
            self._mistake(missing, min(begin, self.end - 1))
        elif word not in table:
            self._mistake(f"{word} is not {what}{suggestion(word, table.values())}", begin)
        return table.get(word)

    def _name(self) -> str | None:
        opening = self.at
        values = self._values()
        if len(values) > 1:
            self._mistake("one name is expected here; put a name with blanks in quotes", opening)
        return values[0] if values else None

    def _params(self) -> tuple[Param, ...]:
        params: list[Param] = []
        seen: set[str] = set()
        while self._skip() < self.end:
            param = self._param(seen)
            if param is not None:
                seen.add(param.keyword)
                params.append(param)
        return tuple(params)

    def _param(self, seen: set[str]) -> Param | None:
        begin = self.at
        keyword = self._word()
        is_keyword = keyword.isascii() and keyword.isalnum()
        if not is_keyword:
            self._stray(keyword, begin)
        values: tuple[str, ...] | None = None
        if self._skip() < self.end and self.text[self.at] == "(":
            values = self._values()
        if not is_keyword or values == ():
            return None
        self._refuse_repeated(keyword, seen, begin)
        return Param(keyword, values, *self.entry.position(begin))

    def _stray(self, word: str, begin: int) -> None:
        character = self.text[begin]
        if word:
            self._mistake(f"{word} is not a keyword", begin)
        elif character in QUOTES:
            if self._string() is not None:
                self._mistake("a value follows its keyword in parentheses", begin)
        elif character == ")":
            self.at += 1
            self._mistake("there is no ( for this )", begin)
        else:
            self._mistake("there is no keyword before this (", begin)

    def _refuse_repeated(self, keyword: str, seen: set[str], begin: int) -> None:
        for other in (keyword, "NO" + keyword, keyword.removeprefix("NO")):
            if other in seen:
                again = "twice" if other == keyword else f"although {other} is given already"
                self._mistake(f"{keyword} is given {again}", begin)
                return

    def _values(self) -> tuple[str, ...]:
        """Return the values from ( to ); None after a mistake."""
        opening = self.at
        self.at += 1
        values: list[str] = []
        while self._skip() < self.end and self.text[self.at] != ")":
            value = self._string() if self.text[self.at] in QUOTES else self._value()
            if value is None:
                return ()
            values.append(value)
        if self.at >= self.end:
            self._mistake("this ( is not closed", opening)
            return ()
        self.at += 1
        if not values:
            self._mistake("there is no value in the parentheses; a blank one is written (' ')", opening)
        return tuple(values)

    def _value(self) -> str:
        """Return a value without quotes; parentheses inside it, as in host(1414), belong to it."""
        start, depth = self.at, 0
        while self.at < self.end:
            character = self.text[self.at]
            if depth == 0 and character in _WORD_ENDS and character != "(":
                break
            depth += (character == "(") - (character == ")")
            self.at += 1
        return fold(self.text[start : self.at])

    def _string(self) -> str | None:
        """Return a string in quotes, or None with a mistake when it does not end."""
        opening, mark = self.at, self.text[self.at]
        parts: list[str] = []
        at = opening + 1
        while True:
            closing = self.text.find(mark, at, self.end)
            if closing < 0:
                self.at = self.end
                self._mistake("this string is not closed", opening)
                return None
            parts.append(self.text[at:closing])
            if not self.text.startswith(mark, closing + 1, self.end):
                self.at = closing + 1
                return mark.join(parts)
            at = closing + 2
