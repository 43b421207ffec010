#!/bin/sh
# tests/run/dispatch.sh - which SM gets the next CTA changes when things happen,
# never what is computed; what it is worth is seen on mixes of CTAs.
. "$(dirname "$0")/../lib.sh"
need_heddle
mixes=$root/workloads/mixes/ptx/clang14-opencl.ptx

make() { # SHAPE: three CTAs for each of four SMs, in $tmp/SHAPE.yaml
    "$workload" gen mixes --shape "$1" --size 3 --units 4 --charges 64 \
        --out "$tmp/$1" --program "$mixes" &&
        mv "$tmp/$1/launch.yaml" "$tmp/$1/$1.yaml"
}
for shape in uniform adversarial sizes; do
    make $shape
done
dispatch() { # ARGUMENT...
    "$heddle" compare dispatch --gpu gtx480 --set gpu.sms=4 --no-cache -q "$@"
}
speed() { # FILE WORKLOAD VARIANT: in thousandths
    jq -r --arg w "$2" --arg v "$3" '.comparisons[0].workloads[] |
        select(.name == $w) | .variants[] | select(.side == $v) |
        .speedup * 1000 | round' "$1"
}
figure() { # FILE WORKLOAD SIDE NAME: in thousandths
    jq -r --arg w "$2" --arg s "$3" --arg n "$4" '.comparisons[0].workloads[] |
        select(.name == $w) | .runs[] | select(.side == $s) |
        .view[$n] * 1000 | round' "$1"
}

expect "the policies agree in what is computed" 0 -- dispatch \
    "$tmp/uniform/uniform.yaml" "$tmp/adversarial/adversarial.yaml" \
    "$tmp/sizes/sizes.yaml" -f json -o "$tmp/c.json"
expect "equal CTAs take as long as in turns" 0 '^1000$' -- \
    speed "$tmp/c.json" uniform.yaml load
expect "so does the SM with the fewest" 0 '^1000$' -- \
    speed "$tmp/c.json" uniform.yaml least
expect "large CTAs that all get to one SM in turn do not" 0 -- \
    test "$(speed "$tmp/c.json" adversarial.yaml load)" -gt 1500
expect "nor do they where each has as many CTAs" 0 '^1000$' -- \
    speed "$tmp/c.json" adversarial.yaml least
expect "SMs then hold as many warps as each other, more or less" 0 -- \
    test "$(figure "$tmp/c.json" adversarial.yaml load Jain)" -gt \
    "$(figure "$tmp/c.json" adversarial.yaml turns Jain)"
expect "one SM alone holds four times the mean" 0 -- \
    test "$(figure "$tmp/c.json" adversarial.yaml turns max/mean)" -gt 3000
expect "the figures in words" 0 'max/mean' 'tail %' -- \
    dispatch "$tmp/adversarial/adversarial.yaml"

# Mixes are drawn, and both sides of a draw have the same inputs.
build=$(dirname "$heddle")
if [ -x "$build/workloads/mixes" ] && [ -e "$build/libheddle-opencl.so" ]; then
    drawn() { # OPTION...
        dispatch "$root/workloads" mix_adversarial \
            --with load:gpu.dispatch=load_weight "$@"
    }
    expect "three draws, their mean and its band" 0 \
        'mix_adversarial .* x  *[0-9.]*\.\.[0-9.]* ' \
        'means of 3 draws: 1 of 1' -- drawn --null 2
    expect "kept" 0 -- drawn --null 2 --store "$tmp/drawn.db" -f json \
        -o "$tmp/kept.json"
    expect "and told again" 0 -- "$heddle" compare --from "$tmp/drawn.db" \
        -f json -o "$tmp/again.json"
    expect "the same" 0 '^true$' -- jq -n --slurpfile a "$tmp/kept.json" \
        --slurpfile b "$tmp/again.json" '[$a, $b | .[0].comparisons[0] |
            .summaries, [.workloads[] | .draws, .variants]] | .[0:2] == .[2:4]'
    "$heddle" report "$tmp/drawn.db" -o "$tmp/drawn.html" >/dev/null
    expect "and on a page" 0 '1 of 1 workload is drawn: .* means of 3 draws' \
        'a cycle more or less and inputs that are drawn anew it is' -- \
        cat "$tmp/drawn.html"
    expect "one draw" 0 -- drawn --null 0 -f json -o "$tmp/first.json"
    expect "as often as the mechanism says" 0 -- \
        drawn -f json -o "$tmp/drawn.json"
    expect "eight times" 0 '^8$' -- jq \
        '.comparisons[0].workloads[0] | .draws, .variants[0].band.draws' \
        "$tmp/drawn.json"
    expect "of which the first is one of them" 0 '^true$' -- jq -n \
        --slurpfile a "$tmp/first.json" --slurpfile b "$tmp/drawn.json" \
        '[$a, $b | .[0].comparisons[0].workloads[0].runs[0].cycles] |
            .[1] > 6 * .[0] and .[1] < 10 * .[0]'
else
    skip draws "built without OpenCL"
fi

# Rivals, on CTAs that are unequal: whatever they decide, it is the same for any
# number of threads, and if no cycle is skipped.
run() { # PARAMETERS ARGUMENT...: counters of mixes of three kernels
    vary=
    for one in $(echo "$1" | tr , ' '); do
        vary="$vary --set $one"
    done
    shift
    # shellcheck disable=SC2086
    "$heddle" run --launch "$tmp/sizes/sizes.yaml" --gpu gtx480 --set gpu.sms=4 \
        $vary -f json "$@" | jq -S '.launches[] | .cycles, .counters'
}
for p in gpu.cta.block=2 sm.issue.scheduler=gto,gpu.cta.limit=lazy \
    sm.issue.scheduler=gto,gpu.cta.limit=lazy,gpu.cta.block=3 \
    gpu.dispatch=load_weight,gpu.load_weight.weight=measured \
    gpu.dispatch=load_weight,gpu.load_weight.update=warp,gpu.cta.release=warp,gpu.cta.overlap=false; do
    run $p >"$tmp/one"
    expect "$p counts" 0 'dispatch' -- head -c 100000 "$tmp/one"
    run $p --threads 3 >"$tmp/three"
    expect "$p with three threads" 0 -- cmp "$tmp/one" "$tmp/three"
    run $p --no-skip >"$tmp/all"
    expect "$p without skipping" 0 -- cmp "$tmp/one" "$tmp/all"
done
expect "lazy needs a greedy scheduler" 3 \
    'gpu.cta.limit is lazy; only what the greedy scheduler issues' -- \
    "$heddle" run --launch "$tmp/sizes/sizes.yaml" --gpu gtx480 \
    --set sm.issue.scheduler=lrr --set gpu.cta.limit=lazy
finish
