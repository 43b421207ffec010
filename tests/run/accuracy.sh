#!/bin/sh
# tests/run/accuracy.sh - mathematical functions of OpenCL C, compiled as the
# driver does, are as exact as OpenCL demands: tests/opencl/accuracy.py.
. "$(dirname "$0")/../lib.sh"
need_heddle
command -v python3 >/dev/null || {
    skip accuracy "no python3"
    finish
}
need_opencl_c
script=$root/tests/opencl/accuracy.py
expect "operands" 0 -- python3 "$script" make "$tmp"
expect "kernels" 0 -- "$root/tools/ptxcc" "$tmp/k.cl" -o "$tmp/k.ptx" \
    -mllvm -nvptx-prec-divf32=1
expect "a run" 0 -- "$heddle" run -q --functional -l "$tmp/launch.yaml"
expect "results" 0 'functions, 0 wrong' -- python3 "$script" check "$tmp"
finish
