#!/bin/sh
# Answer one rebooking request: run by `mqx get REBOOKING --all --exec examples/responder.sh`, once a request.
# The request is on standard input, its descriptor in the environment. Exit 0 takes the request off its queue.
# What the request says in its report options is done: which identifiers answers have, and whether it wants to hear
# that all went well (PAN) or that it did not (NAN).
set -eu

asks() { # OPTION: does the request have this report option?
    case ",$MQX_REPORT," in *",$1,"*) return 0 ;; *) return 1 ;; esac
}

answer() { # OPTIONS of mqx put: put standard input on the reply-to queue, with the identifiers that were asked for
    if asks MQRO_PASS_CORREL_ID; then
        set -- "$@" --correl-id "$MQX_CORREL_ID"
    else
        set -- "$@" --correl-id "$MQX_MSG_ID" # MQRO_COPY_MSG_ID_TO_CORREL_ID
    fi
    if asks MQRO_PASS_MSG_ID; then
        set -- "$@" --msg-id "$MQX_MSG_ID"
    fi # otherwise a new one, MQRO_NEW_MSG_ID
    mqx put "$MQX_REPLY_TO_Q@$MQX_REPLY_TO_Q_MGR" --expiry 1h "$@"
}

flight=$(cat)
if [ -n "$flight" ]; then
    echo "rebooked from $flight to tomorrow" | answer --type reply
    if asks MQRO_PAN; then answer --type report --feedback pan < /dev/null; fi
elif asks MQRO_NAN; then
    answer --type report --feedback nan < /dev/null
else
    echo "which flight?" | answer --type reply
fi
