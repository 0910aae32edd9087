#!/usr/bin/env bash
# Two queue managers and a channel between them: requests go out, replies and reports come back, a killed channel loses
# nothing. Made only of mqx commands that you can copy. Between machines, put ssh in front of "mqx channel receive".
set -euo pipefail
. "$(dirname "$0")/session.sh"

title "A shop and a warehouse"
show "mqx qmgr create SHOP --dev; mqx qmgr create WAREHOUSE --dev"
cat > shop.mqsc <<'MQSC'
DEFINE QREMOTE(ORDERS) RNAME(ORDERS) RQMNAME(WAREHOUSE) XMITQ(WAREHOUSE) DEFPSIST(YES)
DEFINE QLOCAL(WAREHOUSE) USAGE(XMITQ)
DEFINE QLOCAL(ANSWERS)
DEFINE CHANNEL(SHOP.TO.WAREHOUSE) CHLTYPE(SDR) XMITQ(WAREHOUSE) BATCHSZ(10) +
    CONNAME('exec:mqx channel receive WAREHOUSE')
DEFINE CHANNEL(WAREHOUSE.TO.SHOP) CHLTYPE(RCVR) QMNAME(WAREHOUSE)
MQSC
cat > warehouse.mqsc <<'MQSC'
DEFINE QLOCAL(ORDERS) MAXDEPTH(1000)
DEFINE QLOCAL(SHOP) USAGE(XMITQ)
DEFINE CHANNEL(SHOP.TO.WAREHOUSE) CHLTYPE(RCVR) QMNAME(SHOP)
DEFINE CHANNEL(WAREHOUSE.TO.SHOP) CHLTYPE(SDR) XMITQ(SHOP) CONNAME('qmgr:SHOP')
MQSC
show "mqx mqsc -m SHOP < shop.mqsc | tail -n 1"
show "mqx mqsc -m WAREHOUSE < warehouse.mqsc | tail -n 1"
show "mqx channel ping SHOP.TO.WAREHOUSE -m SHOP"

title "A request goes over, its reply comes back"
show "mqx put ORDERS 'one sledge' --type request --reply-to ANSWERS -m SHOP"
show "mqx channel start SHOP.TO.WAREHOUSE --drain -m SHOP"
show "mqx report-gen ORDERS --action reply --data 'one sledge, in stock' --consume -m WAREHOUSE"
show "mqx channel start WAREHOUSE.TO.SHOP --drain -m WAREHOUSE"
show "mqx get ANSWERS -m SHOP"; echo

title "What cannot be delivered is dead-lettered there, and reported here"
show "mqx put GONE@WAREHOUSE 'for nobody' --persistent --report exception --reply-to ANSWERS -m SHOP"
show "mqx channel start SHOP.TO.WAREHOUSE --drain -m SHOP; mqx channel start WAREHOUSE.TO.SHOP --drain -m WAREHOUSE"
show "mqx get ANSWERS -o json -m SHOP | grep -o '\"feedback\":\"[A-Z_]*\"'"
show "mqx dlq-handle --summary -m WAREHOUSE"

title "A channel that is killed while it sends 500 orders"
show "seq 500 | mqx put ORDERS --lines -m SHOP"
kills=0
while [ "$kills" -lt 3 ]; do
    mqx channel start SHOP.TO.WAREHOUSE -m SHOP -q &
    sleep 0.6
    kill -KILL $! && kills=$((kills + 1))
    wait $! 2> /dev/null || true
done
echo "killed $kills times"
show "mqx channel status SHOP.TO.WAREHOUSE -m SHOP -o table"
show "mqx channel start SHOP.TO.WAREHOUSE --drain -m SHOP"
mqx get ORDERS --all -q -m WAREHOUSE | sort -n > arrived
seq 500 | diff - arrived
echo "$(wc -l < arrived) orders arrived: 0 lost, 0 doubled"
