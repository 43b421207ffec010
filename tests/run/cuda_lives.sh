#!/bin/sh
# tests/run/cuda_lives.sh - CUDA programs under heddle exec that end as they
# should not: what was simulated is reported all the same.
. "$(dirname "$0")/../lib.sh"
need_heddle
program=$(dirname "$heddle")/heddle-cuda-behave
if [ ! -x "$program" ]; then
    skip cuda_lives "built without CUDA"
    finish
fi
run() { "$heddle" exec --gpu v100 --quiet "$@"; }

expect "a program runs and is reported" 0 '^first is 8$' '^  twice  *3  *3 ' \
    '^total: 4 launches of 2 kernels$' -- run "$program" set twice:3 read

# ---- it ends ----
expect "the exit status is the program's" 7 'exit status 7' '^  set  *1  *1 ' -- \
    run "$program" set sync exit:7
expect "a crash is reported with what was done" 139 'signal 11' \
    '^  set  *1  *1 ' '^  twice  *2  *2 ' -- \
    run "$program" set twice:2 sync crash
expect "an abort" 134 'signal 6' '^  set  *1  *1 ' -- \
    run "$program" set sync abort
expect "a crash while a launch runs" 139 'DID NOT END' "'endless'" -- \
    run "$program" set endless begin nap crash
expect "leaving without a word" 4 'without a word' '^  set  *1  *1 ' -- \
    run "$program" set sync _exit:4
never='never ran: the program ended without waiting for'
expect "what is never waited for may not run" 0 '^  set  *1  *1 ' \
    "^note: kernel 'twice' was .* $never it (cudaDeviceSynchronize, or a" -- \
    run "$program" set sync twice
expect "nothing at all" 3 'launched no kernel' \
    "^note: 3 kernels, the first of them 'set', were .* $never them" -- \
    run "$program" set twice:2 exit:3
expect "memory that is not freed is no matter" 0 -- sh -c \
    "! '$heddle' exec -g v100 -q '$program' set sync 2>&1 |
        grep -i -e leak -e 'never ran' -e warning -e 'that failed'"

# ---- it becomes another ----
expect "another CUDA program takes its place" 0 '^first is 4$' '^  set  *2 ' \
    '^  twice  *3 ' -- \
    run "$program" set twice sync exec "$program" set twice:2 read
expect "one that uses no CUDA" 5 '^  set  *1  *1 ' -- \
    run "$program" set sync exec sh -c 'exit 5'

# ---- a kernel fails ----
fault="error: .*4-byte write at 0x1000 in kernel 'fault'.*(3,0,0) thread (5,0,0)"
expect "a kernel that faults: where, and by whom" 9 "$fault" 'FAILED: fault' \
    '^cudaDeviceSynchronize: cudaErrorIllegalAddress$' '^  set  *1 ' -- \
    run "$program" set sync fault sync
expect "with its line" 9 '^program [0-9]*:42: error' -- \
    run "$program" fault sync
expect "its error stays until a reset" 0 '^sync: cudaErrorIllegalAddress$' \
    '^malloc: cudaErrorIllegalAddress$' '^reset: cudaSuccess$' \
    '^first is 2$' -- run "$program" fault stay set twice read
expect "a launch that never ends" 9 'FAILED: limit' \
    'cudaDeviceSynchronize: cudaErrorLaunchTimeout' -- \
    run --max-cycles 20000 "$program" endless sync

# ---- somebody stops it ----
stopped() { # SIGNAL WORDS...: sent to heddle when the program is up
    signal=$1
    shift
    env --default-signal=INT,TERM "$heddle" exec --gpu v100 --quiet \
        -o "$tmp/report" "$program" "$@" 2>"$tmp/said" &
    for _ in $(seq 100); do
        ! grep -q '^up' "$tmp/said" || break
        sleep 0.05
    done
    sleep 0.3
    kill "-$signal" $!
    wait $!
}
expect "Ctrl-C in a launch" 130 -- stopped INT set sync endless up sync
expect "keeps the report" 0 'signal 2' '^  set  *1  *1 ' "'endless'" -- \
    cat "$tmp/report"
expect "SIGTERM between launches" 143 -- stopped TERM set sync up sleep
expect "keeps it, too" 0 'signal 15' '^  set  *1  *1 ' -- cat "$tmp/report"

finish
