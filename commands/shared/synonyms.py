"""Words of IBM MQ, shells and other message queues, mapped to commands and options of mqx.

Only unknown words are looked up, so a new command or option takes precedence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from shlex import join, quote

#: Command line, to the words that people type for it. ``{}`` is replaced by the text after the word, ``{queue}`` by
#: the value of -n or else the first word, ``{name}`` by the last word. A word like ``amqsput+`` is followed by a queue
#: and a queue manager, one like ``runmqsc=`` by a queue manager: -m names it.
_LINES = (
    ("{} --help", "help"),
    ("--version", "version dspmqver"),
    ("pub {}", "publish amqspub"),
    ("sub {}", "subscribe amqssub"),
    ("put {}", "send write push publish produce enqueue add"),
    ("put {queue}", "amqsput+ amqsputc+"),
    ("put {queue} --request", "amqsreq+"),
    ("get {}", "consume take receive recv pop fetch dequeue"),
    ("get {queue} --all", "amqsget+ amqsgetc+"),
    ("browse {}", "peek show read view look cat less head tail print see"),
    ("browse {queue}", "amqsgbr+"),
    ("browse {queue} -o listing", "amqsbcg+ amqsbcgc+"),
    ("qdepth {}", "list ls queues status depth info count monitor top size"),
    ("qdepth --watch 2s {}", "watch"),
    ("delete {}", "rm remove del drop"),
    ("mqsc", "runmqsc="),
    ("mqsc 'CLEAR QLOCAL({queue})'", "purge clear flush truncate empty"),
    ("mqsc 'DEFINE QLOCAL({queue})'", "define"),
    ("mqsc 'DISPLAY QUEUE({queue})'", "display describe"),
    ("mqsc 'DISPLAY AUTHREC PROFILE({queue})'", "dspmqaut dmpmqaut"),
    ("mqsc 'SET AUTHREC PROFILE({queue}) OBJTYPE(QUEUE) PRINCIPAL(USER) AUTHADD(GET,PUT)'", "setmqaut"),
    ("mqsc 'ALTER QLOCAL({queue}) ...'", "alter"),
    ("unload {}", "export dump dmpmqmsg save qload"),
    ("load {}", "import"),
    ("dlq-handle {} --redrive", "redrive retry requeue resend reprocess"),
    ("dlq-handle {} --summary", "dlq dead-letter deadletter dead-letters"),
    ("dlq-handle {}", "runmqdlq amqsdlq"),
    ("trash list", "ls show"),
    ("trash restore {}", "restore undelete recover"),
    ("confirm put {}", "commit"),
    ("undo {}", "rollback backout revert"),
    ("unlock {}", "release"),
    ("move {}", "mv rename"),
    ("copy {}", "cp"),
    ("sql {}", "query select"),
    ("tui {}", "ui gui live explore strmqcfg mqexplorer rfhutil"),
    ("log", "logs errlog journalctl"),
    ("trace ID", "dspmqrte follow route history"),
    ("explain {}", "error errors reason mqrc why"),
    ("doctor {}", "check health verify fsck"),
    ("config explain", "settings configure show list ls"),
    ("report-gen {}", "report reports"),
    ("qmgr create {}", "create init new"),
    ("qmgr create {name}", "crtmqm"),
    ("qmgr start {name}", "start strmqm"),
    ("qmgr end {name}", "end stop shutdown endmqm"),
    ("qmgr use {}", "use"),
    ("qmgr delete {name}", "dltmqm"),
    ("qmgr list", "dspmq dspmqinf qmgrs ls show"),
    ("qmgr backup {}", "backup rcdmqimg"),
    ("qmgr export {name}", "dmpmqcfg="),
    ("channel start {}", "runmqchl run"),
    ("channel listen", "runmqlsr listen"),
    ("channel status {}", "channels list ls show"),
)

#: Option, with its value, to the words that people type for it, without dashes. Of several options for a word, the
#: first that the command has counts.
_OPTIONS = (
    ("--follow", "tail watch"),
    ("--watch 2s", "follow tail interval"),
    ("--template", "format fmt printf"),
    ("-n 10", "limit max number num count head"),
    ("--wait 5s", "timeout"),
    ("--expiry 30s", "ttl"),
    ("--property NAME=VALUE", "header prop"),
    ("--where", "filter select selector query"),
    ("--file FILE", "input from-file"),
    ("-o json", "json format fmt"),
    ("-o jsonl", "jsonl ndjson"),
    ("-o csv", "csv"),
    ("-m NAME", "queue-manager qm broker"),
    ("--rules FILE", "table"),
)


def find_equivalent(word: str, typed: Sequence[str], group: str = "") -> str | None:
    """Return the command line, without mqx, for an unknown command; None when there is none.

    typed: the arguments.  group: the group of commands that the word was looked for in, empty for mqx.
    """
    words = [each for each in typed if not each.startswith("-")]
    places = [typed.index("-n") + 1] if "-n" in typed[:-1] else []
    queue = next((typed[place] for place in places), words[0] if words else "QUEUE")
    for line, several in _LINES:
        for known in several.split():
            if known.rstrip("+=") != word.lower() or not line.startswith(group):
                continue
            named = words[1:2] if known.endswith("+") else words[:1] if known.endswith("=") else []
            shown = line.format(join(typed), queue=_inside(line, queue), name=join(words[-1:]))
            return " ".join([*(f"-m {quote(name)}" for name in named), *shown.split()])
    return None


def _inside(line: str, queue: str) -> str:
    """Return a queue as a line has it: quoted for the shell, unless its command of MQSC is quoted as a whole."""
    return queue.replace("'", "'\\''") if "'" in line else quote(queue)


def find_option(word: str, known: Iterable[str]) -> str | None:
    """Return the option for an unknown one, with a value; None when there is none. known: those of the command."""
    there = set(known)
    for option, words in _OPTIONS:
        if word.lstrip("-") in words.split() and option.split()[0] in there:
            return option
    return None
