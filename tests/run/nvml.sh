#!/bin/sh
# tests/run/nvml.sh - programs that load or are linked to NVML, with no other
# library of CUDA.
. "$(dirname "$0")/../lib.sh"
need_heddle
cd "$tmp" || exit 1
build=$(dirname "$heddle")
if sanitized || [ ! -e "$build/cuda/libnvidia-ml.so.1" ] ||
    ! command -v cc >/dev/null; then
    skip nvml "no stand-in for programs without sanitizers, or no C compiler"
    finish
fi
cat >ask.c <<'E2'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    void *l = dlopen(argv[1], RTLD_NOW), *d;
    int (*init)(void) = l ? (int (*)(void))dlsym(l, "nvmlInit_v2") : 0;
    int (*get)(unsigned, void **) =
        l ? (int (*)(unsigned, void **))dlsym(l, "nvmlDeviceGetHandleByIndex")
          : 0;
    int (*name)(void *, char *, unsigned) =
        l ? (int (*)(void *, char *, unsigned))dlsym(l, "nvmlDeviceGetName")
          : 0;
    int (*heat)(void *, int, unsigned *) =
        l ? (int (*)(void *, int, unsigned *))dlsym(
                l, "nvmlDeviceGetTemperature")
          : 0;
    char text[96];
    unsigned t;
    if (!init || !get || !name || !heat)
        return printf("%s\n", dlerror()), 9;
    if (init() || get(0, &d) || name(d, text, sizeof text))
        return 8;
    printf("device %s, %d, %d\n", text, heat(d, 0, &t), heat(d, 0, &t));
    return argc - 2;
}
E2
expect "compiles" 0 -- cc ask.c -ldl -o ask
for file in libnvidia-ml.so.1 libnvidia-ml.so; do
    expect "$file" 0 '^device Tesla K20, 3, 3$' \
        'nvmlDeviceGetTemperature is not supported.*NVML_ERROR_NOT_SUPPORTED' \
        -- "$heddle" exec -q -o report --gpu k20 -- ./ask $file
done
expect "told once" 0 '^1$' -- sh -c "'$heddle' exec -q -o report -- ./ask \
    libnvidia-ml.so.1 2>&1 | grep -c Temperature"
echo 'int nvmlInit_v2(void); int main(void) { return nvmlInit_v2(); }' >linked.c
echo 'int nvmlInit_v2(void) { return 9; }' >vendor.c
cc -shared -fPIC -Wl,-soname,libnvidia-ml.so.1 vendor.c -o vendor.so
expect "is linked" 0 -- cc linked.c ./vendor.so -o linked
expect "a linked one" 0 -- "$heddle" exec -q -o report -- ./linked
finish
