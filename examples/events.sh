#!/bin/sh
# A queue fills up and empties again: the events say when. Needs mqx only.
set -eu
MQX_HOME=$(mktemp -d)
export MQX_HOME
trap 'rm -rf "$MQX_HOME"' EXIT

mqx qmgr create SHOP --default -q
mqx mqsc -q 'ALTER QMGR PERFMEV(ENABLED) LOCALEV(ENABLED)' \
    'DEFINE QLOCAL(ORDERS) MAXDEPTH(10) QDPHIEV(ENABLED)'

seq 9 | mqx put ORDERS --lines
mqx put ORDRES 'a mistake' 2>/dev/null || true
mqx get ORDERS --all >/dev/null

mqx events --get -o plain | cut -f2,5
