#!/usr/bin/env bash
# Assured delivery between two scripts that may be killed at any moment: nothing is lost, nothing comes twice.
#
#   assured-delivery.sh send FILE     send each line of FILE; run it again until it ends with status 0
#   assured-delivery.sh receive FILE  add each message to FILE as a line, as long as some come; run it again at will
#   assured-delivery.sh demo [N]      do both with N lines, kill both at random, and compare
#
# All that a script has to remember is one number on disk: the step that it is at. Of each pair of steps, one can be
# made twice and the other only once; the queue manager keeps the confirm ids, whatever is killed.
set -euo pipefail
queue=${ASSURED_QUEUE:-ASSURED}
# Puts and gets of a queue share its confirm ids: an undo at one end must not mean a put of the other.
receiver=1000000000

step() { # FILE: the step that a script is at, 1 at the beginning
    if [ -e "$1" ]; then cat "$1"; else echo 1; fi
}

at_step() { # FILE NUMBER: note the step. Either the old number is there or the new one, also after a crash
    echo "$2" > "$1.new"
    sync "$1.new"
    mv "$1.new" "$1"
}

settle() { # run a command about a confirm id. Status 6, nothing there with it, says that it was done before
    local status=0 words
    words=$("$@" -q 2>&1) || status=$?
    if [ "$status" != 0 ] && [ "$status" != 6 ]; then
        echo "$words" >&2
        return "$status"
    fi
}

send() { # line N has the confirm id N
    local lines line at n
    lines=$(wc -l < "$1")
    at=$(step "$1.step")
    while [ "$at" -le $((2 * lines)) ]; do
        n=$(((at + 1) / 2))
        if [ $((at % 2)) = 1 ]; then # put again, it is the message that is there
            line=$(sed -n "${n}p" "$1")
            mqx put "$queue" --lines --persistent --confirm-id "$n" -q <<< "$line"
        else # from here on it is never put again
            settle mqx confirm put "$queue" --confirm-id "$n"
        fi
        at=$((at + 1))
        at_step "$1.step" "$at"
    done
}

receive() { # message N becomes line N, however often it is written
    local at n status=0
    touch "$1"
    at=$(step "$1.step")
    while true; do
        n=$(((at + 1) / 2))
        if [ $((at % 2)) = 1 ]; then # what a killed get has taken is given back, and taken again
            settle mqx undo "$queue" --confirm-id $((receiver + n))
            mqx get "$queue" --confirm-id $((receiver + n)) --wait "${ASSURED_WAIT:-1s}" -q > "$1.got" || status=$?
            if [ "$status" = 3 ]; then break; fi # nothing comes any more
            if [ "$status" != 0 ]; then return "$status"; fi
            sync "$1.got"
        else # from here on it is never given back
            { head -n $((n - 1)) "$1"; cat "$1.got"; echo; } > "$1.new"
            sync "$1.new"
            mv "$1.new" "$1"
            settle mqx confirm get "$queue" --confirm-id $((receiver + n))
        fi
        at=$((at + 1))
        at_step "$1.step" "$at"
    done
}

killed() { # SECONDS WORDS...: run this script again, in the background, and kill all of it after a while
    local pid
    set -m
    "$0" "${@:2}" 2> "$folder/errors" &
    pid=$!
    set +m
    sleep "$1"
    if kill -9 -- "-$pid" 2> /dev/null; then kills=$((kills + 1)); fi
    wait "$pid" 2> /dev/null || true
}

demo() { # a queue manager of its own; both scripts, until all that was sent is received
    local number=${1:-20} lives
    kills=0
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    export MQX_HOME=$folder XDG_CONFIG_HOME=$folder
    mqx qmgr create ASSURED --default -q
    mqx mqsc 'DEFINE QLOCAL(ASSURED)' > "$folder/mqsc"
    seq -f 'order %g' "$number" > "$folder/sent"
    touch "$folder/received"
    RANDOM=${ASSURED_SEED:-1}
    for ((lives = ${ASSURED_LIVES:-12}; lives > 0; lives--)); do
        killed "0.$((RANDOM % 5 + 2))$((RANDOM % 10))" send "$folder/sent"
        killed "0.$((RANDOM % 5 + 2))$((RANDOM % 10))" receive "$folder/received"
    done
    "$0" send "$folder/sent" # what is left, in peace
    "$0" receive "$folder/received"
    echo "$number sent, $(wc -l < "$folder/received") received, $kills scripts killed"
    diff "$folder/sent" "$folder/received"
    [ "$(mqx browse ASSURED --all-states -q | wc -l)" = 0 ]
    echo "0 lost, 0 doubled, in order"
}

case ${1:-} in
    send | receive | demo) "$@" ;;
    *)
        sed -n 's/^#   //p' "$0" >&2
        exit 2
        ;;
esac
