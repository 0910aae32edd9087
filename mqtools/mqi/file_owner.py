"""Owner of a queue manager's file (who needs no authority) and user of this process."""

from __future__ import annotations

import os
import pwd

from mqtools.store.database import Database

_LONGEST_IDENTIFIER = 12


def owner_name(db: Database) -> str:
    """Return the name of the user that owns the file of a queue manager."""
    return user_name(os.stat(db.path).st_uid)


def user_name(user_id: int) -> str:
    """Return the name of a user of this machine, or its number without a name."""
    try:
        return pwd.getpwuid(user_id).pw_name
    except KeyError:
        return str(user_id)


def is_owner_name(db: Database, user: str) -> bool:
    """Return whether a user is the owner of the file: by its name, or by the name as a descriptor holds it."""
    owner = owner_name(db)
    return user in (owner, owner[:_LONGEST_IDENTIFIER])


def is_run_by_owner(db: Database) -> bool:
    """Return whether this process is run by the owner of the file, or by root; so is a queue manager in memory."""
    try:
        return os.geteuid() in (0, os.stat(db.path).st_uid)
    except FileNotFoundError:
        return True


def local_user() -> str:
    """Return the name of the user that runs this process."""
    return user_name(os.geteuid())
