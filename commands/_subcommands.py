"""Table of the subcommands of ``mqx``."""

from __future__ import annotations

#: Subcommand to its module and one line of help, in the order of the help.
SUBCOMMANDS = {
    "put": ("put.command", "Put messages from arguments, files or standard input"),
    "get": ("get.command", "Get messages and remove them from a queue"),
    "browse": ("browse.command", "Show messages without changing anything"),
    "lock": ("lock", "Lock messages so that no other program gets them"),
    "qdepth": ("qdepth.command", "Show depth, age and use of queues"),
    "dlq-handle": ("dlq_handle.command", "Run a runmqdlq rules table on a dead-letter queue"),
    "report-gen": ("report_gen.command", "Generate reports about messages"),
    "unlock": ("unlock", "Unlock messages locked by mqx lock"),
    "confirm": ("confirm", "Confirm puts or gets made with a confirm id"),
    "undo": ("undo", "Undo puts, gets or locks by their id"),
    "delete": ("delete", "Delete messages"),
    "move": ("move", "Move messages to another queue"),
    "copy": ("copy", "Copy messages to another queue"),
    "replay": ("replay", "Put messages of the past on a queue again"),
    "edit": ("edit.command", "Edit messages in place"),
    "trash": ("trash", "Show, restore or erase deleted messages"),
    "pub": ("pub", "Publish messages on a topic"),
    "sub": ("sub", "Subscribe to a topic and print publications"),
    "shell": ("shell.command", "Run many command lines in one process"),
    "service": ("service", "Run a command as a service of systemd"),
    "load": ("load.command", "Load messages from a dump"),
    "unload": ("unload.command", "Unload messages to a dump"),
    "pull": ("pull", "Copy messages of another queue manager here as they are"),
    "push": ("push", "Put messages in place of their originals elsewhere"),
    "apply": ("apply", "Carry out a plan of dlq-handle on its queue manager"),
    "diff": ("diff", "Compare messages of queues, dumps and archives"),
    "qmgr": ("qmgr.command", "Create, start, end, back up and list queue managers"),
    "remote": ("remote", "Name queue managers elsewhere for -m"),
    "user": ("user", "Manage users who connect with a password"),
    "mqsc": ("mqsc", "Run MQSC commands"),
    "serve": ("serve", "Serve clients and channels over the network"),
    "channel": ("channel.command", "Run message channels between queue managers"),
    "run": ("run", "Run an unmodified pymqi or ibmmq program"),
    "pipeline": ("pipeline.command", "Archive, load and reconcile messages on Spark"),
    "events": ("events", "Show the events of a queue manager"),
    "log": ("log", "Show the error log of a queue manager"),
    "trace": ("trace", "Show the life of messages"),
    "stats": ("stats", "Show throughput and waiting times of queues"),
    "sql": ("sql", "Query messages, queues and locks with SQL"),
    "config": ("config", "Show and change the configuration"),
    "completion": ("completion", "Generate shell completion"),
    "man": ("man", "Show manual pages"),
    "tui": ("tui", "Browse queues live in a full-screen view"),
    "doctor": ("doctor", "Check a queue manager for problems"),
    "explain": ("explain", "Explain codes, names, attributes, messages and rules"),
}

#: Headings of the help and their subcommands, in the order of the help. Each subcommand has one heading.
GROUPS = (
    ("Messages", "put get browse lock unlock confirm undo delete move copy edit trash pub sub"),
    ("Dead letters", "dlq-handle report-gen"),
    ("Queue managers", "qmgr mqsc user qdepth serve channel events log doctor config service"),
    ("Elsewhere", "remote pull push apply"),
    ("Live", "tui run shell"),
    ("History", "trace stats replay diff"),
    ("Many messages", "load unload sql pipeline"),
    ("Help", "explain man completion"),
)


def groups() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return each heading of the help with the names and summaries of its subcommands."""
    found = [
        (heading, [(name, SUBCOMMANDS[name][1]) for name in names.split() if name in SUBCOMMANDS])
        for heading, names in GROUPS
    ]
    return [(heading, rows) for heading, rows in found if rows]
