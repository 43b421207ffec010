#!/bin/sh
# tests/run/nvrtc.sh - programs that compile CUDA C++ themselves, by NVRTC, and
# run it.
. "$(dirname "$0")/../lib.sh"
need_heddle
cd "$tmp" || exit 1
build=$(dirname "$heddle")
echo '__global__ void k() {}' >k.cu
if sanitized || [ ! -e "$build/cuda/libnvrtc.so.12" ] ||
    ! command -v cc >/dev/null || ! "$root/tools/ptxcc" k.cu -o k.ptx; then
    skip nvrtc "no stand-in for programs without sanitizers, or no compiler"
    finish
fi
cat >main.c <<'E2'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef void *ptr;
static void *rtc, *cu;
#define RTC(name) ((int (*)())dlsym(rtc, "nvrtc" #name))
#define CU(name) ((int (*)())dlsym(cu, "cu" #name))
static const char source[] =
    "#include \"sub/twice.h\"\n"
    "template <class T> __global__ void scale(T *a, T by, int n)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    clock_t none = 0;\n"
    "    if (i < n) a[i] = twice(a[i]) * by + ADD + none;\n"
    "}\n";
static const char wrong[] = "__global__ void f() { int i = nothing; }\n";
static const char header[] =
    "template <class T> __device__ T twice(T v) { return v + v; }\n";

static int compile(const char *text, const char *option, ptr *p)
{
    const char *headers[] = {header}, *names[] = {"sub/twice.h"};
    const char *options[] = {"--gpu-architecture=compute_70", "-D", "ADD=0.5f",
                             "--std=c++14", "-lineinfo", option};
    if (RTC(CreateProgram)(p, text, "mine.cu", 1, headers, names))
        exit(20);
    RTC(AddNameExpression)(*p, "scale<float>");
    return RTC(CompileProgram)(*p, option ? 6 : 5, options);
}

static void say_log(ptr p)
{
    size_t n;
    if (RTC(GetProgramLogSize)(p, &n))
        exit(21);
    char *log = malloc(n);
    RTC(GetProgramLog)(p, log);
    printf("log %d: %s\n", strlen(log) + 1 == n, log);
}

static void launch(const char *ptx, const char *name)
{
    ptr context, module, kernel;
    unsigned long long at;
    float a[100], by = 3;
    int n = 100, good = 0;
    void *args[] = {&at, &by, &n};
    for (int i = 0; i < n; i++)
        a[i] = (float)i;
    if (CU(Init)(0) || CU(CtxCreate_v2)(&context, 0, 0) ||
        CU(ModuleLoadData)(&module, ptx) ||
        CU(ModuleGetFunction)(&kernel, module, name))
        exit(22);
    CU(MemAlloc_v2)(&at, sizeof a);
    CU(MemcpyHtoD_v2)(at, a, sizeof a);
    CU(LaunchKernel)(kernel, 2, 1, 1, 64, 1, 1, 0, (ptr)0, args, (ptr)0);
    CU(MemcpyDtoH_v2)(a, at, sizeof a);
    for (int i = 0; i < n; i++)
        good += a[i] == 2.0f * (float)i * 3 + 0.5f;
    printf("%d of %d right\n", good, n);
}

int main(int argc, char **argv)
{
    ptr p;
    size_t n;
    const char *name = "none";
    rtc = dlopen(argv[1], RTLD_NOW);
    cu = dlopen("libcuda.so.1", RTLD_NOW);
    if (!rtc || !cu)
        return 10;
    if (argc > 2) {
        int code = compile(!strcmp(argv[2], "wrong") ? wrong : source,
                           argv[2][0] == '-' ? argv[2] : 0, &p);
        printf("code %d %s\n", code,
               ((const char *(*)(int))dlsym(rtc, "nvrtcGetErrorString"))(code));
        say_log(p);
        printf("size %d\n", RTC(GetPTXSize)(p, &n));
        return 0;
    }
    if (compile(source, 0, &p)) {
        say_log(p);
        return 11;
    }
    say_log(p);
    RTC(GetPTXSize)(p, &n);
    size_t same = 0;
    if (RTC(GetCUBINSize)(p, &same) || same != n)
        return 13;
    char *ptx = malloc(n);
    RTC(GetCUBIN)(p, ptx);
    if (RTC(GetLoweredName)(p, "scale<float>", &name))
        return 12;
    printf("name %s, other %d, PTX %d\n", name,
           RTC(GetLoweredName)(p, "scale<int>", &name),
           strlen(ptx) + 1 == n && !strstr(ptx, "heddle_name"));
    launch(ptx, name);
    return RTC(DestroyProgram)(&p) || p;
}
E2
expect "compiles" 0 -- cc -w main.c -ldl -o main
run() { "$heddle" exec -q -o report -- "$@"; }
for file in libnvrtc.so.11.2 libnvrtc.so.12 libnvrtc.so.13; do
    expect "$file" 0 '^name _Z5scaleIfEvPT_S0_i, other 10, PTX 1$' \
        '^log 1: $' '^100 of 100 right$' -- run ./main $file
done
expect "reported, with its name" 0 'scale<float>' -- cat report
expect "what is wrong, in the compiler's words" 0 \
    '^code 6 NVRTC_ERROR_COMPILATION' '^log 1: mine.cu:1:.*error: use of ' \
    '^size 4$' -- run ./main libnvrtc.so.12 wrong
expect "an option that is not there" 0 '^code 5 ' \
    "^log 1: unknown option '--nothing'" -- run ./main libnvrtc.so.12 --nothing
expect "all is of the device" 0 '^code 0 ' -- \
    run ./main libnvrtc.so.12 -default-device
expect "fast" 0 '^code 0 ' -- run ./main libnvrtc.so.12 --use_fast_math
expect "apart" 0 '^code 0 ' -- run ./main libnvrtc.so.12 -rdc=true
expect "no compiler" 0 '^code 6 ' 'log 1: .*nowhere' -- \
    env HEDDLE_CLANG=/nowhere/clang "$heddle" exec -q -o report -- ./main \
    libnvrtc.so.12 x
mkdir t
TMPDIR=$tmp/t run ./main libnvrtc.so.12 >/dev/null
expect "nothing is left" 0 '^0$' -- sh -c 'ls t | wc -l'
finish
