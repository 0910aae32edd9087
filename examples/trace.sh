#!/usr/bin/env bash
# Where did my message go? One order over two queue managers: full queue, dead letter, rules table, a consumer that fails
# twice, and its reply; then what each journal knows of it. Made only of mqx commands that you can copy.
set -euo pipefail
. "$(dirname "$0")/session.sh"

title "Two queue managers whose queues keep a journal"
show "mqx qmgr create SHOP; mqx qmgr create PLANT"
cat > shop.mqsc <<'MQSC'
DEFINE QLOCAL(PLANT) USAGE(XMITQ) JOURNAL(YES)
DEFINE QREMOTE(ORDERS) RNAME(ORDERS) RQMNAME(PLANT) XMITQ(PLANT)
DEFINE CHANNEL(SHOP.TO.PLANT) CHLTYPE(SDR) XMITQ(PLANT) CONNAME('qmgr:PLANT')
MQSC
cat > plant.mqsc <<'MQSC'
DEFINE QLOCAL(ORDERS) MAXDEPTH(1) JOURNAL(YES)
DEFINE QLOCAL(DLQ) JOURNAL(YES)
ALTER QMGR DEADQ(DLQ)
DEFINE CHANNEL(SHOP.TO.PLANT) CHLTYPE(RCVR)
MQSC
show "mqx mqsc -q -m SHOP < shop.mqsc; mqx mqsc -q -m PLANT < plant.mqsc"

title "The second order finds a full queue, and becomes a dead letter"
show "mqx put ORDERS -m SHOP first --msg-id text:ORDER-1"
show "mqx put ORDERS -m SHOP second --msg-id text:ORDER-2"
show "mqx channel start SHOP.TO.PLANT -m SHOP --drain || echo status \$?"

title "A rules table forwards it, a consumer gives it back and then gets it"
printf 'INPUTQ(DLQ) WAIT(NO)\nREASON(MQRC_Q_FULL) ACTION(FWD) FWDQ(&DESTQ) HEADER(NO)\n' > plant.rules
show "mqx get ORDERS -m PLANT"
show "mqx dlq-handle -q -m PLANT --rules plant.rules"
show "mqx get ORDERS -m PLANT --confirm-id 1"
show "mqx undo ORDERS -m PLANT --confirm-id 1"
show "mqx get ORDERS -m PLANT"

title "Its life"
show "mqx trace text:ORDER-2 -o csv | cut -d, -f2-5,11"
show "mqx trace text:ORDER-2 -o jsonl | tail -n 1"

title "The queues"
show "mqx stats -m PLANT"
