"""Folders of an MQRFH2: XML-like text to message properties and back.

The text is not XML: there are no declarations, comments or sections, name-space prefixes need no declaration.
A property's name is the path to it, with dots; the folder ``usr`` is left out where the name has no other dot.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeAlias

from mqtools.constants.properties import (
    MQCOPY_ALL,
    MQCOPY_DEFAULT,
    MQCOPY_FORWARD,
    MQCOPY_NONE,
    MQCOPY_PUBLISH,
    MQCOPY_REPLY,
    MQCOPY_REPORT,
    MQPD_NO_CONTEXT,
    MQPD_SUPPORT_OPTIONAL,
    MQPD_SUPPORT_REQUIRED,
    MQPD_SUPPORT_REQUIRED_IF_LOCAL,
    MQPD_USER_CONTEXT,
    MQTYPE_BOOLEAN,
    MQTYPE_BYTE_STRING,
    MQTYPE_FLOAT32,
    MQTYPE_FLOAT64,
    MQTYPE_INT8,
    MQTYPE_INT16,
    MQTYPE_INT32,
    MQTYPE_INT64,
    MQTYPE_NULL,
    MQTYPE_STRING,
)
from mqtools.constants.reasons import MQRC_PROPERTY_NAME_ERROR, MQRC_PROPERTY_TYPE_ERROR, MQRC_RFH_FORMAT_ERROR
from mqtools.errors import MQError
from mqtools.message import Property, PropertyValue

#: Element name to the property it is or the group it opens.
Group: TypeAlias = "dict[str, Property | Group]"

#: Folders that carry properties without saying so; any other one says content='properties' or carries none.
PROPERTY_FOLDERS = frozenset({
    "ibm", "jms", "mcd", "mq", "mq_svc", "mq_usr", "mqema", "mqext", "mqps", "mqtt", "sib", "sib_context", "sib_usr",
    "usr",
})  # fmt: skip
#: Folders in the order in which they are written; others follow in the order of their first property.
_FIRST = ("mcd", "jms", "usr", "mqext")

#: ``dt`` to property type; no ``dt`` is a string, any other ``dt`` an error.
_TYPES = {
    "string": MQTYPE_STRING, "boolean": MQTYPE_BOOLEAN, "bin.hex": MQTYPE_BYTE_STRING, "i1": MQTYPE_INT8,
    "i2": MQTYPE_INT16, "i4": MQTYPE_INT32, "i8": MQTYPE_INT64, "int": MQTYPE_INT64, "r4": MQTYPE_FLOAT32,
    "r8": MQTYPE_FLOAT64,
}  # fmt: skip
#: Property type to the attribute it is written with.
_TYPE_ATTRIBUTES = {
    MQTYPE_NULL: " xsi:nil='true'", MQTYPE_STRING: "", MQTYPE_BOOLEAN: " dt='boolean'",
    MQTYPE_BYTE_STRING: " dt='bin.hex'", MQTYPE_INT8: " dt='i1'", MQTYPE_INT16: " dt='i2'",
    MQTYPE_INT32: " dt='i4'", MQTYPE_INT64: " dt='i8'", MQTYPE_FLOAT32: " dt='r4'", MQTYPE_FLOAT64: " dt='r8'",
}  # fmt: skip
#: Integer type to its bits.
_BITS = {MQTYPE_INT8: 8, MQTYPE_INT16: 16, MQTYPE_INT32: 32, MQTYPE_INT64: 64}
#: Python types that a property type takes; a bool is no integer here.
_PYTHON_TYPES: dict[int, tuple[type, ...]] = {
    MQTYPE_NULL: (type(None),), MQTYPE_STRING: (str,), MQTYPE_BOOLEAN: (bool,), MQTYPE_BYTE_STRING: (bytes,),
    MQTYPE_INT8: (int,), MQTYPE_INT16: (int,), MQTYPE_INT32: (int,), MQTYPE_INT64: (int,),
    MQTYPE_FLOAT32: (float, int), MQTYPE_FLOAT64: (float, int),
}  # fmt: skip
_BOOLEANS = {"1": True, "true": True, "0": False, "false": False}

#: Property descriptor values and their attributes; absent ones mean optional support, no context
#: and the default copy options.
_SUPPORT = {
    ("sr", "required"): MQPD_SUPPORT_REQUIRED,
    ("sx", "local"): MQPD_SUPPORT_REQUIRED_IF_LOCAL,
    ("sa", "optional"): MQPD_SUPPORT_OPTIONAL,
}
_CONTEXTS = {"user": MQPD_USER_CONTEXT, "none": MQPD_NO_CONTEXT}
_COPIES = {
    "all": MQCOPY_ALL, "forward": MQCOPY_FORWARD, "publish": MQCOPY_PUBLISH, "reply": MQCOPY_REPLY,
    "report": MQCOPY_REPORT, "default": MQCOPY_DEFAULT, "none": MQCOPY_NONE,
}  # fmt: skip

_NAME = r"[^\s<>/=&'\"]++"
#: A closing tag, an opening tag (empty or not), or text.
_TOKEN = re.compile(
    rf"</(?P<close>{_NAME})\s*>"
    rf"|<(?P<open>{_NAME})(?P<attributes>(?:\s++{_NAME}\s*=\s*(?:'[^'<]*+'|\"[^\"<]*+\"))*+)\s*(?P<empty>/?)>"
    r"|(?P<text>[^<]++)"
)
_ATTRIBUTE = re.compile(rf"({_NAME})\s*=\s*(?:'([^']*)'|\"([^\"]*)\")")
_ELEMENT_NAME = re.compile(_NAME)
_REFERENCE = re.compile(r"&([^;&]{0,10};)?")
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"}
_ESCAPE_TABLE = str.maketrans(_ESCAPES)
_CHARACTERS = {escape[1:]: character for character, escape in _ESCAPES.items()}


def parse_folders(folders: Iterable[str]) -> dict[str, Property]:
    """Return the properties of all folders that carry any; of a name that comes twice, the first.

    Raises MQError: MQRC_RFH_FORMAT_ERROR when such a folder cannot be parsed. Other folders are not looked into.
    """
    properties: dict[str, Property] = {}
    for folder in folders:
        text = folder.strip(" \0\t\r\n")
        if carries_properties(text):
            for name, value in _parse(text):
                properties.setdefault(name, value)
    return properties


def carries_properties(folder: str) -> bool:
    """Return whether the text is a folder of properties: a predefined one or one with content='properties'."""
    root = _TOKEN.match(folder)
    if root is None or root["open"] is None:
        return False
    return root["open"] in PROPERTY_FOLDERS or _attributes(root["attributes"]).get("content") == "properties"


def build_folders(properties: dict[str, Property]) -> list[str]:
    """Write properties as folders; a name without a dot goes to ``usr``.

    Raises MQError: MQRC_PROPERTY_NAME_ERROR when a name cannot be a path of elements or is a property and a group at
    once, MQRC_PROPERTY_TYPE_ERROR when a value does not fit its type.
    """
    tree: dict[str, Group] = {}
    for name, value in properties.items():
        _plant(tree, name, value)
    order = [name for name in _FIRST if name in tree] + [name for name in tree if name not in _FIRST]
    return [_folder_text(name, tree[name]) for name in order]


def _parse(text: str) -> Iterable[tuple[str, Property]]:
    """Yield the properties of one folder: the elements without elements inside."""
    path: list[str] = []
    elements = list(outline(text))
    depths = [depth for depth, *_ in elements[1:]]
    for (depth, name, attributes, content), following in zip(elements, [*depths, 0], strict=True):
        if path and not depth:
            raise _malformed(f"another folder in front of <{name}>")
        path[depth:] = [name]
        if depth and following <= depth:
            yield _property_name(path), _property(attributes, content)
        elif content.strip():
            raise _malformed(f"text between the elements of <{name}>")


def outline(folder: str) -> Iterable[tuple[int, str, dict[str, str], str]]:
    """Yield the elements of a folder in order: depth from 0, name, attributes, and the text of one without elements.

    Raises MQError: MQRC_RFH_FORMAT_ERROR when it is not well formed, or has text between elements.
    """
    path: list[str] = []
    opened: tuple[int, str, dict[str, str]] | None = None
    content = ""
    for token in _tokens(folder.strip(" \0\t\r\n")):
        name = token["open"] or token["close"]
        if name is None:
            content = token["text"]
            continue
        if content.strip() and (token["open"] or opened is None):
            raise _malformed(f"text beside <{name}>")
        if opened is not None:
            yield *opened, _unescaped(content)
        opened, content = None, ""
        if token["open"]:
            path.append(name)
            opened = (len(path) - 1, name, _attributes(token["attributes"]))
            if token["empty"]:
                yield *opened, ""
                opened = None
        if (token["close"] or token["empty"]) and (not path or path.pop() != name):
            raise _malformed(f"</{name}> closes nothing")
    if path or content.strip():
        raise _malformed(f"<{path[-1]}> is not closed" if path else "text outside the folder")


def _tokens(text: str) -> Iterable[re.Match[str]]:
    position = 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            raise _malformed(f"not well formed at character {position + 1}: {text[position : position + 20]!r}")
        yield token
        position = token.end()


def _attributes(text: str) -> dict[str, str]:
    return {name: single or double for name, single, double in _ATTRIBUTE.findall(text)}


def _property_name(path: list[str]) -> str:
    return path[1] if path[0] == "usr" and len(path) == 2 else ".".join(path)


def _property(attributes: dict[str, str], content: str) -> Property:
    if attributes.get("xsi:nil") == "true":
        kind, value = MQTYPE_NULL, None
    else:
        kind, value = _typed(attributes.get("dt", "string"), content)
    support = [word for attribute, word in _SUPPORT.items() if attributes.get(attribute[0]) == attribute[1]]
    copies = MQCOPY_DEFAULT
    if "copy" in attributes:
        copies = 0
        for word in attributes["copy"].split(","):
            copies |= _word(_COPIES, word.strip(), "copy")
    context = _word(_CONTEXTS, attributes.get("context", "none"), "context")
    return Property(kind, value, support[0] if support else MQPD_SUPPORT_OPTIONAL, context, copies)


def _word(table: dict[str, int], word: str, attribute: str) -> int:
    if word not in table:
        raise _malformed(f"{attribute}={word!r} is unknown")
    return table[word]


def _typed(dt: str, text: str) -> tuple[int, PropertyValue]:
    kind = _word(_TYPES, dt, "dt")
    try:
        return kind, _value(kind, text)
    except (ValueError, KeyError) as error:
        raise _malformed(f"{text[:40]!r} is no {dt}") from error


def _value(kind: int, text: str) -> PropertyValue:
    """Read a value; ValueError or KeyError when the text is none of the type."""
    if kind == MQTYPE_STRING:
        return text
    if kind == MQTYPE_BOOLEAN:
        return _BOOLEANS[text.strip().lower()]
    if kind == MQTYPE_BYTE_STRING:
        return bytes.fromhex(text)
    if "_" in text:
        raise ValueError(f"{text!r} has more than digits")
    if kind in _BITS:
        return _in_range(kind, int(text))
    return float(text)


def _in_range(kind: int, number: int) -> int:
    limit = 1 << (_BITS[kind] - 1)
    if not -limit <= number < limit:
        raise ValueError(f"{number} does not fit {_BITS[kind]} bits")
    return number


def _unescaped(text: str) -> str:
    return _REFERENCE.sub(_character, text) if "&" in text else text


def _character(reference: re.Match[str]) -> str:
    name = reference[1] or ""
    character = _CHARACTERS.get(name)
    if character is not None:
        return character
    try:
        digits, base = (name[2:-1], 16) if name[:2] in ("#x", "#X") else (name[1:-1], 10)
        character = chr(int(digits, base)) if name[:1] == "#" else None
    except (ValueError, OverflowError) as error:
        raise _malformed(f"{reference[0]!r} is no character") from error
    if character is None or "\ud800" <= character <= "\udfff":
        raise _malformed(f"{reference[0]!r} is no character")
    return character


def _plant(tree: dict[str, Group], name: str, value: Property) -> None:
    path = name.split(".")
    if len(path) == 1:
        path = ["usr", name]
    if not all(_ELEMENT_NAME.fullmatch(part) for part in path):
        raise MQError(f"{name!r} is not a property name", MQRC_PROPERTY_NAME_ERROR)
    group = tree.setdefault(path[0], {})
    for part in path[1:-1]:
        inner = group.setdefault(part, {})
        if isinstance(inner, Property):
            raise _both(name)
        group = inner
    if path[-1] in group:
        raise _both(name)
    group[path[-1]] = value


def _folder_text(name: str, group: Group) -> str:
    mark = "" if name in PROPERTY_FOLDERS else " content='properties'"
    pieces = [f"<{name}{mark}>"]
    pending: list[str | tuple[str, Property | Group]] = [f"</{name}>", *reversed(group.items())]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            pieces.append(item)
        elif isinstance(item[1], Property):
            pieces.append(_element_text(item[0], item[1]))
        else:
            pieces.append(f"<{item[0]}>")
            pending += [f"</{item[0]}>", *reversed(item[1].items())]
    return "".join(pieces)


def _element_text(name: str, value: Property) -> str:
    text = _value_text(name, value)
    start = f"<{name}{_TYPE_ATTRIBUTES[value.type]}{_descriptor_attributes(value)}"
    return f"{start}/>" if value.type == MQTYPE_NULL else f"{start}>{text}</{name}>"


def _descriptor_attributes(value: Property) -> str:
    text = ""
    if value.support != MQPD_SUPPORT_OPTIONAL:
        text += "".join(f" {key}='{word}'" for (key, word), bits in _SUPPORT.items() if bits == value.support)
    if value.context == MQPD_USER_CONTEXT:
        text += " context='user'"
    if value.copy_options != MQCOPY_DEFAULT:
        single = {word: bit for word, bit in _COPIES.items() if bit and bit & (bit - 1) == 0}
        words = [word for word, bit in single.items() if value.copy_options & bit]
        text += f" copy='{','.join(words) or 'none'}'"
    return text


def _value_text(name: str, value: Property) -> str:
    expected = _PYTHON_TYPES.get(value.type)
    held = value.value
    if expected is None or not isinstance(held, expected) or (isinstance(held, bool) and bool not in expected):
        raise MQError(f"{name} is {held!r}, which is not of type {value.type}", MQRC_PROPERTY_TYPE_ERROR)
    if isinstance(held, str):
        return held.translate(_ESCAPE_TABLE)
    if isinstance(held, bytes):
        return held.hex().upper()
    if isinstance(held, bool):
        return "1" if held else "0"
    try:
        return _number_text(value.type, held or 0)
    except (ValueError, OverflowError) as error:
        raise MQError(f"{name}: {error}", MQRC_PROPERTY_TYPE_ERROR) from error


def _number_text(kind: int, number: int | float) -> str:
    return str(_in_range(kind, int(number))) if kind in _BITS else repr(float(number))


def _both(name: str) -> MQError:
    return MQError(f"{name} is given twice, or is a property and a group at once", MQRC_PROPERTY_NAME_ERROR)


def _malformed(text: str) -> MQError:
    return MQError(f"MQRFH2: {text}", MQRC_RFH_FORMAT_ERROR)
