"""Helpers of the MQSC tests: run commands and display queues."""

from __future__ import annotations

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.constants.options import MQOO_INPUT_SHARED
from mqtools.errors import NoMessageAvailable
from mqtools.message import MQMD, Message


def run(connection, text):
    """Run commands that must all succeed; return the displayed objects."""
    report = run_mqsc(connection, text)
    assert [command.messages for command in report.commands if command.outcome != "ok"] == []
    return [item for command in report.commands for item in command.objects]


def own(objects):
    """Return the names of displayed queues, without those that every queue manager has."""
    return [item.attributes["QUEUE"] for item in objects if not item.attributes["QUEUE"].startswith("SYSTEM.")]


def only(connection, text):
    """Run one command; return its report."""
    report = run_mqsc(connection, text)
    assert report.read == 1
    return report.commands[0]


def attributes(connection, name, *keywords):
    """Return attributes of one queue in the given order."""
    (shown,) = run(connection, f"DISPLAY QUEUE('{name}') {' '.join(keywords)}")
    return [shown.attributes[keyword] for keyword in keywords]


def put(connection, name, *bodies, **fields):
    for body in bodies:
        connection.put1(name, Message(body, MQMD(**fields)))


def get_all(connection, name):
    found = []
    with connection.open(name, MQOO_INPUT_SHARED) as handle:
        while True:
            try:
                found.append(handle.get().message.data)
            except NoMessageAvailable:
                return found
