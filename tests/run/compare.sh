#!/bin/sh
# tests/run/compare.sh - heddle compare: on workloads of ours, on programs that
# fail or differ, on launch files.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/page/lib.sh"
need_heddle
build=$(dirname "$heddle")
export XDG_CACHE_HOME="$tmp/cache"

compare() { "$heddle" compare --gpu gtx480 "$@"; }

# ---- Wrong command lines: one message, and nothing runs ----
cat >"$tmp/suite.yaml" <<S
programs:
  - {name: ran, run: touch $tmp/ran}
S
expect "a parameter that is none" 3 'l1.wayz' -- compare "$tmp" \
    --with l1.wayz=8 --with l1.ways=8
cp "$out" "$tmp/first"
expect "only one message" 0 '^1$' -- grep -c wayz "$tmp/first"
expect "a value out of range" 3 'l1.ways' -- compare "$tmp" --with l1.ways=0
expect "a wrong base" 3 'sm.issue.scheduler' -- compare "$tmp" \
    --with l1.ways=8 --against sm.issue.scheduler=best
expect "a mechanism that has nothing to do there" 2 \
    'reod on k20: its L1 holds no global loads.*--set l1.globals=true$' -- \
    "$heddle" compare reod "$tmp" --gpu gtx480 --gpu k20
expect "no variant" 2 'expected a mechanism or --with' -- compare "$tmp"
expect "no workload" 2 'expected workloads' -- compare scheduler
expect "no mechanism" 2 "'schedule' is no suite" -- compare schedule "$tmp"
expect "a mechanism nearly" 2 "did you mean the mechanism 'scheduler'" -- compare schedulr "$tmp"
expect "no program" 2 "did you mean 'ran'" -- compare scheduler "$tmp" rann
expect "names twice" 2 "two sides are called 'a'" -- compare "$tmp" \
    --with a:l1.ways=2 --with a:l1.ways=8
expect "nothing ran" 1 -- test -e "$tmp/ran"
expect "mechanisms by name" 0 '^    l1-size ' -- "$heddle" list mechanisms
expect "where they can be compared" 0 '^ *on a100 gtx480 .usual. h100' -- \
    "$heddle" list mechanisms
expect "why not elsewhere" 0 '^ *not on k20 k20-single: its L1 holds no' -- \
    "$heddle" list mechanisms
expect "at most 100 columns" 1 -- sh -c "'$heddle' list mechanisms |
    grep -E '.{101}'"

# ---- Launch files ----
cp "$root/workloads/vecadd/ptx/clang14-cuda.ptx" "$tmp/k.ptx"
cat >"$tmp/add.yaml" <<S
program: k.ptx
buffers:
  a: {type: f32, count: 8192, init: uniform, seed: 1}
  b: {type: f32, count: 8192, init: uniform, seed: 2}
  c: {type: f32, count: 8192}
launches:
  - {grid: [32], block: [256], args: [a, b, c, 8192]}
S
sums='.comparisons[].workloads[].runs[] | {cycles, memory_hash, counters}'
head -c 32768 /dev/zero >"$tmp/zero"
expect "equal sides" 0 '^add.yaml .* 1\.000 x' '^geometric mean .* 1\.000 x' \
    -- compare --with l1.ways=4 "$tmp/add.yaml"
expect "variants by their labels" 0 '^speed-up  *sets=64  *scheduler=lrr$' \
    -- compare --with l1.sets=64 --with sm.issue.scheduler=lrr "$tmp/add.yaml"
expect "bits stored" 0 '^  L1 tags  *65,280  *134,400 .* +69,120$' \
    '^  all data arrays ' -- compare --with l1.ways=8 "$tmp/add.yaml"
expect "bits stored, as JSON" 0 '^true$' -- sh -c "'$heddle' compare \
    --gpu gtx480 --with l1.ways=8 '$tmp/add.yaml' -f json | jq '.comparisons[0] |
    .sides[1].storage.bits - .sides[0].storage.bits ==
    (.summaries[0].structures | map(.variant_bits - .base_bits) | add)'"
expect "to the last bit" 0 '^true$' -- sh -c "'$heddle' compare --gpu gtx480 \
    --with l1.ways=4 '$tmp/add.yaml' -f json | jq '.comparisons[0] |
    .summaries[0].geometric_mean == 1 and .summaries[0].same == 1 and .summaries[0].counters == [] and
    .workloads[0].runs[0].cycles == .workloads[0].runs[1].cycles and
    .workloads[0].runs[0].counters == .workloads[0].runs[1].counters and
    .workloads[0].runs[0].memory_hash == .workloads[0].runs[1].memory_hash and
    .workloads[0].runs[0].memory_hash != null'"
# A kernel as heddle run has it: the same figures as the launch file's.
kernel() {
    compare --with l1.ways=4 "$tmp/k.ptx" --grid 32 --block 256 \
        --arg buf:f32[8192]=uniform,seed=1 --arg buf:f32[8192]=uniform,seed=2 \
        --arg buf:f32[8192]=zero --arg 8192 "$@"
}
compare --with l1.ways=4 "$tmp/add.yaml" -f json | jq "$sums" >"$tmp/a"
kernel -f json | jq "$sums" >"$tmp/b"
expect "a kernel as a workload" 0 -- cmp "$tmp/a" "$tmp/b"
expect "it computed" 0 -- grep -q 'memory_hash": "[0-9a-f]*[1-9a-f]' "$tmp/a"
expect "with what is expected" 1 '^  LEFT OUT: as it is: wrong output: buffer' \
    -- kernel --expect 2="$tmp/zero"
expect "a wrong argument" 1 "LEFT OUT.*'x'" -- kernel --arg x
expect "options without a kernel" 2 'no FILE.ptx is named' -- \
    compare --with l1.ways=4 "$tmp/add.yaml" --grid 32
expect "two kernels" 2 'only one kernel' -- kernel "$tmp/k.ptx"
# ---- Parts of the energy ----
expect "a part that is none" 2 "'hazzard' is no .*did you mean 'hazard'" -- \
    compare --with l1.ways=4 "$tmp/add.yaml" --energy-part hazzard
expect "spent, stored, compared" 0 '^scoreboard  *1\.000  *- .* 50,400  *0$' \
    '^S1  *0\.[0-9]* .* 11,520  *720  front$' '^S8  .* 56,880  *5,760$' \
    '^  front: no other side beats it' '^  hazard .* -[0-9.]* %$' -- \
    compare hazard-table "$tmp/add.yaml"
expect "fits 80 columns" 1 -- sh -c "grep -A 12 '^hazard: ' '$out' |
    grep -n '.\{81\}'"
expect "a bound is on no front" 0 '^hazard=unlimi  *-  *-  *-  *0.0 %  *-  *-$' -- \
    compare --with sm.issue.hazard=unlimited "$tmp/add.yaml" --energy-part hazard
expect "as JSON" 0 '^true$' -- sh -c "'$heddle' compare --gpu gtx480 hazard-table \
    '$tmp/add.yaml' -f json | jq '.comparisons[0] | .sides[4].part as \$p |
    \$p.name == \"hazard\" and \$p.bits == 30960 and \$p.compared == 2880 and
    \$p.energy_ratio < 1 and .sides[0].part.energy_ratio == 1 and
    (.workloads[0].variants[3].part_ratio - \$p.energy_ratio | fabs) < 1e-9 and
    ([.workloads[0].runs[4].energy_joules.hazard / \$p.energy_joules] == [1])'"
expect "as CSV" 0 ',hazard_joules_base,hazard_joules_variant,hazard_bits_base' \
    ',50400,30960,0,2880$' -- compare hazard-table "$tmp/add.yaml" -f csv
expect "kept and told again" 0 '^S4  *0\.' -- sh -c "'$heddle' compare --gpu gtx480 \
    hazard-table '$tmp/add.yaml' --store '$tmp/hazard.db' >'$tmp/a' &&
    '$heddle' compare --from '$tmp/hazard.db' >'$tmp/b' &&
    sed -n '/^hazard: /,/^  front/p' '$tmp/a' >'$tmp/c' &&
    sed -n '/^hazard: /,/^  front/p' '$tmp/b' | cmp - '$tmp/c' && cat '$tmp/c'"
expect "on a page" 0 'What hazard costs' 'Speed-up against bits of hazard' -- sh -c "
    '$heddle' compare --from '$tmp/hazard.db' --html '$tmp/page.html' >'$tmp/a' &&
    cat '$tmp/page.html'"

# ---- What a mechanism sets on its GPU ----
mshrs='[.comparisons[].sides[].storage.structures.l1_mshrs] | unique'
expect "before all sides" 0 '^with  *l1.sets=32,.*l1.mshrs=128$' \
    '^add.yaml .* [01]\.[0-9]* x' '^8x4-setbit  *[01]\.[0-9]* ' \
    -- "$heddle" compare reod "$tmp/add.yaml"
expect "and --set after it" 0 '20160$' -- sh -c "'$heddle' compare reod \
    --set l1.mshrs=32 '$tmp/add.yaml' -f json | jq '$mshrs | .[]'"
expect "not on other GPUs" 0 '^null$' -- sh -c "'$heddle' compare reod \
    --gpu v100 '$tmp/add.yaml' -f json | jq '.comparisons[0].set'"
expect "rivals on any GPU" 0 '^mrpb-order  *[01]\.[0-9]* ' -- \
    "$heddle" compare reod-rivals --gpu v100 "$tmp/add.yaml"

# ---- Views ----
expect "stalls of the L1, of a mechanism" 0 "^cycles in which .* on-miss's$" \
    '^add.yaml  *none on on-miss$' '  hit %  *latency$' '^  *on-fill  *0.000 ' \
    -- compare l1-alloc "$tmp/add.yaml"
expect "shares of one's own" 0 "^shares, % of as it is's$" \
    '^add.yaml  *as it is  *100\.0  *100\.0$' '  ipc$' -- compare \
    --with l1.ways=8 "$tmp/add.yaml" --figure 'ipc=sm[*].issued/sm[*].slots' \
    --share 'loads=sm[*].l1.global_reads'
expect "values of a view as JSON" 0 '^true$' -- sh -c "'$heddle' compare \
    --gpu gtx480 --with l1.ways=8 '$tmp/add.yaml' -f json \
    --share 'w=2 * sm[*].l1.global_writes' | jq '.comparisons[0].workloads[0] |
    .runs[0] | .view.w == 2 * .counters[\"sm[*].l1.global_writes\"] and
    .view.w > 0'"
expect "and as CSV" 0 ',w_base,w_variant$' -- compare --with l1.ways=8 \
    "$tmp/add.yaml" -f csv --share 'w=sm[*].l1.global_writes'
"$heddle" compare --gpu gtx480 --with l1.ways=8 "$tmp/add.yaml" --store \
    "$tmp/hist.db" --figure 'm=mean(sm[*].l1.miss_cycles)' -f json |
    jq '.comparisons[].workloads[].runs[].view' >"$tmp/a"
"$heddle" compare --from "$tmp/hist.db" \
    --figure 'm=mean(sm[*].l1.miss_cycles)' -f json |
    jq '.comparisons[].workloads[].runs[].view' >"$tmp/b"
expect "histograms, and told again" 0 -- cmp "$tmp/a" "$tmp/b"
expect "of something" 0 '"m": [1-9]' -- cat "$tmp/a"
expect "a histogram that is none" 2 'is no histogram' -- compare \
    --with l1.ways=8 "$tmp/add.yaml" --figure 'x=mean(sm[*].l1.fills)'
expect "a share without a name" 2 "'1' has no name" -- compare \
    --with l1.ways=8 "$tmp/add.yaml" --share 1
expect "two of a name" 2 "'a' is told twice" -- compare --with l1.ways=8 \
    "$tmp/add.yaml" --share a=sm[*].l1.drops --figure a=sm[*].l1.drops
expect "a formula that is none" 2 'is missing' -- compare --with l1.ways=8 \
    "$tmp/add.yaml" --figure 'x=1+'
expect "a counter that is none" 2 "is no counter.*did you mean 'sm.*l1.drops'" -- compare --with l1.ways=8 \
    "$tmp/add.yaml" --figure 'x=sm[*].l1.drop'

expect "pairs of instructions" 0 '^on  *k20$' '^add.yaml  *single ' '^unpaired  *' '^own-cores  *' \
    'words KB' -- "$heddle" compare dual-issue "$tmp/add.yaml"
expect "on a GPU that obeys no codes" 3 '--gpu k20 obeys' -- "$heddle" compare \
    dual-issue "$tmp/add.yaml" --gpu k20-single
expect "its rules" 0 '^F3 ' -- "$heddle" compare dual-rules "$tmp/add.yaml"
expect "what needs a K20 without codes" 3 'use --gpu k20-single' -- "$heddle" \
    compare shared-front-end "$tmp/add.yaml" --gpu k20 --set gpu.sms=12
expect "several GPUs are compared apart" 0 '^on  *gtx480' '^on  *k20' \
    '^1 workload on 2 sides of 2 GPUs' -- kernel -g k20
kernel -g k20 -f csv >"$tmp/a"
expect "a column of CSV" 0 '^gtx480,' '^k20,' -- cat "$tmp/a"
expect "CSV" 0 '^gpu,workload,size,variant,base_cycles' ',ways=8,' -- compare \
    "$tmp/add.yaml" --with l1.ways=8 -f csv
"$heddle" run --gpu gtx480 -s sm.issue.scheduler=gto -l "$tmp/add.yaml" \
    -f json | jq '[.launches[].cycles] | add' >"$tmp/a"
compare scheduler "$tmp/add.yaml" -f json |
    jq '.comparisons[0].workloads[0].runs[1].cycles' >"$tmp/b"
expect "the cycles of heddle run" 0 -- cmp "$tmp/a" "$tmp/b"
cat >"$tmp/bad.yaml" <<S
program: k.ptx
buffers:
  a: {type: f32, count: 16}
launches:
  - {grid: [32], block: [256], args: [a, a, a, 8192]}
S
expect "a mean over holes is refused" 1 '^  LEFT OUT: base' \
    '^geometric mean  *REFUSED: 1 of 2 workloads' -- \
    compare --against base:l1.ways=4 --with l1.ways=8 "$tmp/add.yaml" \
    "$tmp/bad.yaml"
expect "but for those who want it" 0 '^geometric mean .* x  ' '1 LEFT OUT' -- \
    compare --with l1.ways=8 "$tmp/add.yaml" "$tmp/bad.yaml" --allow-missing

# ---- Results files ----
same_from_file() { # NAME FORMAT EXIT-STATUS ARGUMENT...
    same_name=$1 same_format=$2 same_code=$3
    shift 3
    rm -f "$tmp/r.db"
    expect "$same_name" "$same_code" -- sh -c '"$@" >"$0"' "$tmp/told" \
        "$heddle" compare --gpu gtx480 "$@" -f "$same_format" \
        --store "$tmp/r.db"
    expect "$same_name, again" "$same_code" -- sh -c '"$@" >"$0"' \
        "$tmp/again" "$heddle" compare --from "$tmp/r.db" -f "$same_format"
    sed -i 's/ ([0-9.]* s[^)]*)$//' "$tmp/told"
    expect "$same_name, the same" 0 -- cmp "$tmp/told" "$tmp/again"
}
same_from_file "told from a file" text 0 scheduler "$tmp/add.yaml" -g k20 \
    --by-kernel
expect "its parts are all there" 0 '^issue slots' '^energy' '^memory traffic' \
    '^bits stored' '^variant ' '2 GPUs$' -- cat "$tmp/again"
same_from_file "CSV from a file" csv 0 --with l1.ways=8 "$tmp/add.yaml"
same_from_file "failures from a file" text 1 --with l1.ways=8 "$tmp/bad.yaml" \
    "$tmp/add.yaml"
expect "and let through" 0 '1 LEFT OUT' -- "$heddle" compare \
    --from "$tmp/r.db" --allow-missing
expect "two of one file: the last" 0 '^variant  ways=2' -- sh -c "
    '$heddle' compare --gpu k20 --with l1.ways=2 '$tmp/add.yaml' --store '$tmp/r.db' \
        >/dev/null && '$heddle' compare --from '$tmp/r.db'"
expect "what the columns stand for" 0 '^  CSF: every line of the set is reserved' \
    '^  MSHRF: no MSHR is free' '^  MQF: the miss queue is full' -- \
    compare l1-size "$tmp/add.yaml"
expect "no such file" 3 'none.db' -- compare --from "$tmp/none.db"
"$heddle" run --gpu gtx480 -l "$tmp/add.yaml" --store "$tmp/run.db" >/dev/null
expect "a file without a comparison" 3 'no such comparison' -- "$heddle" \
    compare --from "$tmp/run.db"
expect "nothing else is said" 2 'nothing else' -- compare --from "$tmp/r.db" \
    "$tmp/add.yaml"
expect "a page from a file" 0 -- "$heddle" compare --from "$tmp/r.db" \
    --html "$tmp/p.html" -o "$tmp/told"
expect "with its figures" 0 'ways=2' -- grep -o 'ways=2' "$tmp/p.html"
page_opens "comparisons" "$tmp/page.html" "$tmp/p.html"
expect "of a parameter that is set twice the last counts" 0 '^l1.ways,8$' -- \
    sh -c "'$heddle' compare --gpu gtx480 --with l1.ways=2,l1.ways=8 \
    '$tmp/add.yaml' --store '$tmp/twice.db' >/dev/null &&
    '$heddle' results sql '$tmp/twice.db' -f csv \
    \"SELECT name, value FROM factor WHERE name = 'l1.ways'\""
expect "a place that cannot be written" 1 'none/r.db' -- \
    compare --with l1.ways=8 "$tmp/add.yaml" --store "$tmp/none/r.db"

# ---- Results that are known ----
compare --with l1.ways=8 "$tmp/add.yaml" >"$tmp/a"
expect "nothing is simulated twice" 0 '(.*, 2 of 2 runs from the cache)$' -- \
    compare --with l1.ways=8 "$tmp/add.yaml"
compare --with l1.ways=8 "$tmp/add.yaml" >"$tmp/a"
compare --with l1.ways=8 "$tmp/add.yaml" --fresh >"$tmp/b"
expect "unless that is wanted" 1 -- grep 'from the cache' "$tmp/b"
sed -i '$d' "$tmp/a" "$tmp/b"
expect "with the same figures" 0 -- cmp "$tmp/a" "$tmp/b"
expect "equal sides are run apart" 0 '(.*, 1 of 2 runs from the cache)$' -- \
    compare --with l1.ways=4 "$tmp/add.yaml"
expect "of other sides some" 0 '(.*, 1 of 2 runs from the cache)$' -- compare \
    --with l1.ways=3 "$tmp/add.yaml"
expect "nor of machines that are warm" 1 -- sh -c "'$heddle' compare --gpu gtx480 \
    --warm 1 --with l1.ways=8 '$tmp/add.yaml' | grep 'from the cache'"
slots() { compare --with l1.ways=8 "$tmp/add.yaml" -f json "$@" |
    jq -c '[.. | objects | select(has("cycles")) | .cycles] | max'; }
expect "which are faster" 0 -- sh -c "test $(slots --warm 1) -lt $(slots)"
sed 's/8192]}/8191]}/' "$tmp/add.yaml" >"$tmp/add2.yaml"
expect "but not of other input" 1 -- sh -c "'$heddle' compare --gpu gtx480 \
    --with l1.ways=8 '$tmp/add2.yaml' | grep 'from the cache'"
expect "nor of failures" 1 -- sh -c "'$heddle' compare --gpu gtx480 \
    --with l1.ways=8 '$tmp/bad.yaml' | grep 'from the cache'"

# ---- OpenCL programs ----
if [ ! -x "$build/workloads/vecadd" ] || [ ! -e "$build/libheddle-opencl.so" ]
then
    skip "OpenCL programs" "built without OpenCL"
    finish
fi
expect "a mechanism on ours" 0 '^gto against lrr' '^two-level against lrr' \
    '^vecadd ' '^spmv ' '^geometric mean .*spread' '^all workloads .* mean' '^oldest  *[01]\.[0-9]* .*%$' '^issue slots' \
    '^memory traffic' '^counters that moved most' -- \
    compare scheduler "$root/workloads" vecadd spmv -j 2
cp "$out" "$tmp/table"
expect "fits 100 columns" 1 -- grep -n '.\{101\}' "$tmp/table"
figures='del(.seconds) | del(.comparisons[].workloads[].runs[].host_seconds)'
compare scheduler "$root/workloads" vecadd -j 4 --fresh -f json | jq "$figures" \
    >"$tmp/a"
compare scheduler "$root/workloads" vecadd --fresh -f json | jq "$figures" >"$tmp/b"
expect "the same for any number of jobs" 0 -- cmp "$tmp/a" "$tmp/b"
"$heddle" exec --gpu gtx480 -s sm.issue.scheduler=gto -f json -o "$tmp/e" \
    -- "$build/workloads/vecadd" --size small >/dev/null
expect "the cycles of heddle exec" 0 '^true$' -- sh -c "jq -s '
    (.[0].processes[0].launches | map(.cycles) | add) ==
    .[1].comparisons[0].workloads[0].runs[1].cycles' '$tmp/e' '$tmp/a'"
mkdir "$tmp/sizes"
cat >"$tmp/sizes/suite.yaml" <<S
defaults:
  run: ["{build}/workloads/{name}", --size, small, --seed, "{size}"]
  sizes: {small: 1, medium: 2}
programs: [{name: vecadd}, {name: copy}]
S
expect "sizes are workloads of their own" 0 '^vecadd small ' '^vecadd medium ' \
    '^copy small ' 'of 4 workloads:' -- compare --with l1.ways=8 \
    "$tmp/sizes" --size small,medium -j 2
expect "by a tag" 0 '^reduction ' '^1 workload on' -- compare \
    --with l1.ways=8 "$root/workloads" vecadd reduction --tag barrier
expect "a tag that none has" 2 "has the tag 'nonsense'" -- compare --with l1.ways=8 \
    "$root/workloads" --tag nonsense
expect "a program behind --" 0 '^vecadd ' -- compare --with l1.ways=8 -- \
    "$build/workloads/vecadd" --size small
# with_counters FILE OPTION...: launches of each run with counters of their own
with_counters() {
    compare --with l1.ways=8 "$tmp/many" --store "$@" >/dev/null &&
        "$heddle" results sql "$1" "SELECT COUNT(DISTINCT launch) FROM stat
            JOIN launch USING (launch) GROUP BY run" -f csv
}
if [ -x "$(dirname "$heddle")/heddle-behave" ]; then
    mkdir "$tmp/many"
    cat >"$tmp/many/suite.yaml" <<S
programs:
  - {name: many, run: "'$(dirname "$heddle")/heddle-behave' set twice:40 finish"}
S
    with_counters "$tmp/few.db" >"$tmp/few"
    expect "counters of 32 launches are kept" 0 '^32$' -- tail -n 2 "$tmp/few"
    # The others of these 41 were sums when they came into the cache.
    with_counters "$tmp/all.db" --store-launches all >"$tmp/all"
    expect "of all that are asked for" 0 '^2$' -- grep -c '^41$' "$tmp/all"
fi
expect "one that fails" 1 'REFUSED' 'exit status 1, not 0' -- \
    compare --with l1.ways=8 -- sh -c "'$build/workloads/vecadd'; exit 1"
expect "why its kernel was refused" 1 'REFUSED' \
    "exit status 1, not 0: .*kernel 'vecadd' cannot run on" -- \
    compare --with sm.issue.hazard=codes -- "$build/workloads/vecadd" \
    --size small
cat >"$tmp/suite.yaml" <<S
programs:
  - {name: good, run: "'{build}/workloads/vecadd' --size small"}
  - {name: crash, run: "'{build}/workloads/vecadd' --size small; kill -SEGV \$\$"}
  - {name: random, run: "'{build}/workloads/vecadd' --size small; date +%N"}
  - {name: clock, run: "'{build}/workloads/vecadd' --size small; date +'time %N s'"}
  - {name: memory, run: "'{build}/workloads/vecadd' --size small --seed \$\$ >&2"}
S
expect "each failure is shown" 1 '^good .* x' '^crash .*LEFT OUT' \
    'signal 11' '^random .*LEFT OUT' 'RESULTS DIFFER' '^clock .* 1.000 x' \
    '^memory .*LEFT OUT' 'memory has other contents' 'REFUSED: 3 of 5' -- \
    compare --with l1.ways=4 "$tmp"
expect "differing results can be let through" 0 '^random .* x' \
    '^  RESULTS DIFFER' -- compare --with l1.ways=4 "$tmp" random memory \
    --allow-different
expect "interrupted" 130 'INCOMPLETE' '^good .* x' -- sh -c "
    printf '%s\n' '  - {name: stop, run: kill -INT \$PPID; sleep 60}' \
        >>'$tmp/suite.yaml'
    exec '$heddle' compare --gpu gtx480 --with l1.ways=4 '$tmp' good stop \
        --store '$tmp/part.db'"
expect "told as far as it got" 130 'INCOMPLETE' '^good .* x' '^stop .*LEFT OUT' \
    -- "$heddle" compare --from "$tmp/part.db"

# ---- Bands: all sides again with latencies of a cycle more or less ----
noise() { compare "$tmp/add.yaml" --null 3 "$@"; }
expect "a latency that is a fifth is a difference" 0 \
    '^workload .* 95 % band ' '^add.yaml .* 1\.[0-9]*\.\.1\.[0-9]*  -.* %' \
    'of 1 workload: 1 faster, 0 slower, 0 the same within their bands' \
    'on 2 sides, 3 nulls' -- noise --with dram.latency=20
expect "what is not met is none" 0 '^add.yaml .*  no difference$' \
    '^geometric mean .*  no difference$' '0 faster, 0 slower, 1 the same' -- \
    noise --with l1.ways=8
expect "at most 80 columns" 1 -- sh -c "'$heddle' compare --gpu gtx480 \
    '$tmp/add.yaml' --null 2 --with dram.latency=20 --width 80 -q |
    grep -E '.{81}'"
noise --with dram.latency=20 -f json -q --store "$tmp/noise.db" >"$tmp/n.json"
expect "a band of four draws" 0 '^true$' -- jq '.comparisons[0] |
    .summaries[0].band as $b | .workloads[0].variants[0] | .band == $b and
    ($b | .draws == 4 and .beyond and .low < .mean and .mean < .high and
     (.low * .high / .mean / .mean - 1 | fabs) < 1e-9)' "$tmp/n.json"
# Student's t of 3 degrees of freedom is 3.182: the band from the runs that were
# kept, each null on both sides.
expect "what the runs say" 0 '^1$' -- sh -c "sqlite3 '$tmp/noise.db' '
    SELECT p.number, sum(l.cycles) FROM point p JOIN launch l USING(run)
    GROUP BY 1 ORDER BY 1' | awk -F'|' '{t[NR] = \$2} END {
        for (k = 0; k < 4; k++) { x = log(t[2*k+1] / t[2*k+2]); s += x; q += x * x }
        h = 3.182 * sqrt((q - s * s / 4) / 3 / 4)
        printf \"%.9f %.9f\n\", exp(s / 4 - h), exp(s / 4 + h)}' |
    { read -r low high
      jq \"[.comparisons[0].summaries[0].band | .low - \$low, .high - \$high |
          fabs < 1e-6] | all | if . then 1 else 0 end\" '$tmp/n.json'; }"
expect "each null is another machine" 0 '^8$' -- sh -c "sqlite3 '$tmp/noise.db' '
    SELECT count(DISTINCT config) FROM device JOIN point USING(run)'"
expect "told again from the file" 0 '^true$' -- sh -c "
    '$heddle' compare --from '$tmp/noise.db' -f json |
    jq --slurpfile n '$tmp/n.json' '.comparisons[0].summaries[0].band ==
        \$n[0].comparisons[0].summaries[0].band and .nulls == 3'"
expect "as CSV" 0 ',band_draws,band_mean,band_low,band_high$' ',4,1\.' -- \
    noise --with dram.latency=20 -f csv
expect "too many" 2 "'81' is no whole number from 0 to 80" -- noise --null 81 \
    --with l1.ways=4
expect "a wrong variant behind a good one" 3 'l1.wayz' -- noise \
    --with l1.ways=2 --with l1.wayz=8
# Late starts are the same whatever the host does, and others by another seed.
cycles_late() { # OPTION...
    "$heddle" run --gpu gtx480 -l "$tmp/add.yaml" --set gpu.cta.skew=9 "$@" \
        -f json | jq '.launches[0].cycles'
}
expect "late starts do not depend on the host" 0 '^1$' -- sh -c "printf '%s\n' \
    '$(cycles_late)' '$(cycles_late --no-skip)' '$(cycles_late -t 2)' |
    sort -u | grep -c '[0-9]'"
expect "but on the seed" 0 '^2$' -- sh -c "printf '%s\n' '$(cycles_late)' \
    '$(cycles_late --set gpu.seed=5)' | sort -u | grep -c '[0-9]'"
expect "a null that fails leaves no band" 1 'REFUSED' -- noise \
    --with l1.ways=4 "$tmp" crash
finish
