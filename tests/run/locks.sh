#!/bin/sh
# tests/run/locks.sh - locks and turns between the lanes of warps, timed and
# not, on every GPU there is: they end, soon, and the counter under the lock is
# the number of threads.
. "$(dirname "$0")/../lib.sh"
need_heddle

kernels=$root/tests/run/kernels/lock.ptx
word() { # N: as the machine stores it
    printf '%b' "$(printf '\\0%o\\0%o\\0\\0' $(($1 % 256)) $(($1 / 256)))"
}

# A limit of cycles, or of warp instructions, ends with 6.
count() { # KERNEL THREADS GPU OPTION...
    c_kernel=$1 c_threads=$2 c_gpu=$3
    shift 3
    c_block=$c_threads
    [ "$c_block" -le 64 ] || c_block=64
    case $c_kernel in
    lock) word 0 ;;
    turns) word "$c_threads" ;;
    esac >"$tmp/want"
    word "$c_threads" >>"$tmp/want"
    "$heddle" run "$kernels" --kernel "$c_kernel" --gpu "$c_gpu" --quiet \
        --grid $((c_threads / c_block)) --block "$c_block" \
        --arg 'a=buf:u32[2]' --expect "a=$tmp/want" "$@"
}

# SMs near different partitions of the L2.
printf 'extends: v100\nl2: {partitions: 2}\n' >"$tmp/halves.yaml"
for gpu in $("$heddle" list gpus | sed 's/ .*//') "$tmp/halves.yaml"; do
    for kernel in lock turns; do
        for n in 2 3 31 32; do
            expect "$kernel, $n lanes, $gpu" 0 -- \
                count $kernel $n "$gpu" --max-cycles 100000
        done
        expect "$kernel, two warps, $gpu" 0 -- \
            count $kernel 64 "$gpu" --max-cycles 200000
        expect "$kernel, 32 lanes, $gpu, not timed" 0 -- \
            count $kernel 32 "$gpu" --functional --max-cycles 100000
    done
    expect "lock, two CTAs, $gpu" 0 -- \
        count lock 128 "$gpu" --max-cycles 400000
done
finish
