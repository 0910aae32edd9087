#!/usr/bin/env bash
# A file crosses three queue managers, and both channels are killed three times on the way.
# The file is on no queue where it comes from or goes to; between, a few megabytes of it at a time.
#   examples/big-file.sh [MEGABYTES]
set -euo pipefail
megabytes=${1:-2048}
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
running=()
trap 'kill -9 "${running[@]}" 2>/dev/null || true; rm -rf "$folder"' EXIT
export MQX_EXIT_FOLDERS=$folder/received # files are written below these folders only
export MQX_HOME=$folder/qmgrs XDG_CONFIG_HOME=$folder/config PYTHONPATH=$here
mkdir "$folder/sent" "$folder/received"
head -c "${megabytes}M" /dev/urandom > "$folder/sent/film.bin"

for name in QM1 QM2 QM3; do mqx -q qmgr create $name --dev; done
mqx -m QM1 mqsc > /dev/null <<MQSC
DEFINE QLOCAL(QM2) USAGE(XMITQ) DEFPSIST(YES)
DEFINE QREMOTE(FAR) RNAME(DEV.QUEUE.1) RQMNAME(QM3) XMITQ(QM2)
DEFINE CHANNEL(QM1.TO.QM2) CHLTYPE(SDR) XMITQ(QM2) CONNAME('exec:mqx channel receive QM2') +
       BATCHSZ(4) MSGEXIT('REFERENCE') MSGDATA('$folder/sent')
MQSC
mqx -m QM2 mqsc > /dev/null <<MQSC
DEFINE QLOCAL(QM3) USAGE(XMITQ) DEFPSIST(YES)
DEFINE CHANNEL(QM1.TO.QM2) CHLTYPE(RCVR) MSGEXIT('message_exit:Meter') MSGDATA('$folder/meter')
DEFINE CHANNEL(QM2.TO.QM3) CHLTYPE(SDR) XMITQ(QM3) CONNAME('exec:mqx channel receive QM3') BATCHSZ(4)
MQSC
mqx -m QM3 mqsc > /dev/null <<MQSC
DEFINE CHANNEL(QM2.TO.QM3) CHLTYPE(RCVR) MSGEXIT('REFERENCE') MSGDATA('$folder/received')
MQSC

start_both() {
    mqx -q -m QM1 channel start QM1.TO.QM2 2> /dev/null & running=($!)
    mqx -q -m QM2 channel start QM2.TO.QM3 2> /dev/null & running+=($!)
}
arrived() { # bytes of the file: of the part that is there, or of the whole of it
    find "$folder/received" \( -name '.mqx-*.part' -o -name film.bin \) -printf '%s\n' 2> /dev/null |
        awk '{ n = $1 } END { print n + 0 }'
}

mqx -m QM1 put FAR --reference film.bin --persistent
for part in 1 2 3; do
    start_both
    until (($(arrived) >= part * megabytes * 262144)); do sleep 0.01; done
    kill -9 "${running[@]}"; wait "${running[@]}" 2> /dev/null || true
    echo "killed after $(arrived) bytes"
done
mqx -q -m QM1 channel start QM1.TO.QM2 --drain
mqx -q -m QM2 channel start QM2.TO.QM3 --drain
running=()

cmp "$folder/sent/film.bin" "$folder/received/film.bin" && echo "$megabytes MiB arrived as they were sent"
echo "$(mqx -m QM3 get DEV.QUEUE.1 --all -o jsonl | wc -l) reference messages"
mqx -m QM3 doctor -o json | grep -o 'no object is incomplete'
cat "$folder/meter" # what the exit of message_exit.py has counted, a line for each time its channel ran
