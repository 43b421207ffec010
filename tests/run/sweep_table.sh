#!/bin/sh
# tests/run/sweep_table.sh - heddle sweep table: what a sweep says, from plans
# to figures, checked against arithmetic on its points.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/page/lib.sh"
need_heddle
export XDG_CACHE_HOME="$tmp/cache" HEDDLE_CACHE=0
cd "$tmp" || exit 1

sweep() { "$heddle" sweep "$@"; }
table() { "$heddle" sweep table "$@"; }
# says NAME FILTER JQ ARGUMENT...: true of the table as JSON
says() {
    says_name=$1 says_what=$2
    shift 2
    table s.sweep -f json "$@" >t.json
    expect "$says_name" 0 '^true$' -- jq "$says_what" t.json
}

cp "$root/workloads/vecadd/ptx/clang14-cuda.ptx" k.ptx
cp "$root/tests/run/kernels/forever.ptx" .
cat >small.yaml <<S
extends: gtx480
gpu: {sms: 1}
S
for n in 256 2048; do
    cat >add$n.yaml <<S
program: k.ptx
buffers:
  a: {type: f32, count: $n, init: uniform, seed: 1}
  b: {type: f32, count: $n, init: uniform, seed: 2}
  c: {type: f32, count: $n}
launches:
  - {grid: [$((n / 256))], block: [256], args: [a, b, c, $n]}
S
done
cat >s.yaml <<S
about: vector additions
gpus: [./small.yaml]
axes:
  noc.latency: [200, 20, 80]
  l1.ways: [2, 4]
  alloc: {mechanism: l1-alloc}
base: {noc.latency: 80, l1.ways: 2}
workloads: [add256.yaml, add2048.yaml]
measures:
  pareto: [[speedup, bits], [speedup, energy, bits]]
  crossover: {along: noc.latency, fade: 5}
S

# ---- Plans ----
sed 's/along: noc/along: nic/' s.yaml >wrong.yaml
expect "no such axis" 3 "wrong.yaml:11:22: .*did you mean 'noc.latency'" -- \
    sweep list wrong.yaml
sed 's/speedup, bits/speedup, bit/' s.yaml >wrong.yaml
expect "no such goal" 3 "wrong.yaml:10:22: .*did you mean 'bits'" -- \
    sweep list wrong.yaml
sed 's/\[speedup, bits\], //; s/fade: 5/fade: 0/' s.yaml >wrong.yaml
expect "no such gain" 3 "'0' is not a number above 0" -- sweep list wrong.yaml

sed 's/^  pareto/  part: l3\n  pareto/' s.yaml >wrong.yaml
expect "no such part" 3 "wrong.yaml:10:9: .*did you mean 'l1'" -- \
    sweep list wrong.yaml
sed 's/speedup, bits/speedup, part_bits/' s.yaml >wrong.yaml
expect "a part that is not named" 3 "part_bits: of which part?" -- \
    sweep list wrong.yaml
expect "the plan that is shown" 0 -- sweep list "$root/examples/hazard.yaml"

# ---- At the end of a sweep ----
expect "a table at the end" 0 '^s: 24 points: 24 done' '^vector additions$' \
    '^axes  *alloc: on-miss, on-fill$' '^  *noc.latency: 20, 80, 200$' \
    '^base  *the same configuration with ways=2 latency=80$' \
    '^12 configurations$' '^front of speedup against bits: ' \
    '^  noc.latency: a step changes speed by ' \
    '^where a speed-up crosses 1.000 x, and where a gain of 5 % ' -- \
    sweep s.yaml -j 2 -q
expect "as JSON only the counts" 0 '"done": 24' -- sweep s.yaml -q -f json
table s.sweep >a.txt
expect "100 columns" 1 -- grep -E '.{101}| $' a.txt
expect "of the file alone" 0 -- sh -c \
    "'$heddle' sweep table s.sweep/results.db | grep -v '^front\|^  #' >b.txt
    grep '^base  *the same configuration with ways=2 latency=80' b.txt"

# ---- Figures against arithmetic ----
says "every ratio" '[.configurations[] | {n: .number, f: .factors, w:
    .workloads[]}] as $all | [$all[] | . as $c | ($all[] | select(
    .f["noc.latency"] == "80" and .f["l1.ways"] == "2" and
    .f.alloc == $c.f.alloc and .w.workload == $c.w.workload)) as $b |
    ($c.w.speedup - $b.w.seconds / $c.w.seconds) +
    ($c.w.energy_ratio - $c.w.joules / $b.w.joules) | fabs < 1e-9] |
    length == 24 and all'
says "every mean" '[.configurations[] | (.mean.speedup - ([.workloads[].speedup |
    log] | add / length | exp) | fabs < 1e-9)] | length == 12 and all'
says "every base" '[.configurations[] | .base] | unique | length == 2'
says "a front as defined" '.fronts[1].members as $on | [.configurations[] |
    {n: .number, b: .bits, t: ([.workloads[].seconds | log] | add),
    e: ([.workloads[].joules | log] | add)}] as $c | [$c[] | . as $x |
    {n, on: ([$c[] | select(.t <= $x.t + 1e-9 and .e <= $x.e + 1e-9 and
    .b <= $x.b and (.t < $x.t - 1e-9 or .e < $x.e - 1e-9 or .b < $x.b))] ==
    [])}] | all(. as $x | .on == any($on[]; . == $x.n))'
says "lines of the chosen axis" '.crossovers | length > 0 and
    all(.along == "noc.latency" and (.line | length == 3))'
says "slower is slower" '.effects[] | select(.axis == "noc.latency") |
    .steps | length == 2 and all(.speedup < 0.99)'
says "other fronts, base and level" '.level == 1.5 and .fade == 0.02 and
    .configurations[0].base == 0 and (.axes[] | select(.name == "alloc").base
    == "on-miss")' --level 1.5 --fade 2 \
    --base alloc=on-miss,noc.latency=200,l1.ways=2
says "a limit" '.configurations | length == 4 and
    all(.factors["noc.latency"] == "20")' --limit noc.latency=20
says "a formula" '[.configurations[].workloads[] | (.cpi * 100 | round) as $x |
    $x == (.cycles / .insts * 100 | round)] | all' \
    --show insts=warp_insts --show cpi=cycles/warp_insts
says "a counter" '[.configurations[].workloads[].x] | all(. > 0)' \
    --show 'x=sm[*].issued'
expect "the best" 0 '^  #[0-9]*  *on-[a-z]*  *4  *20  ' -- table s.sweep \
    --limit 'bits<=1e9' --sort speedup --rows 1
# ---- Fronts: the same in text, as JSON and on the page ----
cat >f.yaml <<S
gpus: [./small.yaml]
axes:
  l1.mshrs: [1, 2, 4, 8, 16]
  l1.ways: [2, 4]
base: {l1.mshrs: 4, l1.ways: 4}
workloads: [add256.yaml, add2048.yaml]
measures: {pareto: [[speedup, bits], [speedup, bits, energy]]}
S
"$heddle" sweep f.yaml -q -j 2 >f.txt
"$heddle" sweep table f.sweep -f json >f.json
"$heddle" report f.sweep -o f.html >/dev/null
members() { # FRONT, FROM 0, AND ITS LETTER: of the text, JSON and page
    jq -r ".fronts[$1].members[] | \"#\(.)\"" f.json >json.txt
    awk -v n="$1" '/^front of/ { at++ } /^what each/ { at = 99 }
        at == n + 1 && /^  #/ { print $1 }' f.txt >text.txt
    tr -d '\n' <f.html | sed "s/.*members-$2.csv//; s/<.table>.*//" |
        grep -o 'row">#[0-9]*' | sed 's/row">//' >page.txt
    cat json.txt
    diff json.txt text.txt && diff json.txt page.txt &&
        test "$(wc -l <json.txt)" -gt 2
}
expect "a front of two goals" 0 '^#' -- members 0 A
expect "a front of three" 0 '^#' -- members 1 B
expect "how many they are" 0 \
    "^$(jq '.fronts[1].members | length' f.json) of 10 configurations" -- \
    sed 's/<[^>]*>//g' f.html
expect "which is drawn in a plane of its own" 0 'front-B-energy' -- cat f.html
expect "and in none that is there" 1 -- grep front-B-bits f.html
expect "a base on each" 0 '^2$' -- grep -c 'class="base"' f.html
sed 's/l1.mshrs: .*16]/noc.latency: [20, 40, 80]/; s/l1.mshrs: 4/noc.latency: 20/
    s/ways: .2, 4./ways: [4]/' f.yaml >idle.yaml
expect "a goal that is the same for all" 0 '^front of speedup against bits and' \
    '^front of speedup against bits: bits: the same for all$' '^  #' -- \
    sweep idle.yaml -q
"$heddle" report idle.sweep -o idle.html >/dev/null
expect "is said on the page" 0 'None: bits: the same for all' front-B-energy -- \
    cat idle.html

"$heddle" sweep table f.sweep/results.db -f json >alone.json
expect "the same fronts of the file alone" 0 '^true$' -- jq -n \
    '[inputs.fronts] | length == 2 and .[0] == .[1] and (.[0] | length == 2)' \
    f.json alone.json
"$heddle" report f.sweep/results.db -o alone.html >/dev/null
expect "and on its page" 0 front-B-energy -- cat alone.html

# ---- Crossovers: on request, those that matter most first ----
lines='--along noc.latency --between base --by-workload'
# shellcheck disable=SC2086  # options
says "the largest effect first" '[.crossovers[].effect] |
    length == 12 and . == (sort | reverse) and .[0] > 1.1' $lines
# shellcheck disable=SC2086
says "an effect as defined" '[.crossovers[] | (.line | map(.speedup)) as $r |
    if .crossings == [] then .effect == 1 else
    (.effect - ([($r | max), 1 / ($r | min)] | min) | fabs) < 1e-9 end] | all' \
    $lines
sed '/crossover/d' s.yaml >quiet.yaml
"$heddle" sweep quiet.yaml -q -j 2 >quiet.txt
expect "who asks for none is told how many there are" 0 \
    '^crossovers: [0-9]* of [0-9]* lines cross 1.000 x' \
    '^  --crossovers 10 shows' -- cat quiet.txt
expect "and no more" 1 -- grep 'crosses at\|never crosses' quiet.txt
crossings() { # ARGUMENT...: how many lines are told
    table quiet.sweep "$@" | grep -c '^    over the base '
}
# shellcheck disable=SC2086
expect "ten if they are chosen" 0 '^10$' -- crossings $lines
# shellcheck disable=SC2086
expect "two" 0 '^2$' -- crossings $lines --crossovers 2
# shellcheck disable=SC2086
expect "all" 0 '^12$' -- crossings $lines --crossovers all
# shellcheck disable=SC2086
expect "how many are left" 0 '^  and 2 more that matter less, --crossovers all' \
    -- table quiet.sweep $lines
expect "not how many" 2 '^heddle sweep: --crossovers' -- table quiet.sweep \
    --crossovers some
"$heddle" report s.sweep -o s.html >/dev/null
"$heddle" report quiet.sweep -o quiet.html >/dev/null
expect "as many on the page" 0 '[0-9]* of 6 lines cross' -- cat quiet.html
page_opens "fronts and crossovers" f.html idle.html s.html quiet.html

expect "CSV" 0 '^configuration,side,alloc,l1.ways,noc.latency,gpu,workload,' \
    '^0,,on-miss,2,200,./small.yaml,add256,0,pass,,16,' -- \
    table s.sweep -f csv
table s.sweep -f csv >c.csv
expect "a line for each point" 0 '^25$' -- grep -c , c.csv


# ---- A part of the energy ----
cat >hazard.yaml <<S
gpus: [./small.yaml]
axes:
  hazard:
    scoreboard: {sm.issue.hazard: scoreboard}
    S1: {sm.issue.hazard: table, sm.table.slots: 1}
    S4: {sm.issue.hazard: table, sm.table.slots: 4}
    unlimited: {sm.issue.hazard: unlimited}
base: {hazard: scoreboard}
workloads: [add256.yaml, add2048.yaml]
measures: {part: hazard}
S
expect "a sweep of hazards" 0 'front of speed against energy and bits of the part' \
    'hazard energy  hazard bits' '1 left out: not known' -- \
    sweep hazard.yaml -o h.sweep
table h.sweep -f json >t.json
# 48 warps of 63 registers, or slots of 9 bits, and 7 predicates.
expect "bits of the part" 0 '^true$' -- jq '[.configurations[].part_bits] ==
    [48 * 70, 48 * 16, 48 * 43, null]' t.json
expect "its energy" 0 '^true$' -- jq '.configurations[1:3] | map(.mean) |
    all(.part_energy_ratio < .energy_ratio) and
    .[0].part_energy_ratio < .[1].part_energy_ratio' t.json
expect "asked for by name" 0 '^0,,scoreboard,./small.yaml,add256,0,pass,.*,3360,' -- \
    table h.sweep/results.db --energy-part hazard -f csv
expect "another part" 0 'ibuffer energy' -- table h.sweep --energy-part ibuffer
expect "a part that is none" 2 "did you mean 'ibuffer'" -- \
    table h.sweep --energy-part ibufer

# ---- Wrong questions ----
expect "no such base" 2 'no point has l1.ways=8; there are 2, 4' -- \
    table s.sweep --base l1.ways=8
expect "no such axis" 2 "no axis 'l1.way'; did you mean 'l1.ways'" -- \
    table s.sweep --base l1.way=2
expect "no such figure" 2 "there is no 'bit'" -- table s.sweep --limit 'bit<=1'
expect "no limit" 2 'is no limit like' -- table s.sweep --limit bits
expect "no order" 2 "'fast' is no order" -- table s.sweep --sort fast
expect "no counter" 2 "did you mean 'sm\[\*\].issued'" -- table s.sweep \
    --show 'sm[*].isued'
expect "no formula" 2 "here a ')' is missing" -- table s.sweep --show '(cycles'
expect "no study" 2 'it has no such study; it has 1 (sweep s, 24 points)' -- \
    table s.sweep/results.db --study 7
expect "no rows" 2 '^heddle sweep: --rows' -- table s.sweep --rows few
expect "no sweep" 3 'no results file' -- table s.yaml
expect "nothing there" 3 'cannot open' -- table none.db

# ---- Holes ----
cat >forever.yaml <<S
program: forever.ptx
launches:
  - {grid: [1], block: [32]}
S
cat >h.yaml <<S
gpus: [./small.yaml]
axes: {l1.ways: [2, 4]}
workloads: [add256.yaml, forever.yaml]

S
expect "a mean over holes" 1 '2 fail, the first: forever #1 ways=2' REFUSED \
    '^  #0 lacks 1 of 2 workloads: forever (fail)$' \
    'l1.ways: REFUSED, 1 of 2 pairs are missing' -- sweep h.yaml -j 2 -q
expect "is refused later, too" 1 REFUSED -- table h.sweep
expect "or computed, and said" 0 \
    '^  #0 is WITHOUT 1 of 2 workloads: forever (fail)$' -- \
    table h.sweep --allow-missing
expect "null is no number" 0 '^null$' -- sh -c "'$heddle' sweep table h.sweep \
    -f json | jq '.configurations[1].mean.speedup'"

# A plan that grew: what was not run is missing.
sed 's/\[2, 4\]/[2, 4, 8]/; s/, forever.yaml//' h.yaml >h2.yaml
sweep list h2.yaml -f csv >ids.csv
expect "some of it" 0 '^h2: 3 points: 3 done' -- sweep h2.yaml -q
rm -r h2.sweep/results.db
"$heddle" sweep worker h2.sweep --part 0/2 -q >/dev/null 2>&1
expect "missing until it was run" 1 '^points  *3 points, 2 passed$' \
    '^  *1 missing, the first: add256 #1 ways=4$' -- table h2.sweep

# ---- The plans that come with it ----
for plan in "$root"/examples/sweeps/*.yaml; do
    expect "$(basename "$plan") is a plan" 0 -- sweep list "$plan"
done
small='s/{suite: .*}/add2048.yaml/; s/\[1, 2, 4, 8, 16, 32\]/[4, 8]/'
sed "$small; s/32, 64, 128/32, 64/" "$root/examples/sweeps/reod.yaml" >reod.yaml
expect "queues by number, depth and MSHRs" 0 '^10 configurations$' \
    '^front of speedup against bits' 'along l1.mshrs' -- sweep reod.yaml -q
sed "$small" "$root/examples/sweeps/reod-fades.yaml" >fades.yaml
expect "where the gain fades" 0 '^12 configurations$' \
    '    8x4 over fifo along .*: never crosses' -- sweep fades.yaml -q

# ---- How wide it is ----
longest() { "$@" | awk 'length($0) > n { n = length($0) } END { print n }'; }
at80=$(longest table s.sweep --width 80) at100=$(longest table s.sweep)
expect "80 columns" 0 -- test "$at80" -le 80
expect "100 in a pipe" 0 -- test "$at100" -gt 80 -a "$at100" -le 100
expect "as the environment says" 0 -- \
    test "$(COLUMNS=80 longest table s.sweep)" = "$at80"
values=cycles,time_s,ipc,energy_j,power_w,edp,warp_insts
values=$values,launches,wall_s,storage_bits
results() {
    "$heddle" results table s.sweep/results.db --rows run --value "$values" "$@"
}
expect "results, too" 0 -- test "$(longest results --width 80)" -le 80
expect "which need more" 0 -- test "$(longest results)" -gt 80

# ---- A comparison ----
"$heddle" compare --gpu ./small.yaml --with l1.ways=2 --with l1.ways=8 \
    add256.yaml add2048.yaml --store c.db >compare.txt
expect "is a small sweep" 0 '^axes  *l1.ways: 2, 4, 8$' '^3 configurations$' \
    '^base  *#0 as it is: ways=4 ' -- table c.db


# ---- Effects with bands: the same arithmetic in jq ----
time_of='def t($l; $w; $a): [.configurations[] | select(.factors ==
    {"noc.latency": $l, "l1.ways": $w, "l1.alloc": $a, "gpu": "./small.yaml"} or
    ((.factors["noc.latency"] == $l) and (.factors["l1.ways"] == $w) and
     (.factors.alloc == $a))) | .workloads[].seconds | log];
    def less($x; $y): [$x, $y] | transpose | map(.[0] - .[1]);
    def near($x): . - $x | fabs < 1e-9;'
expect "nothing unless it is wanted" 0 '^false$' -- sh -c "
    '$heddle' sweep table s.sweep -f json | jq 'has(\"contrasts\")'"
says "what a latency of 200 does, mean of four settings" "$time_of
    [(\"2\", \"4\") as \$w | (\"on-miss\", \"on-fill\") as \$a
     | less(t(\"80\"; \$w; \$a); t(\"200\"; \$w; \$a))] as \$d
    | (\$d | flatten | add / length | exp) as \$x
    | .contrasts[] | select(.of == {\"noc.latency\": \"200\"})
    | .settings == 4 and (.speed.mean | near(\$x)) and .speed.workloads == 2 and
      (.speed.low * .speed.high / .speed.mean | near(\$x))" --effects
says "alone, and two together" "$time_of
    (less(t(\"80\"; \"2\"; \"on-miss\"); t(\"20\"; \"2\"; \"on-miss\")) | add / 2 | exp) as \$x
    | ([.contrasts[] | select(.of == {\"noc.latency\": \"20\"})][0].alone.mean | near(\$x)) and
      ([.contrasts[] | select(.of | length == 2)] | length) == 5" --effects
expect "as text" 0 '^effects, geometric means over 2 workloads' '^  together ' \
    '^  latency=200 .* x .*\.\..* slower ' -- table s.sweep --effects
expect "in 80 columns" 1 -- sh -c "'$heddle' sweep table s.sweep --effects \
    --width 80 | sed -n '/^effects/,\$p' | grep -E '.{81}'"
expect "and there are some" 0 '^effects' -- sh -c "'$heddle' sweep table s.sweep \
    --effects --width 80 | sed -n '/^effects/,\$p'"
printf 'gpus: [./small.yaml]\nworkloads: [add256.yaml]\n' >flat.yaml
sweep flat.yaml -q >/dev/null
expect "none where nothing varies" 0 '^effects: none, as no axis but the GPU' -- \
    table flat.sweep --effects
expect "as CSV" 0 '^gpu,axis,value,with_axis' ',noc.latency,200,,,4,0,2,0\.' -- \
    table s.sweep --effects -f csv
sed 's/measures:/measures:\n  effects: true/' s.yaml >effects.yaml
expect "asked for in the plan" 0 '^effects, ' -- sweep effects.yaml -o s.sweep -q
expect "and on its page" 0 'What two do together' -- sh -c "
    '$heddle' report s.sweep -o p.html >p.txt; cat p.html"
sed 's/effects: true/effects: perhaps/' effects.yaml >wrong.yaml
expect "neither true nor false" 3 'effects must be true or false' -- \
    sweep list wrong.yaml
finish
