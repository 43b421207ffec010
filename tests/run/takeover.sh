#!/bin/sh
# tests/run/takeover.sh - programs that bring a CUDA runtime with them, what
# `heddle exec` lets all programs load, and that it disturbs nobody.
. "$(dirname "$0")/../lib.sh"
need_heddle
cd "$tmp" || exit 1
build=$(dirname "$heddle")
if sanitized || [ ! -e "$build/libheddle-preload.so" ]; then
    skip takeover "no libheddle-preload.so for programs without sanitizers"
    finish
fi
if ! command -v cc >/dev/null; then
    skip takeover "no C compiler"
    finish
fi
run() { "$heddle" exec -q -o report.txt -- "$@"; }

# Like a runtime that is linked statically: it answers -1.
cat >runtime.c <<'END'
#include <dlfcn.h>
__attribute__((section(".nv_fatbin"))) char code[8];
void *load(void) { return dlopen("libcuda.so.1", RTLD_NOW); }
void **__cudaRegisterFatBinary(void *code) { return code; }
int cudaRuntimeGetVersion(int *v)
{
    for (int i = 0; i < 3; i++)
        *v = -1;
    return 0;
}
END
cat >main.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int cudaRuntimeGetVersion(int *v);
int main(int argc, char **argv)
{
    int v = 0;
    cudaRuntimeGetVersion(&v);
    printf("version %d, %s, %s\n", v, argv[argc - 1], getenv("HOME"));
    return v > 0 ? 3 : 4;
}
END
# A library with such a runtime, which its constructor uses.
cat >early.c <<'END'
int cudaRuntimeGetVersion(int *v);
static int version;
__attribute__((constructor)) static void early(void)
{
    cudaRuntimeGetVersion(&version);
}
int early_version(void) { return version; }
END
cat >late.c <<'END'
#include <stdio.h>
int early_version(void);
int main(void)
{
    printf("version %d\n", early_version());
    return early_version() > 0 ? 3 : 4;
}
END
expect "compiles" 0 -- cc -O0 main.c runtime.c -o inside
expect "a program of its own asks its own" 4 'version -1' -- ./inside
for kind in -pie -no-pie; do
    # shellcheck disable=SC2086  # an option or none
    cc -O0 ${kind#-pie} main.c runtime.c -o inside
    expect "$kind: its runtime is Heddle's" 3 "version [1-9].*, arg, $HOME\$" -- \
        run ./inside arg
done
cc -O0 -s main.c runtime.c -o stripped
expect "a stripped one is told how to link" 4 \
    "heddle: $tmp/stripped: its CUDA runtime.*-cudart shared" 'version -1' -- \
    run ./stripped
cc -O0 -shared -fPIC early.c runtime.c -Wl,-Bsymbolic -o libearly.so
cc late.c ./libearly.so -o late
expect "one in a library, before its constructors" 3 'version [1-9]' -- \
    run ./late
expect "which otherwise are its own" 4 'version -1' -- ./late
cc -O0 -s -shared -fPIC early.c runtime.c -Wl,-Bsymbolic \
    -Wl,-soname,libnppc.so.12 -o libnppc.so.12
cc late.c ./libnppc.so.12 -Wl,-rpath,"$tmp" -o vendor
expect "the vendor's libraries are told by their names" 4 \
    "heddle: $tmp/libnppc.so.12: there is no NPP on Heddle" 'version -1' -- \
    run ./vendor
rm libnppc.so.12
run ./vendor >lost.txt 2>&1
expect "also where they are missing" 0 \
    "'./vendor' needs libnppc.so.12: there is no NPP on Heddle" -- \
    cat report.txt

# Programs that have nothing to do with it.
expect "the user's libraries stay" 0 \
    '^LD_PRELOAD=[^:]*/libheddle-preload.so:libm.so.6$' \
    '^LD_LIBRARY_PATH=[^:]*/cuda:/nowhere$' \
    '^ASAN_OPTIONS=.*:halt_on_error=1$' -- \
    env LD_PRELOAD=libm.so.6 LD_LIBRARY_PATH=/nowhere \
    ASAN_OPTIONS=halt_on_error=1 "$heddle" exec -q -o report.txt -- env
if echo 'int main(void) { return 5; }' >asan.c &&
    cc -fsanitize=address asan.c -o asan 2>/dev/null && ./asan; [ $? = 5 ]; then
    expect "AddressSanitizer takes a library before its own" 5 -- run ./asan
else
    skip "AddressSanitizer" "it does not work here"
fi
mkdir "a b"
cp "$heddle" "$build/libheddle-opencl.so" "$build/libheddle-preload.so" "a b"
expect "a blank in the folder's name is told" 0 'has a blank' -- \
    "a b/heddle" exec -q -o report.txt true

# What nvcc makes.
if ! command -v nvcc >/dev/null; then
    skip "programs of nvcc" "no nvcc"
    finish
fi
cat >add.cu <<'END'
#include <cstdio>
__global__ void add(int *a, int n)
{
    if (threadIdx.x < n)
        a[threadIdx.x] += threadIdx.x;
}
int main()
{
    int *a, h[64], sum = 0;
    for (int i = 0; i < 64; i++)
        h[i] = 1000;
    cudaMalloc(&a, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    add<<<1, 64>>>(a, 64);
    cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++)
        sum += h[i];
    printf("sum %d, %s\n", sum, cudaGetErrorString(cudaGetLastError()));
}
END
for option in "" "-cudart shared" "-Xcompiler -no-pie" "-rdc=true"; do
    # shellcheck disable=SC2086  # options
    expect "nvcc $option" 0 -- nvcc $option add.cu -o add
    # 64 times 1000, and 0 to 63.
    expect "nvcc $option runs" 0 'sum 66016, no error' -- run ./add
    expect "nvcc $option is reported" 0 'add.* 1 ' -- cat report.txt
done
nvcc add.cu -o add && strip add
expect "nvcc's stripped one is told" 0 'its CUDA runtime is linked statically' -- \
    run ./add
finish
