#!/bin/sh
# tests/run/cuda_programs.sh - programs of tests/cuda/programs, which use the API
# as public ones do and check themselves, made by clang without a toolkit and by
# nvcc.
. "$(dirname "$0")/../lib.sh"
need_heddle
cd "$tmp" || exit 1
build=$(dirname "$heddle")
programs=$root/tests/cuda/programs
compile=$root/workloads/cuda/compile
if sanitized || [ ! -e "$build/libheddle-preload.so" ]; then
    skip cuda_programs "no libheddle-preload.so for programs without sanitizers"
    finish
fi
if ! command -v cc >/dev/null; then
    skip cuda_programs "no C compiler"
    finish
fi
names=$(find "$programs" -name '*.cu' -exec basename {} .cu \; | sort)
run() { "$heddle" exec -q -o report.txt "$@"; }

# Each on the GPUs that it asks for, and what it writes besides its verdict.
check() { # NAME PROGRAM
    case $1 in
    peer) expect "$2" 0 '^PASS$' -- \
        run --functional --gpu v100 --gpu v100 -- "$2" ;;
    services) expect "$2" 0 '^PASS$' '^thread 5 of take_down: 75, 18.75$' \
        '^thread 37 of take_down: 111, 27.75$' 'value < limit' -- \
        run --functional -- "$2" ;;
    functor) expect "$2" 0 '^PASS$' '^maximum of int: maximum 6$' -- \
        run --functional -- "$2" ;;
    *) expect "$2" 0 '^PASS$' -- run --functional -- "$2" ;;
    esac
}

# ---- clang ----
clang=$("$compile" --which || :)
case $clang in
'' | */nvcc) skip "programs of clang" "no clang" ;;
*)
    # shellcheck disable=SC2086  # the list is words
    printf '%s\n' $names | CC=cc xargs -P "$(nproc)" -I @ sh -c \
        "'$compile' '$programs/@.cu' --program -o @.o --cc '$clang' >@.log 2>&1"
    # A runtime to link with, which is asked for nothing: names alone.
    nm -u ./*.o | sed -n 's/^ *U \(\(__\)*cuda[A-Za-z0-9_]*\)$/\1/p' |
        sort -u | sed 's/.*/int &(void) { return -1; }/' >runtime.c
    echo 'libcudart.so.12 { global: *; };' >runtime.map
    expect "a runtime to link with" 0 -- cc -w -shared -fPIC runtime.c \
        -o libcudart.so.12 -Wl,-soname,libcudart.so.12 \
        -Wl,--version-script=runtime.map
    for name in $names; do
        expect "clang compiles $name" 0 -- \
            cc "$name.o" libcudart.so.12 -o "$name"
        check "$name" "./$name"
    done
    expect "timed" 0 '^PASS$' -- run -- ./pipeline
    expect "its kernels have cycles" 0 'square' 'add_all' -- cat report.txt
    expect "timed: a grid that waits" 0 '^PASS$' -- run -- ./cooperative
    ;;
esac

# ---- nvcc ----
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if ! command -v "$nvcc" >/dev/null; then
    skip "programs of nvcc" "no nvcc"
    finish
fi
# shellcheck disable=SC2086  # the list is words
printf '%s\n' $names | xargs -P "$(nproc)" -I @ sh -c \
    "'$nvcc' -gencode arch=compute_75,code=compute_75 '$programs/@.cu' -o nvcc_@ >@.log 2>&1"
for name in $names; do
    expect "nvcc compiles $name" 0 -- test -x "nvcc_$name"
    check "$name" "./nvcc_$name"
done
finish
