#!/usr/bin/env bash
# Last night's dead letters on a laptop: production's dump is loaded, its rules table checked, tried, explained and run,
# and what came of it unloaded again. Made only of mqx commands that you can copy. Leaves nothing behind.
set -euo pipefail
. "$(dirname "$0")/session.sh"
cp "$here"/data/dead-letters.dump "$here"/rehearsal.rules .

title "A queue manager of the same name as production's, with the queues that the letters were for"
show "mqx qmgr create PROD --default"
show "mqx mqsc 'DEFINE QLOCAL(PROD.DLQ)' 'ALTER QMGR DEADQ(PROD.DLQ)' 'DEFINE QLOCAL(ORDERS.US)' \
'DEFINE QLOCAL(ORDERS.EU)' 'DEFINE QLOCAL(ORDERS.OVERFLOW)' | tail -n 3"

title "The dump, in the form of dmpmqmsg: nine messages, two from a mainframe, one with half a header, one without any"
show "head -n 12 dead-letters.dump"
show "mqx load PROD.DLQ dead-letters.dump"
show "mqx dlq-handle --summary --by reason,destq -o table"
show "mqx explain 2085 -o plain"

title "A dump that somebody has edited badly loads nothing, and says where"
show "sed '13s/PRI/PRX/; 73s/X /X 0/' dead-letters.dump > edited.dump"
show_status 2 "mqx load ORDERS.EU edited.dump"

title "The rules table: checked"
show "sed 's/FWDQ(ORDERS/FWQD(ORDERS/' rehearsal.rules > mistyped.rules"
show_status 2 "mqx dlq-handle --check --rules mistyped.rules"
show "mqx dlq-handle --check --rules rehearsal.rules"

title "Tried: what would become of each message"
show_status 9 "mqx dlq-handle --dry-run --rules rehearsal.rules -o jsonl > plan"
show "sed 's/\"msg_id\":\"[0-9A-F]*\(....\)\"/…\1/' plan"

title "Explained: why nothing happens to the order from Mars"
mars=$(mqx browse PROD.DLQ --grep shelves -o jsonl | sed -n 's/.*"msg_id":"\([0-9A-F]*\)".*/\1/p')
show_status 9 "mqx dlq-handle --explain --msg-id $mars --rules rehearsal.rules -q -o table"

title "Run"
show_status 9 "mqx dlq-handle --once --rules rehearsal.rules -q"
show "mqx qdepth 'ORDERS.*' PROD.DLQ -o table"
show "mqx browse ORDERS.OVERFLOW -o table"

title "The result, unloaded: what goes back to production, and what somebody must look at"
show "mqx unload ORDERS.OVERFLOW overflow.dump --move -d printable"
show "mqx unload ORDERS.US american.dump --move"
show "mqx unload PROD.DLQ 'left-%N.dump' -d printable"
show "ls *.dump"
show "sed -n '/^S/p;/^X/p' left-00002.dump"

title "Nothing was lost on the way: what is in the dumps now, by number"
there=$(cat overflow.dump american.dump left-*.dump | sed -n 's/^A MSI .*\(..\)$/\1/p' | sort | tr '\n' ' ')
echo "left or handed on: $there(in hex: 31 is the first)"
[ "$there" = "31 32 33 34 35 36 38 39 " ]
echo "8 messages accounted for, 1 report discarded by rule"
