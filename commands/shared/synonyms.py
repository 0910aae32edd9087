"""Commands of IBM MQ, shells and other message queues, mapped to commands of mqx.

Only unknown commands are looked up, so a new command takes precedence.
"""

from __future__ import annotations

from shlex import join, quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: Command line, to the words that people type for it. ``{}`` stands for what was typed behind the word. Where a word
#: has several lines, the first whose command exists counts.
_LINES = (
    ("{} --help", "help"),
    ("--version", "version"),
    ("pub {}", "publish"),
    ("put {}", "send write push publish produce enqueue add amqsput"),
    ("get {}", "consume take receive recv pop fetch dequeue amqsget"),
    ("browse {}", "peek show read view look cat less head tail print see amqsbcg amqsgbr"),
    ("qdepth {}", "list ls queues status depth info count monitor top size"),
    ("qdepth --watch 2s {}", "watch"),
    ("delete {}", "rm remove del drop"),
    ("mqsc {}", "runmqsc"),
    ("unload {}", "export dump dmpmqmsg save"),
    ("load {}", "import"),
    ("qmgr backup {}", "backup"),
    ("unload QUEUE FILE", "backup"),
    ("dlq-handle {} --redrive", "redrive retry requeue resend reprocess"),
    ("dlq-handle {} --summary", "dlq dead-letter deadletter dead-letters"),
    ("dlq-handle {}", "runmqdlq"),
    ("trash restore {}", "restore undelete recover"),
    ("confirm put {}", "commit"),
    ("undo {}", "rollback backout revert"),
    ("unlock {}", "release"),
    ("move {}", "mv rename"),
    ("copy {}", "cp"),
    ("sql {}", "query select"),
    ("tui {}", "ui gui live explore"),
    ("explain {}", "error errors reason mqrc why"),
    ("doctor {}", "check health verify fsck"),
    ("config explain", "settings configure"),
    ("report-gen {}", "report reports"),
    ("qmgr create {}", "create init new crtmqm"),
    ("qmgr start {}", "start strmqm"),
    ("qmgr end {}", "end stop endmqm shutdown"),
    ("qmgr use {}", "use"),
    ("qmgr delete {}", "dltmqm"),
    ("qmgr list", "dspmq qmgrs"),
    ("channel start {}", "runmqchl"),
    ("channel listen {}", "runmqlsr listen"),
    ("channel status {}", "channels"),
)

#: MQSC command, to the words that people type for it. ``{}`` stands for the queue that was typed, or for QUEUE.
_MQSC = (
    ("CLEAR QLOCAL({})", "purge clear flush truncate empty"),
    ("DEFINE QLOCAL({})", "define"),
    ("DISPLAY QUEUE({})", "display describe dmpmqcfg"),
    ("ALTER QLOCAL({}) ...", "alter"),
)


def find_equivalent(word: str, typed: Sequence[str], exists: Callable[[list[str]], bool]) -> str | None:
    """Return the command line, without mqx, for an unknown command; None when there is none.

    typed: the arguments.  exists: whether a command of these words exists.
    """
    for line, words in _LINES:
        if word.lower() in words.split() and exists(line.split()):
            return " ".join(line.format(join(typed)).split())
    for command, words in _MQSC:
        if word.lower() in words.split():
            queue = next((one for one in typed if not one.startswith("-")), "QUEUE")
            return f"mqsc {quote(command.format(queue))}"
    return None
