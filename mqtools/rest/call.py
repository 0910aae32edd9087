"""One call of the REST API: its request, its user, and what its handler asks for."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import unquote

from starlette.requests import Request

from mqtools.errors import MQError, UsageError
from mqtools.mqi.connection import Connection
from mqtools.rest.errors import RestError, from_mq
from mqtools.rest.host import RestHost
from mqtools.rest.identity import Identity

Result = TypeVar("Result")

#: Bytes of a body that is read from anybody.
_SHORT = 65_536


@dataclass(slots=True)
class RestCall:
    """A request that is authenticated. version: of the API, from the path."""

    host: RestHost
    request: Request
    identity: Identity
    version: int

    def name(self, key: str) -> str:
        """Return a name of the path; %2F in it is a slash."""
        return unquote(self.request.path_params[key])

    def query(self, key: str) -> str | None:
        """Return a query parameter, None if it is absent. Raises RestError if it is there twice."""
        found = self.request.query_params.getlist(key)
        if len(found) > 1:
            raise RestError("MQWB0902E", f"The query has {key} twice.")
        return found[0] if found else None

    def number(self, key: str, default: int, highest: int) -> int:
        """Return a query parameter that is a number from 0. Raises RestError."""
        text = self.query(key)
        if text is None:
            return default
        if not (text.isascii() and text.isdigit() and len(text) < 12 and int(text) <= highest):
            raise RestError("MQWB0902E", f"{key} must be a number from 0 to {highest}.")
        return int(text)

    async def body(self) -> bytes:
        """Return the body. Raises RestError when it is longer than MAXMSGL of the queue manager.

        A long one is only read from a user that is proved.
        """
        most, found, is_proved = self.host.max_length, bytearray(), False
        too_large = RestError("MQWB0908E", f"The body may have {most} bytes: MAXMSGL of the queue manager.")
        given = self.request.headers.get("content-length", "")
        if given.isdecimal() and int(given[:20]) > most:
            raise too_large
        async for chunk in self.request.stream():
            found += chunk
            if len(found) > most:
                raise too_large
            if len(found) > _SHORT and not is_proved:
                await self.prove()
                is_proved = True
        return bytes(found)

    async def json_body(self) -> dict[str, Any]:
        """Return the body, which must be a JSON object. Raises RestError."""
        media = self.request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
        if media != "application/json":
            raise RestError("MQWB0306E", media)
        try:
            found = json.loads(await self.body())
        except (ValueError, RecursionError) as error:
            raise RestError("MQWB0901E", f"The body is not JSON: {error}.") from error
        if not isinstance(found, dict):
            raise RestError("MQWB0901E", "The body is not a JSON object.")
        return found

    async def prove(self) -> None:
        """Check that the user is who it claims to be. Raises RestError."""
        await self.run(lambda _connection: None)

    async def run(self, function: Callable[[Connection], Result], number: str = "MQWB0037E", name: str = "") -> Result:
        """Run a function with a connection of the user in a thread; an MQError is an error with a number and name."""
        try:
            return await self.host.call(self.identity, function)
        except MQError as error:
            raise from_mq(error, number, name) from error
        except UsageError as error:  # a command with mistakes
            raise RestError("MQWB0120E", str(error)) from error
