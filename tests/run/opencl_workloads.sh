#!/bin/sh
# tests/run/opencl_workloads.sh - the OpenCL programs of workloads/ give the
# CPU's results on simulated GPUs, and notice results that are wrong.
. "$(dirname "$0")/../lib.sh"
need_heddle
build=$(dirname "$heddle")
programs=$build/workloads
if [ ! -x "$programs/vecadd" ] || [ ! -e "$build/libheddle-opencl.so" ]; then
    skip opencl_workloads "built without OpenCL"
    finish
fi
export XDG_CACHE_HOME="$tmp/cache"
jobs=$(nproc)

suite() { "$heddle" suite run "$root/workloads" -j "$jobs" "$@"; }
figures() { # FILE: what must not depend on the host
    jq '.programs[] | [.name, .verdict, .launches, .warp_instructions, .cycles]' \
        "$1"
}

expect "all programs, only their results" 0 '^[0-9]* programs: [0-9]* pass (' \
    -- suite --functional
expect "another seed" 0 PASS -- "$heddle" exec --functional -- \
    "$programs/pagerank" --seed 12345
names() { "$heddle" suite list "$root/workloads" "$@" | sed '1d; s/ .*//'; }
tagged() { names --tag "$1" | sort; }
names | sort >"$tmp/all"
tagged variant >"$tmp/variants"
(cd "$root/workloads" && ls -d -- */main.c) | sed 's|/.*||; /^tool$/d' |
    sort >"$tmp/a"
comm -23 "$tmp/all" "$tmp/variants" >"$tmp/b"
expect "the suite has them all" 0 -- cmp "$tmp/a" "$tmp/b"
{ tagged regular && tagged irregular; } | sort >"$tmp/c"
expect "each is regular or irregular, none is both" 0 -- \
    cmp "$tmp/all" "$tmp/c"
some='vecadd spmv queues histogram needleman columns burst bfs'
for gpu in gtx480 k20 v100 a100 h100; do
    # shellcheck disable=SC2086  # words
    expect "some of them, timed, on $gpu" 0 '^8 programs: 8 pass' -- \
        suite --gpu $gpu $some
done
# shellcheck disable=SC2086
suite -f json -o "$tmp/one" $some
# shellcheck disable=SC2086
suite -f json -o "$tmp/two" -j 1 --threads 2 $some
figures "$tmp/one" >"$tmp/one.txt"
figures "$tmp/two" >"$tmp/two.txt"
expect "the same cycles, one by one and side by side" 0 -- \
    cmp "$tmp/one.txt" "$tmp/two.txt"

expect "the report of each program" 0 '^2 programs: 2 pass' -- \
    suite --reports "$tmp/reports" --by-line vecadd bfs
expect "as exec has it" 0 'vecadd.*0.*PASS\|^heddle: .*vecadd.* --size small' \
    'source lines\|by line\|line' -- cat "$tmp/reports/vecadd.txt"
expect "with its counters" 0 '^true$' -- sh -c "'$heddle' suite run \
    '$root/workloads' --reports '$tmp/reports' -f json vecadd >'$tmp/suite' &&
    jq '.processes[0].launches[0].counters | length > 100' \
        '$tmp/reports/vecadd.json'"
expect "reports that nobody gets" 2 'need --reports' -- suite --by-line vecadd

# ---- Options of the programs ----
expect "one that only some have" 0 'columns: PASS' -- "$heddle" exec \
    --functional -- "$programs/columns" --pitch 512 --width 7
expect "help of it" 0 '  --pitch N  *bytes from row to row, 4 to' -- \
    "$programs/columns" --help
expect "values it cannot have" 2 "not usable: '2'" -- \
    "$programs/columns" --pitch 2
expect "values that do not go together, whatever OpenCL the host has" 2 \
    'a row is as long as its pitch' -- \
    env OCL_ICD_VENDORS="$tmp" OCL_ICD_FILENAMES= "$programs/columns" --pitch 64
exec_vecadd() { "$heddle" exec --functional -- "$programs/vecadd" "$@"; }
expect "help" 0 'usage: vecadd' 'small (65536)' -- "$programs/vecadd" --help
expect "a size of one's own, again and again" 0 \
    '^vecadd: PASS: 1000 elements, 3000 values as expected' -- \
    exec_vecadd --size 1000 --repeat 3
expect "a size that is none" 2 "not usable: 'big'" -- exec_vecadd --size big
expect "no such option" 2 -- exec_vecadd --sise 3
expect "no such device" 77 '^vecadd: SKIP: no device 9; there are 1' -- \
    exec_vecadd --device 9
expect "a platform by its name" 0 PASS -- exec_vecadd --platform heddle
expect "one that is not there" 2 \
    "^vecadd: no OpenCL platform 'other'; there are: Heddle$" -- \
    exec_vecadd --platform other
expect "none is there" 2 "'heddle'; there are: none$" -- \
    env OCL_ICD_VENDORS="$tmp" OCL_ICD_FILENAMES= "$programs/vecadd" \
    --platform heddle
expect "any, where there is none" 77 'SKIP: no OpenCL platform' -- \
    env OCL_ICD_VENDORS="$tmp" OCL_ICD_FILENAMES= "$programs/vecadd"
mkdir "$tmp/vendors"
cp /etc/OpenCL/vendors/*.icd "$tmp/vendors" 2>/dev/null || :
echo "$build/libheddle-opencl.so" >"$tmp/vendors/heddle.icd"
expect "ours beside those of the host" 0 PASS -- \
    env OCL_ICD_VENDORS="$tmp/vendors" HEDDLE_GPU=k20 "$programs/vecadd" \
    --platform heddle
expect "and its devices" 0 '^0  .*K20.*platform Heddle$' -- \
    env OCL_ICD_VENDORS="$tmp/vendors" HEDDLE_GPU=k20 "$programs/vecadd" \
    --platform heddle --list
expect "the second device" 0 PASS -- "$heddle" exec --functional \
    --gpu v100 --gpu k20 -- "$programs/vecadd" --device 1
expect "the devices" 0 '^0  .*K20' -- "$heddle" exec --gpu k20 -- \
    "$programs/vecadd" --list

# ---- Launches in flight together, and what SMs hold meanwhile ----
expect "the launches of a mix are one group" 0 '^1 launches, 1[0-9][0-9] steps' -- sh -c "
    '$heddle' exec --gpu gtx480 --occupancy --format json -o '$tmp/mix' \
        -- '$programs/mixes' --shape adversarial >'$tmp/said' &&
    jq -r '.processes[0].launches | \"\(length) launches, \" +
        \"\([.[] | .resident_warps_series | length] | max) steps\"' '$tmp/mix'"
expect "every SM in every step, no more warps than it has" 0 '^true$' -- \
    jq '[.processes[0].launches[].resident_warps_series[].sms] |
        all(length == 15 and all(. >= 0 and . <= 48))' "$tmp/mix"

# ---- By one plain command, as README.md has it ----
# A driver with sanitizers needs programs of the same compiler with them.
cached() { sed -n "s/^$1:[^=]*=//p" "$build/CMakeCache.txt"; }
sanitize=$(cached HEDDLE_SANITIZE)
cc="$(cached CMAKE_C_COMPILER)${sanitize:+ -fsanitize=$sanitize}"
sed -n '/^cc -O2/,/^```/p' "$root/workloads/README.md" |
    sed "\$d; s|^cc |$cc |" >"$tmp/cc"
plain() { (cd "$root" && sh "$tmp/cc" && mv spmv "$tmp/spmv"); }
expect "built by the command in README.md" 0 -- plain
expect "it is right" 0 '^spmv: PASS' -- \
    "$heddle" exec --functional -- "$tmp/spmv"

# ---- Locks ----
for gpu in gtx480 k20 k20-single v100; do
    for how in '' --functional; do
        # shellcheck disable=SC2086  # none is no option
        expect "locks on $gpu $how" 0 '^ticketlock  *pass' -- "$heddle" \
            suite run "$root/workloads" --gpu $gpu --tag lock --timeout 60 $how
    done
done
expect "all wait for one lock" 0 PASS -- "$heddle" exec --gpu k20 -- \
    "$programs/hashbuild" --buckets 1 --size 100
expect "in turn" 0 PASS -- "$heddle" exec --gpu gtx480 -- \
    "$programs/ticketlock" --locks 1 --size 200
expect "two bodies" 0 PASS -- "$heddle" exec --gpu gtx480 -- \
    "$programs/treebuild" --size 2

# ---- Many jobs ----
expect "as many as there is room for" 0 'PASS: 60 jobs' -- "$heddle" exec \
    --functional -- "$programs/concurrent" --app graphs --size 60
expect "and no more" 2 'size 61: at most 60' -- "$heddle" exec --functional -- \
    "$programs/concurrent" --size 61

# ---- A kernel that is wrong ----
mkdir "$tmp/vecadd"
sed 's/a\[i\] + b\[i\]/a[i] - (i == 77 ? 1 : -b[i])/' \
    "$root/workloads/vecadd/kernel.cl" >"$tmp/vecadd/kernel.cl"
wrong() { # NAME [FILE]; the first folder that has the kernel counts
    at=$root/workloads
    # shellcheck disable=SC2086  # the compiler and its options
    (cd "$tmp" && $cc -D_GNU_SOURCE "-I$tmp" "-I$at" -o wrong \
        "$at/$1/main.c" ${2:+"$at/$1/$2"} "$at/rig.c" "$at/opencl.c" \
        "$at/tool/wl.c" "$at/tool/npy.c" -lOpenCL -lm)
}
expect "built with a kernel that is wrong" 0 -- wrong vecadd ref.c
expect "it is noticed" 1 '^vecadd: FAIL: c\[77\] is .* (1 of 65536 differ)' -- \
    "$heddle" exec --functional -- "$tmp/wrong"
cat >"$tmp/suite.yaml" <<S
programs: [{name: wrong, run: [$tmp/wrong]}]
S
expect "the suite says so, with what it wrote" 1 '^wrong  *fail  *1 ' \
    '  | vecadd: FAIL: c.77. is' -- "$heddle" suite run "$tmp"

# ---- Locks that hold nobody up ----
while IFS='|' read -r name right broken; do
    mkdir -p "$tmp/$name"
    sed "s/$right/$broken/" "$root/workloads/$name/kernel.cl" \
        >"$tmp/$name/kernel.cl"
    expect "$name has another kernel" 1 -- \
        cmp "$root/workloads/$name/kernel.cl" "$tmp/$name/kernel.cl"
    expect "$name is built with it" 0 -- wrong "$name"
    expect "$name notices" 1 "^$name: FAIL: " -- \
        "$heddle" exec --functional -- "$tmp/wrong"
done <<'W'
hashbuild|atomic_cmpxchg(&lock.b., 0, 1) == 0|lock[b] == 0
treebuild|&& atomic_cmpxchg(.*) == ch)|)
ticketlock|serving.l. == mine|serving[l] + 1 >= mine
W
finish
