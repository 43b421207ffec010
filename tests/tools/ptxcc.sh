#!/bin/sh
# tests/tools/ptxcc.sh - the compiler door, and that the PTX kept beside each
# workload is what its sources give.
. "$(dirname "$0")/../lib.sh"
cc() { "$root/tools/ptxcc" "$@"; }

echo 'int x;' >"$tmp/a.c"
expect "a file that is neither" 2 'neither .cu nor .cl' -- \
    cc "$tmp/a.c" -o "$tmp/a.ptx" --cc clang-14
echo 'extern "C" __global__ void f() {}' >"$tmp/f.cu"
expect "an unknown compiler" 1 'tcc is not installed' -- \
    cc "$tmp/f.cu" -o "$tmp/a.ptx" --cc tcc
expect "an option that nobody has" 2 'unknown option --libcl .*behind --' -- \
    cc "$tmp/f.cu" -o "$tmp/a.ptx" --libcl x
expect "an option without its value" 2 -- cc "$tmp/f.cu" -o
expect "a kernel that is not there" 1 'cannot read' -- \
    cc "$tmp/b.cl" -o "$tmp/a.ptx"
expect "no output named" 2 'usage' -- cc "$tmp/a.c"
if "$root/tools/ptxcc" "$tmp/f.cu" -o "$tmp/a.ptx" >/dev/null 2>&1; then
    cat >"$tmp/own.cu" <<'K'
extern "C" __global__ void saxpy(const float *x, float *y, float a, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] += a * x[i];
}
K
    expect "plain CUDA C needs no header" 0 -- \
        cc "$tmp/own.cu" -o "$tmp/own.ptx"
    expect "its kernel is there" 0 -- grep -q '.entry saxpy' "$tmp/own.ptx"
    if command -v clang-14 >/dev/null; then
        expect "the kept PTX is fresh" 0 ' 0 stale' -- \
            "$root/tools/workload-ptx" --check clang14
        expect "that of libraries, too" 0 ' 0 stale' -- \
            "$root/tools/library-ptx" --check
    else
        skip "the kept PTX is fresh" "no clang-14"
    fi
    mkdir "$tmp/with space"
    echo '#define TWO 2' >"$tmp/with space/two.h"
    cat >"$tmp/options.cu" <<'K'
#include "two.h"
#include <cooperative_groups.h>
extern "C" __global__ void f(int *x) { x[0] = A + TWO * B; }
K
    expect "options of the compiler, as they are" 0 -- cc -DA=40 \
        "$tmp/options.cu" -I "$tmp/with space" -D B=1 -O1 -std=c++14 \
        -DN=8 -DM=8 -DK=8 -DP=1 -DT=float \
        -ffp-contract=off -Wall -o "$tmp/options.ptx"
    expect "count" 0 'mov.u32.* 42;' -- cat "$tmp/options.ptx"
    expect "also behind --" 0 -- cc "$tmp/options.cu" -o "$tmp/options.ptx" \
        -- -DA=41 -DB=1 "-I$tmp/with space"
    expect "count, too" 0 'mov.u32.* 43;' -- cat "$tmp/options.ptx"
    lines() { grep -c '^	.loc' "$1"; }
    expect "line numbers are there unasked" 0 '^[1-9]' -- lines "$tmp/own.ptx"
    expect "none of our own files" 1 -- grep '.file.*cuda_lite' "$tmp/own.ptx"
    expect "-g0" 0 -- cc "$tmp/own.cu" -o "$tmp/bare.ptx" -g0
    expect "leaves them out" 1 '^0$' -- lines "$tmp/bare.ptx"
    cat >"$tmp/native.cl" <<'K'
kernel void f(global float4 *x, global int *y, global long *z,
              global ulong *u)
{
    z[1] = atom_add(z, z[1]) + atom_min(z, 5l) + atom_xchg(z, 2l);
    u[1] = atom_max(u, 7ul) + atom_cmpxchg(u, 1ul, 2ul) + atom_inc(u);
    x[0] = native_sin(x[0]) + native_divide(x[1], x[2]) + half_exp(x[3]);
    y[0] = mad_hi(y[1], y[2], y[3]) + get_global_offset(0);
}
K
    expect "the prelude supplies what libclc lacks" 0 -- \
        cc "$tmp/native.cl" -o "$tmp/native.ptx"
    expect "nothing stays undefined" 1 -- grep -q extern "$tmp/native.ptx"
    cat >"$tmp/more.cl" <<'K'
inline __attribute__((noinline)) float twice(float x) { return x + x; }
kernel void f(global half *x, global half4 *y, global float *z, constant char *s)
{
    vstore4(max(y[0], vload4(3, x)) * y[1], 5, x);
    x[0] = convert_half(z[0]) + fabs(x[1]) + sub_group_reduce_add(x[2]);
    z[0] = sub_group_scan_exclusive_add(z[1]) + twice(z[2]);
    if (sub_group_any(z[3] > 1) && get_sub_group_id() == 1)
        printf("%d %s %v4f\n", get_sub_group_local_id(), s, y[1]);
}
K
    expect "half precision, sub-groups, printf" 0 -- \
        cc "$tmp/more.cl" -o "$tmp/more.ptx"
    expect "their last argument is where the format has it" 0 \
        'st.local.f64.*+40\]' 'shfl.sync.idx' 'vote.sync' -- \
        cat "$tmp/more.ptx"
    expect "an inline function has a body" 0 -- \
        grep -q '^\.func.* twice($' "$tmp/more.ptx"
    expect "only vprintf has none" 0 '^1$' -- \
        grep -c '^\.\(extern \.\)*func.*[a-z]$' "$tmp/more.ptx"
    cat >"$tmp/barrier.cl" <<'K'
kernel void f(global int *x)
{
    local int first;

    if (get_local_id(0) == 0)
        first = x[get_group_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[get_global_id(0)] += first;
}
K
    expect "a local variable is read behind the barrier" 0 \
        'bar.sync.*ld.shared' -- \
        sh -c "'$root/tools/ptxcc' '$tmp/barrier.cl' -o '$tmp/barrier.ptx'
            tr '\n' ' ' <'$tmp/barrier.ptx'"
    expect "offsets come from %envreg" 0 'envreg' -- \
        sh -c "'$root/tools/ptxcc' '$tmp/native.cl' -o '$tmp/native.ptx' \
            -DHEDDLE_GLOBAL_OFFSET; cat '$tmp/native.ptx'"
else
    skip "compiling kernels" "no clang"
fi
finish
