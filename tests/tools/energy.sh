#!/bin/sh
# tests/tools/energy.sh - the energy model against measured power, from a clean
# clone.
. "$(dirname "$0")/../lib.sh"
need_heddle
energy=$root/bench/energy
export HEDDLE="$heddle"

expect "the error of each kernel" 0 '^sgemm  *217.5 W .*%$' ' check$' ' new$' \
    '^mean, new ' '^front end, mean: ' -- "$energy/error"
grep -c '^[a-zA-Z+_0-9-]* *[0-9.]* W ' "$out" >"$tmp/rows"
expect "of all that have counts" 0 '^23$' -- cat "$tmp/rows"
"$heddle" config show v100 --canonical >"$tmp/v100.yaml"
# costs NAME=FJ... of events and states, 0 for the others, to $tmp/costs.yaml
costs() {
    sed '/^energy:/,/^[a-z]/s/^\(    *[a-z].*: \)[0-9][0-9]*\( .*\)*$/\10/' \
        "$tmp/v100.yaml" >"$tmp/costs.yaml"
    for costs_each; do
        sed -i "s/^\(    ${costs_each%=*}: \)0/\1${costs_each#*=}/" "$tmp/costs.yaml"
    done
}
costs board=32330000
expect "nothing but the board costs" 0 '^sgemm  *217.5 W  *32.3 W' -- \
    "$energy/fit" --config "$tmp/costs.yaml" "$energy/counts.json"

# ---- Counts of which the answer is known ----
# A microsecond at 1 GHz, a quarter of the work of a launch, so half of the 8000
# cycles that it is measured with; 2000 events of 10,000,000 fJ are 20 W beside
# 30 W of the board.
cat >"$tmp/table.csv" <<S
name,watts,cycles,report,kernel,work,use
a,100,8000,a,a,lane_fp32=8000,fit
b,50,1000,b,b,,new
S
cat >"$tmp/counts.json" <<S
{"a": {"seconds": 1e-6, "cycles": 1000, "states": {"board": ["board", 1000]},
       "events": {"lane_fp32": ["fp32", 2000]}},
 "b": {"seconds": 1e-6, "cycles": 1000, "states": {"board": ["board", 1000]},
       "events": {"lane_fp32": ["fp32", 2000]}}}
S
costs board=30000000 lane_fp32=10000000
expect "watts of events and states, cycles of a whole launch" 0 \
    '^a  *100.0 W  *50.0 W  *-50% .* -50%$' '^b  *50.0 W  *50.0 W  *[+-]0% .* [+-]0%  new$' -- \
    "$energy/fit" --table "$tmp/table.csv" --config "$tmp/costs.yaml" \
    "$tmp/counts.json"
# Scales and states that the measured watts were made of: events of SMs cost twice as
# much, those behind them three times, leakage half.
cat >"$tmp/made.csv" <<S
name,watts,cycles,report,kernel,work,use
a,55,-,a,a,,fit
b,65,-,b,b,,fit
c,85,-,c,c,,fit
S
cat >"$tmp/made.json" <<S
{"a": {"seconds": 1e-6, "cycles": 1000, "events": {"lane_fp32": ["fp32", 1000]},
       "states": {"board": ["board", 1000], "sm": ["sm_static", 1000]}},
 "b": {"seconds": 1e-6, "cycles": 1000, "events": {"dram_read": ["dram", 1000]},
       "states": {"board": ["board", 1000], "sm": ["sm_static", 1000]}},
 "c": {"seconds": 1e-6, "cycles": 1000, "states": {"board": ["board", 1000]},
       "events": {"lane_fp32": ["fp32", 2000], "dram_read": ["dram", 500]}}}
S
costs board=30000000 lane_fp32=10000000 dram_read=10000000 sm=10000000
expect "values that give the measured watts" 0 '^  scale: 200$' '^  memory_scale: 300$' \
    '^    sm: 5000000$' -- "$energy/fit" --factors --weight 0 --table "$tmp/made.csv" \
    --config "$tmp/costs.yaml" "$tmp/made.json"

# ---- Streamed loads: what the first launch has more than the second ----
# 2 us: 4000 events at half of 10 nJ are 10 W, 200 at twice 100 nJ are 20 W, beside
# 30 W; 1000 lanes that load 4 bytes are 2 GB/s, twice the measured.
mkdir "$tmp/reports"
cat >"$tmp/reports/s.json" <<S
{"launches": [
 {"kernel": "k", "time_s": 3e-6, "cycles": 3000, "energy": {"parts_fj": {},
  "events": {"lane_fp32": {"part": "fp32", "count": 5000},
   "dram_read": {"part": "dram", "count": 300}, "lane_mem": {"part": "lsu", "count": 1700}},
  "states": {"board": {"part": "board", "cycles": 3000}}}},
 {"kernel": "k", "time_s": 1e-6, "cycles": 1000, "energy": {"parts_fj": {},
  "events": {"lane_fp32": {"part": "fp32", "count": 1000},
   "dram_read": {"part": "dram", "count": 100}, "lane_mem": {"part": "lsu", "count": 700}},
  "states": {"board": {"part": "board", "cycles": 1000}}}}]}
S
cat >"$tmp/streams.csv" <<S
name,watts,gbs,report,kernel,cycles,work,use
s,100,1,s,k,-,,fit
S
costs board=30000000 lane_fp32=10000000 dram_read=100000000
sed -i 's/^  scale: .*/  scale: 50/; s/^  memory_scale: .*/  memory_scale: 200/' \
    "$tmp/costs.yaml"
expect "by the difference of two launches" 0 '^s  *100.0 W  *60.0 W .* -50%$' -- \
    "$energy/fit" --table "$tmp/streams.csv" --config "$tmp/costs.yaml" "$tmp/reports"

# The presets have what the fit gives from the V100's values at the scale that was guessed.
fitted() {
    "$heddle" config show --canonical v100 --set energy.scale="$3" \
        --set energy.memory_scale="$3" >"$tmp/prior.yaml"
    "$energy/fit" --factors --weight 0.01 --config "$tmp/prior.yaml" --table \
        "$energy/$1.csv" "$energy/counts-$1.json" >"$tmp/values"
    "$heddle" config show --canonical "$2" | sed -n '/^energy/,/^[a-df-z]/p' >"$tmp/preset"
    while read -r value; do
        expect "$2 has the fit's $value" 0 "^ *$value\$" -- cat "$tmp/preset"
    done <"$tmp/values"
}
fitted a100 a100 60
fitted h200 h100 45
fitted h200 h200 45

# Halves are those of heddle validate, by names alone.
for gpu in a100 h200; do
    rows=$(grep -c ^roofline "$energy/$gpu.csv")
    expect "the error of each row of $gpu" 0 '^roofline_0.25  *[0-9.]* W .*% *check$' \
        '^mean, fit ' '^mean, check ' -- "$energy/error" $gpu
    grep -c '^roofline.* W ' "$out" >"$tmp/rows"
    expect "of all that have counts" 0 "^$rows\$" -- cat "$tmp/rows"
    {
        named=$(sed -n 's/.*"\(.* power\)".*/\1/p' "$energy/$gpu.csv")
        echo "name: $named"
        echo 'halves: true'
        echo 'programs: [{name: none, run: ["{programs}/none"]}]'
        echo 'every_row: {source: none}'
        echo 'rows:'
        row='program: none, prints: x, value: 1'
        sed -n "s/^roofline_\([0-9.]*\),.*/  - {name: roofline \1, $row}/p" \
            "$energy/$gpu.csv"
    } >"$tmp/halves.yaml"
    "$heddle" validate --allow-missing --format csv "$tmp/halves.yaml" 2>"$tmp/err" |
        sed -n 's/.*,roofline \([0-9.]*\),.*,tuning,.*/\1 fit/p
            s/.*,roofline \([0-9.]*\),.*,reporting,.*/\1 check/p' >"$tmp/halves"
    expect "$rows rows have a half" 0 "^$rows\$" -- grep -c . "$tmp/halves"
    sed -n 's/^roofline_\([0-9.]*\),.*,\([a-z]*\)$/\1 \2/p' "$energy/$gpu.csv" >"$tmp/use"
    expect "it is the one of the table" 0 -- diff "$tmp/use" "$tmp/halves"
done
expect "of bits and operations" 0 '^a100 .*DRAM .*13.11 pJ' '^a100 .*tensor .* 0.70 pJ' -- \
    "$energy/levels" a100
cp "$out" "$tmp/levels"
expect "the farther the dearer" 0 -- awk '
    { ours[NR] = $(NF - 2) } END { exit !(NR == 6 && ours[2] > ours[3] && ours[3] > ours[4]) }
    ' "$tmp/levels"
expect "what events cost by published watts of components" 0 \
    '^registers  *[0-9.]* pJ  rf_read rf_write$' '^tensor  *-  *lane_tensor$' -- \
    "$energy/fit" --components "$energy/counts.json"

expect "a GPU that is none" 3 'k21' -- "$energy/error" k21
expect "counts without costs" 1 'config is missing' -- \
    "$energy/fit" "$energy/counts.json"

expect "inputs" 0 -- "$energy/inputs" "$tmp/a/b"
expect "a matrix" 0 '^1024 992 ' -- head -c 20 "$tmp/a/b/data/matrix1.txt"
expect "samples and voxels" 0 '^3186696$' -- \
    sh -c "wc -c <'$tmp/a/b/data/64_64_64_dataset.bin'"
expect "programs that are missing" 0 'sgemm: no .*/sgemm' -- \
    "$energy/run" "$tmp/a/b" "$tmp/out" sgemm

# ---- An access costs by its width ----
cat >"$tmp/add.yaml" <<S
program: $root/workloads/vecadd/ptx/clang14-cuda.ptx
buffers: {a: {type: f32, count: 2048}, b: {type: f32, count: 2048}, c: {type: f32, count: 2048}}
launches: [{grid: [8], block: [256], args: [a, b, c, 2048]}]
S
# hazard NAME FILTER OPTION...: of the events of a run
hazard() {
    hazard_name=$1 hazard_what=$2
    shift 2
    "$heddle" run --launch "$tmp/add.yaml" -f json "$@" >"$tmp/run" 2>"$tmp/err"
    expect "$hazard_name" 0 '^true$' -- jq ".launches[0].energy.events |
        $hazard_what" "$tmp/run"
}
hazard "a row of the V100's scoreboard" '.hazard_read | .bits == {"read": 269} and
    .each_fj == 2260 and .fj == .count * 2260 and .count > 0' -g v100
hazard "with fewer registers" '.hazard_read | .bits == {"read": 78} and
    .each_fj == (78 * 8401 + 500) / 1000 - ((78 * 8401 + 500) % 1000) / 1000' \
    -g v100 --set sm.registers_per_thread=64
for slots in 4 8; do
    hazard "$slots slots" ".hazard_read.bits.read == $slots * 11 + 14 and
        .hazard_compare.bits == {compare: 8} and .hazard_compare.fj > 0 and
        .hazard_select.fj == 0" -g v100 --set sm.issue.hazard=table \
        --set sm.table.slots=$slots
done
hazard "a bound" '[.[] | select(.part == "hazard") | .fj] | add == 0' -g v100 \
    --set sm.issue.hazard=unlimited
hazard "control codes" '.hazard_read.bits.read == 40 and .hazard_count.fj > 0 and
    .hazard_issue.count == .schedule.count and .hazard_write.fj == 0' -g v100 \
    --set sm.issue.hazard=codes

# ---- Front ends that SMs share, or that sleep ----
# spends NAME FILTER OPTION...: of the energy of a launch of 16 CTAs for 4 SMs,
# which sums to the total by events and states, by parts and over time
spends() {
    spends_name=$1 spends_what=$2
    shift 2
    "$heddle" run --launch "$tmp/more.yaml" -g gtx480 --set gpu.sms=4 -f json \
        --energy-series 100 "$@" >"$tmp/run" 2>"$tmp/err"
    expect "$spends_name" 0 '^true$' -- jq ".launches[0] | .cycles as \$cycles |
        .energy | ([.events[].fj, .states[].fj] | add) == .energy_fj and
        ([.parts_fj[]] | add) == .energy_fj and
        ([.series[].total_fj] | add) == .energy_fj and
        ([.series[].parts_fj.front_static] | add) == .parts_fj.front_static and
        (.states | .front_end.cycles + .front_end_idle.cycles +
            .front_end_gated.cycles) == 4 * \$cycles and $spends_what" "$tmp/run"
}
sed 's/2048/4096/g; s/\[8\]/[16]/' "$tmp/add.yaml" >"$tmp/more.yaml"
spends "front ends of their own" '.sharing == null and
    .states.front_end_gated.cycles == 0 and .parts_fj.link == 0' -q
# 205 + 431 pJ for two instructions, 81.1 to decode, 59.3 to choose: 458.4
for size in 2 4; do
    spends "a front end for $size" ".events.broadcast.each_fj == 13752 and
        .events.ack.each_fj == 4584 and .events.stack.each_fj == 45840 and
        .events.broadcast.count == .events.stack.count and
        .events.broadcast.count > 0 and .events.gate.count >= 4 - 4 / $size and
        .states.front_end_gated.cycles > 0 and .sharing.size == $size and
        .sharing.saved > 0 and .sharing.saved < 0.9 * ($size - 1) / $size" \
        --set gpu.cluster.size=$size --set gpu.cluster.slip=0
done
spends "front ends that sleep" '.events.gate.count > .events.wake.count and
    .events.wake.count > 0 and .parts_fj.stacks == 0' \
    --set sm.fetch.front_end=gated --set gpu.launch_latency=50
spends "clusters that part at once" '.events.wake.count > 0 and
    .events.broadcast.count > 0' --set gpu.cluster.size=2 \
    --set gpu.cluster.slip=1 --set gpu.cluster.slip_window=16
finish
