"""The OpenAPI description: what it has, and schemathesis against it: no call of it makes the server fail.

MQX_REST_EXAMPLES is the number of requests that are tried for each operation; make test-network tries more.
"""

from __future__ import annotations

import gc
import os
import re
import resource
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from mqtools.admin.commands.catalogue import BY_WORDS
from mqtools.rest.application import DESCRIPTION_PATH
from mqtools.rest.openapi import describe
from mqtools.rest.operations import OPERATIONS

from .conftest import ADMIN, APP, error_of

schemathesis = pytest.importorskip("schemathesis")

EXAMPLES = int(os.environ.get("MQX_REST_EXAMPLES", "12"))
#: Bytes that a run may add to the memory of the process for good.
MOST_GROWTH = 100 << 20


def resident_bytes() -> int:
    """Return the memory of this process now: its peak may be that of a test before."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def test_it_describes_each_operation_and_command(client: Any) -> None:
    found = client.get(DESCRIPTION_PATH).json()
    assert found == describe("QM1")
    assert sum(map(len, found["paths"].values())) == len(OPERATIONS)
    as_json = found["components"]["schemas"]["command"]["oneOf"][1]["properties"]
    assert set(as_json["command"]["enum"]) == {verb for verb, _ in BY_WORDS}
    assert set(as_json["qualifier"]["enum"]) == {object_type for _, object_type in BY_WORDS}
    client.cookies.clear()
    assert error_of(client.get(DESCRIPTION_PATH))[0] == 401


def soon(name: str, value: Any) -> Any:
    """Return the value of a parameter, or a wait that a test has time for: they are up to 24 days."""
    digits = "".join(re.findall(r"\d", str(value)))
    return "20" if name == "wait" and len(digits) > 2 else value


@pytest.mark.slow
def test_no_request_makes_the_server_fail(client: Any) -> None:
    """Each answer is one that the API has: no 500, and errors in its form."""
    schema = schemathesis.openapi.from_dict({**describe("QM1"), "security": []})
    before = resident_bytes()
    tried = 0
    for result in schema.get_all_operations():

        @settings(
            max_examples=min(EXAMPLES, 20)
            if "login" in result.ok().path
            else EXAMPLES,  # a wrong password takes a second
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=result.ok().as_strategy())
        def call(case: Any) -> None:
            nonlocal tried
            tried += 1
            request = case.as_transport_kwargs(base_url="http://localhost")
            body = {"content" if key == "data" else key: request[key] for key in ("json", "data") if key in request}
            answer = client.request(
                request["method"],
                request["url"],
                headers=request["headers"],
                params={name: soon(name, value) for name, value in (request["params"] or {}).items()},
                auth=(ADMIN, APP)[tried % 2],
                **body,
            )
            assert answer.status_code < 500 or answer.status_code in (501, 503), answer.content
            if answer.status_code >= 400:
                error_of(answer)

        call()
    assert tried >= EXAMPLES * len(OPERATIONS) / 2
    assert resident_bytes() - before < MOST_GROWTH
