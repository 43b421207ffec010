#!/bin/sh
# tests/run/workloads.sh - every workload gives the CPU's results on every
# GPU, from the PTX of every compiler.
. "$(dirname "$0")/../lib.sh"
need_heddle

run() { # NAME PTX OPTION...
    name=$1 ptx=$root/workloads/$1/ptx/$2.ptx
    shift 2
    "$heddle" run "$ptx" --launch "$tmp/$name/launch.yaml" "$@"
}

# Sizes that leave partly filled CTAs and warps where the kernel allows it.
while read -r name size; do
    gen "$name" "$size"
    for ptx in clang14-opencl clang14-cuda clang19-opencl clang19-cuda nvcc13
    do
        expect "$name of $ptx on v100" 0 -- run "$name" $ptx --gpu v100
    done
    for gpu in gtx480 k20; do
        expect "$name on $gpu" 0 -- run "$name" clang14-opencl --gpu $gpu
    done
    expect "$name, only its results" 0 -- \
        run "$name" nvcc13 --gpu v100 --functional
    expect "$name with 24 registers" 0 -- \
        run "$name" clang14-cuda --gpu v100 --functional --max-registers 24
done <<'W'
vecadd 5000
reduction 5000
scan 3000
transpose 70
sgemm 48
stencil 50
resize 21
histogram 4000
spmv 500
spmv_vector 501
bfs 1000
bitonic 2048
blackscholes 1000
nbody 256
kmeans 500
fft 256
mandelbrot 40
interpreter 300
montecarlo 500
W

# Launches in flight together, for as many SMs as are said.
mixes=$root/workloads/mixes/ptx
for shape in uniform skewed sizes widths resources kernels adversarial; do
    "$workload" gen mixes --shape $shape --size 2 --units 4 --each 1 \
        --out "$tmp/mixes" --program "$mixes/clang14-opencl.ptx"
    for gpu in gtx480 k20 v100; do
        expect "mixes of $shape on $gpu" 0 -- \
            "$heddle" run --launch "$tmp/mixes/launch.yaml" --gpu $gpu
    done
    for ptx in clang14-cuda clang19-opencl clang19-cuda nvcc13; do
        expect "mixes of $shape, $ptx" 0 -- \
            run mixes $ptx --gpu k20 --functional
    done
done
expect "how many SMs must be said" 2 'how many SMs? say --units' -- \
    "$workload" gen mixes --out "$tmp/mixes"
expect "a shape that there is not" 2 "'big'" -- \
    "$workload" gen mixes --shape big --out "$tmp/mixes"
expect "options of its own" 0 'uniform, skewed, sizes' -- \
    "$workload" gen mixes --help

# Tensor cores: from Volta on, in CUDA C alone.
gen hgemm 128
for ptx in clang14-cuda clang19-cuda nvcc13; do
    expect "hgemm of $ptx on v100" 0 -- run hgemm $ptx --gpu v100
done
expect "hgemm, only its results" 0 -- run hgemm nvcc13 --gpu v100 --functional
expect "hgemm on k20" 4 'it exists from Volta on' -- \
    run hgemm nvcc13 --gpu k20

gen vecadd 1000
cp "$tmp/vecadd/a.npy" "$tmp/vecadd/c_ref.npy"
expect "a wrong result is noticed" 1 'c' -- run vecadd nvcc13 --gpu v100
finish
