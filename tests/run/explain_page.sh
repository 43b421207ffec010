#!/bin/sh
# tests/run/explain_page.sh - the page of heddle explain: its parts, its links,
# code side by side, names and texts that are markup, and its size.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/page/lib.sh"
need_heddle
export XDG_CACHE_HOME="$tmp/cache"

# Two kernels; `work` loads words 32 bytes apart and calls a function. Lines
# are those of k.cu, where the load is line 10.
cat >"$tmp/k.ptx" <<'P'
.version 7.0
.target sm_70
.address_size 64
.file 1 "k.cu"
.func (.param .b32 out) twice(.param .b32 in) .noinline
{
    .reg .b32 %r<3>;
    .loc 1 2 3
    ld.param.b32 %r0, [in];
    .loc 1 3 3
    mul.lo.u32 %r1, %r0, 3;
    .loc 1 4 3
    st.param.b32 [out], %r1;
    ret;
}
.visible .entry work(.param .u64 in, .param .u64 to)
{
    .reg .b64 %d<4>;
    .reg .b32 %r<8>;
    .loc 1 9 1
    ld.param.u64 %d0, [in];
    ld.param.u64 %d1, [to];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ctaid.x;
    mad.lo.u32 %r2, %r1, 64, %r0;
    mad.wide.u32 %d2, %r2, 32, %d0;
    .loc 1 10 1
    ld.global.u32 %r3, [%d2];
    .loc 1 11 1
    { .param .b32 a; .param .b32 r;
    st.param.b32 [a], %r3;
    call (r), twice, (a);
    ld.param.b32 %r4, [r]; }
    .loc 1 40 1
    mad.wide.u32 %d3, %r2, 4, %d1;
    st.global.u32 [%d3], %r4;
    .loc 1 41 1
    ret;
}
.visible .entry copy(.param .u64 in, .param .u64 to)
{
    .reg .b64 %d<4>;
    .reg .b32 %r<8>;
    .loc 1 50 1
    ld.param.u64 %d0, [in];
    ld.param.u64 %d1, [to];
    mov.u32 %r0, %tid.x;
    mad.wide.u32 %d2, %r0, 4, %d0;
    mad.wide.u32 %d3, %r0, 4, %d1;
    .loc 1 51 1
    ld.global.u32 %r3, [%d2];
    .loc 1 52 1
    st.global.u32 [%d3], %r3;
    ret;
}
P
seq 1 60 | sed 's,^,// line ,; 9s,.*,\tint i = blockIdx.x * 64 + threadIdx.x;,
    10s,.*,v = in[8 * i]; </script><script>alert(1)</script>,
    40s,.*,to[i] = v; <img src=x onerror="alert(1)">\&amp;,' >"$tmp/k.cu"
cat >"$tmp/<b>x&y.yaml" <<'L'
program: k.ptx
buffers:
  in: {type: u32, count: 8192}
  to: {type: u32, count: 1024}
launches:
  - {kernel: work, grid: [16], block: [64], args: [in, to]}
  - {kernel: copy, grid: [1], block: [64], args: [in, to]}
L
page() { # FILE OPTION...
    file=$1
    shift
    "$heddle" explain -q --gpu v100 --set gpu.sms=2 "$tmp/<b>x&y.yaml" \
        --html "$file" "$@"
}
expect "a page beside the text" 0 'bound ' -- page "$tmp/e.html" \
    --try coalescing
expect "its parts" 0 '>What would help<' '>Roofs<' '>Speed of light<' \
    '>What warps wait for<' '>Memory<' '>Occupancy<' 'Code of work' \
    'Code of copy' 'By registers' 'How to reproduce' -- cat "$tmp/e.html"
expect "what was tried, with a link to its line" 0 \
    'coalescing: accesses of a warp side by side' \
    'href="#c1-[0-9]*">k.cu:10</a>' '32.0 sectors of 32 bytes .* need 4.0' \
    -- cat "$tmp/e.html"
# link LINE: the place that links to the line lead to
place=$(sed -n 's/.*href="#\(c1-[0-9]*\)">k.cu:10<.*/\1/p' "$tmp/e.html" |
    head -n 1)
expect "which is that line of the source" 0 "id=\"$place\".*data-v=\"10\".*in\\[8" \
    -- grep "id=\"$place\"" "$tmp/e.html"
expect "and has the same mark in PTX and machine code" 0 'ld.global.u32' \
    'LDG.E' -- grep "data-k=\"${place#c1-}\"" "$tmp/e.html"
expect "functions that are called are there" 0 '^2$' -- \
    grep -c 'data-f="twice"' "$tmp/e.html"
expect "lines far from the kernel's are not" 1 -- grep 'line 25<' "$tmp/e.html"
expect "names and source are no markup" 1 -- \
    grep -qE '<b>x|<img|<script>alert|&amp;lt;' "$tmp/e.html"
expect "but text" 0 '&lt;/script&gt;&lt;script&gt;alert' '&lt;b&gt;x&amp;y' \
    '&amp;amp;' -- cat "$tmp/e.html"
expect "it is small" 0 -- test "$(wc -c <"$tmp/e.html")" -lt 300000
page_code "two kernels" "$tmp/e.html"

# ---- What is missing is said ----
mkdir "$tmp/alone"
cp "$tmp/k.ptx" "$tmp/<b>x&y.yaml" "$tmp/alone"
expect "without the source" 0 -- "$heddle" explain -q --gpu v100 --tries 0 \
    --set gpu.sms=2 "$tmp/alone/<b>x&y.yaml" --html "$tmp/alone.html"
expect "the page says so" 0 'text of k.cu is not where' 'ld.global.u32' -- \
    cat "$tmp/alone.html"
sed '/\.loc/d; /\.file/d' "$tmp/k.ptx" >"$tmp/alone/k.ptx"
expect "without lines" 0 -- "$heddle" explain -q --gpu v100 --tries 0 \
    --set gpu.sms=2 "$tmp/alone/<b>x&y.yaml" --html "$tmp/ptx.html"
expect "PTX is the source" 0 '>k.ptx</span>' -- cat "$tmp/ptx.html"
expect "and is there once" 1 -- grep '>PTX</span>' "$tmp/ptx.html"

# ---- Kernels of many instructions ----
{
    sed -n '1,/^{/p' "$tmp/k.ptx" | sed '/^\.func/,$d'
    cat <<'P'
.visible .entry long(.param .u64 to)
{
    .reg .b64 %d<2>;
    .reg .f32 %f<4>;
    ld.param.u64 %d0, [to];
    ld.global.f32 %f0, [%d0];
    ld.global.f32 %f1, [%d0+4];
P
    for i in $(seq 1 9000); do
        echo "    .loc 1 $i 1"
        echo "    fma.rn.f32 %f0, %f0, %f1, %f0;"
    done
    cat <<'P'
    .loc 1 9001 1
    st.global.f32 [%d0], %f0;
    ret;
}
P
} >"$tmp/long.ptx"
seq 1 9001 | sed 's/$/ <<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<</' \
    >"$tmp/long.cu"
sed -i 's/"k.cu"/"long.cu"/' "$tmp/long.ptx"
expect "a long kernel" 0 -- "$heddle" explain -q --gpu v100 --tries 0 \
    --set gpu.sms=1 "$tmp/long.ptx" --grid 1 --block 32 \
    --arg 'buf:f32[64]=iota' --html "$tmp/long.html"
expect "its page is below 3 MB" 0 -- \
    test "$(wc -c <"$tmp/long.html")" -lt 3000000
expect "and says what is left out" 0 'have no room' -- cat "$tmp/long.html"
page_opens "of a long one" "$tmp/long.html" "$tmp/ptx.html"

# ---- Wrong input ----
expect "a folder that is not there" 1 'nowhere' -- page "$tmp/nowhere/x.html" \
    --tries 0
finish
