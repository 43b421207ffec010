#!/bin/sh
# tests/run/builtins.sh - every built-in function of OpenCL C, in every type and
# width, has a body for PTX: tests/opencl/builtins.py calls them all, and
# nothing of it may stay undefined.
. "$(dirname "$0")/../lib.sh"
command -v python3 >/dev/null || {
    skip builtins "no python3"
    finish
}

# Says what stays undefined in what clang makes of a part.
undefined() { # PART
    [ "$1" = newer ] && standard=-cl-std=CL3.0 || standard=-cl-std=CL1.2
    python3 "$root/tests/opencl/builtins.py" "$1" >"$tmp/$1.cl" &&
        "$root/tools/ptxcc" "$tmp/$1.cl" -o "$tmp/$1.ll" \
            "$standard" -O0 -Xclang -disable-llvm-passes -emit-llvm || return 1
    sed -n 's/^declare.*@\([^(]*\)(.*/\1/p' "$tmp/$1.ll" |
        grep -v -e '^llvm\.' -e '^vprintf$' >"$tmp/missing"
    head -n 5 "$tmp/missing"
    echo "$(grep -c '^define.*@k_' "$tmp/$1.ll") kernels," \
        "$(wc -l <"$tmp/missing") undefined"
}
need_opencl_c
for part in $(python3 "$root/tests/opencl/builtins.py" --list); do
    expect "$part" 0 '^[1-9][0-9]* kernels, 0 undefined$' -- \
        undefined "$part"
done
finish
