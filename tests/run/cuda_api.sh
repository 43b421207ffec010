#!/bin/sh
# tests/run/cuda_api.sh - the types of the CUDA runtime API are declared as the
# vendor's headers have them: sizes, offsets, values. Needs a toolkit.
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1

nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
include=${CUDA_HOME:-$(dirname "$(dirname "$nvcc")")}/include
for needed in python3 cc c++; do
    command -v $needed >/dev/null || {
        skip cuda_api "no $needed"
        finish
    }
done
[ -e "$include/cuda_runtime_api.h" ] || {
    skip cuda_api "no CUDA toolkit"
    finish
}

expect "a list of types" 0 '^1[123]$' -- \
    python3 "$root/tests/run/cuda_api.py" "$root" "$include" .
expect "ours compiles" 0 -- cc -std=gnu11 -I "$root/src" -o ours ours.c
expect "the vendor's have all of it" 0 -- \
    c++ -w -I "$include" -o vendor vendor.cc
./ours >ours.txt
./vendor >vendor.txt
expect "enough is compared" 0 -- test "$(wc -l <ours.txt)" -gt 200
expect "all is the same" 0 -- diff ours.txt vendor.txt
finish
