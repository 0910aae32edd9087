"""``mqx service``: units of systemd."""

from __future__ import annotations

from pathlib import Path

import pytest

Q = "DEV.QUEUE.1"


def test_a_unit_runs_the_command_line(inline, qm, environment):
    words = ("-m", "QM1", "dlq-handle", "--rules", "/etc/a b/$x%.tab")
    done = inline("service", "install", "dlq", *words, check=True)
    path = Path(environment["XDG_CONFIG_HOME"]) / "systemd" / "user" / "mqx-dlq.service"
    text = path.read_text()
    assert '-P -m mqtools -m QM1 dlq-handle --rules "/etc/a b/$$x%%.tab"\n' in text
    assert f"MQX_HOME={environment['MQX_HOME']}" in text
    assert "systemctl --user" in done.err
    assert inline("service", "install", "dlq", *words).status == 2
    assert inline("service", "install", "--force", "dlq", *words).status == 0


def test_the_command_may_follow_two_dashes(inline, qm):
    done = inline("service", "install", "--print", "dlq", "--", "dlq-handle", "--rules", "x", check=True)
    assert b"-P -m mqtools dlq-handle --rules x\n" in done.out


@pytest.mark.parametrize(
    ("options", "seconds"),
    [((), "90"), (("--grace", "30s"), "90"), (("--grace=5m",), "310"), (("--grace", "2m"), "130")],
)
def test_a_unit_leaves_the_commands_of_a_consumer_their_grace(inline, qm, options, seconds):
    words = ("get", Q, "--follow", "--exec", "./work", *options)
    text = inline("service", "install", "--print", "worker", *words, check=True).out.decode()
    assert {"KillMode=mixed", f"TimeoutStopSec={seconds}", "SuccessExitStatus=143"} <= set(text.splitlines())


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("x", "browse", Q), 2),
        (("a b", "dlq-handle"), 2),
        (("../x", "dlq-handle"), 2),
        (("x", "-m", "NOPE", "dlq-handle"), 5),
        (("x", "channel", "status"), 2),
        (("x", "dlq-handle", "--rules", "x", "--print"), 2),
        (("x", "get", Q, "--follow", "--exec", "x", "--grace", "long"), 2),
    ],
)
def test_what_is_no_service_is_not_installed(inline, qm, words, status):
    assert inline("service", "install", *words).status == status


@pytest.mark.parametrize(("options", "restart"), [([], "on-failure"), (["--max-run", "1h"], "always")])
def test_a_worker_with_max_run_is_started_again(inline, qm, options, restart):
    line = ("get", "DEV.QUEUE.1", "--follow", "--exec", "./work", *options)
    unit = inline("service", "install", "--print", "worker", *line, check=True).out.decode()
    assert f"\nRestart={restart}\n" in unit
