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
expect "of all that have counts" 0 '^22$' -- cat "$tmp/rows"
expect "nothing but the board costs" 0 '^sgemm  *217.5 W  *32.3 W' -- sh -c "
    sed 's/^\( *[a-z].*: \)[0-9][0-9]*\( .*\)*\$/\10/' '$energy/prior.yaml' |
        sed 's/^\( *board: \)0/\132330000/' >'$tmp/free.yaml'
    '$energy/fit' --config '$tmp/free.yaml' '$energy/counts.json'"
expect "a GPU that is none" 3 'k21' -- "$energy/error" k21
expect "counts without costs" 1 'config is missing' -- \
    "$energy/fit" "$energy/counts.json"

"$energy/fit" --config "$energy/prior.yaml" "$energy/counts.json" |
    grep -e ' W ' -e '^mean' >"$tmp/table"
grep -xFf "$tmp/table" "$root/docs/energy.md" >"$tmp/there"
expect "the table in docs/energy.md" 0 -- cmp "$tmp/table" "$tmp/there"

expect "inputs" 0 -- "$energy/inputs" "$tmp/a/b"
expect "a matrix" 0 '^1024 64$' -- head -n 1 "$tmp/a/b/par-sgemm-nvidia/a"
expect "for all programs" 0 '^395784$' -- \
    sh -c "wc -c <'$tmp/a/b/par-mri-q-nvidia/in'"
expect "programs that are missing" 0 'sgemm: no .*/par-sgemm-nvidia/prog' -- \
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
finish
