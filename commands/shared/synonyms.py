"""Words that people type for a command that has another name here: those of IBM MQ, of shells and of other queues.

Only a word that is no command is looked up, so a command that comes to be called so wins.
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


def meant_by(word: str, typed: Sequence[str], exists: Callable[[list[str]], bool]) -> str | None:
    """Return the command line, without mqx, that does what a word stands for; None where nothing is known of it.

    typed: what came behind the word.  exists: tells of the words of a line whether there is such a command.
    """
    for line, words in _LINES:
        if word.lower() in words.split() and exists(line.split()):
            return " ".join(line.format(join(typed)).split())
    for command, words in _MQSC:
        if word.lower() in words.split():
            queue = next((one for one in typed if not one.startswith("-")), "QUEUE")
            return f"mqsc {quote(command.format(queue))}"
    return None
