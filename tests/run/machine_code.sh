#!/bin/sh
# tests/run/machine_code.sh - what ptxas makes of tests/exec does on Heddle what
# the programs say; one kernel by its PTX and by its machine code.
. "$(dirname "$0")/../lib.sh"
need_heddle
cd "$tmp" || exit 1
ptxas=$(command -v ptxas || echo /usr/local/cuda/bin/ptxas)
if [ ! -x "$ptxas" ]; then
    skip "machine code of tests/exec" "no ptxas"
    finish
fi
expect "machine code of tests/exec" 0 '^3[0-9][0-9] equal, 0 wrong$' -- \
    python3 "$root/tests/run/machine_code.py" "$heddle" "$ptxas" \
    "$root/tests/exec"
finish
