#!/usr/bin/env bash
# Production's dead letters on a laptop: they are pulled, one is repaired and pushed back, a rules table is tried on the
# copies, and what it would do is applied to production. Production is another queue manager of mqx, reached over TCP as
# one of IBM MQ would be. Leaves nothing behind.
set -euo pipefail
. "$(dirname "$0")/session.sh"
cp "$here"/rehearsal.rules .

# Production: last night's dead letters, and the queues that they were for.
export MQ_ADMIN_PASSWORD=secret
production() { MQX_HOME="$PWD/production" mqx "$@"; }
production serve --dev PROD --port 0 -o json >served.json 2>served.log &
until test -s served.json; do sleep 0.1; done
port=$(sed 's/.*"port":\([0-9]*\).*/\1/' served.json)
production -q -m PROD mqsc 'DEFINE QLOCAL(PROD.DLQ)' 'ALTER QMGR DEADQ(PROD.DLQ)' \
    'DEFINE QLOCAL(ORDERS.US)' 'DEFINE QLOCAL(ORDERS.EU)' 'DEFINE QLOCAL(ORDERS.OVERFLOW)' >/dev/null
production -q -m PROD load PROD.DLQ "$here/data/dead-letters.dump"

title "Name production, and make a queue manager for the copies"
show "mqx remote add PROD --connection '127.0.0.1($port)' --channel DEV.ADMIN.SVRCONN --user admin \
--password-command 'echo secret' --read-write"
show "mqx qmgr create LAPTOP --default"
show "mqx mqsc 'DEFINE QLOCAL(ORDERS.OVERFLOW)' | tail -n 1"

title "Pull the dead letters, with the queues that they name; a second pull adds what is new"
show "mqx pull PROD:PROD.DLQ --definitions"
show "mqx pull PROD:PROD.DLQ"

title "Repair one, and put it in place of its original; a second push does nothing"
mars=$(mqx browse PROD.DLQ --grep shelves -o jsonl | sed -n 's/.*"msg_id":"\([0-9A-F]*\)".*/\1/p')
show "printf '4 shelves for Mars' | mqx edit PROD.DLQ --msg-id $mars --body-from - -q"
show "mqx push PROD.DLQ --to PROD:PROD.DLQ --yes"
show "mqx push PROD.DLQ --to PROD:PROD.DLQ --yes"

title "Rehearse the rules table, and write what it would do"
show_status 9 "mqx dlq-handle PROD.DLQ --rules rehearsal.rules --plan friday.plan"

title "Apply it there: first dry, then for good, then once more, which does nothing"
show "mqx apply friday.plan -m PROD --dry-run -o table"
show "mqx apply friday.plan -m PROD --yes"
show "mqx apply friday.plan -m PROD --yes"

title "What production has now, and what was removed there"
show "mqx qdepth 'ORDERS.*' PROD.DLQ -m PROD -o table"
show "grep -c msg_id friday.plan.removed.jsonl"
