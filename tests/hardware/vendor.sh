#!/bin/sh
# tests/hardware/vendor.sh BUILD [PTXAS] - compares the reference with what
# NVIDIA's ptxas computes of constant operands; a table to standard output:
# family, form, vectors, NaNs of other bits, close, wrong, ulp. A minute or two.
set -eu
fold=${1:?usage: vendor.sh BUILD [PTXAS]}/hardware_fold
ptxas=${2:-ptxas}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
count=$("$fold" count)
first=0
while [ "$first" -lt "$count" ]; do
    "$fold" ptx "$first" 100 >"$tmp/a.ptx"
    "$ptxas" -arch=sm_90 -O3 "$tmp/a.ptx" -o "$tmp/a.cubin"
    "$fold" read "$first" 100 "$tmp/a.cubin"
    first=$((first + 100))
done
