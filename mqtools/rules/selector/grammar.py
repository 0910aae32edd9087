"""Parser of selectors: grammar, literals, and the operands that are allowed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import KW_ONLY, InitVar, dataclass, field

import lark
from lark import Token

from mqtools.message import PropertyValue
from mqtools.rules.selector import evaluation
from mqtools.rules.selector import predicates as predicates
from mqtools.rules.selector.evaluation import Condition, HexNumber
from mqtools.rules.selector.names import Reader, comparable_text, is_byte_field, property_keys, reader_of
from mqtools.rules.selector.predicates import MIRRORED, UNSAID, Predicates

#: Nesting depth of conditions and signs; more would overflow Python's own stack.
MAX_DEPTH = 100

#: Exact numbers have 64 bits, with a sign. Hexadecimal digits beyond that can only be a byte string.
_LARGEST = (1 << 63) - 1
_HEX_DIGITS_OF_A_NUMBER = 16
_EXACT = re.compile(r"(0[0-7]+|0|[1-9][0-9]*)[lL]?")
_APPROXIMATE = re.compile(r"(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][+-]?[0-9]+)?")
_HEX = re.compile(r"0[xX]([0-9a-fA-F]+)")
_BYTES = re.compile(r'"0[xX]((?:[0-9a-fA-F]{2})+)"')

#: Terminals of the grammar to words, in the order of the message. A terminal not listed is not mentioned.
_WORDS = {
    "NAME": "a value",
    "NOT": "NOT",
    "NUMBER": "a number",
    "STRING": "a string in single quotes",
    "COMPARISON": "a comparison (= <> < <= > >=)",
    "SIGN": "+ or -",
    "FACTOR_SIGN": "* or /",
    "_BETWEEN": "BETWEEN",
    "_IN": "IN",
    "_LIKE": "LIKE",
    "_IS": "IS",
    "_NULL": "NULL",
    "_ESCAPE": "ESCAPE",
    "_AND": "AND",
    "_OR": "OR",
    "_OPEN": "(",
    "_COMMA": ",",
    "_CLOSE": ")",
    "$END": "the end",
}

#: Terminals that ``a value`` already covers.
_VALUE_STARTS = frozenset(("NUMBER", "STRING", "SIGN", "_OPEN"))

_DOUBLE_QUOTES = 'double quotes hold only pairs of hexadecimal digits, as in "0x0AFF"; a string is in single quotes'
_ODD_DIGITS = "a byte string has two digits for each byte: there is one too few"

#: A character that begins no token, to a hint. Any other is only named.
_ADVICE = {
    "'": "the string that begins here has no closing quote",
    '"': _DOUBLE_QUOTES,
    "!": "not equal is written <>",
}


class GrammarError(Exception):
    """Raised when a selector does not parse: a text and the offset in characters."""

    def __init__(self, text: str, position: int) -> None:
        super().__init__(text)
        self.text = text
        self.position = position


@dataclass(slots=True, eq=False)
class Term:
    """Part of a selector: a value, a condition, or a boolean that can be both.

    kind: ``name``, ``literal``, ``result`` (of arithmetic) or ``condition``.  text: the name of a name.
    value: of a literal.  predicates: for where the condition is true, and for where it is false.
    keys: names of the properties that the parts read.
    """

    kind: str
    position: int
    _: KW_ONLY
    reader: Reader | None = None
    condition: Condition | None = None
    text: str = ""
    value: PropertyValue = None
    parts: InitVar[Sequence[Term]] = ()
    predicates: Predicates = UNSAID
    keys: frozenset[str] = field(init=False)
    depth: int = field(init=False)

    def __post_init__(self, parts: Sequence[Term]) -> None:
        own = property_keys(self.text) if self.kind == "name" else ()
        self.keys = frozenset(own).union(*(part.keys for part in parts))
        self.depth = 1 + max((part.depth for part in parts), default=0)
        if self.depth > MAX_DEPTH:
            raise GrammarError(f"conditions are nested more than {MAX_DEPTH} deep", self.position)


def parse(text: str) -> Term:
    """Parse a selector that is not blank into its condition. Raises GrammarError."""
    try:
        built: Term = _PARSER.parse(text)  # type: ignore[assignment]
    except lark.UnexpectedCharacters as error:
        position = error.pos_in_stream or 0
        words = _ADVICE.get(text[position]) or f"{text[position]!r} has no meaning in a selector"
        raise GrammarError(words, position) from error
    except lark.UnexpectedToken as error:
        raise _unexpected(text, error) from error
    return built


def _unexpected(text: str, error: lark.UnexpectedToken) -> GrammarError:
    at_end = error.token.type == "$END"
    position = len(text) if at_end else error.token.start_pos or 0
    if error.token.type == "QUOTED" and not _BYTES.fullmatch(error.token):
        return GrammarError(_DOUBLE_QUOTES, position)
    found = "the end of the selector" if at_end else f"`{error.token}`"
    return GrammarError(f"expected {_listed(error.accepts or error.expected)}, found {found}", position)


def _listed(terminals: set[str]) -> str:
    told = [
        words
        for terminal, words in _WORDS.items()
        if terminal in terminals and not ("NAME" in terminals and terminal in _VALUE_STARTS)
    ]
    return " or ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told) or "nothing more"


def _value(term: Term) -> Reader:
    if term.reader is None:
        raise GrammarError("expected a value, found a condition", term.position)
    return term.reader


def _condition(term: Term) -> Condition:
    if term.condition is not None:
        return term.condition
    if term.kind == "name" or (term.kind == "literal" and isinstance(term.value, bool)):
        return evaluation.truth(_value(term))
    raise GrammarError("expected a condition, found a value: compare it with another", term.position)


def _predicates(term: Term) -> Predicates:
    if term.kind == "name":
        return predicates.truth(term.text)
    return predicates.literal(term.value) if term.kind == "literal" else term.predicates


def _property(term: Term, operation: str) -> Reader:
    if term.kind != "name":
        raise GrammarError(f"{operation} applies to a property only", term.position)
    return _value(term)


def _test(
    condition: Condition, narrowing: Predicates, words: Sequence[object], position: int, parts: Sequence[Term]
) -> Term:
    """Return a condition, or its negation if the word NOT is in it."""
    if words:
        condition, narrowing = evaluation.inversion(condition), predicates.inversion(narrowing)
    return Term("condition", position, condition=condition, predicates=narrowing, parts=parts)


def _literal(value: PropertyValue, position: int) -> Term:
    return Term("literal", position, reader=evaluation.constant(value), value=value)


def _fitted(literal: Term, name: Term) -> PropertyValue:
    """Return a literal in the form of the name that it is compared with: text, or bytes for a field of bytes."""
    value = literal.value
    if name.kind != "name":
        return value
    if isinstance(value, str):
        return comparable_text(name.text, value)
    if isinstance(value, HexNumber) and is_byte_field(name.text):
        if value.raw is None:
            raise GrammarError(_ODD_DIGITS, literal.position)
        return value.raw
    return value


def _unquoted(token: Token) -> str:
    return token[1:-1].replace("''", "'")


class _Builder:
    """Builder of terms during the parse, one method for each rule of the grammar."""

    def start(self, parts: list[Term]) -> Term:
        (term,) = parts
        return Term("condition", term.position, condition=_condition(term), predicates=_predicates(term), parts=parts)

    def disjunction(self, parts: list[Term]) -> Term:
        condition = evaluation.disjunction([_condition(part) for part in parts])
        return _test(condition, predicates.disjunction(map(_predicates, parts)), (), parts[0].position, parts)

    def conjunction(self, parts: list[Term]) -> Term:
        condition = evaluation.conjunction([_condition(part) for part in parts])
        return _test(condition, predicates.conjunction(map(_predicates, parts)), (), parts[0].position, parts)

    def inversion(self, parts: tuple[Token, Term]) -> Term:
        word, term = parts
        return _test(_condition(term), _predicates(term), [word], word.start_pos or 0, [term])

    def comparison(self, parts: tuple[Term, Token, Term]) -> Term:
        left, sign, right = parts
        readers, narrowing = [_value(left), _value(right)], UNSAID
        for side, (literal, name, each) in enumerate(((left, right, MIRRORED[sign]), (right, left, str(sign)))):
            if literal.kind == "literal" and name.kind == "name":
                value = _fitted(literal, name)
                readers[side] = evaluation.constant(value)
                narrowing = predicates.comparison(name.text, each, value)
        return _test(evaluation.comparison(str(sign), *readers), narrowing, (), left.position, [left, right])

    def between(self, parts: list[Term]) -> Term:
        value, *words, low, high = parts
        condition = evaluation.between(_value(value), _value(low), _value(high))
        narrowing = UNSAID
        if (value.kind, low.kind, high.kind) == ("name", "literal", "literal"):
            limits = ((">=", low.value), ("<=", high.value))
            narrowing = predicates.conjunction(predicates.comparison(value.text, *limit) for limit in limits)
        return _test(condition, narrowing, words, value.position, [value, low, high])

    def membership(self, parts: list[Term | Token]) -> Term:
        terms = [part for part in parts if isinstance(part, Term)]
        words = [part for part in parts if not isinstance(part, Term)]
        name, *literals = terms
        members = [_fitted(literal, name) for literal in literals]
        condition = evaluation.membership(_property(name, "IN"), members)
        return _test(condition, predicates.membership(name.text, members), words, name.position, terms)

    def like(self, parts: list[Term | Token]) -> Term:
        name, *tokens = parts
        assert isinstance(name, Term)
        words = [token for token in tokens if isinstance(token, lark.Token) and token.type == "NOT"]
        pattern, *escapes = [token for token in tokens if isinstance(token, lark.Token) and token.type == "STRING"]
        escape = _unquoted(escapes[0]) if escapes else ""
        if escapes and len(escape) != 1:
            raise GrammarError("ESCAPE takes a single character", escapes[0].start_pos or 0)
        reader = _property(name, "LIKE")
        text = _unquoted(pattern) if escapes else comparable_text(name.text, _unquoted(pattern))
        try:
            condition = evaluation.like(reader, text, escape)
        except ValueError as error:
            raise GrammarError(str(error), pattern.start_pos or 0) from error
        narrowing = predicates.like(name.text, evaluation.literal_pieces(text, escape))
        return _test(condition, narrowing, words, name.position, [name])

    def null_test(self, parts: list[Term]) -> Term:
        name, *words = parts
        condition = evaluation.is_null(_property(name, "IS NULL"))
        return _test(condition, predicates.null_test(name.text), words, name.position, [name])

    def arithmetic(self, parts: list[Term]) -> Term:
        first, *rest = parts
        signs, terms = rest[::2], rest[1::2]
        steps = [(str(sign), _value(term)) for sign, term in zip(signs, terms, strict=True)]
        return Term("result", first.position, reader=evaluation.arithmetic(_value(first), steps), parts=[first, *terms])

    def signed(self, parts: tuple[Token, Term]) -> Term:
        sign, term = parts
        position = sign.start_pos or 0
        if term.kind == "literal" and isinstance(term.value, (int, float)) and not isinstance(term.value, bool):
            return _literal(-term.value if sign == "-" else +term.value, position)
        return Term("result", position, reader=evaluation.signed(str(sign), _value(term)), parts=[term])

    def signed_number(self, parts: tuple[Token, Token]) -> Term:
        sign, number = parts
        return self.signed((sign, self.number([number])))

    def name(self, parts: list[Token]) -> Term:
        (token,) = parts
        position = token.start_pos or 0
        try:
            reader = reader_of(str(token))
        except LookupError as error:
            raise GrammarError(str(error.args[0]), position) from error
        return Term("name", position, reader=reader, text=str(token))

    def number(self, parts: list[Token]) -> Term:
        (token,) = parts
        return _literal(_read_number(token), token.start_pos or 0)

    def string(self, parts: list[Token]) -> Term:
        (token,) = parts
        return _literal(_unquoted(token), token.start_pos or 0)

    def byte_string(self, parts: list[Token]) -> Term:
        (token,) = parts
        digits = _BYTES.fullmatch(token)
        if digits is None:
            raise GrammarError(_DOUBLE_QUOTES, token.start_pos or 0)
        return _literal(bytes.fromhex(digits[1]), token.start_pos or 0)

    def true(self, parts: list[Token]) -> Term:
        return _literal(True, parts[0].start_pos or 0)

    def false(self, parts: list[Token]) -> Term:
        return _literal(False, parts[0].start_pos or 0)


def _read_number(token: Token) -> int | float | bytes:
    if digits := _HEX.fullmatch(token):
        return _read_hex(digits[1], token)
    # 64 bits need no more digits than that in any base; longer numbers are not converted.
    if (digits := _EXACT.fullmatch(token)) and len(digits[1]) <= 24:
        exact = int(digits[1], 8 if len(digits[1]) > 1 and digits[1][0] == "0" else 10)
        if exact <= _LARGEST:
            return exact
    if _APPROXIMATE.fullmatch(token) and float(token) != float("inf"):
        return float(token)
    raise GrammarError(f"{token} is not a number that a selector knows", token.start_pos or 0)


def _read_hex(digits: str, token: Token) -> HexNumber | bytes:
    is_odd = bool(len(digits) % 2)
    if len(digits) <= _HEX_DIGITS_OF_A_NUMBER:
        number = HexNumber(digits, 16)
        number.raw = None if is_odd else bytes.fromhex(digits)
        return number
    if is_odd:
        raise GrammarError(_ODD_DIGITS, token.start_pos or 0)
    return bytes.fromhex(digits)


#: Made with the import, which one thread does: Python 3.11 fails where two read literals of a grammar at once.
_PARSER = lark.Lark.open(
    "selector.lark",
    rel_to=__file__,
    parser="lalr",
    lexer="contextual",
    maybe_placeholders=False,
    transformer=_Builder(),
)
