"""``mqx user``: users of a queue manager and their passwords."""

from __future__ import annotations

import getpass
import sys

import click

from mqtools.admin import users
from mqtools.formats.rows import Column
from mqtools.formats.units import rfc3339

from .shared import click_options
from .shared.command_session import Session, UsageError, as_text
from .shared.counts import print_result
from .shared.group import CommandGroup
from .shared.output_rows import print_list
from .shared.read_only import connect_read_only

_COLUMNS = (Column("user"), Column("password"), Column("created_at", "created"), Column("changed_at", "password set"))
#: Bytes of a line that are read: more than any password has, so that a longer one is refused.
_LINE = 4 * users.LONGEST_PASSWORD


@click.group("user", cls=CommandGroup)
@click_options.general
def command(session: Session) -> None:
    """Add, list and delete users who connect as clients with a password.

    \b
    mqx user add ana
    mqx user password ana < password.txt
    mqx user list
    mqx user delete ana

    A password is typed twice, or is one line of standard input; it is never an argument. The file of the queue manager
    has its scrypt hash, which no command shows. Only the owner of the file manages users.

    A user needs no account on this machine. SET AUTHREC ... PRINCIPAL('ana') grants authorities; records stay when a
    user is deleted. AUTHINFO objects say when a password is required: see mqx explain CHCKCLNT.
    """


@command.command("add", short_help="Add a user with a password")
@click.argument("name")
@click_options.general
def add(session: Session, name: str) -> None:
    """Add the user NAME with the password that is typed twice, or is one line of standard input.

    \b
    mqx user add ana
    mqx user add ana -m QM2 < password.txt
    """
    _change_password(session, as_text(name), adds=True)


@command.command("password", short_help="Set the password of a user")
@click.argument("name")
@click_options.general
def password(session: Session, name: str) -> None:
    """Set the password of the user NAME, which is typed twice, or is one line of standard input.

    Programs that are connected stay connected.

    \b
    mqx user password ana
    mqx user password app < password.txt
    """
    _change_password(session, as_text(name), adds=False)


def _change_password(session: Session, name: str, *, adds: bool) -> None:
    with session.connect() as connection:
        users.list_users(connection)  # refuses others before a password is typed
        given = users.hash_password(_read_password(name))
        with connection.work() as work:
            if adds:
                users.add_user(work, name)
            users.set_password(work, name, given)
    print_result(
        session, f"user {name} added" if adds else f"password of user {name} set", {"added" if adds else "changed": 1}
    )


def _read_password(name: str) -> bytes:
    """Read a password from the terminal, without showing it, or from standard input."""
    if not sys.stdin.isatty():
        line = sys.stdin.buffer.readline(_LINE)
        if not line:
            raise UsageError("no password on standard input", f"mqx user password {name}")
        return line.removesuffix(b"\n").removesuffix(b"\r")
    try:
        first, second = (getpass.getpass(prompt) for prompt in ("Password: ", "Repeat the password: "))
    except EOFError as error:
        raise UsageError("no password given") from error
    if first != second:
        raise UsageError("the passwords are not the same")
    return first.encode("utf-8", "surrogateescape")


@command.command("list", short_help="List the users")
@click_options.general
def list_users(session: Session) -> int:
    """List the users by name: whether each has a password, when it was added, and when the password was set.

    Exit status 3: no users.

    \b
    mqx user list
    mqx user list -o json
    """
    with connect_read_only(session) as connection:
        found = users.list_users(connection)
    rows: list[dict[str, object]] = [
        {
            "user": user.name,
            "password": user.changed_at is not None,
            "created_at": rfc3339(user.created_at),
            "changed_at": None if user.changed_at is None else rfc3339(user.changed_at),
        }
        for user in found
    ]
    return print_list(session, rows, _COLUMNS)


@command.command("delete", short_help="Delete a user")
@click.argument("name")
@click_options.general
def delete(session: Session, name: str) -> None:
    """Delete the user NAME with its password. Programs that are connected stay connected.

    \b
    mqx user delete ana
    """
    with session.connect() as connection, connection.work() as work:
        users.delete_user(work, name)
    print_result(session, f"user {name} deleted", {"deleted": 1})
