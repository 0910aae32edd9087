"""What can be configured: each setting, where its value comes from, and what it is now.

The first of these that says something counts: a flag of the command line, the environment, the configuration
file, the default. An empty environment variable says nothing.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mqtools.configuration import file, locate, paths
from mqtools.configuration.file import DEFAULT_QMGR, ConfigError
from mqtools.formats.phrases import did_you_mean, nearest
from mqtools.formats.units import parse_duration_s, parse_size

if TYPE_CHECKING:
    from collections.abc import Callable

FLAG, ENVIRONMENT, FILE, DEFAULT = "flag", "environment", "file", "default"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting.

    key: in the file, ``table.name`` in a table.  variables: of the environment, the first that is set counts.
    default: as it would be written.  read: turns the text into the value, ValueError with words.  in_file: whether
    the configuration file can say it.  what: it is for, in a few words.
    """

    key: str
    variables: tuple[str, ...]
    default: str
    read: Callable[[str], object]
    what: str
    in_file: bool = True


HOME = "home"
EDITOR = "editor"
TRASH_MAX_AGE = "trash.max_age"
TRASH_MAX_SIZE = "trash.max_size"
TLS_CERTIFICATE = "tls.certificate"
TLS_KEY = "tls.key"
TLS_TRUST = "tls.trust"

#: Every setting there is, in the order in which they are shown.
SETTINGS = (
    Setting(DEFAULT_QMGR, ("MQX_QMGR",), "", str, "the queue manager that is used when none is named"),
    Setting(HOME, ("MQX_HOME",), "", str, "the folder of the queue managers", in_file=False),
    Setting(EDITOR, ("VISUAL", "EDITOR"), "vi", str, "what mqx edit edits with"),
    Setting(
        TRASH_MAX_AGE, ("MQX_TRASH_MAX_AGE",), "7d", parse_duration_s, "how long the trash keeps a message; 0: no trash"
    ),
    Setting(TRASH_MAX_SIZE, ("MQX_TRASH_MAX_SIZE",), "256MiB", parse_size, "how much the trash keeps; 0: no trash"),
    Setting(TLS_CERTIFICATE, ("MQX_TLS_CERTIFICATE",), "", str, "the certificate of channels with SSLCIPH, a PEM file"),
    Setting(TLS_KEY, ("MQX_TLS_KEY",), "", str, "its private key, a PEM file"),
    Setting(TLS_TRUST, ("MQX_TLS_TRUST",), "", str, "the certificates that the other end's is to be signed by"),
)
_BY_KEY = {setting.key: setting for setting in SETTINGS}


@dataclass(frozen=True, slots=True)
class SettingValue:
    """What a setting is now. value: as it is written.  origin: FLAG, ENVIRONMENT, FILE or DEFAULT.  where: which
    flag, variable or file; empty for a default.
    """

    setting: Setting
    value: str
    origin: str
    where: str = ""


def find(key: str) -> Setting:
    """Find a setting. Raises ConfigError for a key that is none."""
    if key in _BY_KEY:
        return _BY_KEY[key]
    hint = did_you_mean(nearest(key, _BY_KEY)) or f"there are: {', '.join(_BY_KEY)}"
    raise ConfigError(f"there is no setting {key}", hint=hint)


def value_of(key: str) -> Any:
    """Give the value of a setting. Raises ConfigError for one that cannot be read."""
    return read(explain(find(key)))


def read(explained: SettingValue) -> object:
    """Turn the text of a setting into its value. Raises ConfigError naming where the text comes from."""
    try:
        return explained.setting.read(explained.value)
    except ValueError as error:
        where = f"{explained.where}: " if explained.where else ""
        raise ConfigError(f"{where}{explained.setting.key}: {error}") from error


def explain(setting: Setting, flags: dict[str, tuple[str, str]] | None = None) -> SettingValue:
    """Give the value of a setting and where it comes from. Raises ConfigError.

    flags: key to the flag of the command line that says it, and what it says.
    """
    if flags and setting.key in flags:
        flag, value = flags[setting.key]
        return SettingValue(setting, value, FLAG, flag)
    for variable in setting.variables:
        if os.environ.get(variable):
            return SettingValue(setting, os.environ[variable], ENVIRONMENT, variable)
    found = _in_file(setting) if setting.in_file else None
    if found is not None:
        return SettingValue(setting, found, FILE, paths.config_path())
    return SettingValue(setting, _default(setting), DEFAULT)


def _in_file(setting: Setting) -> str | None:
    path = paths.config_path()
    if not os.path.exists(path):
        return None  # reading costs more than looking
    values: object = file.read(path)
    for name in setting.key.split("."):
        if not isinstance(values, dict):
            raise ConfigError(f"{path}: {setting.key.partition('.')[0]} is not a table")
        values = values.get(name)
        if values is None:
            return None
    if isinstance(values, bool) or not isinstance(values, (str, int)):
        raise ConfigError(f"{path}: {setting.key} is neither text nor a whole number")
    return str(values)


def _default(setting: Setting) -> str:
    """Give the default; two of them depend on the machine."""
    if setting.key == HOME:
        return paths.home()
    if setting.key == DEFAULT_QMGR:
        names = locate.list_names()
        return names[0] if len(names) == 1 else ""
    return setting.default


def unknown_keys() -> list[str]:
    """List what the configuration file says that no setting is called. Raises ConfigError."""
    known = {setting.key for setting in SETTINGS if setting.in_file}
    return [key for key in _keys(file.read(), "") if key not in known]


def _keys(values: dict[str, Any], before: str) -> list[str]:
    keys: list[str] = []
    for name, value in values.items():
        keys += _keys(value, f"{before}{name}.") if isinstance(value, dict) else [f"{before}{name}"]
    return keys


def change(key: str, value: str | None) -> str | None:
    """Write a setting into the configuration file, or take it out (None).

    Gives the path of the file as it was where comments were lost, see ``config.set_value``.
    Raises ConfigError; nothing is changed then.
    """
    setting = find(key)
    if not setting.in_file:
        raise ConfigError(f"{key} cannot be in the file", hint=f"set ${setting.variables[0]}")
    if value is not None:
        read(SettingValue(setting, value, FLAG))
    table, dot, name = key.partition(".")
    if not dot:
        return file.set_value(key, value)
    values = dict(file.read().get(table) or {})
    if value is None:
        values.pop(name, None)
    else:
        values[name] = value
    return file.set_value(table, values or None)
