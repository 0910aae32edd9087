"""Checks of the configuration file: unknown settings, and values that cannot be read."""

from __future__ import annotations

from collections.abc import Iterator

from mqtools.admin.findings import NOTICE, Finding, or_sound
from mqtools.configuration import paths, settings
from mqtools.configuration.file import ConfigError


def check_settings() -> Iterator[Finding]:
    """Return what is wrong with the settings, or that nothing is."""
    path = paths.config_path()
    try:
        mistakes = [(f"unknown setting {key!r} ignored", settings.hint_at(key)) for key in settings.unknown_keys()]
        for setting in settings.SETTINGS:
            settings.value_of(setting.key)
    except ConfigError as error:
        mistakes = [(error.text, error.hint or "mqx config explain shows every setting")]
    found = [Finding("settings", NOTICE, path, *mistake) for mistake in mistakes]
    return or_sound(found, "settings", path, "all are known and can be read")
