#!/bin/sh
# tests/run/sgemm_gk110.sh - the matrix product by hand: what its generator
# writes is what is committed, results are the CPU's, and it is fast. The
# compiled one gives the same results.
. "$(dirname "$0")/../lib.sh"
need_heddle
folder=$root/workloads/sgemm_gk110
gpu=k20

if command -v python3 >/dev/null; then
    "$folder/generate.py" >"$tmp/kernel"
    "$folder/generate.py" --stream >"$tmp/stream"
    expect "the kernel is as generated" 0 -- \
        cmp "$tmp/kernel" "$folder/sgemm.sass"
    expect "so is the stream" 0 -- cmp "$tmp/stream" "$root/probes/product.sass"
    expect "nothing else" 1 'generate.py --stream' -- "$folder/generate.py" -x
else
    skip generator "no python3"
fi

product() { # OPTION...: a launch file in $tmp/p
    "$workload" gen sgemm_gk110 "$@" --out "$tmp/p" --program \
        "$folder/sgemm.sass"
}
run() { "$heddle" run --launch "$tmp/p/launch.yaml" --gpu "$gpu" -q "$@"; }
percent() { # of the peak of one SM, that a launch of 192 x 192 x 192 reaches
    run -f csv "$@" | awk -F, 'NR == 1 { while ($++n != "cycles") ; next }
        { print $n }' | {
        read -r cycles
        echo $((192 * 192 * 192 * 100 / 192 / cycles))
    }
}

product --size 192
expect "one tile" 0 -- run
expect "only its results" 0 -- run --functional
expect "one instruction at a time" 0 -- run --set sm.issue.width=1
expect "by GPUs that see no codes" 0 -- run --gpu k20-single
expect "more than four fifths of the peak, once it is fetched" 0 '^8[1-9]$' -- \
    percent --set gpu.sms=1 --set sm.fetch.perfect=true
product --size 384 --columns 192 --depth 40 --alpha 3 --beta 2
expect "rows, columns and depth of their own, both factors" 0 -- run
for ptx in "$folder"/ptx/*; do
    expect "$(basename "$ptx"), for the same launch" 0 -- run "$ptx"
done
product --size 192 --columns 576 --depth 8 --beta 1
expect "one pass of the loop" 0 -- run

# As BLAS has it, what a factor of 0 belongs to is not read.
tr '\0' '\377' </dev/zero | head -c 147456 >"$tmp/nan"
product --size 192 --alpha 0 --beta 3
sed -i "s|[ab].npy|$tmp/nan|" "$tmp/p/launch.yaml"
expect "no product: A and B are not numbers" 0 -- run
product --size 192 --depth 32
sed -i "s|c.npy|$tmp/nan|" "$tmp/p/launch.yaml"
expect "no sum: C is not" 0 -- run
sed -i 's/, 0\]/, 1]/' "$tmp/p/launch.yaml"
expect "which would be seen" 1 -- run

expect "rows that do not fit" 2 'must be a multiple of 192' -- \
    product --size 100
expect "columns" 2 'columns must be a multiple of 192' -- \
    product --size 192 --columns 100
expect "depth" 2 'depth must be a multiple of 8' -- \
    product --size 192 --depth 12
product --size 192 --depth 32
sed -i 's/192, 192, 32, 1, 0/192, 192, 28, 1, 0/' "$tmp/p/launch.yaml"
expect "the kernel traps on one that does not fit" 5 'trap in kernel' -- run
finish
