#!/usr/bin/env bash
# supervise-top in a real terminal (tmux): what it draws, what keys do, and that the terminal is as before after each way
# to end. Takes less than 30 s once the program is built.
#
#   verify/top/run.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
export CARGO_TERM_COLOR=never
command -v tmux >/dev/null || {
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq tmux >/dev/null
}
cargo build --quiet --package supervise-top
tests=$(cargo test --quiet --package supervise-top --test top --no-run --message-format json |
    sed -n 's/.*"executable":"\([^"]*\/top-[^"]*\)".*/\1/p')
[[ -x $tests ]] || { echo "the tests of supervise-top are not built"; exit 1; }
SECONDS=0
top=${CARGO_TARGET_DIR:-target}/debug/supervise-top

# A server of its own, so that no other tmux is touched; without the settings of the user.
socket=supervise-top-$$
mux() { tmux -L "$socket" -f /dev/null "$@"; }
trap 'mux kill-server 2>/dev/null || true' EXIT
export LC_ALL=C.UTF-8 USER=kim PS1='ready> '
unset NO_COLOR SUPERVISE_TOKEN SUPERVISE_CONTROL_TOKEN
mux new-session -d -s top -x 120 -y 36 "env PS1='ready> ' bash --norc --noprofile -i"

screen() { mux capture-pane -p -t top "$@"; }
state() { mux display-message -p -t top '#{alternate_on} #{cursor_flag}'; }
keys() { mux send-keys -t top "$@"; }

# Two of them at once would be one key.
escape() {
    keys Escape
    sleep 0.1
}

# Waits at most thirty seconds until the screen has this text.
shows() {
    local begun=$SECONDS
    until screen | grep -qF -- "$1"; do
        if ((SECONDS - begun > 30)); then
            echo "not on the screen: $1"
            screen
            exit 1
        fi
        sleep 0.05
    done
}

fails() {
    echo "$1"
    screen
    exit 1
}

# Types a command into the shell.
run() { keys -l "$1" && keys Enter; }

# The terminal as a shell wants it: its own screen, a cursor, echo, lines.
restored() {
    shows "ended with $2"
    [[ $(state) == "0 1" ]] || fails "after $1: the screen or the cursor is not given back: $(state)"
    run 'clear; stty -a | tr " ;" "\n\n" | grep -cxE "icanon|echo|isig|opost"'
    shows "4"
    run "clear; echo begun"
    shows begun
    echo "restored after $1"
}

start() {
    run "clear; $top --demo $*; echo ended with \$?"
    shows " live"
    [[ $(state) == "1 0" ]] || fails "it draws on the screen of the shell: $(state)"
}

start
shows "├─● flour"
shows "▸● customers"
screen -e | grep -q $'\e\[3[0-9;]*m' || fails "there are no colours"
echo "drawn"

keys G k k Enter
shows "of 500"
keys /
keys -l 'Ada 1'
keys Enter
shows "that match, 500 in all"
escape
escape
keys Home
echo "a set in pages, with a filter"

keys /
keys -l 'sundial'
keys Enter j
shows "killed"
keys i
shows "Last failure"
keys Escape a # which is what Alt and the key are
shows "start again"
keys a
shows "The event will say: by kim"
keys y
shows "start again: sundial: accepted"
keys e
shows "start again requested by kim"
escape
escape
shows "├─● console"
echo "detail, control, events"

keys Home
mux resize-window -t top -x 40 -y 10
shows "├─● console"
screen | grep -q RESTARTS && fails "there is no room for this column"
mux resize-window -t top -x 120 -y 36
shows RESTARTS
keys '?'
shows "busy from 1 s"
keys Escape
echo "resized"

keys q
restored "q" 0

start --ascii
screen | LC_ALL=C grep -q '[^ -~]' && fails "there is more than ASCII"
shows "* live"
kill -TERM "$(pgrep -n -f "^$top --demo --ascii")"
restored "SIGTERM" 143

run 'export NO_COLOR=1'
start --unicode
screen -e | grep -q $'\e\[[0-9;]*3[0-7]m' && fails "there are colours in spite of NO_COLOR"
kill -INT "$(pgrep -n -f "^$top --demo --unicode")"
restored "SIGINT" 130

start --by ann
kill -HUP "$(pgrep -n -f "^$top --demo --by ann")"
restored "SIGHUP" 129

run "clear; $tests --ignored --exact binary::a_panic_on_the_screen --nocapture; echo ended with \$?"
shows "on the screen"
shows "in the middle of a drawing"
restored "a panic" 101
echo "supervise-top: all well in $SECONDS s"
