#!/usr/bin/env bash
# Administer a queue manager and send messages over HTTP, with curl and IBM MQ's REST API. Needs mqtools[rest].
set -euo pipefail
. "$(dirname "$0")/session.sh"
export MQ_APP_PASSWORD=passw0rd MQ_ADMIN_PASSWORD=passw0rd

title "One process serves clients, channels and REST"
mqx serve --dev --port 0 --rest 0 -o json > ready.json &
until test -s ready.json; do sleep 0.1; done
URL=$(grep -o 'http://[^"]*' ready.json)
export URL
curl() { command curl --silent --show-error --fail-with-body "$@"; }
export -f curl

title "Define a queue and grant the application what it needs"
cat > commands <<'END'
{"type": "runCommandJSON", "command": "define", "qualifier": "qlocal", "name": "DEV.ORDERS", "parameters": {"maxdepth": 2}}
END
show "curl -u admin:passw0rd -H 'ibm-mq-rest-csrf-token: x' -H 'Content-Type: application/json' -d @commands \$URL/admin/action/qmgr/QM1/mqsc"
echo

title "Log in once, and put with the cookie"
show "curl -c cookies -H 'Content-Type: application/json' -d '{\"username\": \"app\", \"password\": \"passw0rd\"}' \$URL/login"
for order in one two; do
    show "curl -b cookies -H 'ibm-mq-rest-csrf-token: x' -H 'Content-Type: text/plain' -d $order \$URL/messaging/qmgr/QM1/queue/DEV.ORDERS/message"
done

title "A full queue answers with its reason"
curl -b cookies -H 'ibm-mq-rest-csrf-token: x' -H 'Content-Type: text/plain' -d three \
    "$URL/messaging/qmgr/QM1/queue/DEV.ORDERS/message" && exit 1
echo

title "The same messages for mqx and for HTTP"
show "mqx get DEV.ORDERS -m QM1; echo"
show "curl -b cookies -H 'ibm-mq-rest-csrf-token: x' -X DELETE \"\$URL/messaging/qmgr/QM1/queue/DEV.ORDERS/message?wait=1000\"; echo"
