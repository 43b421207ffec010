#!/bin/sh
# tests/run/explain.sh - heddle explain: kernels whose bottleneck is known from
# how they are written, what it says of them, and that the change to the source
# that it asks for gains what it promised.
. "$(dirname "$0")/../lib.sh"
need_heddle


# A transpose by tiles of 32 x 32 words. `pitch` is the length of a row of the
# tile in bytes: of 128 the words of a column lie in one bank.
tile() {
    cat <<P
.version 7.0
.target sm_70
.address_size 64
.visible .entry transpose(.param .u64 in, .param .u64 out, .param .u32 n)
{
    .reg .b64 %d<8>;
    .reg .b32 %r<20>;
    .reg .f32 %f<2>;
    .shared .align 4 .b8 tile[4352];
    ld.param.u64 %d0, [in];
    ld.param.u64 %d1, [out];
    ld.param.u32 %r0, [n];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %tid.y;
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ctaid.y;
    shl.b32 %r5, %r3, 5;
    shl.b32 %r6, %r4, 5;
    add.u32 %r7, %r6, %r2;
    mad.lo.u32 %r8, %r7, %r0, %r5;
    add.u32 %r8, %r8, %r1;
    mad.wide.u32 %d2, %r8, 4, %d0;
    ld.global.f32 %f0, [%d2];
    mov.u32 %r9, tile;
    mad.lo.u32 %r10, %r2, $1, %r9;
    shl.b32 %r11, %r1, 2;
    add.u32 %r10, %r10, %r11;
    st.shared.f32 [%r10], %f0;
    bar.sync 0;
    mad.lo.u32 %r12, %r1, $1, %r9;
    shl.b32 %r13, %r2, 2;
    add.u32 %r12, %r12, %r13;
    ld.shared.f32 %f1, [%r12];
    add.u32 %r14, %r5, %r2;
    mad.lo.u32 %r15, %r14, %r0, %r6;
    add.u32 %r15, %r15, %r1;
    mad.wide.u32 %d3, %r15, 4, %d1;
    st.global.f32 [%d3], %f1;
    ret;
}
P
}
tile 128 >"$tmp/banks.ptx"
tile 132 >"$tmp/padded.ptx"
tiles() {
    command=$1 which=$2
    shift 2
    "$heddle" "$command" "$tmp/$which.ptx" --gpu v100 --set gpu.sms=8 \
        --grid 16,16 --block 32,32 --arg 'buf:f32[262144]=iota' \
        --arg 'buf:f32[262144]=zero' --arg u32:512 --quiet "$@"
}

tiles explain banks --try banks >"$tmp/text"
expect "it names what bounds the kernel" 0 'bound .* by shared memory' \
    -- cat "$tmp/text"
expect "the line, its figures and what to do" 0 'banks.ptx:33  ld.shared.f32' \
    '32.0 passes per access, 31.0 of them for conflicts' 'pad rows' \
    -- cat "$tmp/text"
tiles explain banks --try banks -f json >"$tmp/json"
promised=$(jq '.changes[] | select(.rule == "banks").gain' "$tmp/json")
before=$(tiles run banks -f json | jq '.launches[0].cycles')
after=$(tiles run padded -f json | jq '.launches[0].cycles')
expect "padding the rows gains what was promised, or four fifths of it" 0 \
    '^true$' -- jq -n "$promised > 1.3 and
        $before / $after - 1 >= 0.8 * ($promised - 1)"
expect "the padded one has no conflicts to complain of" 0 '^0$' -- sh -c "
    '$heddle' explain '$tmp/padded.ptx' --gpu v100 --set gpu.sms=8 --quiet \
    --grid 16,16 --block 32,32 --arg 'buf:f32[262144]=iota' --tries 0 \
    --arg 'buf:f32[262144]=zero' --arg u32:512 -f json |
    jq '[.changes[] | select(.rule == \"banks\" and .most > 0)] | length'"

# ---- A sum of a field of structures of 32 bytes, and of words side by side ----
sum() {
    cat <<P
.version 7.0
.target sm_70
.address_size 64
.visible .entry field(.param .u64 in, .param .u64 out)
{
    .reg .b64 %d<4>;
    .reg .b32 %r<8>;
    ld.param.u64 %d0, [in];
    ld.param.u64 %d1, [out];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ctaid.x;
    mad.lo.u32 %r2, %r1, 256, %r0;
    mad.wide.u32 %d2, %r2, $1, %d0;
    ld.global.u32 %r3, [%d2];
    mad.wide.u32 %d3, %r2, 4, %d1;
    st.global.u32 [%d3], %r3;
    ret;
}
P
}
sum 32 >"$tmp/aos.ptx"
sum 4 >"$tmp/soa.ptx"
fields() {
    command=$1 which=$2
    shift 2
    "$heddle" "$command" "$tmp/$which.ptx" --gpu v100 --set gpu.sms=8 \
        --grid 512 --block 256 --arg 'buf:u32[1048576]=iota' \
        --arg 'buf:u32[131072]=zero' --quiet "$@"
}
fields explain aos --try coalescing -f json >"$tmp/json"
expect "accesses far apart are found with their line" 0 \
    '^\[14,8,1\]$' -- jq -c '.changes[] | select(.rule == "coalescing") |
        [(.line.place | split(":")[1] | tonumber),
         .line.sectors / .line.sectors_least,
         (if .gain > 1.5 then 1 else 0 end)]' "$tmp/json"
promised=$(jq '.changes[] | select(.rule == "coalescing").gain' "$tmp/json")
before=$(fields run aos -f json | jq '.launches[0].cycles')
after=$(fields run soa -f json | jq '.launches[0].cycles')
expect "side by side they gain what was promised, or four fifths of it" 0 \
    '^true$' -- jq -n "$before / $after - 1 >= 0.8 * ($promised - 1)"

# ---- A histogram of random numbers for each thread: its four bins are an array,
# or the bytes of a register ----
bins() {
    cat <<P
.version 7.0
.target sm_70
.address_size 64
.visible .entry histogram(.param .u64 out)
{
    .local .align 4 .b8 bins[16];
    .reg .pred %p;
    .reg .b64 %d<4>;
    .reg .b32 %r<20>;
    ld.param.u64 %d1, [out];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ctaid.x;
    mad.lo.u32 %r2, %r1, 128, %r0;
    mad.wide.u32 %d3, %r2, 4, %d1;
    mov.u32 %r3, 0;
P
    if [ "$1" = array ]; then
        cat <<P
    mov.u32 %r9, bins;
    st.local.v4.u32 [bins], {%r3, %r3, %r3, %r3};
again:
    mad.lo.u32 %r2, %r2, 1664525, 1013904223;
    shr.u32 %r5, %r2, 30;
    mad.lo.u32 %r6, %r5, 4, %r9;
    ld.local.u32 %r7, [%r6];
    add.u32 %r7, %r7, 1;
    st.local.u32 [%r6], %r7;
P
    else
        cat <<P
    mov.u32 %r8, 1;
    mov.u32 %r9, 0;
again:
    mad.lo.u32 %r2, %r2, 1664525, 1013904223;
    shr.u32 %r5, %r2, 30;
    shl.b32 %r6, %r5, 3;
    shl.b32 %r7, %r8, %r6;
    add.u32 %r9, %r9, %r7;
P
    fi
    cat <<P
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p, %r3, 255;
    @%p bra again;
P
    if [ "$1" = array ]; then
        echo '    ld.local.v4.u32 {%r10, %r11, %r12, %r13}, [bins];'
    else
        for i in 0 1 2 3; do
            echo "    bfe.u32 %r1$i, %r9, 8 * $i, 8;"
        done
    fi
    cat <<P
    mad.lo.u32 %r10, %r11, 3, %r10;
    mad.lo.u32 %r10, %r12, 5, %r10;
    mad.lo.u32 %r10, %r13, 7, %r10;
    st.global.u32 [%d3], %r10;
    ret;
}
P
}
bins array >"$tmp/array.ptx"
bins bytes >"$tmp/bytes.ptx"
histogram() {
    command=$1 which=$2
    shift 2
    "$heddle" "$command" "$tmp/$which.ptx" --gpu v100 --set gpu.sms=2 \
        --grid 16 --block 128 --arg 'buf:u32[2048]=zero' --quiet "$@"
}
histogram explain array --tries 1 -f json >"$tmp/json"
expect "local memory is what it tries first, and names a line of the array" 0 \
    '^\["local","sm.lsu.perfect_local=true",true\]$' -- jq -c '
    .changes[] | select(.gain) |
    [.rule, .sets, ((.line.place | split(":")[1] | tonumber) as $n |
                   $n == 22 or $n == 24)]' "$tmp/json"
promised=$(jq '.changes[] | select(.rule == "local").gain' "$tmp/json")
expect "both count the same" 0 '^true$' -- sh -c '
    for which in array bytes; do
        "$1" run "$2/$which.ptx" --grid 16 --block 128 --functional --quiet \
            --arg buf:u32[2048]=zero --dump "0=$2/$which.bin" >"$2/out" || exit
    done
    cmp "$2/array.bin" "$2/bytes.bin" && echo true' sh "$heddle" "$tmp"
before=$(histogram run array -f json | jq '.launches[0].cycles')
after=$(histogram run bytes -f json | jq '.launches[0].cycles')
expect "a register gains what was promised, or four fifths of it" 0 \
    '^true$' -- jq -n "$promised > 1.3 and
        $before / $after - 1 >= 0.8 * ($promised - 1)"
expect "with a register there is nothing of it to complain of" 0 '^0$' -- sh -c "
    '$heddle' explain '$tmp/bytes.ptx' --gpu v100 --set gpu.sms=2 --quiet \
    --grid 16 --block 128 --arg 'buf:u32[2048]=zero' --tries 0 -f json |
    jq '[.changes[] | select(.rule == \"local\" and .most > 0)] | length'"

# Of more kernels than are told of in full, the one that a change is about.
{
    bins array
    for name in first second third; do
        sum 4 | sed "1,3d; s/field/$name/"
    done
} >"$tmp/four.ptx"
cat >"$tmp/four.yaml" <<L
program: four.ptx
buffers:
  in: {type: u32, count: 131072}
  out: {type: u32, count: 131072}
launches:
  - {kernel: first, grid: [512], block: [256], args: [in, out]}
  - {kernel: second, grid: [512], block: [256], args: [in, out]}
  - {kernel: third, grid: [512], block: [256], args: [in, out]}
  - {kernel: histogram, grid: [1], block: [32], args: [out]}
L
expect "the gain of the kernel that it is about" 0 \
    'x  local: .*(first .*, histogram 1\.[1-9].*)' -- \
    "$heddle" explain -q --gpu v100 --set gpu.sms=2 \
    --set gpu.launch_latency=0 --try local "$tmp/four.yaml"

# ---- Results that depend on time ----
# A sum by atomics of single precision, which rounds in the order that CTAs come
# in, and a kernel that counts until a time has passed.
timed() {
    cat <<P
.version 7.0
.target sm_70
.address_size 64
.visible .entry sums(.param .u64 in, .param .u64 out)
{
    .reg .pred %p;
    .reg .b64 %d<5>;
    .reg .b32 %r<8>;
    .reg .f32 %f<2>;
    ld.param.u64 %d0, [in];
    ld.param.u64 %d1, [out];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ctaid.x;
    mad.lo.u32 %r2, %r1, 256, %r0;
    mad.wide.u32 %d2, %r2, 4, %d0;
    ld.global.f32 %f0, [%d2];
    mov.u32 %r3, 0;
P
    if [ "$1" = atomics ]; then
        echo '    red.global.add.f32 [%d1], %f0;'
    else
        cat <<P
again:
    add.u32 %r3, %r3, 1;
    mov.u64 %d3, %clock64;
    setp.lt.u64 %p, %d3, 60000;
    @%p bra again;
    mad.wide.u32 %d4, %r2, 4, %d1;
    st.global.u32 [%d4], %r3;
P
    fi
    echo '    ret;'
    echo '}'
}
timed atomics >"$tmp/atomics.ptx"
timed clock >"$tmp/clock.ptx"
sums() {
    "$heddle" explain "$tmp/$1.ptx" --gpu v100 --set gpu.sms=8 --grid 64 \
        --block 256 --arg 'buf:f32[16384]=uniform,seed=1,min=0.1,max=1000' \
        --arg 'buf:f32[16384]=zero' --quiet --try launch,atomics,misses -f json
}
sums atomics >"$tmp/json"
expect "what rounds otherwise has its gain, and that it does is told" 0 \
    '^\[true,true\]$' -- jq -c '[.changes[] | select(.gain)] |
        [length == 3, any(.other_results)]' "$tmp/json"
sums clock >"$tmp/json"
expect "what does something else has none" 0 \
    '^"it did something else .*instructions are others"$' -- jq \
    '.changes[] | select(.rule == "launch").problem' "$tmp/json"

# ---- What it takes ----
expect "three simulations by default, announced" 0 \
    'the run took .*; 2 changes to simulate, about' -- "$heddle" explain \
    "$tmp/aos.ptx" --gpu v100 --set gpu.sms=2 --grid 64 --block 256 \
    --arg 'buf:u32[1048576]=iota' --arg 'buf:u32[131072]=zero' --no-cache
expect "every parameter if asked" 0 '^true$' -- sh -c "'$heddle' explain \
    '$tmp/aos.ptx' --gpu v100 --set gpu.sms=1 --grid 4 --block 64 -q -j 2 \
    --arg 'buf:u32[1048576]=iota' --arg 'buf:u32[131072]=zero' --no-cache \
    --what-if -f json | jq '(.what_if | length) > 300 and
        (.what_if | map(select(.set == \"gpu.launch_latency=7400\").gain)[0] < 0.8)'"

# ---- Wrong input ----
expect "no workload" 2 'expected workloads' -- "$heddle" explain
expect "no such file" 3 'none.ptx' -- "$heddle" explain "$tmp/none.ptx" --grid 1
expect "no such change" 2 "'bank' is no change" 'there are banks' -- tiles \
    explain banks --try bank
for name in one two; do
    cat >"$tmp/$name.yaml" <<L
program: aos.ptx
buffers:
  in: {type: u32, count: 512}
  out: {type: u32, count: 64}
launches:
  - {grid: [1], block: [64], args: [in, out]}
L
done
expect "a launch file" 0 'bound ' 'aos.ptx:14' -- "$heddle" explain -q \
    --tries 0 --gpu v100 --set gpu.sms=1 "$tmp/one.yaml"
expect "what is named is tried, though nothing speaks for it" 0 \
    'x  atomics: ' -- tiles explain banks --try atomics
expect "nor what cannot be tried" 2 "'issue' is no change" -- tiles explain \
    banks --try issue
expect "nor both" 2 'leave out --try' -- tiles explain banks --try banks \
    --what-if
expect "a folder that is not there, before anything is simulated" 1 \
    'none/out' -- "$heddle" explain -q --gpu v100 "$tmp/one.yaml" -o \
    "$tmp/none/out"
if [ -c /dev/full ]; then
    expect "a full disk" 1 'cannot write' -- "$heddle" explain -q --tries 0 \
        --gpu v100 --set gpu.sms=1 "$tmp/one.yaml" -o /dev/full
fi
program=$(dirname "$heddle")/workloads/transpose_naive
if [ -e "$program" ]; then
    expect "a program, its kernel and the change that helps it" 0 \
        '^transpose: ' ' x  coalescing: ' 'sectors of 32 bytes per access' -- \
        "$heddle" explain -q --gpu v100 --try coalescing -- "$program" --size 256
fi
expect "not two" 2 'one workload at a time' -- "$heddle" explain \
    "$tmp/one.yaml" "$tmp/two.yaml"
expect "nor a table of another kind" 2 'text or json' -- tiles explain banks \
    -f csv
expect "a kernel that fails" 1 'explain: .*aos' 'outside' -- "$heddle" explain \
    "$tmp/aos.ptx" --grid 64 --block 256 --arg 'buf:u32[4]=iota' \
    --arg 'buf:u32[4]=zero' --quiet

finish
