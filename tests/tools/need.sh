#!/bin/sh
# tests/tools/need.sh - what ./demo and ./check do about missing packages. The
# apt-get, sudo and id they see are fakes.
. "$(dirname "$0")/../lib.sh"

fake() { # NAME BODY
    printf '#!/bin/sh\n%s\n' "$2" >"$tmp/bin/$1"
    chmod +x "$tmp/bin/$1"
}
need() {
    PATH=$tmp/bin:$PATH sh -c '. "$0/tools/need.sh"; need "$@"; echo ready' \
        "$root" "$@"
}
calls() { cat "$tmp/calls"; }

mkdir "$tmp/bin"
fake dpkg-query 'exit 1'
fake id 'echo 0'
# the first install fails, as it does before the first update
fake apt-get "echo \"\$@\" >>'$tmp/calls'
[ \"\$1\" = update ] || [ \$(wc -l <'$tmp/calls') != 1 ]"
: >"$tmp/calls"
expect "nothing is missing: nothing is done" 0 '^ready$' -- need libc6-dev
expect "no call" 1 -- grep . "$tmp/calls"
expect "root installs, after an update if need be" 0 '^ready$' \
    'installing: heddle-x heddle-y' -- need libc6-dev heddle-x heddle-y
expect "its calls" 0 '^install -y .*heddle-x heddle-y$' '^update$' -- calls

fake id 'echo 1000'
fake sudo "echo sudo >>'$tmp/calls'; shift; \"\$@\""
: >"$tmp/calls"
expect "others use sudo" 0 '^ready$' -- need heddle-x
expect "its calls" 0 '^sudo$' '^install -y .*heddle-x$' -- calls
fake sudo 'exit 1'
expect "without sudo: the one command, and stop" 1 \
    "sudo sh -c 'apt-get update && apt-get install -y .*heddle-x'" -- \
    need heddle-x
fake id 'echo 0'
fake apt-get 'exit 100'
expect "without a network: the one command, and stop" 1 \
    'run this and start again' -- need heddle-x
want() {
    PATH=$tmp/bin:$PATH sh -c '. "$0/tools/need.sh"; want "$@"; echo ready' \
        "$root" "$@"
}
expect "what is only wanted stops nothing" 0 'tests are skipped' '^ready$' -- \
    want heddle-x
finish
