#!/bin/sh
# tests/run/machine_code.sh - what ptxas makes of tests/exec does on Heddle what
# the programs say; one kernel by its PTX and by its machine code.
. "$(dirname "$0")/../lib.sh"
need_heddle
cd "$tmp" || exit 1
ptxas=$(command -v ptxas || echo /usr/local/cuda/bin/ptxas)
if [ ! -x "$ptxas" ]; then
    skip "machine code of tests/exec" "no ptxas"
    finish
fi
expect "machine code of tests/exec" 0 '^3[0-9][0-9] equal, 0 wrong$' -- \
    python3 "$root/tests/run/machine_code.py" "$heddle" "$ptxas" \
    "$root/tests/exec"

# Products of matrices and copies: by PTX and by machine code the same bits.
for sm in 80 90; do
    gpu=a100
    [ $sm = 80 ] || gpu=h100
    sed "s/^\.target .*/.target sm_$sm/" "$root/tests/run/kernels/matrices.ptx" \
        >matrices.ptx
    "$ptxas" -arch=sm_$sm matrices.ptx -o matrices.cubin || continue
    for kernel in product short_product bfloat_product byte_product loads copies \
        zeros scaled; do
        for program in matrices.ptx matrices.cubin; do
            expect "sm_$sm: $kernel of $program" 0 -- "$heddle" run $program \
                --gpu $gpu --functional --kernel $kernel --grid 1 --block 32 \
                --arg in=buf:f32[256]=uniform,seed=1,min=-4,max=4 \
                --arg out=buf:u32[256] --dump "out=$program.raw"
        done
        expect "sm_$sm: $kernel is the same" 0 -- \
            cmp matrices.ptx.raw matrices.cubin.raw
    done
done

# Thread-block clusters of several CTAs.
"$ptxas" -arch=sm_90 "$root/tests/run/kernels/clusters.ptx" -o clusters.cubin
for program in "$root/tests/run/kernels/clusters.ptx" clusters.cubin; do
    for way in --functional --set=sm.issue.hazard=scoreboard \
        --set=sm.issue.hazard=codes; do
        expect "$way: clusters of $(basename "$program")" 0 -- "$heddle" run \
            "$program" --gpu h100 "$way" --grid 8 --block 32 \
            --arg buf:u32[256] --dump 0=now.raw
        [ -e first.raw ] || cp now.raw first.raw
        expect "$way: they are the same" 0 -- cmp first.raw now.raw
    done
done

# Mbarriers, copies that arrive at them, bulk copies, joined predicates: by PTX
# and by machine code the same memory, whatever the hazards are tracked by.
same_by_all() {
    name=$1 kernel=$2 grid=$3 block=$4 gpu=a100 first=
    [ "$sm" = 80 ] || gpu=h100
    for program in "$name.ptx" "$name.cubin"; do
        for way in --functional --set=sm.issue.hazard=scoreboard \
            --set=sm.issue.hazard=codes; do
            expect "sm_$sm $way: $kernel of $program" 0 -- "$heddle" run \
                "$program" --gpu $gpu "$way" --kernel "$kernel" --grid "$grid" \
                --block "$block" --dump out=now.raw --arg \
                "in=buf:u32[1200]=uniform,seed=1,min=0,max=1000000" \
                --arg "out=buf:u32[2048]"
            [ -n "$first" ] || cp now.raw first.raw
            first=yes
            expect "sm_$sm $way: $kernel of $program is the same" 0 -- \
                cmp first.raw now.raw
        done
    done
}
for sm in 80 90; do
    for name in phases joined; do
        sed "s/^\.target .*/.target sm_$sm/" "$root/tests/run/kernels/$name.ptx" \
            >$name.ptx
        "$ptxas" -arch="sm_$sm" $name.ptx -o $name.cubin
    done
    same_by_all phases rounds 1 64
    same_by_all phases behind 1 64
    same_by_all joined t 1 32
done
# A reduction under a predicate of the lanes, although its result is uniform.
for sm in 80 90; do
    sed "s/^\.target .*/.target sm_$sm/" "$root/tests/run/kernels/reduced.ptx" \
        >reduced.ptx
    "$ptxas" -arch="sm_$sm" reduced.ptx -o reduced.cubin
    same_by_all reduced t 1 32
done
"$ptxas" -w -arch=sm_90 "$root/tests/run/kernels/bulk.ptx" -o bulk.cubin
cp "$root/tests/run/kernels/bulk.ptx" .
same_by_all bulk tiles 1 64
same_by_all bulk pieces 1 64
same_by_all bulk pairs 4 64

# Textures and surfaces: what a program reads by PTX and by machine code.
nvcc=$(dirname "$ptxas")/nvcc
if ! command -v "$nvcc" >/dev/null ||
    [ ! -e "$(dirname "$heddle")/libheddle-preload.so" ]; then
    skip "textures by machine code" "no nvcc, or sanitizers"
    finish
fi
expect "nvcc compiles fetches" 0 -- "$nvcc" \
    -gencode arch=compute_75,code=compute_75 -gencode arch=compute_75,code=sm_75 \
    -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 \
    "$root/tests/run/programs/fetches.cu" -o fetches
for gpu in a100 h100; do
    expect "$gpu: fetches by PTX" 0 '^done$' -- "$heddle" exec -q -o report.txt \
        --gpu $gpu --functional -- ./fetches ptx.raw
    for way in --functional --set=sm.issue.hazard=scoreboard \
        --set=sm.issue.hazard=codes; do
        expect "$gpu $way: fetches by machine code" 0 '^done$' -- \
            "$heddle" exec -q -o report.txt --gpu $gpu --code sass $way -- \
            ./fetches sass.raw
        expect "$gpu $way: they are the same" 0 -- cmp ptx.raw sass.raw
    done
done
# Boxes of tensors.
expect "nvcc compiles boxes" 0 -- "$nvcc" \
    -gencode arch=compute_90,code=compute_90 -gencode arch=compute_90,code=sm_90 \
    "$root/tests/run/programs/boxes.cu" -lcuda -o boxes
for code in ptx sass; do
    for way in --functional --set=sm.issue.hazard=codes; do
        expect "$way: boxes by $code" 0 '^done$' -- "$heddle" exec -q \
            -o report.txt --gpu h100 --code $code "$way" -- ./boxes now.raw
        [ -e boxes.raw ] || cp now.raw boxes.raw
        expect "$way: they are the same" 0 -- cmp boxes.raw now.raw
    done
done
# A jump by a uniform register, also from text.
for run in 80:a100 90:h100; do
    sm=${run%:*} gpu=${run#*:}
    sed "s/^\.target .*/.target sm_$sm/" "$root/tests/run/kernels/choose.ptx" >c.ptx
    "$ptxas" -arch="sm_$sm" c.ptx -o c.cubin
    expect "sm_$sm: it is one" 0 'BRXU UR[0-9]* \.L_0 ;' '^.targets' -- sh -c \
        "'$heddle' disasm --source c.cubin | tr -d '\t' | tee c.text"
    "$heddle" disasm --source c.cubin -o c.sass
    for which in 0 1 2 3; do
        for program in c.ptx c.cubin c.sass; do
            expect "sm_$sm: case $which of $program" 0 -- "$heddle" run $program \
                --gpu "$gpu" --set sm.issue.hazard=codes -b 32 --arg buf:u32[32] \
                --arg out=buf:u32[32] --arg "u32:$which" --dump "out=$program.raw"
        done
        expect "sm_$sm: case $which by machine code" 0 -- cmp c.ptx.raw c.cubin.raw
        expect "sm_$sm: case $which by its text" 0 -- cmp c.ptx.raw c.sass.raw
    done
done
finish
