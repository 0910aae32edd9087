"""Dialogs: until they are there, and filling them in."""

from __future__ import annotations

from textual.widgets import TextArea

from mqtools.tui.dialogs.standard import FormDialog


async def dialog(screen, kind):
    await screen.until(lambda: isinstance(screen.app.screen, kind))
    return screen.app.screen


async def fill(screen, **fields):
    form = await dialog(screen, FormDialog)
    for name, value in fields.items():
        found = form.query_one(f"#field-{name}")
        if isinstance(found, TextArea):
            found.text = value
        else:
            found.value = value
    await screen.press("ctrl+s")
