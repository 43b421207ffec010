#!/bin/sh
# tests/run/reference.sh - every workload gives the same memory by the PTX
# reference (tests/reference) as by Heddle, and the reference what the CPU
# computes.
. "$(dirname "$0")/../lib.sh"
need_heddle
tool=$(dirname "$heddle")/reference_workload
if [ ! -x "$tool" ]; then
    skip reference "no $tool"
    finish
fi

while read -r name size; do
    gen "$name" "$size"
    for ptx in clang14-opencl clang19-cuda nvcc13; do
        expect "$name of $ptx" 0 -- "$tool" \
            "$root/workloads/$name/ptx/$ptx.ptx" "$tmp/$name/launch.yaml" v100
    done
done <<'W'
vecadd 500
reduction 1000
scan 600
transpose 40
sgemm 32
stencil 20
histogram 1000
spmv 100
spmv_vector 101
bfs 200
bitonic 512
blackscholes 200
nbody 256
kmeans 100
fft 64
mandelbrot 16
interpreter 40
montecarlo 60
W
finish
