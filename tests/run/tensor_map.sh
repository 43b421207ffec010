#!/bin/sh
# tests/run/tensor_map.sh - tensor maps as arguments of launch files.
. "$(dirname "$0")/../lib.sh"
need_heddle
cd "$tmp" || exit 1

# A box of 16 by 4 words from (56, 30) of a tensor of 64 by 32: 8 by 2 of them
# are inside. Each thread writes a word of it.
cat >k.ptx <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 out)
{ .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %d<9>;
.shared .align 128 .b8 s[256]; .shared .align 8 .b8 bar[8];
mov.b64 %d1, map; cvta.param.u64 %d2, %d1; ld.param.u64 %d3, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, s; mov.u32 %r2, bar;
setp.ne.u32 %p1, %r0, 0; @%p1 bra S;
mbarrier.init.shared.b64 [%r2], 1;
mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 256;
mov.u32 %r3, 56; mov.u32 %r4, 30;
cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%d2, {%r3, %r4}], [%r2];
S: bar.sync 0;
W: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0; @!%p2 bra W;
shl.b32 %r5, %r0, 2; add.u32 %r6, %r1, %r5; ld.shared.u32 %r7, [%r6];
cvt.u64.u32 %d4, %r5; add.u64 %d4, %d3, %d4; st.global.u32 [%d4], %r7;
ret; }
END
plan() { # MAP
    printf '%s\n' 'program: k.ptx' 'gpu: h100' 'buffers:' \
        '  a: {type: u32, count: 2048, init: iota}' \
        '  out: {type: u32, count: 64}' 'launches:' \
        "  - {kernel: k, grid: 1, block: 64, args: [{tensormap: {$1}}, out]}" \
        'dump: {out: out.raw}' >plan.yaml
}
want() {
    od -An -v -tu4 -w64 out.raw | tr -s ' '
}
plan 'buffer: a, type: u32, size: [64, 32], box: [16, 4]'
expect "a box is loaded" 0 -- "$heddle" run --launch plan.yaml --functional
expect "with zeros behind the tensor" 0 \
    '^ 1976 1977 1978 1979 1980 1981 1982 1983 0 0 0 0 0 0 0 0$' \
    '^ 2040 2041 2042 2043 2044 2045 2046 2047 0 0 0 0 0 0 0 0$' \
    '^ 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0$' -- want
rm out.raw
expect "timed" 0 -- "$heddle" run --launch plan.yaml
expect "to the same" 0 \
    '^ 1976 1977 1978 1979 1980 1981 1982 1983 0 0 0 0 0 0 0 0$' -- want

plan 'buffer: a, type: u32, size: [64, 32], box: [15, 4]'
expect "rows of the box" 2 \
    'plan.yaml:7:.*the rows of the box are no multiple of 16 bytes' -- \
    "$heddle" run --launch plan.yaml
plan 'buffer: b, type: u32, size: [64, 32], box: [16, 4]'
expect "no buffer" 3 'plan.yaml:7:.*needs the name of a buffer' -- \
    "$heddle" run --launch plan.yaml
plan 'buffer: a, type: f23, size: [64, 32], box: [16, 4]'
expect "no type" 3 "plan.yaml:7:.*'f23' is no type of a tensor map" -- \
    "$heddle" run --launch plan.yaml
plan 'buffer: a, type: f32, sice: [64, 32], box: [16, 4]'
expect "no key" 3 "plan.yaml:7:.*sice" -- "$heddle" run --launch plan.yaml
plan 'buffer: a, type: u32, size: [64, 32], box: [16, 4]'
expect "older GPUs refuse the instruction" 4 \
    'k.ptx:13:.*the tensor memory accelerator exists from Hopper on' -- \
    "$heddle" run --launch plan.yaml --gpu a100
finish
