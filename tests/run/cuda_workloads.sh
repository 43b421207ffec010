#!/bin/sh
# tests/run/cuda_workloads.sh - the CUDA programs of workloads/ give the CPU's
# results, and take the cycles that the same kernels take from launch files.
. "$(dirname "$0")/../lib.sh"
need_heddle
build=$(dirname "$heddle")
programs=$build/workloads/cuda
if [ ! -x "$programs/vecadd" ]; then
    skip cuda_workloads "built without CUDA programs"
    finish
fi

suite() { "$heddle" suite run "$root/workloads/cuda" -j "$(nproc)" "$@"; }
expect "all programs, only their results" 0 '^[0-9]* programs: [0-9]* pass (' \
    -- suite --functional
names() { "$heddle" suite list "$1" | sed '1d; s/ .*//' | sort; }
names "$root/workloads" >"$tmp/opencl"
names "$root/workloads/cuda" >"$tmp/cuda"
expect "each is one of the OpenCL programs" 0 -- test -z \
    "$(comm -13 "$tmp/opencl" "$tmp/cuda")"
ls "$programs" >"$tmp/built"
"$heddle" suite list "$root/workloads/cuda" --tag variant |
    sed '1d; s/ .*//' | sort >"$tmp/variants"
comm -23 "$tmp/cuda" "$tmp/variants" >"$tmp/plain"
expect "the suite has all that are built" 0 -- cmp "$tmp/built" "$tmp/plain"
expect "help says of what" 0 'sum of two vectors, by CUDA' -- \
    "$heddle" exec -q -o "$tmp/report" "$programs/vecadd" --help
expect "a device that is not there" 77 'SKIP: no device 9; there are 1' -- \
    "$heddle" exec "$programs/vecadd" --device 9

# ---- They need no compiler where they run ----
no_clang() { HEDDLE_CLANG=/nowhere/clang XDG_CACHE_HOME="$tmp/cache" "$@"; }
expect "a suite of CUDA programs without a clang" 0 '^2 programs: 2 pass' -- \
    no_clang suite --functional vecadd bfs
expect "a comparison" 0 '^  of 1 workload' -- no_clang "$heddle" compare \
    l1-size "$root/workloads/cuda" vecadd
cat >"$tmp/suite.yaml" <<S
programs:
  - {name: shell, run: "'$programs/vecadd' --size 100 | cat"}
  - {name: both, run: [cat, "$programs/vecadd"]}
S
expect "a shell's" 0 '^1 programs*: 1 pass' -- \
    no_clang "$heddle" suite run "$tmp" shell
expect "another program's argument does not count" 125 'need a compiler' -- \
    no_clang "$heddle" suite run "$tmp"
cat >"$tmp/plan.yaml" <<'P'
gpus: [gtx480]
axes: {l1: {small: {l1.ways: 4}, large: {l1.ways: 8}}}
base: {l1: small}
workloads: [.]
P
sed -i /both/d "$tmp/suite.yaml"
expect "a sweep" 0 -- no_clang "$heddle" sweep "$tmp/plan.yaml" \
    -o "$tmp/points" -q

# ---- Cycles ----
# What the program holds is what `run` gets. Kernels of several buffers depend
# on where each lies; those two do not.
if [ "$(sed -n 's/^HEDDLE_CUDA_COMPILER:[^=]*=//p' "$build/CMakeCache.txt")" ] ||
    ! "$root/tools/ptxcc" "$root/workloads/nbody/kernel.cu" -o "$tmp/k.ptx"
then
    skip "cycles of a launch file" "not compiled by a clang"
    finish
fi
launches='[.. | objects | select(has("cycles") and has("kernel")) |
    [.kernel, .cycles, .warp_instructions]] | unique'
for name in nbody mandelbrot; do
    "$root/tools/ptxcc" "$root/workloads/$name/kernel.cu" -o "$tmp/k.ptx"
    gen $name 256
    expect "$name by a launch file" 0 -- sh -c "'$heddle' run '$tmp/k.ptx' \
        --launch '$tmp/$name/launch.yaml' --gpu k20 -f json >'$tmp/run'"
    expect "$name as a program" 0 PASS -- "$heddle" exec --gpu k20 -f json \
        -o "$tmp/exec" "$programs/$name" --size 256
    jq "$launches" "$tmp/run" >"$tmp/run.launches"
    jq "$launches" "$tmp/exec" >"$tmp/exec.launches"
    expect "$name is there" 0 "\"$name\"" -- cat "$tmp/run.launches"
    expect "$name takes the same cycles" 0 -- \
        cmp "$tmp/run.launches" "$tmp/exec.launches"
done
finish
