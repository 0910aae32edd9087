"""How the browser is put together: no class takes a name away from another one by accident."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import pytest

import mqtools.tui
from mqtools.tui.browser import Browser
from mqtools.tui.controllers.controller import Controller
from mqtools.tui.keymap import KEYS

MODULES = [importlib.import_module(f"mqtools.tui.{found.name}") for found in pkgutil.iter_modules(mqtools.tui.__path__)]
CLASSES = sorted(
    {
        found
        for module in MODULES
        for found in vars(module).values()
        if inspect.isclass(found) and found.__module__ == module.__name__
    },
    key=lambda found: found.__qualname__,
)
#: Methods that are another thing in a subclass on purpose.
MEANT = {
    "HitPages": {"behind", "before", "count_before", "place_of", "first_since", "total"},
    "BrowserApp": {"_handle_exception", "_print_error_renderables"},
}


def own(found: type) -> set[str]:
    """The methods and properties that a class defines itself."""
    return {
        name
        for name, value in vars(found).items()
        if (inspect.isfunction(value) or isinstance(value, property)) and not name.startswith("__")
    }


@pytest.mark.parametrize("found", CLASSES, ids=lambda found: found.__name__)
def test_no_class_overrides_a_method_of_another_one_of_the_browser(found):
    ours = [base for base in found.__mro__[1:] if base.__module__.startswith("mqtools.tui")]
    assert {name for base in ours for name in own(base) & own(found)} - MEANT.get(found.__name__, set()) == set()


@pytest.mark.parametrize("found", CLASSES, ids=lambda found: found.__name__)
def test_no_class_has_a_private_name_that_the_toolkit_uses(found):
    theirs = {name for base in found.__mro__[1:] if base.__module__.startswith("textual") for name in vars(base)}
    private = {name for name in own(found) if name.startswith("_")}
    assert private & theirs - MEANT.get(found.__name__, set()) == set()


def test_the_screen_has_no_base_class_of_ours_and_controllers_only_their_own():
    assert [base for base in Browser.__mro__[1:] if base.__module__.startswith("mqtools.tui")] == []
    for found in CLASSES:
        if issubclass(found, Controller):
            assert found.__bases__ in ((Controller,), (object,))


async def test_every_key_has_an_action_that_takes_no_arguments(qm, browse):
    async with browse() as screen:
        by_key = screen.app.browser._by_key
        assert list(by_key) == [key.id for key in KEYS]
        for key in KEYS:
            inspect.signature(by_key[key.id]).bind()
