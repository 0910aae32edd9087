"""Output in the form of runmqsc: command echo, responses by message number, attributes in two columns, counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mqtools.formats.mqsc.script import SyntaxMistake

#: Message number to its text. ``{name}`` is the object. The last letter is the severity: I done, E failed.
MESSAGES = {
    "AMQ8005I": "mqx queue manager changed.",
    "AMQ8006I": "mqx queue created.",
    "AMQ8007I": "mqx queue deleted.",
    "AMQ8008I": "mqx queue changed.",
    "AMQ8010I": "mqx process created.",
    "AMQ8011I": "mqx process deleted.",
    "AMQ8012I": "mqx process changed.",
    "AMQ8014I": "mqx channel created.",
    "AMQ8015I": "mqx channel deleted.",
    "AMQ8016I": "mqx channel changed.",
    "AMQ8018I": "Start mqx channel accepted.",
    "AMQ8019I": "Stop mqx channel accepted.",
    "AMQ8020I": "Ping mqx channel complete.",
    "AMQ8021I": "Request to start mqx listener accepted.",
    "AMQ8022I": "mqx queue cleared.",
    "AMQ8023I": "mqx channel reset.",
    "AMQ8025I": "mqx channel resolved.",
    "AMQ8094I": "mqx subscription created.",
    "AMQ8095I": "mqx subscription changed.",
    "AMQ8096I": "mqx subscription inquired.",
    "AMQ8099I": "mqx subscription status inquired.",
    "AMQ8143E": "mqx queue {name} not empty.",
    "AMQ8147E": "mqx object {name} not found.",
    "AMQ8148E": "mqx object {name} in use.",
    "AMQ8150E": "mqx object {name} already exists.",
    "AMQ8276I": "Display Connection details.",
    "AMQ8405I": "Syntax error detected at or near end of command segment below:-",
    "AMQ8407I": "Display Process details.",
    "AMQ8408I": "Display Queue Manager details.",
    "AMQ8409I": "Display Queue details.",
    "AMQ8414I": "Display Channel details.",
    "AMQ8415I": "Ping mqx Queue Manager command complete.",
    "AMQ8417I": "Display Channel Status details.",
    "AMQ8420I": "Channel Status not found.",
    "AMQ8450I": "Display queue status details.",
    "AMQ8457I": "mqx connection stopped.",
    "AMQ8550I": "Display namelist details.",
    "AMQ8551I": "mqx namelist changed.",
    "AMQ8552I": "mqx namelist created.",
    "AMQ8553I": "mqx namelist deleted.",
    "AMQ8705I": "Display Queue Manager Status Details.",
    "AMQ8706I": "Request to stop mqx listener accepted.",
    "AMQ8732I": "Request to stop service accepted.",
    "AMQ8733I": "Request to start service accepted.",
    "AMQ8723I": "Display pub/sub status details.",
    "AMQ8754I": "Display topic status details.",
    "AMQ8756I": "mqx topic string cleared.",
    "AMQ8862I": "mqx authority record set.",
    "AMQ8863I": "mqx authority record deleted.",
    "AMQ8864I": "Display authority record details.",
    "AMQ8866I": "Display entity authority details.",
    "AMQ8871I": "Display authorization service details.",
    "AMQ8877I": "mqx channel authentication record set.",
    "AMQ8878I": "Display channel authentication record details.",
    "AMQ8932I": "Display application status details.",
    "AMQ8884E": "Channel authentication record not found.",
    "AMQ8565E": "Queue Status not found.",
    "AMQ8623I": "mqx listener changed.",
    "AMQ8624I": "mqx service changed.",
    "AMQ8625I": "mqx service created.",
    "AMQ8626I": "mqx listener created.",
    "AMQ8627I": "mqx service deleted.",
    "AMQ8628I": "mqx listener deleted.",
    "AMQ8629I": "Display service information details.",
    "AMQ8630I": "Display listener information details.",
    "AMQ8560I": "mqx security cache refreshed.",
    "AMQ8563I": "mqx authentication information object created.",
    "AMQ8564I": "mqx authentication information object deleted.",
    "AMQ8566I": "Display authentication information details.",
    "AMQ8567I": "mqx authentication information changed.",
    "AMQ8631I": "Display listener status details.",
    "AMQ8632I": "Display service status details.",
    "AMQ8633I": "Display topic details.",
    "AMQ8690I": "mqx topic created.",
    "AMQ8691I": "mqx topic changed.",
    "AMQ8692I": "mqx topic deleted.",
}

#: Widest attribute, in characters, that shares its line; a wider one stands alone.
_CELL = 37
_INDENT = "   "


def message(number: str, name: str = "") -> str:
    """Return a response line: ``AMQ8147E: mqx object Q not found.`` Unknown number: KeyError."""
    text = MESSAGES[number].replace("{name}", name)
    return f"{number}: {' '.join(text.split())}"


def echo(number: int, source: str, comments: Sequence[str] = ()) -> list[str]:
    """Return the echo of a command: comments before it, its first line with its number, the others without."""
    first, *rest = source.split("\n")
    return [_unnumbered(line) for line in comments] + [f"{number:6d} : {first}"] + [_unnumbered(line) for line in rest]


def display_block(title: str, attributes: Sequence[tuple[str, str | None]]) -> Iterator[str]:
    """Write the attributes of one object under a title, two a line where both fit.

    attributes: keyword and value; None for a keyword alone, such as NOSHARE. A blank value shows as ``( )``.
    """
    yield title
    left = ""
    for keyword, value in attributes:
        cell = keyword if value is None else f"{keyword}({value or ' '})"
        if len(cell) > _CELL:
            yield from _line(left)
            yield from _line(cell)
            left = ""
        elif left:
            yield f"{_INDENT}{left:{_CELL}}{_INDENT}{cell}"
            left = ""
        else:
            left = cell
    yield from _line(left)


def syntax_error_block(mistakes: Sequence[SyntaxMistake]) -> list[str]:
    """Return the report of the mistakes of a command: the segment up to the first, then each with line and column."""
    return [message("AMQ8405I"), mistakes[0].segment, *(str(mistake) for mistake in mistakes)]


def summary(read: int, syntax_errors: int, failed: int) -> list[str]:
    """Count at the end: commands read, those with a syntax error, valid ones that could not be processed."""
    return [
        f"{_count(read)} MQSC command{_s(read)} read.",
        f"{_count(syntax_errors)} command{_s(syntax_errors)} {'has' if syntax_errors == 1 else 'have'} a syntax error.",
        f"{_count(failed)} valid MQSC command{_s(failed)} could not be processed."
        if failed
        else "All valid MQSC commands were processed.",
    ]


def _line(cell: str) -> Iterator[str]:
    if cell:
        yield _INDENT + cell


def _unnumbered(line: str) -> str:
    return f"       : {line}"


def _count(number: int) -> str:
    return {0: "No", 1: "One"}.get(number, str(number))


def _s(number: int) -> str:
    return "" if number == 1 else "s"
