#!/usr/bin/env bash
# Runs a Java program with IBM's client against a temporary queue manager. Needs Maven, and a network the first time.
set -euo pipefail
cd "$(dirname "$0")/java"
build=$(mktemp -d)
server=
trap 'kill $server 2> /dev/null || true; rm -rf "$build"' EXIT

if ! mvn -q -DbuildDirectory="$build" compile dependency:build-classpath -Dmdep.outputFile="$build/path" > "$build/log" 2>&1; then
    echo "skipped: Maven cannot build the program: $(grep -m 1 ERROR "$build/log")"
    exit 0
fi
mkfifo "$build/ready"
mqx serve --dev --temporary --port 0 -o json -q > "$build/ready" &
server=$!
read -r ready < "$build/ready"
MQ_CONN_NAME=$(sed 's/.*"conn_name":"\([^"]*\)".*/\1/' <<< "$ready")
export MQ_CONN_NAME
orders() { java -cp "$build/classes:$(cat "$build/path")" Orders "$@"; }

echo "IBM's Java client connects to $MQ_CONN_NAME:"
orders send sledge "two sledges"
orders receive
orders listen 2 &
orders send skates "a pair of skates"
orders send scarf "a red scarf"
wait $!
