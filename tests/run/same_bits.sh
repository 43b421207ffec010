#!/bin/sh
# tests/run/same_bits.sh - counters and memory are the same bits for any number
# of threads, with and without skipping, in any order of the nodes. The hashes
# are left in the build's same_bits.txt, where ./check compares builds.
. "$(dirname "$0")/../lib.sh"
need_heddle
[ -z "${HEDDLE_BUILD-}" ] || rm -f "$HEDDLE_BUILD/same_bits.txt"

hash_of() { # NAME GPU OPTION...
    name=$1 gpu=$2
    shift 2
    "$heddle" run --launch "$tmp/$name/launch.yaml" --gpu "$gpu" --hash "$@" \
        2>&1 | sed -n 's/^hash:* *//p'
}

same() { # NAME GPU OPTION...
    got=$(hash_of "$@")
    [ -n "$got" ] && [ "$got" = "$want" ] && return 0
    echo "hash $got, not $want"
    return 1
}

# Twice is enough for a sanitizer, which goes through the same code slowly.
if sanitized; then
    set -- "--threads 3 --shuffle 2" --no-skip
else
    set -- "--threads 2" "--threads 3" "--threads 8" --no-skip \
        "--threads 3 --no-skip" "--shuffle 1" "--shuffle 2 --threads 2" \
        "--shuffle 3 --no-skip"
fi
# An L2 in two partitions, with copies of each other's lines.
cat >"$tmp/halves.yaml" <<'Y'
extends: v100
l2: {partitions: 2, link: {latency: 40}}
Y
while read -r name size gpu; do
    gen "$name" "$size"
    [ "$gpu" != halves ] || gpu=$tmp/halves.yaml
    want=$(hash_of "$name" "$gpu")
    echo "$name ${gpu##*/} $want" >>"$tmp/same_bits.txt"
    for options; do
        # shellcheck disable=SC2086  # options are words
        expect "$name on $gpu, $options" 0 -- same "$name" "$gpu" $options
    done
done <<W
$(grep -v '^#' "$root/tests/run/same_bits.txt")
W
[ -z "${HEDDLE_BUILD-}" ] || cp "$tmp/same_bits.txt" "$HEDDLE_BUILD"

# So they are where registers of results follow each other, through a table that
# is accessed once a cycle.
set="--set sm.rf.write_width=1 --set sm.issue.hazard=table
    --set sm.table.mode=serial --set sm.table.release=register
    --set sm.table.mask=true"
# shellcheck disable=SC2086  # options are words
want=$(hash_of fft v100 $set)
for options in "--threads 3" "--no-skip" "--shuffle 2 --threads 2"; do
    # shellcheck disable=SC2086
    expect "fft with a serial table, $options" 0 -- \
        same fft v100 $set $options
done
# shellcheck disable=SC2086
expect "another table, another hash" 1 -- \
    same fft v100 $set --set sm.table.mode=parallel

# The hash sees both: other inputs, and the same inputs on another machine.
want=$(hash_of sgemm v100)
expect "another GPU, another hash" 1 -- same sgemm gtx480
"$workload" gen sgemm --size 64 --seed 2 --out "$tmp/sgemm" \
    --program "$root/workloads/sgemm/ptx/clang14-opencl.ptx"
expect "other inputs, another hash" 1 -- same sgemm v100
finish
