#!/bin/sh
# tests/run/fatbin.sh - containers of code for GPUs as nvcc writes them: which
# images there are, and that their PTX is what nvcc -ptx prints.
. "$(dirname "$0")/../lib.sh"
need_heddle
fatbin=$(dirname "$heddle")/heddle-fatbin
cd "$tmp" || exit 1
if [ ! -x "$fatbin" ]; then
    skip fatbin "no $fatbin"
    finish
fi

# Our own, without a toolkit.
printf '.version 7.0\n.target sm_70\n' >k.ptx
for packing in plain lz4 zstd; do
    "$fatbin" own.fatbin $packing ptx:70:k.ptx ptx:90a:k.ptx
    expect "$packing" 0 "^ptx 70 $packing 27\$" "^ptx 90a $packing 27\$" -- \
        "$fatbin" --list own.fatbin
    expect "$packing: its text" 0 '^.version 7.0$' -- "$fatbin" --ptx 70 own.fatbin
done
head -c 100 own.fatbin >short.fatbin
expect "a truncated one" 1 'short.fatbin: .* corrupt or truncated' -- \
    "$fatbin" --list short.fatbin

if ! command -v nvcc >/dev/null; then
    skip "those of nvcc" "no nvcc"
    finish
fi
cat >k.cu <<'END'
__device__ int count;
extern "C" __global__ void k(float *a, float b)
{
    a[threadIdx.x] = sinf(a[threadIdx.x]) * b;
    atomicAdd(&count, 1);
}
END
for target in 75 80; do
    nvcc -ptx -arch=compute_$target k.cu -o $target.ptx
done
both="-gencode arch=compute_75,code=compute_75
    -gencode arch=compute_80,code=[compute_80,sm_80]"
# made NAME PACKING OPTION...
made() {
    made_name=$1 made_packing=$2
    shift 2
    expect "nvcc $made_name" 0 -- nvcc -fatbin "$@" k.cu -o k.fatbin
    expect "nvcc $made_name: its images" 0 "^ptx 75 $made_packing" \
        "^ptx 80 $made_packing" '^elf 80 ' -- "$fatbin" --list k.fatbin
    for target in 75 80; do
        "$fatbin" --ptx $target k.fatbin >got.ptx 2>note
        expect "nvcc $made_name: PTX for $target" 0 -- \
            same_code $target.ptx got.ptx
    done
    expect "nvcc $made_name: what a V100 runs" 0 'a driver would refuse it' \
        '^.target sm_75' -- "$fatbin" --ptx 70 k.fatbin
}
# Without comments and blanks, which differ.
same_code() {
    for file; do
        sed 's|//.*||' "$file" | tr -d '[:space:]' >"$file.code"
    done
    [ -s "$1.code" ] && cmp "$1.code" "$2.code"
}
# shellcheck disable=SC2086  # options
for mode in default size balance; do
    made "--compress-mode $mode" zstd $both --compress-mode $mode
done
# shellcheck disable=SC2086
made "--compress-mode speed" lz4 $both --compress-mode speed
# shellcheck disable=SC2086
made "--compress-mode none" plain $both --compress-mode none
nvcc -fatbin -gencode arch=compute_80,code=sm_80 k.cu -o k.fatbin
expect "machine code alone" 1 \
    'k.fatbin: .*only machine code for sm_80; compile it with' -- \
    "$fatbin" --ptx 80 k.fatbin
nvcc -cubin -arch=sm_80 k.cu -o k.cubin
expect "a cubin" 0 '^elf 80 plain' -- "$fatbin" --list k.cubin
nvcc -fatbin -arch=sm_90a k.cu -o k.fatbin
expect "a variant" 0 '^ptx 90a' '^elf 90a' -- "$fatbin" --list k.fatbin
nvcc -fatbin -arch=sm_80 -dlto k.cu -o k.fatbin
expect "with code for link-time optimisation" 0 '^other 80' -- \
    "$fatbin" --list k.fatbin
finish
