"""The configuration file in TOML; unknown keys are preserved."""

from __future__ import annotations

import os
from typing import Any

from mqtools.configuration.paths import config_path
from mqtools.configuration.read_only import check_writable
from mqtools.constants.reasons import MQRC_ENVIRONMENT_ERROR
from mqtools.errors import MQError
from mqtools.formats.files import replace_text

#: Key of the default queue manager.
DEFAULT_QMGR = "default_qmgr"


class ConfigError(MQError):
    """Raised when the configuration file cannot be read, parsed or written."""

    reason = MQRC_ENVIRONMENT_ERROR


def read(path: str | None = None) -> dict[str, Any]:
    """Return the contents of the configuration file; empty if it does not exist.

    path: None for ``paths.config_path()``.  Raises ConfigError.
    """
    path = path or config_path()
    return _parse(_read_text(path), path)


def default_qmgr(path: str | None = None) -> str | None:
    """Return the default queue manager in the configuration file, or None. path: as of ``read``. Raises ConfigError."""
    path = path or config_path()
    value = read(path).get(DEFAULT_QMGR)
    if value is not None and not isinstance(value, str):
        raise ConfigError(f"{path}: {DEFAULT_QMGR} is not a string", hint=f'set it as in: {DEFAULT_QMGR} = "QM1"')
    return value or None


def set_value(key: str, value: object, path: str | None = None) -> str | None:
    """Set a top-level key, or remove it (None), and replace the file atomically.

    Comments in the file are lost: if it has any, it is first copied to a backup file, whose path is returned;
    else None.  Raises ConfigError; nothing is changed then.
    """
    path = os.path.realpath(path or config_path())  # a link stays a link
    check_writable(path)
    before = _read_text(path)
    values = _parse(before, path)
    kept = f"{path}.bak" if _has_comments(before, values) else None
    if value is None:
        values.pop(key, None)
    else:
        values[key] = value
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        if kept is not None:
            replace_text(kept, before)
        replace_text(path, format_toml(values))
    except OSError as error:
        raise ConfigError(f"{error.filename or path}: {error.strerror}") from error
    except UnicodeEncodeError as error:
        raise ConfigError(f"{path}: {key} is not valid UTF-8 text") from error
    return kept


def _read_text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: the file is not UTF-8 text") from error
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error


def _parse(text: str, path: str) -> dict[str, Any]:
    if not text:
        return {}  # without importing the parser, which takes a while
    import tomllib

    try:
        return tomllib.loads(text)
    except ValueError as error:
        raise ConfigError(f"{path}: {error}", hint="correct or remove the file") from error


def format_toml(values: dict[str, Any]) -> str:
    """Return values as TOML."""
    import tomli_w

    return tomli_w.dumps(values)


def _has_comments(text: str, values: dict[str, Any]) -> bool:
    """Return whether a text has comments: more ``#`` than its values."""
    return text.count("#") > format_toml(values).count("#")
