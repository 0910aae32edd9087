"""Parsing of parameter values: from text to the value in a rule or the control data.

Each function returns None for a wrong value, after reporting it.  Source: BEY-69 to BEY-76.
"""

from __future__ import annotations

import re

from mqtools.constants.names import family
from mqtools.dlq.keywords import CHAR_PATTERNS, INTEGERS, LARGEST, NAMES, NUMBER_PATTERNS, WORDS
from mqtools.dlq.lexer import Parameter
from mqtools.dlq.mistakes import find_nearest, quote
from mqtools.dlq.rule import Pattern, compile_wildcards
from mqtools.formats.mistakes import Findings
from mqtools.formats.phrases import did_you_mean

_DIGITS = re.compile(r"[0-9]+")
_SIGNED = re.compile(r"[+-]?[0-9]+")
_WILDCARDS = re.compile(r"[*?]")


def read_value(parameter: Parameter, findings: Findings) -> Pattern | str | int | None:
    """Return the value of a known keyword: a Pattern for a pattern keyword, else a word, name or number."""
    value = parameter.value
    if value is None:
        return None
    for keywords, read in ((CHAR_PATTERNS, _char_value), (NUMBER_PATTERNS, _number_value), (NAMES, _name)):
        if parameter.keyword in keywords:
            return read(parameter, value, findings)
    if parameter.keyword in INTEGERS and (parameter.keyword not in WORDS or _SIGNED.fullmatch(value)):
        return _integer(parameter, value, *INTEGERS[parameter.keyword], findings)
    words = WORDS[parameter.keyword]
    accepted = ", ".join(words) + (" or a number" if parameter.keyword in INTEGERS else "")
    return _one_of(words, parameter, value, accepted, findings)


def _char_value(parameter: Parameter, value: str, findings: Findings) -> Pattern | None:
    length = CHAR_PATTERNS[parameter.keyword][2]
    counted = len(value) - value.count("*")
    if counted > length:
        text = f"{parameter.keyword} has {counted} characters without asterisks; the field has {length}"
        findings.mistake(parameter.value_place, text, _format_by_name(parameter, value))
        return None
    _warn_if_folded(parameter, value, findings)
    return Pattern(parameter.keyword, value, compile_wildcards(value))


def _format_by_name(parameter: Parameter, value: str) -> str | None:
    """Suggest the value of a format that was given by its constant's name."""
    found = family("MQFMT").get(value) if parameter.keyword == "FORMAT" else None
    return did_you_mean(f"FORMAT({found})" if found and found != " " * len(str(found)) else None)


def _number_value(parameter: Parameter, value: str, findings: Findings) -> Pattern | None:
    if value == "*":
        return Pattern(parameter.keyword, value, None)
    if _SIGNED.fullmatch(value):
        number = _integer(parameter, value, 0, LARGEST, findings)
    elif _WILDCARDS.search(value):
        number = None
        text = f"a wildcard cannot be part of a number; {parameter.keyword}(*) is any value"
        findings.mistake(parameter.value_place, text)
    else:
        number = _symbol(parameter, value, findings)
    return None if number is None else Pattern(parameter.keyword, value, number)


def _symbol(parameter: Parameter, value: str, findings: Findings) -> int | None:
    families = NUMBER_PATTERNS[parameter.keyword][2]
    for prefix in families:
        number = family(prefix).get(value)
        if isinstance(number, int):
            return number
    known = tuple(name for prefix in families for name in family(prefix))
    meant = next((f"{p}_{value}" for p in families if f"{p}_{value}" in known), None) or find_nearest(value, known)
    expected = " or ".join(f"{prefix}_" for prefix in families)
    text = f"{parameter.keyword} takes a number or an {expected} name, not {quote(value)}"
    findings.mistake(parameter.value_place, text, did_you_mean(meant))
    return None


def _integer(parameter: Parameter, value: str, smallest: int, largest: int, findings: Findings) -> int | None:
    digits = value.lstrip("0") or "0"
    # Far below the length that int() refuses, a number is out of range.
    if _DIGITS.fullmatch(digits) and len(digits) <= len(str(largest)) and smallest <= int(digits) <= largest:
        return int(digits)
    problem = "out of range" if _SIGNED.fullmatch(value) else "not a number"
    text = f"{parameter.keyword} takes a number from {smallest} to {largest}; this is {problem}"
    findings.mistake(parameter.value_place, text)
    return None


def _one_of(words: tuple[str, ...], parameter: Parameter, value: str, accepted: str, findings: Findings) -> str | None:
    """Return a value that is one of some words. accepted: what is, in words."""
    if value in words:
        return value
    findings.mistake(
        parameter.value_place,
        f"{parameter.keyword} takes {accepted}, not {quote(value)}",
        did_you_mean(find_nearest(value, words)),
    )
    return None


def _name(parameter: Parameter, value: str, findings: Findings) -> str | None:
    length, may_be_blank, words = NAMES[parameter.keyword]
    name = value.rstrip(" ")
    if name.startswith("&"):
        return _one_of(words, parameter, name.upper(), " or ".join(words) or "no word that begins with &", findings)
    if _WILDCARDS.search(name):
        findings.mistake(parameter.value_place, f"{parameter.keyword} takes no wildcards")
    elif len(name) > length:
        findings.mistake(parameter.value_place, f"{parameter.keyword} has {len(name)} characters; a name has {length}")
    elif not name and not may_be_blank:
        findings.mistake(parameter.value_place, f"{parameter.keyword} must not be blank")
    else:
        _warn_if_folded(parameter, name, findings)
        return name
    return None


def _warn_if_folded(parameter: Parameter, value: str, findings: Findings) -> None:
    if parameter.folded:
        findings.warn(
            parameter.value_place,
            f"lower case without quotes is read as upper case: {quote(value)}",
            "put it in quotes to keep lower case",
        )
