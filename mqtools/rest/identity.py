"""Identities of callers: how a request proves its user, and the sessions that a login begins."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from mqtools.admin import users
from mqtools.admin.users import PasswordProofs
from mqtools.mqi.file_owner import is_owner_name
from mqtools.store.database import Database

#: Seconds that a login lasts.
LIFE_S = 7200
#: Logins that are kept, of all users and of each one. One more ends the oldest.
_MOST, _MOST_OF_A_USER = 10_000, 1000


@dataclass(frozen=True, slots=True)
class Certificate:
    """Identity by a client certificate that the TLS handshake verified. user: its common name.

    The user must exist. The owner of the queue manager's file needs a password.
    """

    refusal: ClassVar = "MQWB0104E"
    mechanism: ClassVar = "clientCertificate"
    user: str

    def is_proved(self, db: Database) -> bool:
        return users.is_user(db, self.user) and not is_owner_name(db, self.user)


@dataclass(frozen=True, slots=True)
class Basic:
    """Identity by a user and password in the request itself."""

    refusal: ClassVar = "MQWB0105E"
    mechanism: ClassVar = "basic"
    user: str
    password: bytes
    proofs: PasswordProofs

    def is_proved(self, db: Database) -> bool:
        return self.proofs.is_known(db, self.user, self.password)


@dataclass(frozen=True, slots=True)
class LoginSession:
    """Identity by the cookie of a login. digest: of the password then; a changed password ends the session.

    expires_at: by the clock of the sessions.
    """

    refusal: ClassVar = "MQWB0112E"
    mechanism: ClassVar = "form"
    user: str
    digest: bytes
    expires_at: float

    def is_proved(self, db: Database) -> bool:
        return secrets.compare_digest(users.password_digest(db, self.user), self.digest)


#: A user that a request claims to be. is_proved: whether it is, now, which computes no scrypt.  refusal: number of the
#: error when it is not.  mechanism: as GET /login names it.
Identity: TypeAlias = Certificate | Basic | LoginSession


class LoginSessions:
    """Sessions of the logins of a server, by the digest of their tokens. Used by the thread of its event loop.

    cookie_name: of this server. It has a random suffix, so that servers on one host keep apart.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.cookie_name = f"LtpaToken2_{secrets.token_hex(4)}"
        self._clock = clock
        self._sessions: dict[bytes, LoginSession] = {}

    def begin(self, user: str, digest: bytes) -> str:
        """Begin a session and return its token. digest: of the user's password."""
        now = self._clock()
        for key, session in list(self._sessions.items()):  # the oldest is the first
            if session.expires_at > now:
                break
            del self._sessions[key]
        own = [key for key, session in self._sessions.items() if session.user == user]
        if len(own) >= _MOST_OF_A_USER:
            del self._sessions[own[0]]
        if len(self._sessions) >= _MOST:
            del self._sessions[next(iter(self._sessions))]
        token = secrets.token_urlsafe(32)
        self._sessions[_key(token)] = LoginSession(user, digest, now + LIFE_S)
        return token

    def find(self, token: str) -> LoginSession | None:
        """Return the session of a token, None for one that is unknown or over."""
        session = self._sessions.get(_key(token))
        return session if session is not None and session.expires_at > self._clock() else None

    def end(self, token: str) -> None:
        """End the session of a token, if there is one."""
        self._sessions.pop(_key(token), None)


def _key(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()
