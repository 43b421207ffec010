#!/bin/sh
# tests/run/queues.sh - request queues in front of the L1 change when things
# happen, never what is computed: the buffers of workloads are the same bytes
# under every policy, and the counters the same however the host simulates.
. "$(dirname "$0")/../lib.sh"
need_heddle

# A cache that is often blocked: few MSHRs, a short miss queue.
tight="-s l1.mshrs=8 -s l1.miss_queue=3 -s l1.queue_depth=4"

# buffers NAME: of a launch file.
buffers() {
    sed -n '/^buffers:/,/^[a-z]*:$/s/^  \([A-Za-z0-9_]*\):.*/\1/p' \
        "$tmp/$1/launch.yaml"
}

# contents NAME GPU FILE OPTION...: all buffers at the end, one after another.
contents() {
    c_name=$1 c_gpu=$2 c_to=$3 c_dumps=
    shift 3
    for b in $(buffers "$c_name"); do
        c_dumps="$c_dumps --dump $b=$tmp/dump.$b"
    done
    # shellcheck disable=SC2086  # options are words
    "$heddle" run --launch "$tmp/$c_name/launch.yaml" --gpu "$c_gpu" -q \
        $tight $c_dumps "$@" >"$tmp/text" || return 1
    for b in $(buffers "$c_name"); do
        cat "$tmp/dump.$b" || return 1
    done >"$c_to"
}

same() { # NAME GPU OPTIONS
    # shellcheck disable=SC2086  # options are words
    contents "$1" "$2" "$tmp/got" $3 && cmp "$tmp/got" "$tmp/want"
}

hash_of() { # NAME GPU OPTION...
    h_name=$1 h_gpu=$2
    shift 2
    # shellcheck disable=SC2086  # options are words
    "$heddle" run --launch "$tmp/$h_name/launch.yaml" --gpu "$h_gpu" -q $tight \
        -s l1.queue=reod --hash "$@" | sed -n 's/^hash:* *//p'
}

same_hash() { # NAME GPU OPTION...
    [ "$(hash_of "$@")" = "$hash" ]
}

while read -r name size; do
    gen "$name" "$size"
    for gpu in gtx480 v100; do
        contents "$name" "$gpu" "$tmp/want" -s l1.queue=fifo
        [ -s "$tmp/want" ] || echo "$name: no contents"
        for queues in reod "reod -s l1.reod.select=setbit" \
            "reod -s l1.reod.select=blind" mrpb \
            mascar "mascar -s l1.mascar.depth=3 -s l1.mascar.mshrs_left=2" \
            "fifo -s l1.bypass=locality" "mrpb -s l1.bypass=locality" \
            "reod -s l1.reod.queues=5 -s l1.reod.depth=1 -s l1.reod.bypass_empty=true"; do
            expect "$name on $gpu, $queues" 0 -- \
                same "$name" "$gpu" "-s l1.queue=$queues"
        done
    done
done <<'W'
spmv 600
bfs 600
histogram 4000
transpose 64
scan 3000
bitonic 512
W

for name in spmv histogram; do
    hash=$(hash_of $name gtx480)
    for options in "--threads 3" --no-skip "--shuffle 2"; do
        # shellcheck disable=SC2086  # options are words
        expect "$name with queues, $options" 0 -- \
            same_hash $name gtx480 $options
    done
done
finish
