"""The tests of ``src/test/java``, each of which is a test here, with IBM's client for javax and for Jakarta."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Results, run_tests
from .serving import FOLDER, define, serve
from .test_cases import CASES


def names(folder: Path) -> list[tuple[str, str]]:
    """Return class and method of the tests in a folder of Java sources."""
    return [
        (path.stem, name)
        for path in sorted(folder.rglob("*Test.java"))
        for name in re.findall(r"@Test\s+void (\w+)\(", path.read_text(encoding="utf-8"))
    ]


def check(results: Results, name: tuple[str, str]) -> None:
    assert name in results, "the test has not run"
    assert results[name] is None, results[name]


@pytest.mark.slow
@pytest.mark.xdist_group("java")
def test_a_genuine_client_sends_and_receives(run_java: Callable[..., Results]) -> None:
    check(run_java("jakarta", "SendReceiveTest"), ("SendReceiveTest", "aMessageIsSentAndReceived"))


@pytest.mark.java
def test_a_client_with_tls(tmp_path: Path) -> None:
    with serve(tmp_path, "--port", "0", "--tls", "dev") as served:
        define(served.qmgr)
        store = f"{served.qmgr}-tls/truststore.p12"
        trust = [f"-Djavax.net.ssl.trustStore={store}", "-Djavax.net.ssl.trustStorePassword=changeit"]
        results = run_tests("jakarta", served.port, "-Dtest=SendReceiveTest", "-Dmqx.cipher=*TLS12ORHIGHER", *trust)
        check(results, ("SendReceiveTest", "aMessageIsSentAndReceived"))


@pytest.mark.java
@pytest.mark.parametrize("name", names(FOLDER / "src"), ids=".".join)
@pytest.mark.parametrize("client", ["javax", "jakarta"])
def test_java(run_java: Callable[..., Results], client: str, name: tuple[str, str]) -> None:
    check(run_java(client), name)


@pytest.mark.java
@pytest.mark.parametrize("name", names(FOLDER / "applications"), ids=".".join)
def test_an_application_of_spring_and_camel(run_java: Callable[..., Results], name: tuple[str, str]) -> None:
    check(run_java("applications"), name)


@pytest.mark.java
@pytest.mark.parametrize("number", range(len(CASES)), ids=[case["name"] for case in CASES])
@pytest.mark.parametrize("client", ["javax", "jakarta"])
def test_a_case_through_the_client(run_java: Callable[..., Results], client: str, number: int) -> None:
    check(run_java(client), ("CasesTest", f"aCase(JSONObject)[{number + 1}]"))
