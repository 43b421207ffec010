#!/bin/sh
# tests/run/sweep_search.sh - heddle sweep --search: the same whatever runs at
# once, goes on where it was, and finds the front of all points.
. "$(dirname "$0")/../lib.sh"
need_heddle
export XDG_CACHE_HOME="$tmp/cache" HEDDLE_CACHE=0
cd "$tmp" || exit 1

sweep() { "$heddle" sweep "$@"; }
search() { sweep s.yaml --search -q "$@"; }

cp "$root/workloads/vecadd/ptx/clang14-cuda.ptx" k.ptx
cat >small.yaml <<S
extends: gtx480
gpu: {sms: 1}
S
for n in 256 1024; do
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
gpus: [./small.yaml]
axes:
  noc.latency: [20, 80, 200]
  l1.ways: [2, 4, 6]
  l1.mshrs: [2, 8, 32]
except: l1.ways = 6 and l1.mshrs = 32
base: {l1.ways: 4}
workloads: [add256.yaml, add1024.yaml]
measures: {pareto: [speedup, energy, bits]}
S
# Machines in the order in which they were asked for, with their figures.
told() { sweep table "$1" -f json --base 'noc.latency=20,l1.ways=4,l1.mshrs=2' |
    jq -S '.configurations | map(del(.base))'; }

# ---- The same, whatever runs at once ----
expect "a search" 0 '^s: 20 points: 20 done' \
    '^search: NSGA-II, seed 1, population 4: 10 of 27 machines in 3 gen' \
    '^  front of speedup against energy and bits: [1-9]' '  fronts: A speedup' \
    -- search --evaluations 10 --population 4 -o one
expect "the base is the first" 0 '^true$' -- sh -c "
    '$heddle' sweep list one -f csv | sed -n 2p |
    grep -q '20,4,2' && echo true"
search --evaluations 10 --population 4 -o two -j 3 >/dev/null
told one >1.json
told two >2.json
expect "for any number of jobs" 0 -- cmp 1.json 2.json
search --evaluations 10 --population 4 -o three --seed 2 >/dev/null
told three >3.json
expect "but not of any seed" 1 -- cmp -s 1.json 3.json
expect "each machine once" 0 '^10$' -- sh -c "jq '.[].factors | tostring' 1.json |
    sort -u | wc -l"
expect "none that the plan leaves out" 1 -- jq -e 'map(.factors |
    select(.["l1.ways"] == "6" and .["l1.mshrs"] == "32")) | length > 0' 3.json

# ---- It goes on ----
search --evaluations 5 --population 4 -o part >/dev/null
expect "as far as it was" 0 '^10$' -- sh -c "
    sqlite3 part/results.db 'SELECT count(*) FROM run'"
search --evaluations 10 --population 4 -o part >/dev/null
told part >p.json
expect "a larger budget goes on" 0 -- cmp 1.json p.json
expect "and runs nothing twice" 0 '^20$' -- sh -c "
    sqlite3 part/results.db 'SELECT count(*) FROM run'"
for wait in 0.2 0.5 0.9; do
    timeout -s INT "$wait" "$heddle" sweep s.yaml --search -q --evaluations 10 \
        --population 4 -o cut >/dev/null 2>&1
done
expect "after signals" 0 '^search: .* 10 of 27' -- search --evaluations 10 \
    --population 4 -o cut
told cut >c.json
expect "the same to the last bit" 0 -- cmp 1.json c.json
timeout -s KILL 0.7 "$heddle" sweep s.yaml --search -q --evaluations 10 \
    --population 4 -o killed >/dev/null 2>&1
search --evaluations 10 --population 4 -o killed >/dev/null
told killed >k.json
expect "after a kill, too" 0 -- cmp 1.json k.json
expect "the others' verbs know the folder" 0 '^s: 20 points: 20 done' -- \
    sweep status one

# ---- The front of all ----
expect "until there is nothing left" 0 '24 of 27 machines' -- search \
    --evaluations 100 --population 4 -o all
sweep s.yaml -q -o whole >/dev/null
front() { sweep table "$1" -f json --base 'noc.latency=20,l1.ways=4,l1.mshrs=2' |
    jq -cS '.fronts[0].members as $m | [.configurations[] |
        select(.number as $n | $m | index($n)) | .factors] | sort'; }
front all >a.txt
front whole >w.txt
expect "is that of a sweep" 0 -- cmp a.txt w.txt
expect "which has members" 0 'l1.ways' -- cat a.txt
expect "or at random" 0 '^search: random, seed 3' -- search --method random \
    --seed 3 --evaluations 6 -o random

# ---- What is wrong ----
expect "without a search" 2 'seed is of a search: --search' -- sweep s.yaml \
    --seed 3
expect "no such method" 2 "'anneal' is not nsga2 or random" -- search \
    --method anneal
expect "no machines" 2 "evaluations: '0' is less than 1" -- search --evaluations 0
expect "too few to breed" 2 "population: '1' is less than 2" -- search \
    --population 1
expect "only a run searches" 2 '\-\-search runs a plan; list does not' -- \
    sweep list s.yaml --search
expect "not by Slurm" 2 'runs its points here' -- search --slurm
sed 's/except: .*/except: l1.ways = 4/' s.yaml >no.yaml
expect "a base that is left out" 3 "is left out by 'where' or 'except'" -- \
    sweep no.yaml --search -q
printf 'gpus: [./small.yaml]\nworkloads: [add256.yaml]\n' >flat.yaml
expect "nothing varies" 3 'there is nothing to search' -- sweep flat.yaml \
    --search -q
sed 's/^base/options: {max_cycles: 10}\nbase/' s.yaml >fails.yaml
expect "a base that fails" 1 'the base, with which a search compares, failed' -- \
    sweep fails.yaml --search -q --evaluations 3
finish
