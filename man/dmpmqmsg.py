"""Options of dmpmqmsg (QLOAD) and their equivalents in mqx: a section of the page of ``mqx unload``."""

from __future__ import annotations

#: Options of dmpmqmsg, and the equivalent commands and options of mqx. QUEUE, OTHER and FILE are placeholders.
OPTIONS = (
    ("-i QUEUE -f FILE", "mqx unload QUEUE FILE: a copy. Standard output without FILE, or with -."),
    ("-I QUEUE -f FILE", "mqx unload QUEUE FILE --move"),
    ("-o QUEUE -f FILE", "mqx load QUEUE FILE"),
    ("-i QUEUE -o OTHER, -I QUEUE -o OTHER", "mqx copy QUEUE OTHER, mqx move QUEUE OTHER"),
    ("-f FILE -f OTHER", "mqx load onto a temporary queue, then mqx unload from there in the other form."),
    ("-F FILE", "--force of mqx unload. Without it, an existing file requires confirmation."),
    ("-a a", "--append of mqx unload. Files are always read and written as bytes (-a b)."),
    ("-b KB", "No equivalent: memory is allocated as needed."),
    ("-c, -u USER", "ssh HOST mqx unload QUEUE > FILE: a queue manager is a file; access is by file permissions."),
    ("-C A, I, d, n", "--context all, identity, default, none of mqx load."),
    ("-C a, i", "No equivalent: mqx move and mqx copy always keep the whole context."),
    ("-d LETTERS", "-d LETTERS of mqx unload, which also has names for them."),
    ("-D 200, -D -200, -D r50", "--delay 200ms, --delay ..200ms, --delay original:50% of mqx load, mqx move, copy."),
    ("-g xmID, -g xcID, -g xgID", "--msg-id ID, --correl-id ID, --group-id ID; a unique prefix of ID is enough."),
    ("-g mID, -g cID, -g gID", "--msg-id text:ID, --correl-id text:ID, --group-id text:ID; also padded with zeros."),
    ("-h", "--strip-headers of mqx unload and mqx load."),
    ("-m QMGR", "-m QMGR"),
    ("-p", "mqx delete QUEUE after mqx unload --move: it deletes the remaining messages."),
    ("-P CCSID:ENCODING", "--convert CCSID:ENCODING of mqx unload."),
    ("-q", "-q"),
    ("-r 3..7, -r 3#5, -r #5", "--pos 3..7, --pos 3..7, --pos ..5"),
    (
        "-s TEXT, -e TEXT, -x HEX",
        "--grep TEXT, which reads each message in its own character set, and --grep-hex HEX. Of two texts: "
        "mqx browse QUEUE --grep ONE -o jsonl | jq -r .md.msg_id | mqx unload QUEUE FILE --ids - --grep OTHER",
    ),
    (
        "-S TEXT, -E TEXT, -X HEX",
        "--not-grep TEXT, --not-grep-hex HEX; repeatable.",
    ),
    ("-t 100, -t 0, -t -1", "--batch 100, --batch 1, --batch all; for unload with --move."),
    ("-T 1440, -T ,10, -T 60,10", "--older 1d, --newer 10m, both."),
    ("-w 30", "mqx get QUEUE --all --wait 30s -o jsonl > FILE, which mqx load reads."),
)
