#!/bin/sh
# tests/run/services.sh - what kernels ask the run-time for: lines of printf
# in an order that nothing changes, failed assertions, a heap, a stack for
# recursion.
. "$(dirname "$0")/../lib.sh"
need_heddle

k=$root/tests/run/kernels/services.ptx

run() { # KERNEL OPTION...
    kernel=$1
    shift
    "$heddle" run "$k" --kernel "$kernel" --quiet "$@"
}

# Only what the kernel printed.
printed() {
    run "$@" | grep -E '^(cta|done)'
}

want() { # CTAS THREADS: the lines of `say`, not in order
    awk -v c="$1" -v t="$2" 'BEGIN {
        for (i = 0; i < c; i++)
            for (j = 0; j < t; j++)
                printf "cta %d thread %3d: %s %s %.2f %.0f\n", i, j,
                    j % 2 ? "odd" : "even", j ? sprintf("0x%x", 16 * j) : "0",
                    j / 4, 0 - 1000000007 * j
        for (i = 0; i < c; i++)
            print "done"
    }' | sort
}

lines_are_right() { # CTAS THREADS OPTION...
    ctas=$1 threads=$2
    shift 2
    printed say --grid "$ctas" --block "$threads" "$@" | sort >"$tmp/got"
    want "$ctas" "$threads" | cmp - "$tmp/got"
}

# Within a warp the lanes that print at once do so in their order.
in_order() {
    printed say --grid 1 --block 6 --gpu "$@" >"$tmp/got"
    {
        want 1 6 | grep odd
        want 1 6 | grep even
        echo 'done'
    } | cmp - "$tmp/got"
}

printed_json() { # OPTION...
    run say --grid 6 --block 64 --gpu k20 --format json "$@" |
        sed -n '/"printed"/,/"start_cycle"/p'
}

same_for_all() {
    printed_json >"$tmp/first"
    [ "$(grep -c '"text"' "$tmp/first")" = 390 ] || return 1
    for how in "--threads 2" "--threads 3" "--no-skip" \
        "--shuffle 5 --threads 2"; do
        # shellcheck disable=SC2086  # options are words
        printed_json $how | cmp - "$tmp/first" || return 1
    done
}

# Threads that make lists on the heap: 1 + 2 + ... + (tid + 1).
sums() { # OPTION...
    run list --grid 3 --block 96 --arg 'buf:s32[288]' --dump 0="$tmp/list" \
        "$@" >/dev/null || return 1
    od -An -v -td4 -w4 "$tmp/list" | awk '
        { t = (NR - 1) % 96 + 1; bad += $1 != t * (t + 1) / 2 }
        END { exit bad != 0 }'
}

# With a heap of 2 KB some get nothing, the others still what is right.
few() {
    sums --gpu k20 --heap 2048 && return 1
    od -An -v -td4 -w4 "$tmp/list" | awk '
        { t = (NR - 1) % 96 + 1 }
        $1 == -1 { none++; next }
        { bad += $1 != t * (t + 1) / 2 }
        END { exit bad || !none || none == NR }'
}

hashes() { # the heap is the same for any number of threads
    run list --grid 16 --block 32 --arg 'buf:s32[512]' --gpu k20 \
        --heap 65536 --hash "$@" | grep '^hash'
}

same_hash() {
    hashes >"$tmp/one"
    [ -s "$tmp/one" ] || return 1
    for how in "--threads 2" "--threads 3" "--no-skip"; do
        # shellcheck disable=SC2086  # options are words
        hashes $how | cmp - "$tmp/one" || return 1
    done
}

# What the same source gives on the host, see kernels/objects.cu.
objects() { # OPTION...
    "$heddle" run "$root/tests/run/kernels/objects.ptx" --quiet --grid 2 \
        --block 128 --arg 'buf:u32[256]' --stack 8192 --dump 0="$tmp/words" \
        "$@" >/dev/null || return 1
    [ "$(cksum <"$tmp/words")" = "3191108949 1024" ]
}

printf '\110\071\001\000' >"$tmp/sum" # 400 * 401 / 2
for gpu in gtx480 k20 v100; do
    expect "printf on $gpu" 0 -- lines_are_right 5 70 --gpu $gpu
    expect "printf by lanes on $gpu" 0 -- in_order $gpu --functional
    expect "assertion on $gpu" 5 \
        '^unit.cu:17: check: block: \[0,0,0\], thread: \[41,0,0\] Assertion `x < 40` failed' \
        'error: assertion failed in kernel .check.*CTA (0,0,0) thread (40,0,0)' \
        -- run check --block 42 --gpu $gpu
    expect "recursion on $gpu" 0 -- run recur --functional --gpu $gpu --stack 20000 \
        --arg 'buf:u32[1]' --arg 400 --expect 0="$tmp/sum"
    expect "lists on the heap on $gpu" 0 -- sums --functional --gpu $gpu
    expect "objects on $gpu" 0 -- objects --functional --gpu $gpu
    expect "a stack that is too small on $gpu" 5 'local memory.*in kernel .recur., function .deep.*STL' \
        'has 2048 bytes for its calls, see --stack' \
        -- run recur --functional --gpu $gpu --stack 2048 --arg 'buf:u32[1]' --arg 400
    expect "a call of nothing on $gpu" 5 \
        'call of what is no function.*CALL.IND' \
        -- run nowhere --functional --gpu $gpu --arg 0
    expect "free twice on $gpu" 5 'free of what malloc did not return.*FREE' \
        -- run twice --functional --gpu $gpu
done
expect "objects, timed" 0 -- objects --gpu k20 --threads 2
expect "a small heap" 0 -- few
expect "the heap, the same for any threads" 0 -- same_hash
expect "printf, functional" 0 -- lines_are_right 5 70 --functional
expect "printf, the same for any threads" 0 -- same_for_all
expect "printf in JSON" 0 '"printed_lost": 0' \
    '"text": "cta 0 thread   1: odd 0x10 0.25 -1000000007' \
    '"assertion": false' \
    -- run say --block 2 --gpu k20 --format json
expect "printf, more than there is room for" 0 \
    "warning: kernel 'say': 5 printed lines are lost.*--print-buffer" \
    -- run say --block 6 --gpu k20 --print-buffer 100
expect "printf, what there is room for" 0 -- sh -c \
    "'$heddle' run '$k' --kernel say --block 6 --gpu k20 -q --print-buffer 100 \
     2>/dev/null | grep -c '^cta' | grep -qx 2"
finish
