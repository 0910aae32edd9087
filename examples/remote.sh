#!/usr/bin/env bash
# Work on a queue manager elsewhere over TCP: name it, put, browse and get there. Needs mqx only.
set -euo pipefail
. "$(dirname "$0")/session.sh"
export MQ_ADMIN_PASSWORD=passw0rd

title "Serve a queue manager that goes with this script"
mqx serve --dev PROD --temporary --port 0 -o json > ready.json 2> served.log &
until test -s ready.json; do sleep 0.1; done
port=$(sed 's/.*"port":\([0-9]*\).*/\1/' ready.json)

title "Name it twice: read-only to look, read-write to change"
for name in "LOOK" "CHANGE --read-write"; do
    show "mqx remote add $name --connection '127.0.0.1($port)' --channel DEV.ADMIN.SVRCONN --user admin \
--password-command 'echo passw0rd'"
done
show "mqx remote ping LOOK"

title "Put two messages there"
show "mqx put DEV.QUEUE.1 'two sledges' 'one scarf' -m CHANGE --yes"

title "Look without changing anything; a get is refused"
show "mqx browse DEV.QUEUE.1 -m LOOK"
show "mqx qdepth DEV.QUEUE.1 -m LOOK"
show "mqx mqsc -m LOOK 'DISPLAY QLOCAL(DEV.QUEUE.1) CURDEPTH'"
mqx get DEV.QUEUE.1 -m LOOK --yes && exit 1

title "Run a command for one of them: its exit status commits or backs out"
show "mqx get DEV.QUEUE.1 -m CHANGE --yes --exec 'tr a-z A-Z'"

title "Get the other one; the log has what was changed"
show "mqx get DEV.QUEUE.1 --all -m CHANGE --yes"
show "grep -c '\"remote\":\"CHANGE\"' \$MQX_HOME/remote-changes.jsonl"
