#!/bin/sh
# tests/tools/sizecheck.sh - tools/sizecheck finds what is too long.
. "$(dirname "$0")/../lib.sh"
mkdir -p "$tmp/t/src/sm" "$tmp/t/include" "$tmp/t/tests" "$tmp/t/workloads"
file=$tmp/t/src/sm/s.c
lines() { i=0; while [ $i -lt "$1" ]; do echo "$2"; i=$((i + 1)); done; }
check() { "$root/tools/sizecheck" "$tmp/t"; }

{ echo 'int f(void)'; echo '{'; lines 60 '    ;'; echo '}'; } >"$file"
expect "60 lines are a function" 0 '1 files, 0 too long' -- check
{ echo 'int f(void)'; echo '{'; lines 61 '    ;'; echo '}'; } >"$file"
expect "61 are too many" 1 's.c:2: function of 61 lines' -- check
lines 800 'int a;' >"$file"
expect "800 lines are a file" 0 '0 too long' -- check
lines 801 'int a;' >"$file"
expect "801 are too many" 1 's.c: 801 lines' -- check
finish
