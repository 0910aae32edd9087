#!/usr/bin/env bash
# Two real days of New York's airports on one queue manager: a day like any other, and a day of snow.
# Made only of mqx commands that you can copy. Needs nothing but mqx and awk; leaves nothing behind.
set -euo pipefail
cd "$(dirname "$0")/.."

MQX_HOME=$(mktemp -d)
export MQX_HOME XDG_CONFIG_HOME="$MQX_HOME/config"
trap 'rm -rf "$MQX_HOME"' EXIT
work=$MQX_HOME/work
mkdir -p "$work"

title() { printf '\n\033[1m== %s\033[0m\n' "$*"; }
show() { # print a command as a reader would type it, then run it
    printf '\033[2m$ %s\033[0m\n' "$*"
    bash -c "$*" || status=$?
}
status=0

flights() { # DAY [FROM-AIRPORT-CODES]: one line a departure of that day
    awk -F, -v day="$1" -v only="${2:-}" -v but="${3:-}" 'NR > 1 && $3 == day &&
        (only == "" || $14 == only) && (but == "" || index(but, $14) == 0) {
        late = ($5 == "" || $5 == "NA") ? "CANCELLED" : ($6 > 15 ? $6 " min late" : "on time")
        printf "%04d %s%s %s-%s %s\n", $4, $10, $11, $13, $14, late }' examples/data/flights.csv
}

title "A queue manager is one file"
show "mqx qmgr create AIRPORTS --default"
show "mqx mqsc < examples/airports.mqsc | tail -n 3"

title "1 January: 842 departures go to the board as datagrams that expire"
flights 1 > "$work/january"
show "mqx put DEPARTURES --lines --expiry 12h --print-id < $work/january >> $work/put.ids"
show "mqx qdepth DEPARTURES"
show "mqx browse DEPARTURES -n 3 -o raw"
echo; echo "(browsing changes nothing; a selection finds what matters)"
show "mqx browse DEPARTURES --grep CANCELLED -o raw"
echo
title "A lock keeps three flights to Los Angeles from everybody else"
show "mqx lock DEPARTURES --grep -LAX -n 3 --lease 5m -o jsonl > $work/locked"
lock=$(sed -n '1s/.*"lock_id":"\([0-9A-F]*\)".*/\1/p' "$work/locked")
show "mqx lock --list"
show "mqx get DEPARTURES --lock-id $lock -o jsonl > $work/got1"
show "mqx unlock DEPARTURES --lock-id $lock"

title "What is never read expires, and says so if asked"
show "mqx put DEPARTURES 'gate closing' --expiry 100ms --report expiration-full --reply-to NOTICES --print-id >> $work/put.ids"
sleep 0.2
tail -n 1 "$work/put.ids" > "$work/expired.ids"
show "mqx get DEPARTURES --msg-id $(cat "$work/expired.ids")" # looks for it, and so finds it expired
echo "(status $status: nothing there)"
show "mqx browse NOTICES"

title "Cancelled passengers ask for another flight: request, reply, and reports of arrival and delivery"
flights 8 | grep CANCELLED | head -n 12 > "$work/cancelled"
show "mqx put REBOOKING --lines --type request --reply-to REBOOKING.REPLY --report coa,cod --persistent --print-id < $work/cancelled > $work/requests.ids"
cat "$work/requests.ids" >> "$work/put.ids"
show "mqx get REBOOKING --all --exec examples/responder.sh"
first=$(head -n 1 "$work/requests.ids")
echo "For the first request, all that belongs to it:"
show "mqx browse REBOOKING.REPLY --correl-id $first"

title "8 February, snow: Boston closes, Atlanta fills up, Chicago's gate is gone"
show "mqx mqsc 'ALTER QLOCAL(GATE.BOS) PUT(DISABLED)' 'DELETE QLOCAL(GATE.ORD)' | tail -n 3"
for gate in BOS ATL ORD FLL; do
    flights 8 "$gate" > "$work/$gate"
    show "mqx put GATE.$gate --lines --dead-letter --print-id < $work/$gate >> $work/put.ids"
done
flights 8 "" "BOS ATL ORD FLL" > "$work/OTHER"
show "mqx put GATE.OTHER --lines --print-id < $work/OTHER >> $work/put.ids"
echo "Six more ask for a confirmation, but the queue for it takes only three:"
show "head -n 6 $work/FLL | mqx put GATE.FLL --lines --report coa --reply-to NOTICES.SMALL --print-id >> $work/put.ids"
show "mqx qdepth 'GATE.*' NOTICES.SMALL AIRPORTS.DLQ"
show "mqx sql \"select headers_reason as reason, count(*) as letters from messages where queue = 'AIRPORTS.DLQ' group by 1\" || true"

title "A runmqdlq rules table: checked, tried, then run"
show "mqx dlq-handle --check --rules examples/snow.rules"
show "mqx dlq-handle --dry-run --rules examples/snow.rules -o jsonl > $work/plan"
awk -F'"action":' '{ split($2, a, ","); n[a[1]]++ } END { for (k in n) printf "  %-10s %d\n", k, n[k] }' "$work/plan" | sort
sed -n 's/.*"msg_id":"\([0-9A-F]*\)".*"action":"DISCARD".*/\1/p' "$work/plan" > "$work/discarded.ids"
show "mqx mqsc 'ALTER QLOCAL(GATE.BOS) PUT(ENABLED)' | sed -n 2p"
status=0
show "mqx dlq-handle --once --rules examples/snow.rules"
show "mqx qdepth 'GATE.*' HOTEL AIRPORTS.DLQ"

title "Reports for those who stay the night"
show "mqx report-gen HOTEL -n 3 --feedback MQRC_Q_FULL --to NOTICES -q"
show "mqx browse NOTICES"

title "The balance: every message put is accounted for, by its id"
show "mqx sql 'select msg_id from messages' -o plain > $work/there.ids"
sed -n 's/.*"msg_id":"\([0-9A-F]*\)".*/\1/p' "$work/got1" > "$work/got.ids"
cat "$work/requests.ids" >> "$work/got.ids"
sort -u "$work/put.ids" > "$work/put"
sort "$work/there.ids" "$work/got.ids" "$work/expired.ids" > "$work/accounted"
lost=$(comm -23 "$work/put" <(sort -u "$work/accounted") | wc -l)
doubled=$(uniq -d "$work/accounted" | wc -l)
printf '%6d put (%d different ids)\n' "$(wc -l < "$work/put.ids")" "$(wc -l < "$work/put")"
printf '%6d on queues now, %d of them replies and reports\n' "$(wc -l < "$work/there.ids")" \
    "$(comm -13 "$work/put" <(sort -u "$work/there.ids") | wc -l)"
printf '%6d got, %d expired, %d reports discarded by rule\n' "$(wc -l < "$work/got.ids")" \
    "$(wc -l < "$work/expired.ids")" "$(wc -l < "$work/discarded.ids")"
printf '%6d lost, %d doubled\n' "$lost" "$doubled"
[ "$lost" = 0 ] && [ "$doubled" = 0 ]
