#!/usr/bin/env bash
# Two real days of New York's airports on one queue manager: a day like any other, and a day of snow.
# Made only of mqx commands that you can copy. Needs nothing but mqx and awk; leaves nothing behind.
set -euo pipefail
. "$(dirname "$0")/session.sh"
cp "$here"/airports.mqsc "$here"/snow.rules "$here"/responder.sh .

flights() { # DAY [FROM-AIRPORT-CODES]: one line a departure of that day
    awk -F, -v day="$1" -v only="${2:-}" -v but="${3:-}" 'NR > 1 && $3 == day &&
        (only == "" || $14 == only) && (but == "" || index(but, $14) == 0) {
        late = ($5 == "" || $5 == "NA") ? "CANCELLED" : ($6 > 15 ? $6 " min late" : "on time")
        printf "%04d %s%s %s-%s %s\n", $4, $10, $11, $13, $14, late }' "$here"/data/flights.csv
}

title "A queue manager is one file"
show "mqx qmgr create AIRPORTS --default"
show "mqx mqsc < airports.mqsc | tail -n 3"

title "1 January: 842 departures go to the board as datagrams that expire"
flights 1 > "january"
show "mqx put DEPARTURES --lines --expiry 12h --print-id < january >> put.ids"
show "mqx qdepth DEPARTURES -o table"
show "mqx browse DEPARTURES -n 3 -o raw"
echo "(browsing changes nothing; a selection finds what matters)"
show "mqx browse DEPARTURES --grep CANCELLED -o raw"
title "A lock keeps three flights to Los Angeles from everybody else"
show "mqx lock DEPARTURES --grep -LAX -n 3 --lease 5m -o jsonl > locked"
lock=$(sed -n '1s/.*"lock_id":"\([0-9A-F]*\)".*/\1/p' "locked")
show "mqx lock --list -o table"
show "mqx get DEPARTURES --lock-id $lock -o jsonl > got1"
show "mqx unlock DEPARTURES --lock-id $lock"

title "What is never read expires, and says so if asked"
show "mqx put DEPARTURES 'gate closing' --expiry 100ms --report expiration-full --reply-to NOTICES --print-id >> put.ids"
sleep 0.2
tail -n 1 "put.ids" > "expired.ids"
echo "A get that would have returned it finds it expired:"
show_status 3 "mqx get DEPARTURES --where \"Root.MQMD.Report <> 0\""
show "mqx browse NOTICES -o table"

title "Cancelled passengers ask for another flight: request, reply, and reports of arrival and delivery"
flights 8 | awk '/CANCELLED/ && ++n <= 12' > cancelled
show "mqx put REBOOKING --lines --type request --reply-to REBOOKING.REPLY --report coa,cod --persistent --print-id < cancelled > requests.ids"
cat "requests.ids" >> "put.ids"
show "mqx get REBOOKING --all --exec ./responder.sh"
first=$(head -n 1 "requests.ids")
echo "For the first request, all that belongs to it:"
show "mqx browse REBOOKING.REPLY --correl-id $first -o table"

title "8 February, snow: Boston closes, Atlanta fills up, Chicago's gate is gone"
show "mqx mqsc 'ALTER QLOCAL(GATE.BOS) PUT(DISABLED)' 'DELETE QLOCAL(GATE.ORD)' | tail -n 3"
for gate in BOS ATL ORD; do
    flights 8 "$gate" > "$gate"
    show_status 4 "mqx put GATE.$gate --lines --dead-letter --print-id < $gate >> put.ids"
done
flights 8 FLL > "FLL"
show "mqx put GATE.FLL --lines --dead-letter --print-id < FLL >> put.ids"
flights 8 "" "BOS ATL ORD FLL" > "OTHER"
show "mqx put GATE.OTHER --lines --print-id < OTHER >> put.ids"
echo "Six more ask for a confirmation, but the queue for it takes only three:"
show "head -n 6 FLL | mqx put GATE.FLL --lines --report coa --reply-to NOTICES.SMALL --print-id >> put.ids"
show "mqx qdepth 'GATE.*' NOTICES.SMALL AIRPORTS.DLQ -o table"

title "A runmqdlq rules table: checked, tried, then run"
show "mqx dlq-handle --check --rules snow.rules"
show_status 9 "mqx dlq-handle --dry-run --rules snow.rules -o jsonl > plan"
awk -F'"action":' '{ split($2, a, ","); n[a[1]]++ } END { for (k in n) printf "  %-10s %d\n", k, n[k] }' "plan" | sort
sed -n 's/.*"msg_id":"\([0-9A-F]*\)".*"action":"DISCARD".*/\1/p' "plan" > "discarded.ids"
show "mqx mqsc 'ALTER QLOCAL(GATE.BOS) PUT(ENABLED)' | sed -n 2p"
show "mqx dlq-handle --once --rules snow.rules"
show "mqx qdepth 'GATE.*' HOTEL AIRPORTS.DLQ -o table"

title "Reports for those who stay the night"
show "mqx report-gen HOTEL -n 3 --feedback MQRC_Q_FULL --to NOTICES -q"
show "mqx browse NOTICES -o table"

if command -v mvn > /dev/null; then
    title "A Java program with IBM's client sends and receives"
    bash "$here/java.sh"
fi

title "The balance: every message put is accounted for, by its id"
show "mqx sql 'select msg_id from messages' -o plain > there.ids"
sed -n 's/.*"msg_id":"\([0-9A-F]*\)".*/\1/p' "got1" > "got.ids"
cat "requests.ids" >> "got.ids"
sort -u "put.ids" > "put"
sort "there.ids" "got.ids" "expired.ids" > "accounted"
lost=$(comm -23 "put" <(sort -u "accounted") | wc -l)
doubled=$(uniq -d "accounted" | wc -l)
printf '%6d put (%d different ids)\n' "$(wc -l < "put.ids")" "$(wc -l < "put")"
printf '%6d on queues now, %d of them replies and reports\n' "$(wc -l < "there.ids")" \
    "$(comm -13 "put" <(sort -u "there.ids") | wc -l)"
printf '%6d got, %d expired, %d reports discarded by rule\n' "$(wc -l < "got.ids")" \
    "$(wc -l < "expired.ids")" "$(wc -l < "discarded.ids")"
printf '%6d lost, %d doubled\n' "$lost" "$doubled"
[ "$lost" = 0 ] && [ "$doubled" = 0 ] && [ "$(wc -l < "put")" -gt 1700 ]
