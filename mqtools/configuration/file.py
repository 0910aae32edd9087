"""The configuration file: read with tomllib, written with tomli-w; keys that mqx does not know stay."""

from __future__ import annotations

import os
from typing import Any

from mqtools.configuration.paths import config_path
from mqtools.constants.reasons import MQRC_ENVIRONMENT_ERROR
from mqtools.errors import MQError
from mqtools.formats.files import replace_text

#: The key that names the queue manager to use when none is named.
DEFAULT_QMGR = "default_qmgr"


class ConfigError(MQError):
    """Raised when the configuration file cannot be read, written or understood."""

    reason = MQRC_ENVIRONMENT_ERROR


def read(path: str | None = None) -> dict[str, Any]:
    """Read the configuration file; without one the configuration is empty.

    path: of the file; None is ``paths.config_path()``.  Raises ConfigError.
    """
    path = path or config_path()
    return _parse(_read_text(path), path)


def default_qmgr(path: str | None = None) -> str | None:
    """Give the queue manager that the configuration file names; None when it names none. Raises ConfigError."""
    path = path or config_path()
    value = read(path).get(DEFAULT_QMGR)
    if value is not None and not isinstance(value, str):
        raise ConfigError(f"{path}: {DEFAULT_QMGR} is not text", hint=f'write it so: {DEFAULT_QMGR} = "QM1"')
    return value or None


def set_value(key: str, value: object, path: str | None = None) -> str | None:
    """Set a top-level key, or remove it (None), and write the file anew: all of it or not at all.

    Comments in the file are lost: where there were any, the file as it was is kept beside the new one and
    its path is given; None when nothing was lost.  Raises ConfigError; nothing is changed then.
    """
    path = os.path.realpath(path or config_path())  # a link stays a link
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
        replace_text(path, _format(values))
    except OSError as error:
        raise ConfigError(f"{error.filename or path}: {error.strerror}") from error
    except UnicodeEncodeError as error:
        raise ConfigError(f"{path}: {key} would hold bytes that are no text") from error
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
    import tomllib

    try:
        return tomllib.loads(text)
    except ValueError as error:
        raise ConfigError(f"{path}: {error}", hint="correct the file, or move it away") from error


def _format(values: dict[str, Any]) -> str:
    import tomli_w

    return tomli_w.dumps(values)


def _has_comments(text: str, values: dict[str, Any]) -> bool:
    """Whether a text has more ``#`` than its values have: those begin comments."""
    return text.count("#") > _format(values).count("#")
