"""Users of a queue manager with their passwords: add, list, delete, set and verify a password.

A password is stored as scrypt of it, with its own salt and the parameters. Only the owner of the file manages users.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import string
from dataclasses import replace

from mqtools.constants.reasons import (
    MQRC_NOT_AUTHORIZED,
    MQRC_OBJECT_ALREADY_EXISTS,
    MQRC_OBJECT_NAME_ERROR,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from mqtools.errors import MQError, UsageError
from mqtools.mqi.file_owner import is_run_by_owner
from mqtools.mqi.transaction import ConnectionState, Work
from mqtools.store import users as statements
from mqtools.store.database import Database
from mqtools.store.users import StoredPassword
from mqtools.store.users import User as User

#: Bytes of a password: the longest is that of an MQCSP.
LONGEST_PASSWORD = 256
_LONGEST_NAME = 64
_NAME_CHARACTERS = frozenset(f"{string.ascii_letters}{string.digits}._-@$")
_SALT_LENGTH, _DIGEST_LENGTH = 16, 32
_MEMORY = 1 << 27
#: Compared with the password of an unknown user, so that the answer takes the same time.
_NO_PASSWORD = StoredPassword(bytes(_SALT_LENGTH), bytes(_DIGEST_LENGTH), cost=1 << 15, block_size=8, parallelism=1)


def list_users(connection: ConnectionState) -> list[User]:
    """Return the users by name. Raises MQError: MQRC_NOT_AUTHORIZED for anybody but the owner of the file."""
    _check_owner(connection.db, connection.checked_user)
    return statements.users(connection.db)


def add_user(work: Work, name: str) -> None:
    """Add a user without a password.

    Raises MQError: MQRC_NOT_AUTHORIZED, MQRC_OBJECT_NAME_ERROR, MQRC_OBJECT_ALREADY_EXISTS.
    """
    _check_owner(work.db, work.connection.checked_user)
    if not 0 < len(name) <= _LONGEST_NAME or not _NAME_CHARACTERS.issuperset(name):
        raise MQError(
            f"{name!r} is not a valid user name: use letters, digits and . _ - @ $, at most {_LONGEST_NAME} characters",
            MQRC_OBJECT_NAME_ERROR,
        )
    if not statements.add(work.db, name, work.now_ms):
        raise MQError(f"user {name} already exists", MQRC_OBJECT_ALREADY_EXISTS, hint=f"mqx user password {name}")
    work.durable = True


def hash_password(password: bytes) -> StoredPassword:
    """Return the hash of a password with its own salt. It takes a while: call it outside of a transaction.

    Raises UsageError for a password that is empty or too long.
    """
    if not 0 < len(password) <= LONGEST_PASSWORD:
        raise UsageError(f"a password has 1 to {LONGEST_PASSWORD} bytes")
    stored = replace(_NO_PASSWORD, salt=os.urandom(_SALT_LENGTH))
    return replace(stored, digest=_digest(password, stored))


def set_password(work: Work, name: str, password: StoredPassword) -> None:
    """Set the password of a user. password: of ``hash_password``.

    Raises MQError: MQRC_NOT_AUTHORIZED, MQRC_UNKNOWN_OBJECT_NAME.
    """
    _check_owner(work.db, work.connection.checked_user)
    if not statements.set_password(work.db, name, password, work.now_ms):
        raise _unknown(name)
    work.durable = True


def delete_user(work: Work, name: str) -> None:
    """Delete a user with its password; its authority records stay.

    Raises MQError: MQRC_NOT_AUTHORIZED, MQRC_UNKNOWN_OBJECT_NAME.
    """
    _check_owner(work.db, work.connection.checked_user)
    if not statements.delete(work.db, name):
        raise _unknown(name)
    work.durable = True


def has_password(db: Database, name: str) -> bool:
    """Return whether there is a user of this name with a password."""
    return statements.password_of(db, name) is not None


def is_user(db: Database, name: str) -> bool:
    """Return whether there is a user of this name."""
    return any(each.name == name for each in statements.users(db))


def password_digest(db: Database, name: str) -> bytes:
    """Return the digest of a user's password, which changes with it; empty without a password."""
    stored = statements.password_of(db, name)
    return b"" if stored is None else stored.digest


def verify_password(db: Database, name: str, password: bytes) -> bool:
    """Return whether a password is that of a user. It takes the same time for a user that is not there."""
    stored = statements.password_of(db, name)
    digest = _digest(password, stored or _NO_PASSWORD)
    return hmac.compare_digest(digest, (stored or _NO_PASSWORD).digest) and stored is not None


class PasswordProofs:
    """Memory of the passwords that were right on one socket or server: scrypt of each is computed once.

    It has a keyed digest of each with what was stored for its user, so that a password that was changed is not known.
    """

    def __init__(self) -> None:
        self._key = os.urandom(_DIGEST_LENGTH)
        self._known: set[bytes] = set()

    def verify(self, db: Database, name: str, password: bytes) -> bool:
        """Return whether a password is that of a user, as ``verify_password``."""
        if self.is_known(db, name, password):
            return True
        proof = self._proof(db, name, password)
        is_right = verify_password(db, name, password)
        if is_right:
            self._known.add(proof)
        return is_right

    def is_known(self, db: Database, name: str, password: bytes) -> bool:
        """Return whether a password is that of a user and was verified before: this computes no scrypt."""
        return self._proof(db, name, password) in self._known

    def _proof(self, db: Database, name: str, password: bytes) -> bytes:
        return hmac.digest(self._key, password_digest(db, name) + password, "sha256")


def _digest(password: bytes, stored: StoredPassword) -> bytes:
    return hashlib.scrypt(
        password, salt=stored.salt, n=stored.cost, r=stored.block_size, p=stored.parallelism, maxmem=_MEMORY,
        dklen=_DIGEST_LENGTH,
    )  # fmt: skip


def _check_owner(db: Database, checked_user: str | None) -> None:
    if checked_user is not None or not is_run_by_owner(db):
        raise MQError("only the owner of the queue manager's file manages its users", MQRC_NOT_AUTHORIZED)


def _unknown(name: str) -> MQError:
    return MQError(f"user {name} does not exist", MQRC_UNKNOWN_OBJECT_NAME, hint="mqx user list")
