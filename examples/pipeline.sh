#!/usr/bin/env bash
# The data pipeline on a queue manager of its own: messages are archived and taken off their queue, loaded back once
# however often the job is run, and what happened is counted from the journal. Needs Java 17 and the extra "spark".
set -euo pipefail

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
export MQX_HOME=$home XDG_CONFIG_HOME=$home
cd "$home"
spark=(--master 'local[1]' -o json)

mqx qmgr create QM1 --dev -q
mqx mqsc -q 'ALTER QLOCAL(DEV.QUEUE.1) JOURNAL(BODY)' > mqsc.log
seq 1 50 | mqx put DEV.QUEUE.1 --lines -q

echo "archived: $(mqx pipeline archive --queue DEV.QUEUE.1 --to archive/ --consume "${spark[@]}")"
echo "left on the queue: $(mqx qdepth DEV.QUEUE.1 --count)"
echo "loaded: $(mqx pipeline load DEV.QUEUE.2 archive/ --job-id back "${spark[@]}" -q)"
echo "loaded again: $(mqx pipeline load DEV.QUEUE.2 archive/ --job-id back "${spark[@]}" -q)"
echo "on the other queue: $(mqx qdepth DEV.QUEUE.2 --count)"
mqx pipeline stream --to events/ --checkpoint checkpoint/ --available-now "${spark[@]}" > stream.json
echo "events: $(cat stream.json)"
