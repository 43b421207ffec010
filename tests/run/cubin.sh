#!/bin/sh
# tests/run/cubin.sh - machine code of real GPUs: our own PTX, compiled by ptxas
# and linked by nvlink, is listed and loaded.
. "$(dirname "$0")/../lib.sh"
need_heddle
cd "$tmp" || exit 1

expect "PTX is no machine code" 4 'no object file.*and no cubin: it is PTX' -- \
    "$heddle" disasm "$root/workloads/vecadd/ptx/clang14-cuda.ptx"
printf '.arch volta\n.kernel k\nEXIT;\n.end\n' >k.sass
"$heddle" asm k.sass -o k.hobj
expect "of an object there is no --info" 4 -- "$heddle" disasm --info k.hobj
expect "and no kernel alone" 4 'is for machine code' -- \
    "$heddle" disasm -k k k.hobj

ptxas=$(command -v ptxas || echo /usr/local/cuda/bin/ptxas)
if [ ! -x "$ptxas" ]; then
    skip "machine code of ptxas" "no ptxas"
    finish
fi
cat >k.ptx <<'END'
.version 7.0
.target sm_75
.address_size 64
.const .b32 factor = 3;
.global .b32 count[2] = {5, 7};
.global .u64 where = count;
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.visible .entry nothing() { ret; }
.visible .entry big(.param .b64 to, .param .b32 n, .param .align 4 .b8 s[20])
.maxntid 64, 2, 1
{
    .reg .b32 %r<4>;
    .reg .b64 %d<3>;
    .shared .b32 kept[64];
    ld.param.u64 %d1, [to];
    cvta.to.global.u64 %d1, %d1;
    ld.param.u32 %r1, [n];
    ld.const.u32 %r2, [factor];
    mul.lo.u32 %r1, %r1, %r2;
    mov.u32 %r3, %tid.x;
    st.shared.u32 [kept], %r3;
    bar.sync 0;
    ld.shared.u32 %r3, [kept];
    add.u32 %r1, %r1, %r3;
    ld.global.u32 %r2, [count+4];
    add.u32 %r1, %r1, %r2;
    st.global.u32 [%d1], %r1;
    ret;
}
END
for sm in 75 80 86 89 90; do
    expect "ptxas for sm_$sm" 0 -- "$ptxas" -arch=sm_$sm k.ptx -o $sm.cubin
    expect "sm_$sm: what is in it" 0 "^code for sm_$sm, linked" \
        '^kernel nothing' '^kernel big' '^    0: 8 bytes at 0$' \
        '^    2: 20 bytes at 12$' '0x17 KPARAM_INFO' -- \
        "$heddle" disasm --info $sm.cubin
    expect "sm_$sm: its code" 0 "^// code for sm_$sm" '^nothing:' '^big:' \
        '^\[B------:R-:W-:[-Y]:S..\] /\*0000\*/  .* ;  */\* 0x' -- \
        "$heddle" disasm $sm.cubin
    expect "sm_$sm: one kernel" 0 '^big:' -- "$heddle" disasm -k big $sm.cubin
    expect "and no other" 1 -- grep -q '^nothing:' "$out"
done
expect "a kernel that is not there" 4 "no function 'none': --info" -- \
    "$heddle" disasm -k none 80.cubin

# What does not fit the GPU, or cannot be run at all.
expect "of a later GPU" 4 "for sm_86, but the GPU.* capability 8.0" -- \
    "$heddle" run -g a100 86.cubin
expect "of another family" 4 'for hopper, but the GPU' -- \
    "$heddle" run -g a100 --set gpu.capability=90 90.cubin
if "$ptxas" -arch=sm_100 k.ptx -o 100.cubin 2>log; then
    expect "of a GPU that Heddle does not know" 4 'machine code of sm_100' -- \
        "$heddle" run -g h100 100.cubin
fi
expect "an object" 0 -- "$ptxas" -c -arch=sm_80 k.ptx -o object.cubin
expect "has to be linked" 4 'has to be linked first: nvlink -arch=sm_80' -- \
    "$heddle" run -g a100 object.cubin
head -c 1000 80.cubin >short.cubin
expect "one that is cut off" 4 'short.cubin: error: the file is damaged' -- \
    "$heddle" run -g a100 short.cubin

# The machine code in programs of CUDA.
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
expect "--code takes two words" 2 "'elf' is neither ptx nor sass" -- \
    "$heddle" exec --code elf -- true
if [ ! -x "$nvcc" ] || [ ! -e "$(dirname "$heddle")/libheddle-cuda.so" ] ||
    sanitized; then
    skip "machine code in programs" "no nvcc, or no libheddle-cuda.so for it"
    finish
fi
cat >p.cu <<'END'
#include <stdio.h>
__global__ void k(int *p) { p[threadIdx.x] = 3 * threadIdx.x; }
int main(void)
{
    int *d, h[4] = {0};
    cudaMalloc(&d, sizeof h);
    k<<<1, 4>>>(d);
    cudaError_t e = cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d: %d %d %d %d\n", cudaGetLastError() + e, h[0], h[1], h[2], h[3]);
}
END
expect "nvcc" 0 -- "$nvcc" -gencode 'arch=compute_75,code=[compute_75,sm_75]' p.cu -o p
expect "its PTX runs" 0 '^0: 0 3 6 9$' -- "$heddle" exec -q -g a100 -- ./p
expect "there is no machine code for the GPU" 0 \
    'no machine code that a GPU of capability 8.0 could run, only PTX for sm_75' \
    'heddle exec --code ptx' -- "$heddle" exec -q -g a100 --code sass -- ./p
"$nvcc" -gencode arch=compute_80,code=sm_80 p.cu -o p
expect "there is no PTX" 0 'it has no PTX.*heddle exec --code sass' -- \
    "$heddle" exec -q -g a100 -- ./p
finish
