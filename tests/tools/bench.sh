#!/bin/sh
# tests/tools/bench.sh - what scripts of bench make of measurements: ratios with
# intervals, comparisons with the baseline, the first counter that differs. What
# they measure is measured by nobody here.
. "$(dirname "$0")/../lib.sh"
need_heddle
for tool in jq git flock; do
    command -v $tool >/dev/null || {
        skip bench "no $tool"
        finish
    }
done
cd "$root" || exit 1

# ---- Ratios ----

ratio() { printf '%s\n' "$@" | awk -f bench/ratio.awk; }
expect "a ratio without noise" 0 '^2.000000 2.000000 2.000000$' -- \
    ratio '1 2' '2 4' '3 6' '4 8' '5 10' '6 12'
# Of six pairs the interval is all that there is, of five there is none: both
# signs the same happens once in 32.
expect "six pairs" 0 '^1.034891 1.010000 1.060000$' -- \
    ratio '1 1.03' '1 1.01' '1 1.06' '1 1.02' '1 1.05' '1 1.04'
expect "five pairs" 0 '^1.[0-9]* - -$' -- \
    ratio '1 1.03' '1 1.01' '1 1.06' '1 1.02' '1 1.05'
expect "no pair" 0 '^- - -$' -- ratio ''
expect "one run that was disturbed moves little" 0 '^1.02[0-9]* 1.0' -- \
    ratio '1 1.02' '1 1.01' '1 50' '1 1.02' '1 1.03' '1 1.01' '1 1.03' '1 1.02'
# Tables of signed ranks have 8 for ten pairs: the ends are the ninth means.
expect "ten pairs" 0 '^1.049571 1.020000 1.079815$' -- \
    ratio '1 1' '1 1.01' '1 1.02' '1 1.03' '1 1.04' '1 1.06' '1 1.07' \
    '1 1.08' '1 1.09' '1 1.10'
# Where both are the same program an interval of 95 % seldom leaves out 1: of
# 400 with noise that is never to the faster side, at most 36 (5 % and three
# standard deviations more).
misses() {
    awk 'BEGIN { srand(7)
        for (t = 0; t < 400; t++) {
            for (i = 0; i < 10; i++)
                print 1 - log(rand()) * 0.3, 1 - log(rand()) * 0.3
            print "end"
        } }' | {
        missed=0
        while :; do
            : >"$tmp/pairs"
            while read -r line && [ "$line" != end ]; do
                echo "$line" >>"$tmp/pairs"
            done
            [ -s "$tmp/pairs" ] || break
            awk -f bench/ratio.awk "$tmp/pairs" |
                awk '{ exit !($2 > 1 || $3 < 1) }' && missed=$((missed + 1))
        done
        echo "missed $missed"
        [ "$missed" -le 36 ] && [ "$missed" -ge 4 ]
    }
}
expect "an interval of 95 % misses one of twenty" 0 -- misses

# ---- Threads ----

threads_row() {
    cat <<'END'
{"name": "k", "windows": {"count": 10, "runs": 100, "nodes_s": 0.9,
 "parts_s": {"up": 0.02, "down": 0.03}, "serial_s": 0.05, "longest_s": 0.1,
 "meet_s": 2e-7, "meet_assumed": false, "predicted": [
  {"threads": 1, "s": 1, "speedup": 1},
  {"threads": 16, "s": 0.1, "speedup": 10, "efficiency": 0.62,
   "speedup_longest_last_time": 11}]},
 "measured": [{"n": 0, "wall_s": 1.1, "cpu_s": 0},
  {"n": 1, "wall_s": 2, "cpu_s": 2}, {"n": 2, "wall_s": 1,
  "cpu_s": 2.1}, {"n": 4, "wall_s": 1.25, "cpu_s": 2.2}]}
END
}
threads_row >"$tmp/rows"
expect "threads: predicted, measured, CPU time, - where none is" 0 \
    '^| `k` | 10.00 | 62 | 11.00 |$' \
    '^| `k` | 2.00 | 1.82 | 2.00 | 1.60 | - | 1.05 | 1.10 | - |$' \
    '^Two threads meet in 200 ns; .* 2 cores; load 0.1\.$' -- \
    jq -rsn --slurpfile rows "$tmp/rows" -L tools -f bench/threads.jq \
    --argjson markdown 1 --argjson cores 2 --arg load 0.1

# Threads that have no core each must not burn the time of the one that works:
# on one core eight take the CPU time of one, and hardly more by the clock.
if command -v taskset >/dev/null && ! sanitized; then
    gen vecadd 65536 >/dev/null
    on_one_core() {
        taskset -c "$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')" \
            "$heddle" run -q --gpu v100 --launch "$tmp/vecadd/launch.yaml" \
            --threads "$1" -f json | jq .host.cpu_s
    }
    least() { for _ in 1 2 3; do on_one_core "$1"; done | sort -g | head -n 1; }
    one=$(least 1) eight=$(least 8)
    expect "waiting threads burn no CPU ($one s, of eight threads $eight s)" 0 \
        '^true$' -- jq -n "$one > 0 and $eight < 1.5 * $one"
fi
# ---- Computing without timing ----

# 3000 host instructions more for 20 warp instructions more.
functional() { # MARKDOWN
    echo '{"name": "k", "size": 1024, "rate": 81400000,
        "small": {"warp": 10, "host": 7000},
        "large": {"warp": 30, "host": 10000}}' >"$tmp/rows"
    jq -rsn --slurpfile rows "$tmp/rows" -L tools -f bench/functional.jq \
        --argjson markdown "$1"
}
expect "start-up does not count" 0 '^k  *1,024  *30  *150  *81.4 *$' -- \
    functional 0
expect "the same as a page has it" 0 '^|---|---:|---:|---:|---:|$' \
    '^| `k` | 1,024 | 30 | 150 | 81.4 |$' -- functional 1
expect "a kernel that is none" 2 "no kernel 'gemm'; there are sgemm " -- \
    bench/functional gemm
expect "an unknown option" 2 '^bench/functional \[--markdown\]' -- \
    bench/functional --size

# ---- The baseline ----

# compare ROWS ROWS: old, then new, as JSON
compare() {
    echo "{\"kernels\": [$1]}" >"$tmp/old.json"
    echo "{\"kernels\": [$2]}" |
        jq -r --slurpfile old "$tmp/old.json" -f bench/compare.jq
}
row() { # SIZE INSTRUCTIONS KILOBYTES CYCLES
    echo "{\"name\": \"k\", \"size\": $1, \"host_insts\": $2, \"rss_kb\": $3, \
\"cycles\": $4}"
}
expect "3 % more is still right" 0 \
    '^host instructions: +3 % (k 64) to +3 % (k 64)$' -- \
    compare "$(row 64 1000000 100 5)" "$(row 64 1030000 110 5)"
expect "more is a failure, with both numbers and what to do" 1 \
    '^k 64: 1,000,000 -> 1,031,000 host instructions, +3.1 %; the same sim' \
    'bench/run --record' -- \
    compare "$(row 64 1000000 100 5)" "$(row 64 1031000 100 5)"
expect "that it simulates another thing is told" 1 \
    'simulated cycles 5 -> 6$' -- \
    compare "$(row 64 1000000 100 5)" "$(row 64 2000000 100 6)"
expect "so is memory" 1 '^k 64: 100 -> 111 kB of memory, +11 %$' -- \
    compare "$(row 64 1000000 100 5)" "$(row 64 1000000 111 5)"
expect "less is none" 0 'host instructions: -50 % (k 64) to 0 % (k 128)$' -- \
    compare "$(row 64 1000000 100 5), $(row 128 7 100 5)" \
    "$(row 64 500000 100 5), $(row 128 7 100 5)"
expect "another size is another thing" 0 '^nothing of it is in' -- \
    compare "$(row 64 1000000 100 5)" "$(row 65 2000000 100 5)"

# ---- The same results ----

gen vecadd 2000
report() { # FILE OPTION...
    to=$1
    shift
    "$heddle" run --launch "$tmp/vecadd/launch.yaml" --gpu v100 --quiet \
        --hash --per-block --format json "$@" >"$to"
}
differ() {
    jq -rn --slurpfile a "$tmp/$1" --slurpfile b "$tmp/$2" -f bench/differ.jq
}
report "$tmp/a"
report "$tmp/later" --set gpu.launch_latency=3800
expect "the first that differs is named" 0 \
    '^launch 1, vecadd: cycles [0-9]* -> [0-9]*$' -- differ a later
jq '.launches[0].counters["sm[3].issued"] += 1' "$tmp/a" >"$tmp/one"
expect "a single counter" 0 '^launch 1, vecadd: sm\[3\].issued [0-9]* -> ' -- \
    differ a one
jq '.launches[0].counters["sm[3].novel"] = 1' "$tmp/a" >"$tmp/new"
expect "a new counter is no difference of others" 0 \
    '^only new counters, the first is sm\[3\].novel$' -- differ a new
jq '.launches += .launches' "$tmp/a" >"$tmp/two"
expect "another number of launches" 0 '^1 launches, then 2$' -- differ a two

# ---- What is refused ----

expect "no commit" 2 "no commit 'nothing' here" -- \
    bench/run --against nothing
expect "no number of pairs" 2 "not '0'" -- bench/run --against HEAD --runs 0
expect "no kernel" 2 "no kernel 'sgem'; there are sgemm" -- \
    bench/run --against HEAD sgem
expect "an option in the wrong place" 2 'has to be the first' -- \
    bench/run --quick --record
expect "a part of the baseline" 2 'all kernels are recorded' -- \
    bench/run --record sgemm
finish
