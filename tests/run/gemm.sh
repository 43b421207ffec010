#!/bin/sh
# tests/run/gemm.sh - the ladder of matrix products computes what the host does,
# and tools/cuda_programs times programs on several GPUs.
. "$(dirname "$0")/../lib.sh"
need_heddle
build=$(dirname "$heddle")
gemm=$build/hardware_gemm
if sanitized || [ ! -x "$gemm" ]; then
    skip gemm "no hardware_gemm"
    finish
fi
cd "$tmp" || exit 1
run() { "$heddle" exec --functional -q -o report.txt "$@"; }

expect "steps are listed" 0 '^naive ' '^queue_128x256 ' -- "$gemm" --list
expect "no such step" 2 "no step 'fast'" -- "$gemm" --step fast
expect "no such length" 2 'is 1024 to 1048576' -- "$gemm" --length 12
# It compares elements with the host's, and fails if one differs.
expect "tensor cores" 0 '^gemm,mma,8192,' -- run --gpu a100 -- "$gemm" --step mma
expect "a step for newer GPUs" 0 'group_64x64: the device' -- \
    run --gpu a100 -- "$gemm" --step group_64x64

# ---- tools/cuda_programs --timed ----
vecadd=$build/workloads/cuda/vecadd
if [ ! -x "$vecadd" ]; then
    skip "timed programs" "no CUDA programs"
    finish
fi
tool=$root/tools/cuda_programs
{
    printf 'a\tadds\t%s\t%s --size 64\tsize=64\n' "$tmp" "$vecadd"
    printf 'a\tnone\t%s\t%s --size 64\ttimed=no*\n' "$tmp" "$vecadd"
    printf 'a\tother\t%s\t%s --size 64\tgpu=h100\tcheck=never\n' "$tmp" "$vecadd"
} >list
HEDDLE_BUILD=$build
export HEDDLE_BUILD
timed() { "$tool" --timed --gpu a100,h100 --results rows list; }
expect "both GPUs, one each" 0 \
    '^| a | adds | 64 | 1 | 1 | pass | [1-9][0-9,]* | [1-9]' \
    '^| a | other |  | 1 | 1 | - | - | - | - | input or' \
    '^| a | none | only `no\*` | 0 | 0 | pass | 0 | 0 | ' \
    '^a100: 2 of 2 programs pass, with 1 kernels' \
    '^h100: 2 of 3 programs pass' -- timed
expect "a row for each run" 0 '^5$' -- grep -c verdict rows
timed >again 2>said
expect "what is known is not run again" 1 -- grep adds said
"$tool" --timed --gpu h100 --results rows -o table.md list 2>said
"$tool" --timed --gpu a100 --results rows -o table.md --append list 2>said
expect "a part of its own behind the table" 0 '^# Timed programs' '^## Added on' \
    '^h100: 2 of 3' '^a100: 2 of 2' -- cat table.md
expect "only tables of --timed can be continued" 1 '.append is of .*timed' -- \
    "$tool" -o table.md --append list
finish
