#!/bin/sh
# tests/run/overlap.sh - OpenCL programs with several queues, or one out of
# order: kernels and transfers overlap, by times that nothing on the host can
# move; what is reported of launches in flight together.
. "$(dirname "$0")/../lib.sh"
need_heddle
program=$(dirname "$heddle")/heddle-overlap
if [ ! -x "$program" ] || [ ! -e "$(dirname "$heddle")/libheddle-opencl.so" ]; then
    skip overlap "no OpenCL headers when it was built"
    finish
fi
export XDG_CACHE_HOME="$tmp/cache"
gpu=k20-single
measure() { "$heddle" exec --gpu $gpu -q -o "$tmp/report" "$@"; }
end() { sed -n 's/^join.* to //p' "$1"; } # of the last kernel
before() { # FILE: how long the kernels take that it waits for
    sed -n 's/^join [0-9]*: \([0-9]*\) to.*/\1/p' "$1"
}

# ---- measure ----

for mode in serial queues unordered transfers; do
    expect "$mode" 0 '^right$' -- measure "$program" $mode
    cp "$out" "$tmp/$mode"
done
faster() { [ $((3 * $(before "$tmp/$1"))) -lt "$(before "$tmp/serial")" ]; }
expect "queues take a third of the time" 0 -- faster queues
expect "so does one out of order" 0 -- faster unordered
together() { # FILE: how many begin at 0
    grep -c ': 0 to' "$1"
}
expect "all of one out of order begin at once" 0 '^8$' -- \
    together "$tmp/unordered"
expect "the first of each of four queues do" 0 '^4$' -- together "$tmp/queues"
expect "one in order takes turns" 0 '^1$' -- together "$tmp/serial"
expect "transfers begin beside a kernel, and beside each other" 0 '^3$' -- \
    together "$tmp/transfers"
turns() { measure -s host.copy_engines=1 "$program" transfers &&
    ! grep -q '^read 2: 0 ' "$out"; }
expect "with one engine they take turns" 0 '^read 2: 1[0-9]* to' -- turns
one=$(measure -s gpu.concurrent=1 "$program" unordered | sed -n 's/^join.* to //p')
expect "a device may run one at a time" 0 -- \
    [ "$one" -gt $((2 * $(end "$tmp/unordered"))) ]

# ---- that nothing moves them ----

same() { # MODE OPTION... -- WORD...
    s_mode=$1 s_opts=
    shift
    while [ "$1" != -- ]; do
        s_opts="$s_opts $1"
        shift
    done
    shift
    # shellcheck disable=SC2086  # options are words
    measure $s_opts "$program" "$s_mode" "$@" >"$tmp/got" &&
        cmp "$tmp/got" "$tmp/$s_mode"
}
for mode in serial queues unordered transfers; do
    expect "$mode, by a slow program" 0 -- same $mode -- slow
    expect "$mode, with flushes" 0 -- same $mode -- flush
    expect "$mode, by a slow program with flushes" 0 -- \
        same $mode -- slow flush
    expect "$mode, on two threads" 0 -- same $mode --threads 2 --
done

# ---- reports ----

expect "launches in flight together" 0 'in flight together' \
    '^    work  *queue 1 ' '^  join  *1  *1 ' 'total: 9 launches' -- \
    "$heddle" exec --gpu $gpu -q "$program" unordered
expect "JSON tells each" 0 '"parts": *\[' '"stream": "queue 4"' -- \
    "$heddle" exec --gpu $gpu -q -f json "$program" queues
expect "a profile of each" 0 'work, stream queue 3' -- \
    "$heddle" exec --gpu $gpu -q --by-instruction "$program" queues
expect "a trace says why it is not there" 0 'gpu.concurrent=1' -- \
    "$heddle" exec --gpu $gpu -q --perfetto "$tmp/t" "$program" queues
expect "one at a time it is" 0 -- sh -c "'$heddle' exec --gpu $gpu -q \
    -s gpu.concurrent=1 --konata '$tmp/k' '$program' queues && test -s '$tmp/k'"
expect "what is in flight when the program ends" 0 '^right$' \
    '^    work  *queue 2  *0 ' 'did not end: interrupted' '1 FAILED$' -- \
    "$heddle" exec --gpu $gpu -q "$program" leave
expect "in a comparison" 0 'gpu.concurrent' '^heddle-overlap .* [23].* x' -- \
    "$heddle" compare --gpu $gpu --against gpu.concurrent=1 \
    --with gpu.concurrent=16 -- "$program" queues quiet
finish
