"""Users who connect with a password. One function, one statement."""

from __future__ import annotations

from dataclasses import astuple, dataclass

from mqtools.store.database import Database


@dataclass(frozen=True, slots=True)
class StoredPassword:
    """Password as it is stored. digest: scrypt of it with the salt and the parameters n, r and p of scrypt."""

    salt: bytes
    digest: bytes
    cost: int
    block_size: int
    parallelism: int


@dataclass(frozen=True, slots=True)
class User:
    """User of a queue manager. Times are ms since 1970. changed_at: when the password was set; None without one."""

    name: str
    created_at: int
    changed_at: int | None


def add(db: Database, name: str, now_ms: int) -> bool:
    """Add a user without a password; return False for an existing name."""
    return bool(db.run("insert or ignore into users (name, created_at) values (?, ?)", (name, now_ms)))


def set_password(db: Database, name: str, password: StoredPassword, now_ms: int) -> bool:
    """Set a user's password; return whether there is such a user."""
    return bool(
        db.run(
            "update users set salt = ?, digest = ?, cost = ?, block_size = ?, parallelism = ?, changed_at = ?"
            " where name = ?",
            (*astuple(password), now_ms, name),
        )
    )


def password_of(db: Database, name: str) -> StoredPassword | None:
    """Read a user's password; None without one."""
    row = db.one(
        "select salt, digest, cost, block_size, parallelism from users where name = ? and digest is not null", (name,)
    )
    return None if row is None else StoredPassword(*row)


def users(db: Database) -> list[User]:
    """List the users by name."""
    return [User(*row) for row in db.all("select name, created_at, changed_at from users order by name", ())]


def delete(db: Database, name: str) -> bool:
    """Delete a user; return whether there was one."""
    return bool(db.run("delete from users where name = ?", (name,)))
