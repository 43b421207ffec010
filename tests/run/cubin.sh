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

# What they compute: the buffer's first word is n times factor, the thread that
# was last, and count[1].
for run in 80:a100 90:h100; do
    sm=${run%:*} gpu=${run#*:}
    expect "sm_$sm runs" 0 -- "$heddle" run -g "$gpu" "$sm.cubin" -k big -b 1 \
        --arg to=buf:u32[1]=zero --arg 5 --arg '{u32:0,u32:0,u32:0,u32:0,u32:0}' \
        --dump "to=$sm.bin"
    expect "sm_$sm: 5 times 3 and 7" 0 '^ *22$' -- od -An -t u4 "$sm.bin"
    expect "sm_$sm: too many threads" 2 'compiled for at most 128' -- \
        "$heddle" run -g "$gpu" "$sm.cubin" -k big -b 256 --arg buf:u32[1]=zero \
        --arg 5 --arg '{u32:0,u32:0,u32:0,u32:0,u32:0}'
    "$heddle" compile -g "$gpu" "$sm.cubin" -o "$sm.hobj"
    expect "sm_$sm: an object file of it" 0 -- "$heddle" run -g "$gpu" "$sm.hobj" \
        -k big -b 1 --arg to=buf:u32[1]=zero --arg 5 \
        --arg '{u32:0,u32:0,u32:0,u32:0,u32:0}' --expect "to=$sm.bin"
done
cat >l.yaml <<'END'
program: 80.cubin
buffers: {to: {type: u32, count: 1, init: zero}}
launches:
  - {kernel: big, grid: 1, block: 1,
     args: [to, 5, {struct: [{u32: 0}, {u32: 0}, {u32: 0}, {u32: 0}, {u32: 0}]}]}
expect: {to: 80.bin}
END
expect "from a launch file" 0 -- "$heddle" run -g a100 --launch l.yaml

expect "beside its PTX" 0 '^k.ptx | 80.cubin  *[0-9,]*  *[0-9,]* ' '^issue slots' -- \
    "$heddle" diff -g a100 k.ptx 80.cubin -k big -b 1 --arg to=buf:u32[1]=zero \
    --arg 5 --arg '{u32:0,u32:0,u32:0,u32:0,u32:0}'
expect "files have one code" 2 "'code=sass' is of CUDA programs.*diff k.ptx" -- \
    "$heddle" compare -g a100 --with code=sass k.ptx -k big \
    --arg to=buf:u32[1]=zero --arg 5 --arg '{u32:0,u32:0,u32:0,u32:0,u32:0}'

# What does not fit the GPU, or cannot be run at all.
expect "of a later GPU" 4 "for sm_86, but the GPU.* capability 8.0" -- \
    "$heddle" run -g a100 86.cubin
expect "of another family" 4 'for hopper, but the GPU' -- \
    "$heddle" run -g a100 --set gpu.capability=90 90.cubin
if "$ptxas" -arch=sm_100 k.ptx -o 100.cubin 2>log; then
    expect "of a GPU that Heddle does not know" 4 'machine code of sm_100' -- \
        "$heddle" run -g h100 100.cubin
fi
cat >cluster.ptx <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry k() .reqnctapercluster 2, 1, 1 { ret; }
END
"$ptxas" -arch=sm_90 cluster.ptx -o cluster.cubin
expect "in clusters" 0 'machine code' -- \
    "$heddle" run -g h100 cluster.cubin --grid 4 -b 32
expect "an object" 0 -- "$ptxas" -c -arch=sm_80 k.ptx -o object.cubin
expect "has to be linked" 4 'has to be linked first: nvlink -arch=sm_80' -- \
    "$heddle" run -g a100 object.cubin
head -c 1000 80.cubin >short.cubin
expect "one that is cut off" 4 'short.cubin: error: the file is damaged' -- \
    "$heddle" run -g a100 short.cubin

# Containers of code for several GPUs, and programs that have them in them.
fatbinary=${ptxas%/*}/fatbinary
if [ -x "$fatbinary" ]; then
    "$fatbinary" --create=k.fatbin "--image3=kind=elf,sm=75,file=75.cubin" \
        "--image3=kind=elf,sm=80,file=80.cubin" "--image3=kind=ptx,sm=75,file=k.ptx"
    for run in 'a100:; machine code, ' 'h100:; [0-9]* registers'; do
        gpu=${run%%:*}
        expect "$gpu takes its own, or PTX" 0 "block 1x1x1${run#*:}" -- \
            "$heddle" run -g "$gpu" k.fatbin -k big -b 1 --arg to=buf:u32[1]=zero \
            --arg 5 --arg '{u32:0,u32:0,u32:0,u32:0,u32:0}' --expect to=80.bin
    done
    expect "what is in it" 0 '^// part 1: machine code for sm_75, ' \
        '^// part 1: machine code for sm_80, ' '^// part 1: PTX for sm_75, ' \
        '^// code for sm_75' '^// code for sm_80' -- "$heddle" disasm k.fatbin
    expect "one of them" 0 '^\.target sm_80' -- \
        "$heddle" disasm --arch sm_80 --source k.fatbin
    expect "not both" 4 'for one cubin, and here are 2: choose with --arch' -- \
        "$heddle" disasm --source k.fatbin
    expect "a function of none" 4 "no function 'none'" -- \
        "$heddle" disasm -k none k.fatbin
    expect "no architecture" 2 "'8x' is no architecture" -- \
        "$heddle" disasm --arch 8x k.fatbin
    head -c 500 k.fatbin >short.fatbin
    expect "a container that is cut off" 4 'short.fatbin: .*corrupt or truncated' -- \
        "$heddle" run -g a100 short.fatbin
else
    skip "containers" "no fatbinary"
fi

# The machine code in programs of CUDA.
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
expect "--code takes three words" 2 "'elf' is none of auto, ptx and sass" -- \
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
expect "there is no PTX" 0 'it has no PTX.*heddle exec --code auto' -- \
    "$heddle" exec -q -g a100 --code ptx -- ./p
for code in auto sass; do
    expect "its machine code runs, $code" 0 '^0: 0 3 6 9$' -- \
        "$heddle" exec -q -g a100 --code $code -- ./p
done
expect "asked for in the environment" 0 '^0: 0 3 6 9$' -- \
    env HEDDLE_CODE=sass "$heddle" exec -q -g a100 -- ./p

# Where both are there: machine code, unless something is asked of the compiler.
# code_of OPTION...: which code its launches ran, of each kernel once.
code_of() {
    "$heddle" exec -q -g "${on-a100}" -f json -o report.json "$@" >/dev/null 2>told ||
        return
    jq -r '.processes[].launches[] | .kernel + " " + .code' report.json |
        sort -u | tr '\n' ' '
    echo
    cat told
}
expect "nvcc, both" 0 -- "$nvcc" -arch=sm_80 p.cu -o p
expect "what is in a program" 0 '^// part 1: machine code for sm_80' \
    '^\[B.*EXIT ;' -- "$heddle" disasm p
expect "machine code, if nothing is said" 0 '^k sass $' -- code_of -- ./p
expect "the report says so" 0 'block 4x1x1; machine code, [0-9]* registers' -- \
    "$heddle" exec -q -g a100 -o - -- ./p
expect "PTX, if it is said" 0 '^k ptx $' -- code_of --code ptx -- ./p
for option in --max-registers=32 --set=sm.uniform.compiled=true; do
    expect "PTX with $option" 0 '^k ptx $' -- code_of $option -- ./p
    expect "but not where sass is said" 0 '^k sass $' -- \
        code_of $option --code sass -- ./p
done

# Both beside each other, kernel by kernel.
expect "compared by code" 0 '^base  *code=ptx' '^variant  *code=sass' \
    '^  k  *[0-9,]*  *[0-9,]*  *[0-9.]* x  [+-][0-9.]* % instructions' \
    '^issue slots' -- "$heddle" compare -g a100 --by-kernel \
    --against code=ptx --with code=sass -- ./p
expect "each side as it is alone" 0 '^true$' -- sh -c '
    "$0" compare -q -g a100 --against code=ptx --with s:code=sass -f json -- ./p >c.json
    for code in ptx sass; do
        "$0" exec -q -g a100 --code $code -f csv -o $code.csv -- ./p >/dev/null
    done
    jq --rawfile a ptx.csv --rawfile b sass.csv "
        def cycles: split(\"\n\") | (.[0] / \",\" | index(\"cycles\")) as \$i |
            .[1] / \",\" | .[\$i] | tonumber;
        [.comparisons[0].workloads[0].runs[].cycles] ==
            [(\$a | cycles), (\$b | cycles)]" c.json' "$heddle"
expect "code has three words" 2 'code is auto, ptx or sass' -- \
    "$heddle" compare -g a100 --with code=elf -- ./p

# One that Heddle has for PTX alone: both kernels have the module's variables.
cat >t.cu <<'END'
#include <stdio.h>
__constant__ int step = 3;
__device__ int sum[4];
__global__ void k(int *p)
{
    p[threadIdx.x] = step * threadIdx.x;
    sum[threadIdx.x] += step;
}
__global__ void t(const int *of, int *p)
{
    int i = threadIdx.x;
    asm volatile("pmevent 1;");
    p[i] += of[i] + step + sum[i]++;
}
int main(int argc, char **argv)
{
    int *d, *e, h[4] = {10, 20, 30, 40}, five = 5;
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&e, sizeof h);
    cudaMemcpy(e, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(step, &five, sizeof five);
    k<<<1, 4>>>(d);
    if (argc > 1) {
        t<<<1, 4>>>(e, d);
        t<<<1, 4>>>(e, e);
    }
    k<<<1, 4>>>(e);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d: %d %d %d %d", cudaGetLastError(), h[0], h[1], h[2], h[3]);
    cudaMemcpyFromSymbol(h, sum, sizeof h);
    printf("; %d %d %d %d\n", h[0], h[1], h[2], h[3]);
}
END
expect "nvcc, events" 0 -- "$nvcc" -arch=sm_80 t.cu -o t
expect "what is not launched is not told" 0 '^k sass $' -- code_of -- ./t
expect "the other kernel runs by its PTX" 0 '^k sass t ptx ' \
    "^heddle: program 1: kernel 't' runs by PTX, since by machine code" -- \
    code_of -- ./t more
expect "which is told once" 0 '^1$' -- grep -c heddle told
for code in auto ptx; do
    expect "the results, $code" 0 '^0: 20 35 50 65; 12 12 12 12$' -- \
        "$heddle" exec -q -g a100 --code $code -- ./t more
done

# Addresses of functions are others in PTX: all of the module runs by that.
cat >f.cu <<'END'
#include <stdio.h>
typedef int (*op)(int);
__device__ int twice(int x) { return 2 * x; }
__device__ int third(int x) { return x / 3; }
__device__ op table[2] = {twice, third};
__global__ void k(int *p, int n) { p[threadIdx.x] = table[n](p[threadIdx.x]); }
__global__ void t(const int *of, int *p)
{
    asm volatile("pmevent 1;");
    p[threadIdx.x] = table[1](of[0]);
}
int main()
{
    int *d, h[4] = {3, 6, 9, 12};
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    k<<<1, 4>>>(d, 0);
    k<<<1, 4>>>(d, 1);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d: %d %d %d %d\n", cudaGetLastError(), h[0], h[1], h[2], h[3]);
}
END
expect "nvcc, addresses" 0 -- "$nvcc" -arch=sm_80 f.cu -o f
expect "all of it by PTX" 0 '^k ptx $' 'its kernels run by PTX, since by' -- \
    code_of -- ./f
expect "addresses: the results" 0 '^0: 2 4 6 8$' -- \
    "$heddle" exec -q -g a100 -- ./f
cat >c.cu <<'END'
#include <cooperative_groups.h>
#include <stdio.h>
__global__ void k(int *p)
{
    p[blockIdx.x] = cooperative_groups::this_cluster().block_rank();
}
int main()
{
    int *d, h[4];
    cudaMalloc(&d, sizeof h);
    cudaLaunchConfig_t c = {};
    cudaLaunchAttribute a[1];
    c.gridDim = 4;
    c.blockDim = 32;
    a[0].id = cudaLaunchAttributeClusterDimension;
    a[0].val.clusterDim.x = 2;
    a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
    c.attrs = a;
    c.numAttrs = 1;
    cudaLaunchKernelEx(&c, k, d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d: %d %d %d %d\n", cudaGetLastError(), h[0], h[1], h[2], h[3]);
}
END
expect "nvcc, clusters" 0 -- "$nvcc" -arch=sm_90 c.cu -o c
expect "clusters run" 0 '^0: 0 1 0 1$' -- "$heddle" exec -q -g h100 -- ./c
expect "by machine code" 0 '^k sass $' -- eval "on=h100 code_of -- ./c"
expect "nvcc, events, no PTX" 0 -- \
    "$nvcc" -gencode arch=compute_80,code=sm_80 t.cu -o t
expect "without PTX the others run" 0 "kernel '_Z1tPKiPi' cannot run: 1 of its" \
    '^98: 0 5 10 15; 10 10 10 10$' -- "$heddle" exec -q -g a100 -- ./t more

# Machine code and PTX of the same source do the same: stacks, calls by address
# and virtual ones, what the run-time does, constants, switches; in parts.
cp "$root/tests/run/programs/machine_code.cu" "$root/tests/run/programs/parts.cu" .
for run in 80:a100 90:h100; do
    sm=${run%:*} gpu=${run#*:}
    expect "nvcc for sm_$sm" 0 -- "$nvcc" -w -rdc=true "-arch=sm_$sm" \
        machine_code.cu parts.cu -o "parts_$sm"
    expect "nvcc for sm_$sm, whole" 0 -- "$nvcc" -w "-arch=sm_$sm" -DWHOLE \
        machine_code.cu -o "whole_$sm"
    for kind in parts whole; do
        for code in ptx sass; do
            expect "$kind for sm_$sm, $code" 0 '^done$' -- "$heddle" exec -q \
                -o report.txt -g "$gpu" --code $code -- "./${kind}_$sm"
            cp "$out" $code.out
        done
        expect "$kind for sm_$sm: the same" 0 -- cmp ptx.out sass.out
    done
done
finish
