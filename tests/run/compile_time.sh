#!/bin/sh
# tests/run/compile_time.sh - compile time grows with the length of a kernel,
# not with its square: each shape of bench/shapes.awk within a limit that is
# generous for any build and was once exceeded many times. bench/compile
# measures.
. "$(dirname "$0")/../lib.sh"
need_heddle
lines=10000 seconds=10

for shape in straight memory wide branches ifs loops nest switch kernels; do
    awk -v shape=$shape -v lines=$lines -f "$root/bench/shapes.awk" \
        >"$tmp/k.ptx"
    # shellcheck disable=SC2016  # for the inner shell
    expect "$lines lines of $shape" 0 -- sh -c 'ulimit -t "$1"; shift; "$@"' \
        sh $seconds "$heddle" compile --gpu v100 "$tmp/k.ptx" \
        -o "$tmp/k.hobj"
done
finish
