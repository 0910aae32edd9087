"""Colours of the panes: roles such as danger or dim, made from the theme so that each can be read on its ground.

Every role also has a sign on the screen: colour never has information of its own.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from rich.style import Style
from textual.app import App
from textual.color import Color, ColorParseError

from mqtools.tui.themes import COLOURS

#: Roles.
TEXT, DIM, TITLE, KEY, DANGER, WARN, LOCKED, GOOD, MARK = (
    "text",
    "dim",
    "title",
    "key",
    "danger",
    "warn",
    "locked",
    "good",
    "mark",
)
#: Background of a role.
PLAIN, CURSOR, ELSEWHERE, BAR, HIT = "plain", "cursor", "elsewhere", "bar", "hit"

#: Least contrast of a role with its ground.
CONTRAST = 4.5
_VIOLET = "#b388ff"
#: Role -> variable of the theme, and its colour where the terminal's own sixteen colours are used.
_ROLES = {
    TEXT: ("foreground", "default"),
    DIM: ("", "default"),
    TITLE: ("foreground", "default"),
    KEY: ("accent", "cyan"),
    DANGER: ("error", "bright_red"),
    WARN: ("warning", "yellow"),
    LOCKED: ("", "magenta"),
    GOOD: ("success", "green"),
    MARK: ("accent", "cyan"),
}
#: Variables of a theme that the colours are made from.
VARIABLES = ("surface", "panel", "foreground", "primary", "accent", "error", "warning", "success")
_BOLD = (TITLE, KEY, DANGER, MARK)


def colours_of(app: App[Any]) -> Colours:
    """Return the colours of the current theme of an application."""
    variables = app.theme_variables
    return _make(int(variables.get(COLOURS, 16)), *(variables.get(name, "#808080") for name in VARIABLES))


class Colours:
    """Styles by role and ground.

    variables: name of the theme's variable -> colour.  number: of the terminal's own colours, where they are used.
    """

    def __init__(self, variables: dict[str, str], number: int = 16) -> None:
        self._number = number
        self._colours = {name: _parse(value) for name, value in variables.items()}
        self.is_ansi = any(colour.ansi is not None for colour in self._colours.values())
        self._styles: dict[tuple[object, ...], Style] = {}

    def style(self, role: str = TEXT, ground: str = PLAIN, *, strike: bool = False) -> Style:
        """Return the style of a role on a ground."""
        key = (role, ground, strike)
        if key not in self._styles:
            extra = Style(strike=strike or None, bold=role in _BOLD or ground == HIT)
            self._styles[key] = (self._terminal_style if self.is_ansi else self._style)(role, ground) + extra
        return self._styles[key]

    def _style(self, role: str, ground: str) -> Style:
        return Style.from_color(self.colour(role, ground).rich_color, self.ground(ground).rich_color)

    def _terminal_style(self, role: str, ground: str) -> Style:
        if ground in (CURSOR, HIT):
            return Style(reverse=True)
        colour = _ROLES[role][1]
        colour = colour.removeprefix("bright_") if self._number < 16 else colour
        return Style(
            color=colour if self._number else None, dim=role == DIM or None, underline=ground == ELSEWHERE or None
        )

    def ground(self, name: str) -> Color:
        """Return the colour of a ground."""
        surface, colours = self._colours["surface"], self._colours
        return {
            PLAIN: surface,
            CURSOR: surface.blend(colours["primary"], 0.5),
            ELSEWHERE: surface.blend(colours["foreground"], 0.12),
            BAR: colours["panel"],
            HIT: colours["warning"],
        }[name]

    def colour(self, role: str, ground: str) -> Color:
        """Return the colour of a role, lightened or darkened until it can be read on a ground."""
        if role == DIM:
            wanted = self._colours["foreground"].blend(self._colours["surface"], 0.4)
        elif role == LOCKED:
            wanted = Color.parse(_VIOLET)
        else:
            wanted = self._colours[_ROLES[role][0]]
        return readable(wanted, self.ground(ground))


@lru_cache(maxsize=32)
def _make(number: int, *values: str) -> Colours:
    return Colours(dict(zip(VARIABLES, values, strict=True)), number)


def _parse(value: str) -> Color:
    try:
        return Color.parse(value)
    except ColorParseError:
        return Color.parse("#808080")


def readable(colour: Color, ground: Color) -> Color:
    """Return the colour nearest to one that has enough contrast with a ground."""
    white, black = Color(255, 255, 255), Color(0, 0, 0)
    end = white if contrast(white, ground) > contrast(black, ground) else black
    for step in range(21):
        found = colour.blend(end, step / 20)
        if contrast(found, ground) >= CONTRAST:
            return found
    return end


def contrast(one: Color, other: Color) -> float:
    """Return the contrast of two colours by WCAG 2: from 1 to 21."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: Color) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in colour.normalized
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
