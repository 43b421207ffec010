#!/bin/sh
# tests/run/sampling.sh - heddle exec --sample: programs of many launches, of
# which a few are timed, beside all of them timed.
. "$(dirname "$0")/../lib.sh"
need_heddle
build=$(dirname "$heddle")
if [ ! -x "$build/workloads/floyd" ] || [ ! -e "$build/libheddle-opencl.so" ]; then
    skip sampling "no OpenCL headers when it was built"
    finish
fi
export XDG_CACHE_HOME="$tmp/cache"
cd "$tmp" || exit 1
exec_it() { "$heddle" exec -q -g v100 "$@"; }

# The cycles that are told are those of all launches to 3 %, of at most $2 that
# are timed; what the program computes is right.
near() {
    name=$1 most=$2
    shift 2
    expect "$name, all timed" 0 ' PASS' '' -- exec_it -f json -o full.json "$@"
    expect "$name, sampled" 0 ' PASS' -- exec_it --sample -f json -o some.json "$@"
    expect "$name: a few are timed" 0 '^true$' -- \
        jq ".total.timed <= $most and .total.timed < .total.launches" some.json
    expect "$name: none is left out" 0 '^true$' -- \
        jq '.total.timed + .total.sampled.launches == .total.launches' some.json
    expect "$name: cycles" 0 '^true$' -- jq -n --slurpfile a full.json \
        --slurpfile b some.json \
        '$b[0].total.sampled.cycles / $a[0].total.cycles | . > 0.97 and . < 1.03'
    expect "$name: the sum of launches" 0 '^true$' -- jq '
        ([.processes[].launches[] |
          (.cycles // 0) + (.estimated_cycles // 0)] | add) as $sum
        | .total.sampled.cycles / $sum | . > 0.9999 and . < 1.0001' some.json
}
near floyd 40 -- "$build/workloads/floyd" --size small
near launches 40 -- "$build/workloads/launches" --size medium

# Long launches, of which parts are timed, on a small machine. What was left out
# has been computed: the program checks it.
parts() {
    name=$1 gpu=$2
    shift 2
    expect "$name, all timed" 0 ' PASS' '' -- \
        "$heddle" exec -q -g "$gpu" -f json -o full.json "$@"
    expect "$name, in parts" 0 ' PASS' -- \
        "$heddle" exec -q -g "$gpu" --sample -f json -o some.json "$@"
    expect "$name: parts are timed" 0 '^true$' -- jq \
        '.total.sampled.in_parts == 1 and .total.timed == .total.launches' some.json
    expect "$name: far from all of it" 0 '^true$' -- jq -n \
        --slurpfile a full.json --slurpfile b some.json \
        '$b[0].total.cycles < 0.8 * $a[0].total.cycles'
    expect "$name: cycles of all of it" 0 '^true$' -- jq -n \
        --slurpfile a full.json --slurpfile b some.json \
        '$b[0].total.sampled.cycles / $a[0].total.cycles | . > 0.92 and . < 1.08'
    expect "$name: instructions of all of it" 0 '^true$' -- jq -n \
        --slurpfile a full.json --slurpfile b some.json \
        '$b[0].total.warp_insts == $a[0].total.warp_insts and
         $b[0].total.thread_insts == $a[0].total.thread_insts and
         $b[0].processes[0].launches[0].ctas == $a[0].processes[0].launches[0].ctas'
}
parts vecadd k20-single -- "$build/workloads/vecadd" --size 1000000
parts blackscholes k20-single -- "$build/workloads/blackscholes" --size 500000
expect "the text says so" 0 '^sampled: 1 launch timed in parts;' \
    '^  all: ~.* (95 %), ~' -- "$heddle" exec -q -g k20-single --sample -- \
    "$build/workloads/vecadd" --size 1000000
expect "the same by any number of threads, in parts" 0 -- sh -c "
    for n in 1 2; do
        '$heddle' exec -q -g k20 --sample --threads \$n -f csv -o \$n.csv -- \
            '$build/workloads/vecadd' --size 1000000 >/dev/null || exit 1
        sed 's/,[^,]*$//; s/^[0-9]*,//' \$n.csv >\$n.txt
    done
    cmp 1.txt 2.txt && grep -q vecadd 1.txt"
expect "CTAs that take a lock are all timed" 0 '^true$' -- sh -c \
    "'$heddle' exec -q -g k20-single --sample -f json -o lock.json -- \
    '$build/workloads/ticketlock' --size small >/dev/null && \
    jq '.total.sampled == null' lock.json"

expect "the text marks what is charged" 0 '^  step_once .* ~[0-9]' \
    '^sampled: [0-9,]* launches not timed' '^  all: ~.* (95 %), ~' -- \
    exec_it --sample -- "$build/workloads/launches" --size medium
expect "all timed: nothing is marked" 0 -- sh -c \
    "'$heddle' exec -q -g v100 -- '$build/workloads/launches' --size small | \
    grep -c '~\|sampled' | grep -x 0"
expect "launches of several queues are timed" 0 '^true$' -- sh -c \
    "'$heddle' exec -q -g v100 --sample -f json -o beside.json -- \
    '$build/workloads/concurrent' --size small >/dev/null && \
    jq '.total.timed == .total.launches' beside.json"
expect "the same by any number of threads" 0 -- sh -c "
    for n in 1 2; do
        '$heddle' exec -q -g v100 --sample --threads \$n -f csv -o \$n.csv -- \
            '$build/workloads/floyd' --size small >/dev/null || exit 1
        sed 's/,[^,]*$//; s/^[0-9]*,//' \$n.csv >\$n.txt
    done
    cmp 1.txt 2.txt"
expect "sampled cycles are not compared" 2 'only heddle exec' -- "$heddle" \
    compare --sample --with l1.ways=8 -g v100 -- "$build/workloads/floyd"
expect "nor added up by a suite" 2 'only heddle exec' -- "$heddle" \
    suite run --sample -g v100 "$root/workloads"
expect "without timing there is no sample" 2 'leave out --sample' -- \
    exec_it --sample --functional -- "$build/workloads/launches"
finish
