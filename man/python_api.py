"""Reference page of the Python API, from signatures and docstrings of the library."""

from __future__ import annotations

import enum
import inspect
import re
from collections.abc import Callable, Iterator

import mqtools
import mqtools.lifecycle
from mqtools.headers import bridges, chain, mqdlh, mqmde, mqrfh, mqrfh2, mqrmh, mqxqh
from mqtools.mqi.connection import Connection
from mqtools.mqi.handle import Handle

_HEADERS = (chain, mqdlh, mqxqh, mqmde, mqrfh, mqrfh2, mqrmh, bridges)

#: Codes of an enumeration that are listed; a longer one is only named.
_MAX_MEMBERS = 40


def page(note: str) -> Iterator[str]:
    """Yield the lines of the page. note: says that it is generated."""
    yield from ("# Python API", "", note, "")
    yield from (
        "`import mqtools as mq` offers what is in the first three parts. [Use mqx from Python]"
        "(../how-to/use-from-python.md) shows how it is used.",
    )
    values = [(name, getattr(mqtools, name)) for name in mqtools.__all__]
    groups: dict[str, list[tuple[str, object]]] = {"Functions and classes": [], "Errors": [], "Options and codes": []}
    for name, value in values:
        groups[_heading(value)].append((name, value))
    for heading, members in groups.items():
        yield from ("", f"## {heading}")
        for name, value in members:
            yield from _described(name, value, "###")
    yield from ("", "## The MQI", "", "`QueueManager.connection` is a `Connection`; its `open` returns a `Handle`.")
    for kind in (Connection, Handle):
        yield from _described(kind.__name__, kind, "###")
    yield from ("", "## Verbs with confirm ids and lock ids", "", "`from mqtools.lifecycle import ...`")
    for name in mqtools.lifecycle.__all__:
        yield from _described(name, getattr(mqtools.lifecycle, name), "###")
    yield from ("", "## Headers", "", "`from mqtools.headers.<module> import ...`")
    for module in _HEADERS:
        for name, value in vars(module).items():
            if getattr(value, "__module__", "") == module.__name__ and not name.startswith("_"):
                yield from _described(f"{module.__name__.rpartition('.')[2]}.{name}", value, "###")


def _heading(value: object) -> str:
    if isinstance(value, type) and issubclass(value, enum.Enum):
        return "Options and codes"
    return "Errors" if isinstance(value, type) and issubclass(value, Exception) else "Functions and classes"


def _described(name: str, value: object, level: str) -> Iterator[str]:
    """Yield the description of a class, with its methods, or of a function."""
    yield from ("", f"{level} {name}", "")
    if isinstance(value, type) and issubclass(value, enum.Enum):
        yield from _enumeration(value)
        return
    if isinstance(value, type):
        yield from _class(name, value, f"{level}#")
    else:
        assert callable(value), name
        yield from ("```text", _signature(name, value), "```", "")
        yield from _documented(value)


def _class(name: str, kind: type, level: str) -> Iterator[str]:
    base = kind.__mro__[1]
    if issubclass(kind, Exception) and base is not Exception:
        yield from (f"A kind of `{base.__name__}`.", "")
    elif "__init__" in vars(kind) and name not in _MADE_BY:
        yield from ("```text", _signature(name, kind.__init__), "```", "")
    yield from _documented(kind)
    for member, value in vars(kind).items():
        is_public = not member.startswith("_") and inspect.getdoc(value)
        if is_public and isinstance(value, property):
            yield from ("", f"{level} {name}.{member}", "")
            yield from _documented(value)
        elif (is_public and isinstance(value, (staticmethod, classmethod))) or (
            is_public and inspect.isfunction(value)
        ):
            function = getattr(kind, member)
            yield from ("", f"{level} {name}.{member}", "", "```text", _signature(member, function), "```", "")
            yield from _documented(function)


#: Classes whose objects come from a function or method, not from their name.
_MADE_BY = {"QueueManager", "Queue", "Transaction", "Connection", "Handle"}


def _enumeration(kind: type[enum.Enum]) -> Iterator[str]:
    yield from _documented(kind)
    members = [f"`{name}` {member.value}" for name, member in kind.__members__.items()]
    if len(members) <= _MAX_MEMBERS:
        yield from ("", ", ".join(members) + ".")
    else:
        yield from ("", f"{len(members)} members, such as {', '.join(members[:3])}; `mqx explain` knows them all.")


def _signature(name: str, function: Callable[..., object]) -> str:
    """Return the signature as it is written in the source, without self."""
    words: list[str] = []
    kinds = inspect.Parameter
    parameters = [each for each in inspect.signature(function).parameters.values() if each.name != "self"]
    for before, each in zip([None, *parameters], parameters, strict=False):
        if each.kind is kinds.KEYWORD_ONLY and (before is None or before.kind is kinds.POSITIONAL_OR_KEYWORD):
            words.append("*")
        star = {kinds.VAR_POSITIONAL: "*", kinds.VAR_KEYWORD: "**"}.get(each.kind, "")
        default = "" if each.default is kinds.empty else f" = {each.default!r}"
        kind = "" if each.annotation is kinds.empty else f": {each.annotation}"
        words.append(f"{star}{each.name}{kind}{default if kind else default.replace(' ', '')}")
    result = inspect.signature(function).return_annotation
    ending = "" if result in (inspect.Signature.empty, "None") else f" -> {result}"
    line = f"{name}({', '.join(words)}){ending}"
    return line if len(line) <= 100 else "\n".join([f"{name}(", *(f"    {word}," for word in words), f"){ending}"])


def _documented(value: object) -> Iterator[str]:
    """Yield a docstring as Markdown: literals in code, parameters as a list."""
    for paragraph in (inspect.getdoc(value) or "").split("\n\n"):
        if paragraph.startswith("    "):
            yield from ("```python", *(line[4:] for line in paragraph.splitlines()), "```", "")
            continue
        text = re.sub(r"``(.+?)``", r"`\1`", paragraph)
        lines = re.split(r"\n(?=[a-z_, ]+: |Raises? )|(?<=\.)  (?=[a-z_, ]+: )", text)
        for line in lines:
            entry = re.fullmatch(r"([a-z_]+(?:, [a-z_]+)*): (.*)", line.replace("\n", " "))
            if entry is None:
                yield from (_plain(line), "")
                continue
            names = ", ".join(f"`{name}`" for name in entry[1].split(", "))
            yield f"- {names}: {_plain(entry[2])}"
        yield ""


def _plain(text: str) -> str:
    """Return a text in which Markdown finds no markup but code."""
    parts = re.split(r"(`[^`]+`)", " ".join(text.split()))
    return "".join(part if part.startswith("`") else re.sub(r"([\\*_<>\[\]])", r"\\\1", part) for part in parts)
