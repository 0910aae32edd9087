#!/bin/sh
# Answer one rebooking request: run by `mqx get REBOOKING --all --exec examples/responder.sh`, once a request.
# The request is on standard input, its descriptor in the environment. Exit 0 takes the request off its queue.
read -r flight
echo "rebooked from $flight to tomorrow" |
    mqx put "$MQX_REPLY_TO_Q" --type reply --correl-id "$MQX_MSG_ID" --expiry 1h
