"""Evaluation of the tables of option rules, and the texts of their errors.

The tables stand with the calls they are about: ``options.get``, ``options.open`` (open and close) and
``options.put``. Options are plain bits; a table maps one option, or a mask of options, to a mask of others.
A checking function passes over valid options without naming anything: names are looked up for a failure only.
"""

from __future__ import annotations

from mqtools.constants import options as constants
from mqtools.constants.reasons import MQRC_OPTIONS_ERROR
from mqtools.errors import MQError

#: Parts of a name that show that it is not an option.
_NO_OPTIONS = ("_VERSION", "_LENGTH", "_MASK")

_NO_ROWS: dict[int, int] = {}


def option_name(family: str, option: int) -> str:
    """Return the MQ name of one option bit of a family (``MQGMO``), or its hexadecimal value without one."""
    start = f"{family}_"
    for name, value in vars(constants).items():
        if value == option and name.startswith(start) and not any(part in name for part in _NO_OPTIONS):
            return name
    return f"{family} {option:#x}"


def option_names(family: str, options: int) -> str:
    """Return the MQ names of all options of a mask, as a choice: ``A, B or C``."""
    names = [option_name(family, 1 << bit) for bit in range(options.bit_length()) if options >> bit & 1]
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def lowest_option(options: int) -> int:
    return options & -options


def unknown_options_error(family: str, unknown: int, reason: int = MQRC_OPTIONS_ERROR) -> MQError:
    """Return the error for bits that a call does not define."""
    return MQError(f"no {family} option has the value {unknown & 0xFFFFFFFF:#x}", reason)


def contradiction_error(family: str, option: int, others: int) -> MQError:
    """Return the error for an option that excludes others given; the lowest of these is named."""
    text = f"{option_name(family, option)} and {option_name(family, lowest_option(others))} contradict each other"
    return MQError(text, MQRC_OPTIONS_ERROR)


def missing_open_option_error(family: str, option: int, wanted: int, reason: int) -> MQError:
    """Return the error for an option of a call that the open of its handle did not allow."""
    text = f"{option_name(family, option)} needs a queue opened with {option_names('MQOO', wanted)}"
    return MQError(text, reason)


def check_options(
    family: str,
    options: int,
    known: int,
    *,
    exclusive: tuple[int, ...] = (),
    conflicts: dict[int, int] = _NO_ROWS,
    companions: dict[int, int] = _NO_ROWS,
) -> None:
    """Check the options of a call with each other.

    known: the options that the call has.  exclusive: groups that allow one option at most.
    conflicts: option to the options it excludes.  companions: option to the options that it needs one of.
    Raises MQError: MQRC_OPTIONS_ERROR.
    """
    if options & ~known:
        raise unknown_options_error(family, options & ~known)
    for group in exclusive:
        given = options & group
        if given & (given - 1):
            raise contradiction_error(family, lowest_option(given), given & (given - 1))
    for option, excluded in conflicts.items():
        if options & option and options & excluded:
            raise contradiction_error(family, option, options & excluded)
    for option, needed in companions.items():
        if options & option and not options & needed:
            text = f"{option_name(family, option)} needs {option_names(family, needed)}"
            raise MQError(text, MQRC_OPTIONS_ERROR)
