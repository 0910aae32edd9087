"""What ``mqx config`` does once its line is understood: show where each value comes from, change the file."""

from __future__ import annotations

from mqtools.configuration import file, paths, settings

from .shared.click_options import chosen_output
from .shared.command_session import Session
from .shared.output_rows import print_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.configuration.settings import SettingValue

_OUTPUTS = ("table", "plain", "csv", "json", "jsonl")
_COLUMNS = ("key", "value", "origin", "where")


def explain(session: Session, key: str | None) -> int:
    """Show settings with their values and origins: one, or all."""
    from mqtools.formats.rows import Column

    output = chosen_output(session, _OUTPUTS, "table", "plain")
    chosen = settings.SETTINGS if key is None else (settings.find(key),)
    flags = {file.DEFAULT_QMGR: ("-m", session.qmgr)} if session.qmgr else {}
    found = [settings.explain(setting, flags) for setting in chosen]
    for explained in found:
        settings.read(explained)  # what cannot be read is no value
    rows = (_row(explained, for_people=output == "table") for explained in found)
    names = (*_COLUMNS, "what") if output == "table" else _COLUMNS
    print_rows(session, rows, [Column(name, "for" if name == "what" else "") for name in names], output)
    for unknown in settings.unknown_keys():
        session.note(f"{paths.config_path()}: there is no setting {unknown}; it is left as it is")
    return 0


def _row(explained: SettingValue, *, for_people: bool) -> dict[str, object]:
    row: dict[str, object] = {
        "key": explained.setting.key,
        "value": explained.value,
        "origin": explained.origin,
        "where": explained.where,
    }
    return {**row, "what": explained.setting.what} if for_people else row


def change(session: Session, key: str, value: str | None) -> int:
    """Write a setting into the file, or take it out (None)."""
    kept = settings.change(key, value)
    if kept is not None:
        session.note(f"comments are lost; the file as it was: {kept}")
    now = settings.explain(settings.find(key))
    if value is not None and now.origin != settings.FILE:
        session.note(f"{now.where} says {now.value}, and goes before the file")
    return 0
