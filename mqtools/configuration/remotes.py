"""Queue managers elsewhere that ``mqx remote add`` has named.

The file ``remotes.toml`` in the home folder has a table for each name. A password is never in it.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from dataclasses import dataclass, fields

from mqtools.configuration import file as config_file
from mqtools.configuration.paths import MQ_SCHEME, home, remotes_path
from mqtools.configuration.read_only import check_writable
from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED, MQRC_Q_MGR_NAME_ERROR
from mqtools.errors import MQError, UsageError
from mqtools.formats.files import replace_text
from mqtools.rules.object_names import FILE_SUFFIX, is_path, is_valid_name

#: Seconds that a password command may take.
_PASSWORD_COMMAND_S = 120


@dataclass(frozen=True, slots=True)
class Remote:
    """How a queue manager elsewhere is reached. The attributes but for the name are the keys of the file.

    name: of the remote, or an address.  connection: CONNAME, ``HOST(PORT)`` with commas between.
    qmgr: name that the queue manager must have, or the group of a CCDT; empty for any.  password_command: prints the
    password.  cipher: CipherSpec, empty without TLS.  ccdt: path or URL of a JSON file, in place of the connection.
    """

    name: str
    connection: str = ""
    channel: str = ""
    qmgr: str = ""
    user: str = ""
    password_command: str = ""
    cipher: str = ""
    ccdt: str = ""
    read_write: bool = False


_KEYS = [field.name for field in fields(Remote)][1:]


def read() -> dict[str, Remote]:
    """Return the remotes by their names. Raises ConfigError for a file that cannot be read or has mistakes."""
    path = remotes_path()
    found = {}
    for name, values in config_file.read(path).items():
        if not isinstance(values, dict) or not values.keys() <= set(_KEYS):
            raise config_file.ConfigError(f"{path}: {name} is not a remote", hint="correct or remove the file")
        for key, value in values.items():
            if not isinstance(value, bool if key == "read_write" else str):
                raise config_file.ConfigError(f"{path}: {name}: {key} has a wrong type")
        found[name] = Remote(name, **values)
    return found


def check(remote: Remote) -> None:
    """Check a remote to add. Raises UsageError for an invalid name, and for a connection that is incomplete."""
    if not is_valid_name(remote.name) or is_path(remote.name):
        raise UsageError(f"{remote.name!r} is not a valid name: use letters, digits, . _ %, at most 48 characters")
    if os.path.exists(os.path.join(home(), remote.name + FILE_SUFFIX)):
        raise UsageError(f"{remote.name} is a queue manager here: choose another name for the remote")
    if bool(remote.ccdt) == bool(remote.connection or remote.channel):
        raise UsageError("a remote needs --connection and --channel, or --ccdt alone")
    if not remote.ccdt and not (remote.connection and remote.channel):
        raise UsageError("--connection and --channel are needed together")


def add(remote: Remote) -> None:
    """Add a remote that was checked. Raises UsageError for a name that is taken."""
    remotes = read()
    if remote.name in remotes:
        raise UsageError(f"remote {remote.name} already exists", f"mqx remote remove {remote.name}")
    _write({**remotes, remote.name: remote})


def remove(name: str) -> None:
    """Remove a remote. Raises MQError for an unknown one."""
    remotes = read()
    if name not in remotes:
        raise unknown(name)
    del remotes[name]
    _write(remotes)


def unknown(name: str) -> MQError:
    """Return the error for a remote that there is not."""
    return MQError(f"there is no remote {name}", MQRC_Q_MGR_NAME_ERROR, hint="mqx remote list", q_mgr_name=name)


def _write(remotes: dict[str, Remote]) -> None:
    path = remotes_path()
    check_writable(path)
    text = config_file.format_toml(
        {
            name: {key: value for key in _KEYS if (value := getattr(remote, key))}
            for name, remote in sorted(remotes.items())
        }
    )
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        replace_text(path, text)
    except OSError as error:
        raise config_file.ConfigError(f"{error.filename or path}: {error.strerror}") from error


def find(name: str) -> Remote:
    """Return the remote of a name; for an address one without anything but the name. Raises MQError."""
    if name.startswith(MQ_SCHEME):
        return Remote(name)
    remote = read().get(name)
    if remote is None:
        raise unknown(name)
    return remote


def run_password_command(remote: Remote) -> str:
    """Return the first line that the password command prints. Raises MQError, MQRC_NOT_AUTHORIZED."""
    try:
        done = subprocess.run(
            shlex.split(remote.password_command), stdout=subprocess.PIPE, timeout=_PASSWORD_COMMAND_S, check=False
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        words = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else str(error)
        if isinstance(error, subprocess.TimeoutExpired):
            words = f"it took longer than {_PASSWORD_COMMAND_S} s"
        raise MQError(f"the password command of {remote.name} failed: {words}", MQRC_NOT_AUTHORIZED) from error
    line = done.stdout.decode("utf-8", "surrogateescape").partition("\n")[0].removesuffix("\r")
    if done.returncode or not line:
        words = f"ended with {done.returncode}" if done.returncode else "printed nothing"
        raise MQError(f"the password command of {remote.name} {words}", MQRC_NOT_AUTHORIZED)
    return line
