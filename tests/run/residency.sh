#!/bin/sh
# tests/run/residency.sh - what stays in the L2: lines are read with a priority,
# then others than fit, then the first ones again, whose hits are counted.
. "$(dirname "$0")/../lib.sh"
need_heddle
cd "$tmp" || exit 1

# A thread reads a line, from `from` on; $1 is what stands before the load, $2
# its modifiers, $3 what stands behind the address.
kernel() {
    cat <<EOF
.visible .entry $1(.param .u64 a, .param .u32 from)
{
    .reg .b32 %r<6>; .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [a];
    ld.param.u32 %r1, [from];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ntid.x;
    mad.lo.u32 %r2, %r3, %r4, %r2;
    add.u32 %r2, %r2, %r1;
    mul.wide.u32 %rd2, %r2, 128;
    add.u64 %rd1, %rd1, %rd2;
    $2
    ret;
}
EOF
}
{
    printf '.version 8.0\n.target sm_80\n.address_size 64\n'
    kernel plain 'ld.global.u32 %r5, [%rd1]; st.global.u32 [%rd1], %r5;'
    kernel read 'ld.global.u32 %r5, [%rd1];
        setp.eq.u32 p, %r5, 1; @p st.global.u32 [%rd1], %r5;'
    kernel policy 'createpolicy.fractional.L2::evict_last.b64 %rd3, 1.0;
        ld.global.L2::cache_hint.u32 %r5, [%rd1], %rd3;
        setp.eq.u32 p, %r5, 1; @p st.global.u32 [%rd1], %r5;'
    kernel half 'createpolicy.fractional.L2::evict_last.L2::evict_first.b64 %rd3, 0.5;
        ld.global.L2::cache_hint.u32 %r5, [%rd1], %rd3;
        setp.eq.u32 p, %r5, 1; @p st.global.u32 [%rd1], %r5;'
    kernel range 'ld.param.u64 %rd4, [a];
        createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %rd3, [%rd4], 4096, 16384;
        ld.global.L2::cache_hint.u32 %r5, [%rd1], %rd3;
        setp.eq.u32 p, %r5, 1; @p st.global.u32 [%rd1], %r5;'
    kernel ahead 'prefetch.global.L2::evict_last [%rd1];'
    kernel normal 'applypriority.global.L2::evict_normal [%rd1], 128;'
    kernel discard 'discard.global.L2 [%rd1], 128;'
} | sed 's/{$/{ .reg .pred p;/' >k.ptx

# One slice: 32 sets of 16 ways, 512 lines, 12 of 16 ways may stay. Lines in a row
# fill its sets evenly. The L1 holds nothing.
small="--set l2.partitions=1 --set dram.channels=1 --set l2.slices=1 --set l2.sets=32 \
    --set l1.globals=false --set l2.index=mod --set l2.slice_hash=mod --set gpu.sms=2"

# launches NAME GRID FROM ...: a launch file; each with 128 threads.
launches() {
    echo "program: k.ptx"
    echo "buffers: {a: {type: u32, count: 1048576, init: zero}}"
    echo "launches:"
    while [ $# -gt 0 ]; do
        echo "  - {kernel: $1, grid: $2, block: 128, args: [a, $3]}"
        shift 3
    done
}
# hits: of the last launch.
hits() {
    # shellcheck disable=SC2086  # words
    "$heddle" run -q --gpu a100 $small --launch l.yaml -f json |
        python3 -c '
import json, sys
def find(o):
    if isinstance(o, dict):
        if "counters" in o: yield o["counters"]
        for v in o.values(): yield from find(v)
    elif isinstance(o, list):
        for v in o: yield from find(v)
c = list(find(json.load(sys.stdin)))
print(*[c[-1].get("l2[*]." + n, -1) for n in sys.argv[1:]])' "$@"
}

# stays NAME WANTED COUNTER LAUNCH...: the last launch's counter.
stays() {
    stays_name=$1 stays_want=$2 stays_of=$3
    shift 3
    launches "$@" >l.yaml
    expect "$stays_name" 0 "^$stays_want\$" -- hits "$stays_of"
}

# 128 lines of 512, and 1024 others: all of them hit, or none does.
stays "a stream sweeps the L2" 0 read_hits read 1 0 read 8 128 read 1 0
stays "by a cache policy" 128 read_hits policy 1 0 read 8 128 read 1 0
stays "by a prefetch" 128 read_hits ahead 1 0 read 8 128 read 1 0
stays "no longer with applypriority" 0 read_hits policy 1 0 normal 1 0 read 8 128 read 1 0
# 12 of 16 ways: 384 of 512 lines that want to.
stays "as much as may" 384 read_hits policy 4 0 read 8 512 read 4 0
# Blocks of 4 KB: 32 lines.
stays "of a range" 32 read_hits range 1 0 read 8 128 read 1 0
# What is not wanted any more is not written.
stays "discarded lines are not written" 0 writebacks plain 1 0 discard 1 0 read 8 128
stays "others are" 128 writebacks plain 1 0 read 8 128
# Without priorities nothing stays.
small="$small --set l2.persisting=0"
stays "without priorities" 0 read_hits policy 1 0 read 8 128 read 1 0
finish
