#!/usr/bin/env bash
# Try a new consumer on the traffic of a while ago: show a queue as it was, put its messages again at ten times the
# pace, and prove that nothing is missing. Made only of mqx commands that you can copy.
set -euo pipefail
. "$(dirname "$0")/session.sh"

title "A queue that keeps its past"
show "mqx qmgr create SHOP --dev"
show "mqx mqsc 'ALTER QLOCAL(DEV.QUEUE.1) JOURNAL(BODY)' 'DEFINE QLOCAL(REHEARSAL)' | tail -n 1"

title "An hour of traffic, in a moment"
for batch in 1 2 3; do
    show "seq $batch 3 9 | mqx put DEV.QUEUE.1 --lines --property batch=$batch"
done
before=$(date -u +%FT%T.%3NZ)
sleep 0.01
show "mqx get DEV.QUEUE.1 --all > got.txt"

title "The queue is empty; it was not at $before"
show "mqx qdepth DEV.QUEUE.1 --count"
show "mqx qdepth DEV.QUEUE.1 --count --at $before"
show "mqx browse DEV.QUEUE.1 -n 3 -o raw --at $before"

title "The same messages again, at ten times the pace, exactly once for this job"
show "mqx replay DEV.QUEUE.1 --since -1h --to REHEARSAL --pace 10x --job-id rehearsal"
show "mqx replay DEV.QUEUE.1 --since -1h --to REHEARSAL --pace 10x --job-id rehearsal"
show "mqx browse REHEARSAL -n 1 -o json | grep -o '\"mqx.replay.queue\":{[^}]*}'"

title "Proof: the same ids; the properties say where they come from"
mqx diff "DEV.QUEUE.1@$before" REHEARSAL -o jsonl > differences.jsonl || test $? -eq 1
show "grep -c '\"fields\":\[\"properties\"\]' differences.jsonl"
show "diff got.txt <(mqx get REHEARSAL --all) && echo nothing is missing"
