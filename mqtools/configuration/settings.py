"""Settings: their definitions, sources and current values.

Precedence: command-line option, environment variable, configuration file, default. An empty environment variable
counts as unset.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple

from mqtools.configuration import file, locate, paths
from mqtools.configuration.file import DEFAULT_QMGR, ConfigError
from mqtools.configuration.paths import MOST_DISK_LIMIT, PROTECTED
from mqtools.formats.phrases import did_you_mean, nearest
from mqtools.formats.units import parse_duration_s, parse_lease, parse_size

FLAG, ENVIRONMENT, FILE, DEFAULT = "flag", "environment", "file", "default"


class Setting(NamedTuple):
    """Definition of a setting.

    key: in the file; ``table.name`` in a table.  variables: of the environment; the first that is set is used.
    default: as text.  read: parses the text, and raises ValueError with a message.  what: a short description.
    in_file: whether it can be set in the configuration file.  is_list: whether it is an array of strings there.
    """

    key: str
    variables: tuple[str, ...]
    default: str
    read: Callable[[str], object]
    what: str
    in_file: bool = True
    is_list: bool = False


HOME = "home"
EDITOR = "editor"
TRASH_MAX_AGE = "trash.max_age"
TRASH_MAX_SIZE = "trash.max_size"
LOCK_TIMEOUT = "lock_timeout"
LOCK_LEASE = "lock_lease"
ALLOWED_USERS = "channel.allow_uids"
EXIT_FOLDERS = "channel.exit_folders"
MAX_CHANNELS = "channel.max_channels"
PLAIN_LISTENERS = "channel.plain_listeners"
TLS_CERTIFICATE = "tls.certificate"
TLS_KEY = "tls.key"
TLS_TRUST = "tls.trust"
TLS_VERIFY = "tls.verify"
TUI_NOTIFY = "tui.notify"

#: Values of tui.notify: how the browser announces new dead letters.
OFF, BELL, OSC_9 = "off", "bell", "osc9"

#: Largest channel.max_channels.
MOST_CHANNELS = 10_000


def parse_folders(text: str) -> tuple[str, ...]:
    """Parse a list of folders. Raises ValueError for one that is not an absolute path."""
    folders = tuple(os.path.expanduser(folder) for folder in text.split(os.pathsep) if folder)
    for folder in folders:
        if not os.path.isabs(folder):
            raise ValueError(f"{folder} is not an absolute path")
    return folders


def parse_max_channels(text: str) -> int:
    """Parse the number of channels that may run at a time. Raises ValueError."""
    if not text.isdecimal() or not 1 <= int(text[:6]) <= MOST_CHANNELS:
        raise ValueError(f"{text} is not a number from 1 to {MOST_CHANNELS}")
    return int(text)


def parse_disk_limit(text: str) -> int:
    """Parse the limit of free disk space. Raises ValueError for an invalid size, or one too large."""
    limit = parse_size(text)
    if limit > MOST_DISK_LIMIT:
        raise ValueError(f"{text} is more than {MOST_DISK_LIMIT >> 30}GiB")
    return limit


def parse_switch(text: str) -> bool:
    """Parse yes or no. Raises ValueError."""
    if text.lower() not in ("yes", "no"):
        raise ValueError(f"{text} is neither yes nor no")
    return text.lower() == "yes"


def parse_notify(text: str) -> str:
    """Parse how new dead letters are announced. Raises ValueError."""
    if text.lower() not in (OFF, BELL, OSC_9):
        raise ValueError(f"{text} is not {OFF}, {BELL} or {OSC_9}")
    return text.lower()


#: All settings, in display order.
SETTINGS = (
    Setting(DEFAULT_QMGR, ("MQX_QMGR",), "", str, "default queue manager"),
    Setting(HOME, ("MQX_HOME",), "", str, "folder of the queue managers", in_file=False),
    Setting(
        PROTECTED,
        (),
        "",
        lambda text: text.replace(",", " ").split(),
        "queue managers that are changed only with --yes-protected: PROD*",
        is_list=True,
    ),
    Setting(EDITOR, ("VISUAL", "EDITOR"), "vi", str, "editor of mqx edit"),
    Setting(
        TRASH_MAX_AGE, ("MQX_TRASH_MAX_AGE",), "7d", parse_duration_s, "how long the trash keeps a message; 0: no trash"
    ),
    Setting(TRASH_MAX_SIZE, ("MQX_TRASH_MAX_SIZE",), "256MiB", parse_size, "largest size of the trash; 0: no trash"),
    Setting(
        LOCK_TIMEOUT,
        ("MQX_LOCK_TIMEOUT",),
        "30s",
        parse_duration_s,
        "how long a call waits while another program writes; then it ends with an error",
    ),
    Setting(LOCK_LEASE, ("MQX_LOCK_LEASE",), "1h", parse_lease, "lease of mqx lock without --lease; never: none"),
    Setting(
        paths.DISK_FREE_LIMIT,
        (paths.DISK_FREE_LIMIT_VARIABLE,),
        "64MiB",
        parse_disk_limit,
        "free disk space below which mqx warns; at most 16GiB; 0: no warning",
    ),
    Setting(
        ALLOWED_USERS,
        ("MQX_ALLOW_UIDS",),
        "",
        lambda text: tuple(text.replace(",", " ").split()),
        "users that may also call channel listen --unix",
    ),
    Setting(
        EXIT_FOLDERS,
        ("MQX_EXIT_FOLDERS",),
        "",
        parse_folders,
        f"folders below which the exit REFERENCE may write, separated by {os.pathsep}",
    ),
    Setting(
        MAX_CHANNELS,
        ("MQX_MAX_CHANNELS",),
        "100",
        parse_max_channels,
        "callers that a listener serves at a time (MaxChannels of qm.ini)",
    ),
    Setting(
        PLAIN_LISTENERS,
        ("MQX_PLAIN_LISTENERS",),
        "no",
        parse_switch,
        "whether LISTENER objects serve peers without TLS, as channel listen --insecure",
    ),
    Setting(TLS_CERTIFICATE, ("MQX_TLS_CERTIFICATE",), "", str, "certificate for channels with SSLCIPH, a PEM file"),
    Setting(TLS_KEY, ("MQX_TLS_KEY",), "", str, "private key of the certificate, a PEM file"),
    Setting(TLS_TRUST, ("MQX_TLS_TRUST",), "", str, "trusted CA certificates for the partner, a PEM file"),
    Setting(
        TLS_VERIFY,
        ("MQX_TLS_VERIFY",),
        "yes",
        parse_switch,
        "whether a client checks the certificate of a queue manager elsewhere",
    ),
    Setting(
        TUI_NOTIFY,
        ("MQX_TUI_NOTIFY",),
        OFF,
        parse_notify,
        "how mqx tui announces new dead letters: off, bell, or osc9 (desktop notification)",
    ),
)
_BY_KEY = {setting.key: setting for setting in SETTINGS}


class SettingValue(NamedTuple):
    """Current value of a setting. value: as text.  origin: FLAG, ENVIRONMENT, FILE or DEFAULT.  where: the name of
    the option, variable or file; empty for a default.
    """

    setting: Setting
    value: str
    origin: str
    where: str = ""


def find(key: str) -> Setting:
    """Return a setting by key. Raises ConfigError for an unknown key."""
    if key in _BY_KEY:
        return _BY_KEY[key]
    raise ConfigError(f"unknown setting {key}", hint=hint_at(key))


def hint_at(key: str) -> str:
    """Return a hint for an unknown key: the most similar setting, or all of them."""
    return did_you_mean(nearest(key, _BY_KEY)) or f"settings: {', '.join(_BY_KEY)}"


def value_of(key: str) -> Any:
    """Return the parsed value of a setting. Raises ConfigError if it is invalid."""
    return read(explain(find(key)))


def read(explained: SettingValue) -> object:
    """Parse the text of a setting. Raises ConfigError that names the source of the text."""
    try:
        return explained.setting.read(explained.value)
    except ValueError as error:
        where = f"{explained.where}: " if explained.where else ""
        raise ConfigError(f"{where}{explained.setting.key}: {error}") from error


def explain(setting: Setting, flags: dict[str, tuple[str, str]] | None = None) -> SettingValue:
    """Return the value of a setting and its source. Raises ConfigError.

    flags: key to the command-line option that sets it, and its value.
    """
    if flags and setting.key in flags:
        flag, value = flags[setting.key]
        return SettingValue(setting, value, FLAG, flag)
    for variable in setting.variables:
        if os.environ.get(variable):
            return SettingValue(setting, os.environ[variable], ENVIRONMENT, variable)
    if setting.key == DEFAULT_QMGR:
        named, path = locate.configured_default()
        return SettingValue(setting, named, FILE, path) if named else SettingValue(setting, _default(setting), DEFAULT)
    found = _in_file(setting) if setting.in_file else None
    if found is not None:
        return SettingValue(setting, found, FILE, paths.config_path())
    return SettingValue(setting, _default(setting), DEFAULT)


def _in_file(setting: Setting) -> str | None:
    path = paths.config_path()
    if not os.path.exists(path):
        return None  # avoid importing the TOML parser
    values: object = file.read(path)
    for name in setting.key.split("."):
        if not isinstance(values, dict):
            raise ConfigError(f"{path}: {setting.key.partition('.')[0]} is not a table")
        values = values.get(name)
        if values is None:
            return None
    if setting.is_list and isinstance(values, list) and all(isinstance(value, str) for value in values):
        return ",".join(map(str, values))
    if isinstance(values, bool) or not isinstance(values, (str, int)):
        raise ConfigError(f"{path}: {setting.key} is neither a string nor an integer")
    return str(values)


def _default(setting: Setting) -> str:
    """Return the default of a setting; two defaults depend on the home folder."""
    if setting.key == HOME:
        return paths.home()
    if setting.key == DEFAULT_QMGR:
        names = locate.list_names()
        return names[0] if len(names) == 1 else ""
    return setting.default


def unknown_keys() -> list[str]:
    """Return the keys in the configuration file that are not settings. Raises ConfigError."""
    known = {setting.key for setting in SETTINGS if setting.in_file}
    return [key for key in _keys(file.read(), "") if key not in known]


def _keys(values: dict[str, Any], before: str) -> list[str]:
    keys: list[str] = []
    for name, value in values.items():
        keys += _keys(value, f"{before}{name}.") if isinstance(value, dict) else [f"{before}{name}"]
    return keys


def change(key: str, value: str | None) -> str | None:
    """Write a setting to the configuration file, or remove it (None).

    Return the path of the backup file if comments were lost, see ``file.set_value``.
    Raises ConfigError; nothing is changed then.
    """
    setting = find(key)
    if not setting.in_file:
        raise ConfigError(f"{key} cannot be set in the configuration file", hint=f"set ${setting.variables[0]}")
    if value is not None:
        parsed = read(SettingValue(setting, value, FLAG))
        if setting.is_list:
            return file.set_value(key, parsed)
    table, dot, name = key.partition(".")
    if not dot:
        return file.set_value(key, value)
    values = dict(file.read().get(table) or {})
    if value is None:
        values.pop(name, None)
    else:
        values[name] = value
    return file.set_value(table, values or None)
