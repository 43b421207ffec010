#!/bin/sh
# tests/run/variants.sh - every named choice of every parameter, on every GPU:
# a run ends with what the kernel should compute, or is refused before it
# begins, by name. The list is that of docs/config.md, which tools/docs makes
# from config/enums.def, so a new choice is tried without being named here.
# With checks on (test builds), what the choice does is checked as well.
. "$(dirname "$0")/../lib.sh"
need_heddle

"$workload" gen spmv --size 96 --out "$tmp/spmv" \
    --program "$root/workloads/spmv/ptx/clang14-cuda.ptx"
"$workload" gen fft --size 64 --out "$tmp/fft" \
    --program "$root/workloads/fft/ptx/clang14-opencl.ptx"
sed -n 's/^| `\([a-z0-9_]*\.[a-z0-9_.]*\)` | \([a-z0-9_]*\) | .*/\1=\2/p' \
    "$root/docs/config.md" | grep -v '^gpu\.arch=' | sort -u >"$tmp/choices"

# What a choice needs to matter.
with() { # CHOICE
    case $1 in
    sm.table.*) echo --set sm.issue.hazard=table ;;
    l1.reod.*) echo --set l1.queue=reod ;;
    l1.mrpb.*) echo --set l1.queue=mrpb ;;
    gpu.load_weight.*) echo --set gpu.dispatch=load_weight ;;
    gpu.cluster.*) echo --set gpu.cluster.size=2 ;;
    esac
}

try() { # GPU CHOICE WORKLOAD: fails with a sentence if it ends otherwise
    code=0
    # shellcheck disable=SC2046  # options
    timeout 60 "$heddle" run --gpu "$1" --set gpu.sms=2 --set "$2" $(with "$2") \
        --launch "$tmp/$3/launch.yaml" >"$tmp/said" 2>&1 </dev/null || code=$?
    case $code in
    0) grep -q '^check: .* as expected' "$tmp/said" && return 0 ;;
    2) grep -q 'cannot run on this GPU: ' "$tmp/said" && return 0 ;;
    3) grep -q 'error: ' "$tmp/said" && return 0 ;;
    esac
    echo "--gpu $1 --set $2, $3: exit status $code"
    head -n 5 "$tmp/said"
    return 1
}

# Under sanitizers each choice meets each workload on every other GPU.
all() { # GPU
    bad=0 gpus=$((${gpus-0} + 1))
    turn=$gpus
    while read -r choice; do
        turn=$((turn + 1))
        if ! sanitized || [ $((turn % 2)) = 0 ]; then
            try "$1" "$choice" spmv || bad=1
        fi
        if ! sanitized || [ $((turn % 2)) = 1 ]; then
            try "$1" "$choice" fft || bad=1
        fi
    done <"$tmp/choices"
    return "$bad"
}

expect "the list is not empty" 0 -- grep -q '^sm.table.empty=zero_skip' \
    "$tmp/choices"
for gpu in gtx480 k20-single k20 v100; do
    expect "every choice on $gpu" 0 -- all $gpu
done
finish
