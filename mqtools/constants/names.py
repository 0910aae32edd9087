"""From the number of a constant to its name and back; unknown values pass through as numbers.

A *family* is a prefix such as ``MQRC``. Where several names share a value the preferred one is the
one operators use; range markers such as ``MQFB_SYSTEM_FIRST`` are never chosen.
"""

from __future__ import annotations

from collections.abc import Iterable

from mqtools.constants import message, objects, options, properties, reasons

#: The families that are known.
_FAMILIES = frozenset(
    [
        "MQCC",
        "MQRC",
        "MQMT",
        "MQRO",
        "MQFB",
        "MQPER",
        "MQENC",
        "MQMF",
        "MQAT",
        "MQFMT",
        "MQEI",
        "MQOO",
        "MQCO",
        "MQGMO",
        "MQMO",
        "MQPMO",
        "MQACTP",
        "MQCNO",
        "MQTYPE",
        "MQCOPY",
        "MQPD",
        "MQPROP",
        "MQOT",
        "MQQT",
        "MQQDT",
        "MQUS",
        "MQIA",
        "MQCA",
    ]
)

#: Names preferred where several share one value.
_PREFERRED = frozenset(
    (
        "MQRC_STORAGE_MEDIUM_FULL",
        "MQRC_CONVERTED_MSG_TOO_BIG",
        "MQAT_UNIX",
        "MQAT_ZOS",
        "MQAT_BROKER",
        "MQAT_NSK",
    )
)
#: Families in which these endings mark the ends of a range, or a platform's default, not a value.
_RANGED = frozenset(("MQRC", "MQFB", "MQMT", "MQAT"))
_MARKERS = ("_FIRST", "_LAST", "_DEFAULT")
#: Families that mix the versions and lengths of a structure with its options, and the marks of the former.
_STRUCTURES = frozenset(("MQGMO", "MQPMO", "MQCNO", "MQPD"))
_STRUCTURAL = ("_STRUC_ID", "_VERSION_", "_LENGTH_", "_CURRENT_", "_MASK")

#: Family of flags to the masks of bits that have a name only together: the four families of report options.
_GROUPS = {"MQRO": (0x700, 0x3800, 0x07000000, 0x00E00000)}

_by_name: dict[str, dict[str, int | str]] = {}
_by_value: dict[str, dict[int | str, str]] = {}


def family(prefix: str) -> dict[str, int | str]:
    """Return all constants of a family: full name to value. Unknown family: KeyError."""
    if prefix not in _by_name:
        if prefix not in _FAMILIES:
            raise KeyError(prefix)
        start = prefix + "_"
        modules = (message, objects, options, properties, reasons)
        _by_name[prefix] = {
            name: value for module in modules for name, value in vars(module).items() if name.startswith(start)
        }
    return _by_name[prefix]


def _is_marker(prefix: str, name: str) -> bool:
    """Return whether a constant marks a range or a layout, and so never names a value."""
    if prefix in _STRUCTURES:
        return any(part in name for part in _STRUCTURAL)
    return prefix in _RANGED and name.endswith(_MARKERS)


def name_of(prefix: str, value: int) -> str | None:
    """Return the full name of a value (``MQRC_Q_FULL``), or None without a name."""
    if prefix not in _by_value:
        names: dict[int | str, str] = {}
        for name, number in family(prefix).items():
            if not _is_marker(prefix, name) and (number not in names or name in _PREFERRED):
                names[number] = name
        _by_value[prefix] = names
    return _by_value[prefix].get(value)


def name_or_number(prefix: str, value: int) -> str | int:
    """Return the name of a value, or the value itself without a name (the form used in JSON)."""
    return name_of(prefix, value) or value


def dead_letter_reason(reason: int) -> str | int:
    """Return the name of an MQDLH reason, which is a reason code or a feedback; its number where it has no name."""
    return name_of("MQRC", reason) or name_of("MQFB", reason) or reason


def value_of(prefix: str, text: str | int) -> int:
    """Read a name, with or without its prefix and in any case, or a number. Unknown: ValueError."""
    if isinstance(text, int):
        return text
    value = family(prefix).get(text)
    if isinstance(value, int):
        return value
    word = text.strip()
    if word.lstrip("-").isdigit():
        return int(word)
    full = word.upper().replace("-", "_")
    for candidate in (full, f"{prefix}_{full}"):
        value = family(prefix).get(candidate)
        if isinstance(value, int):
            return value
    raise ValueError(f"{text!r} is neither a number nor a name of {prefix}_")


def flags_to_names(prefix: str, value: int) -> list[str | int]:
    """Split a flag word into the names of its flags, in ascending order of bit.

    Bits without a name come last, as one number. No flag at all gives the family's NONE.
    """
    rest = value & 0xFFFFFFFF
    found: list[tuple[int, str]] = []
    for mask in _GROUPS.get(prefix, ()):
        part = rest & mask
        name = name_of(prefix, part) if part else None
        if name is not None:
            found.append((part & -part, name))
            rest &= ~mask
    for name, number in family(prefix).items():
        if _is_marker(prefix, name):
            continue
        if isinstance(number, int) and number > 0 and number & (number - 1) == 0 and rest & number:
            if not any(bit == number and other == name for bit, other in found):
                found.append((number, name))
            rest &= ~number
    names: list[str | int] = [name for _, name in sorted(found)]
    if rest:
        names.append(rest)
    return names or [f"{prefix}_NONE"]


def names_to_flags(prefix: str, names: Iterable[str | int]) -> int:
    """Return the flag word of names and numbers. Unknown name: ValueError."""
    value = 0
    for name in names:
        value |= value_of(prefix, name)
    return value
