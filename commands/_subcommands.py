"""Table of the subcommands of ``mqx``."""

from __future__ import annotations

#: Subcommand to its module and one line of help, in the order of the help.
SUBCOMMANDS = {
    "put": ("put.command", "Put messages: arguments, files or standard input."),
    "get": ("get.command", "Get messages: remove them from a queue."),
    "browse": ("browse.command", "Look at messages without changing anything."),
    "lock": ("lock", "Lock messages so that nobody else gets them."),
    "qdepth": ("qdepth.command", "Show depth, age and use of queues."),
    "dlq-handle": ("dlq_handle.command", "Run a runmqdlq rules table on a dead-letter queue."),
    "report-gen": ("report_gen.command", "Make reports about messages."),
    "unlock": ("unlock", "Unlock what lock has locked."),
    "confirm": ("confirm", "Confirm puts or gets made with a confirm id."),
    "undo": ("undo", "Undo puts, gets or locks by their id."),
    "delete": ("delete", "Delete messages from a queue."),
    "move": ("move.command", "Move messages from one queue to another."),
    "copy": ("copy", "Copy messages from one queue to another."),
    "edit": ("edit.command", "Edit messages where they lie."),
    "trash": ("trash.command", "Show, restore or empty what was deleted."),
    "load": ("load.command", "Put the messages of a dump on a queue."),
    "unload": ("unload.command", "Write the messages of a queue into a dump."),
    "qmgr": ("qmgr.command", "Create, start, end and list queue managers."),
    "mqsc": ("mqsc", "Run MQSC commands: DEFINE, ALTER, DELETE, CLEAR, DISPLAY."),
    "channel": ("channel.command", "Run message channels between queue managers."),
    "run": ("run", "Run an unmodified pymqi or ibmmq program."),
    "pipeline": ("pipeline.command", "Archive, load and reconcile many messages on Spark."),
    "sql": ("sql", "Read messages, queues and locks with SQL."),
    "config": ("config", "Show what is configured, and where each value comes from."),
    "completion": ("completion", "Let a shell complete commands, queues and ids."),
    "man": ("man", "Show manual pages."),
    "tui": ("tui", "Browse queues live on the whole screen."),
    "doctor": ("doctor", "Look whether a queue manager is sound."),
    "explain": ("explain", "Explain a reason code, feedback code, option or rule"),
}
