# shellcheck shell=bash
# Source this file first: it makes a home that goes with the script, enters a folder in it, and shows commands.
here=$(cd "$(dirname "$0")" && pwd)
MQX_HOME=$(mktemp -d)
export MQX_HOME XDG_CONFIG_HOME="$MQX_HOME/config"
trap 'kill $(jobs -p) 2> /dev/null || true; wait; rm -rf "$MQX_HOME"' EXIT
mkdir "$MQX_HOME/work"
cd "$MQX_HOME/work"

title() { printf '\n\033[1m== %s\033[0m\n' "$*"; }
show() { # print a command as a reader would type it, run it, and insist that it works
    show_status 0 "$@"
}
show_status() { # the same for a command that ends with another status on purpose
    local wanted=$1 status=0
    shift
    printf '\033[2m$ %s\033[0m\n' "$*"
    bash -o pipefail -c "$*" || status=$?
    [ "$status" = 0 ] || echo "(status $status)"
    [ "$status" = "$wanted" ]
}
