#!/bin/sh
# tests/run/diff.sh - heddle diff: two versions, two GPUs, two kernels, two
# files, against what compare and the runs themselves say.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/page/lib.sh"
need_heddle
export XDG_CACHE_HOME="$tmp/cache"
cd "$tmp" || exit 1

diffs() { "$heddle" diff -q "$@"; }
# says NAME JQ ARGUMENT...: true of the JSON
says() {
    says_name=$1 says_what=$2
    shift 2
    diffs "$@" -f json >d.json
    expect "$says_name" 0 '^true$' -- jq "$says_what" d.json
}

cp "$root/workloads/vecadd/ptx/clang14-cuda.ptx" add.ptx
sed 's/add\(.*\)\.f32/sub\1.f32/' add.ptx >sub.ptx
expect "another kernel" 1 -- cmp -s add.ptx sub.ptx
for n in 256 2048 4096; do
    cat >add$n.yaml <<S
program: add.ptx
buffers:
  a: {type: f32, count: $n, init: uniform, seed: 1}
  b: {type: f32, count: $n, init: uniform, seed: 2}
  c: {type: f32, count: $n}
launches:
  - {grid: [$((n / 256))], block: [256], args: [a, b, c, $n]}
S
done
keep() { # FILE GPU WORKLOAD OPTION...
    keep_file=$1 keep_gpu=$2 keep_work=$3
    shift 3
    "$heddle" run -q --gpu "$keep_gpu" -l "$keep_work.yaml" \
        --store "$keep_file" "$@" >/dev/null
}
keep old.db gtx480 add256
keep old.db gtx480 add2048
keep new.db gtx480 add256 --set noc.latency=200
keep new.db gtx480 add2048 --set noc.latency=200
keep new.db gtx480 add4096 --set noc.latency=200

# ---- Two files ----
expect "two files" 0 '^base  *old.db: Heddle ' '^other  *new.db: Heddle ' \
    '^  add4096.yaml: only in new.db$' '^add2048.yaml  *[0-9,]*  *[0-9,]*  *0\.' \
    '^  results: equal in 2$' '^counters that moved most' -- diffs old.db new.db
seconds() { # FILE: seconds by workload
    "$heddle" results sql "$1" -f csv \
        "SELECT workload, time_s FROM run ORDER BY workload" | tail -n +2
}
seconds old.db >old.csv
seconds new.db >new.csv
says "speed-ups are quotients of times" '[.comparisons[0].workloads[] |
    .variants[0].speedup] | length == 2 and .[0] < 1' old.db new.db
jq -r '.comparisons[0].workloads[] |
    "\(.name),\(.variants[0].speedup * 1e6 | round)"' d.json | sort >found.csv
join -t, old.csv new.csv |
    awk -F, '{ printf "%s,%.0f\n", $1, $2 / $3 * 1e6 }' | sort >wanted.csv
expect "those of the file" 0 -- diff wanted.csv found.csv
says "what is on one side" '.comparisons[0].only_on_one_side ==
    ["add4096.yaml: only in new.db"]' old.db new.db
expect "the other way round" 0 '^  add4096.yaml: only in new.db$' -- \
    diffs new.db old.db
expect "nothing in common" 1 'have no workload in common' -- \
    diffs old.db new.db:workload=add4096.yaml
expect "as CSV" 0 '^gtx480,add256.yaml,,new.db,' -- diffs old.db new.db -f csv

# ---- A comparison, told by both ----
"$heddle" compare -q --gpu gtx480 --with l1.ways=2 --with l1.mshrs=2 add256.yaml \
    add2048.yaml --store c.db -f json >c.json
diffs 'c.db:side=as it is' c.db:side=mshrs=2 -f json >d.json
expect "the same as compare" 0 '^true$' -- jq "
    (input | .comparisons[0].summaries[1]) as \$c |
    .comparisons[0].summaries[0] | .slots == \$c.slots and
    .counters == \$c.counters and .counters != [] and
    .structures == \$c.structures and
    .geometric_mean == \$c.geometric_mean and
    .energy_ratio == \$c.energy_ratio" d.json c.json
expect "by what was varied" 0 '^base  *as it is: c.db:side=as it is of Heddle' \
    '^other  *mshrs=2: c.db:l1.mshrs=2 of ' -- \
    diffs 'c.db:side=as it is' c.db:l1.mshrs=2

# ---- JSON of run and exec ----
"$heddle" run -q --gpu gtx480 -l add2048.yaml -f json >run.json
says "JSON says what the file says" '.comparisons[0] | .summaries[0] as $s |
    .workloads[0].runs as $r | $s.geometric_mean == 1 and $s.counters == [] and
    ($s.energy_ratio - 1 | fabs) < 1e-9 and $r[0].cycles == $r[1].cycles and
    $r[0].counters == $r[1].counters and ($r[0].counters | length > 50) and
    $r[0].bytes == $r[1].bytes and
    ($r[0].warp_instructions == $r[1].warp_instructions)' \
    old.db:workload=add2048.yaml run.json
expect "but not what was in memory" 0 \
    '^  results: equal in 0, memory not known of both in 1$' -- \
    diffs old.db:2 run.json
"$heddle" run -q --gpu gtx480 --set l1.ways=2 -l add2048.yaml -f json >two.json
expect "nor its parameters" 0 '^other .*(parameters not known: those of the' \
    '^  bits stored are those of presets' -- diffs old.db:2 two.json
program=$(dirname "$heddle")/heddle-behave
if [ -x "$program" ] && [ -e "$(dirname "$heddle")/libheddle-opencl.so" ]; then
    "$heddle" exec -q --gpu k20 --store e.db -f json -o exec.json \
        "$program" set twice read >/dev/null
    says "of a program, too" '.comparisons[0] | .summaries[0] as $s |
        .workloads[0].runs as $r | $s.geometric_mean == 1 and
        $s.counters == [] and $r[0].launches == $r[1].launches and
        $r[0].launches > 0 and ($r[0].kernels | sort_by(.name)) ==
            ($r[1].kernels | sort_by(.name))' e.db exec.json
    expect "programs on two GPUs" 0 '^other  *gtx480: GTX 480$' \
        '^  results: equal in 1$' -- diffs --gpu k20 --gpu gtx480 -- \
        "$program" set twice read
else
    skip "programs" "no OpenCL headers when it was built"
fi

# ---- GPUs, kernels ----
for gpu in gtx480 k20 v100; do
    "$heddle" run -q --gpu $gpu -l add2048.yaml -f json |
        jq '.launches[0].time_s' >$gpu.time
done
says "three GPUs against the first" "[.comparisons[0].workloads[0].variants[] |
    .speedup] as \$x | [$(cat gtx480.time) / $(cat k20.time),
    $(cat gtx480.time) / $(cat v100.time)] as \$y |
    [range(2) | (\$x[.] - \$y[.] | fabs) < 1e-9] | length == 2 and all" \
    --gpu gtx480 --gpu k20 --gpu v100 add2048.yaml
expect "what cannot be compared" 0 '^not comparable$' \
    'not as long on both, at 700.5 MHz and 1380 MHz' '^  30 schedulers and 320' \
    '^  simulated time  *[0-9.]* us  *[0-9.]* us$' \
    '^  energies are those of two models' -- \
    diffs --gpu gtx480 --gpu v100 add2048.yaml
says "is in the JSON" '.comparisons[0].summaries[0].not_comparable |
    length >= 3' --gpu gtx480 --gpu v100 add2048.yaml
keep q.db gtx480 add2048
keep q.db gtx480 add2048 --set l1.queue=reod
says "blocks that only one side has do not move" '.comparisons[0] |
    (.summaries[0].not_comparable == ["counters of blocks that only one side " +
    "uses: sm[*].l1.queue (q.db:2)"]) and
    (.workloads[0].runs[1].counters | keys | any(startswith("sm[*].l1.queue.")))
    and ([.summaries[0].counters[].name | startswith("sm[*].l1.queue.")] |
    any | not)' q.db:1 q.db:2
args='--grid 8 --block 256 --arg buf:f32[2048]=uniform,seed=1
    --arg buf:f32[2048]=uniform,seed=2 --arg buf:f32[2048]=zero --arg 2048'
# shellcheck disable=SC2086  # words
expect "two kernels" 0 '^base  *add.ptx: GTX 480$' '^other  *sub.ptx: GTX 480$' \
    '^add.ptx | sub.ptx  *' '^  other results: memory has other contents' \
    '^  results: equal in 0, other in 1$' -- \
    diffs --gpu gtx480 add.ptx sub.ptx $args
# shellcheck disable=SC2086
expect "two kernels on two GPUs" 0 '^other  *k20: Tesla K20$' '^add.ptx  ' \
    '^sub.ptx  ' '^  results: equal in 2$' -- \
    diffs --gpu gtx480 --gpu k20 add.ptx sub.ptx $args
expect "a file and what is run" 0 '^base  *old.db:2: ' '^other  *gtx480: GTX 480' \
    ' 1.000 x ' '^  results: equal in 1$' -- diffs old.db:2 --gpu gtx480 add2048.yaml
sed 's/c, 256]/c, 25600000]/; s/[[]1]/[64]/' add256.yaml >fault.yaml
expect "what fails is said" 1 'LEFT OUT: fault.yaml: ' -- \
    diffs --gpu gtx480 add256.yaml fault.yaml

# ---- Pages ----
expect "a page of two files" 0 -- diffs old.db new.db --html f.html -o told
expect "a page of three GPUs" 0 -- diffs --gpu gtx480 --gpu k20 --gpu v100 \
    add256.yaml add2048.yaml --html g.html -o told
# shellcheck disable=SC2086
expect "a page of two kernels" 0 -- diffs --gpu v100 add.ptx sub.ptx $args \
    --html k.html -o told
expect "what it says" 0 '>What cannot be compared<' '>Speed-up<' \
    '>Counters that moved<' 'not as long on both' \
    '<title>k20, v100 against gtx480<' -- cat g.html
expect "and of two files" 0 'add4096.yaml: only in new.db' \
    'This command tells the same again' -- cat f.html
expect "and of two kernels" 0 'memory has other contents' -- cat k.html
page_opens "diffs" f.html g.html k.html

# ---- What is wrong ----
expect "nothing" 2 'expected two results' -- diffs
expect "one" 2 'that is one side' -- diffs old.db:1
expect "one run" 2 'that is one side' -- diffs --gpu v100 add256.yaml
expect "no such file" 3 'none.db: error: cannot open' -- diffs none.db old.db:1
expect "nor JSON" 3 'none.json' -- diffs old.db:1 none.json
expect "no such run" 2 'no run has run=7; there are 1 (study 1, add256.yaml' -- \
    diffs old.db:7 old.db:1
expect "nothing called so" 2 "nothing is called 'ways'" -- \
    diffs old.db:ways=2 old.db:1
keep old.db v100 add256
expect "several runs of a workload" 2 'several runs of a workload; choose' \
    '3 (study 3, add256.yaml, v100)' -- diffs old.db new.db
expect "one of them" 0 '^base  *gtx480: ' -- diffs old.db:1 old.db:3
expect "by GPU" 0 '^base  *v100: ' -- diffs old.db:gpu=v100 old.db:run=1
echo text >text.db
expect "no results file" 3 'text.db: error: this is no results file' -- \
    diffs old.db:1 text.db
head -c 9000 old.db >cut.db
expect "a file that was cut off" 3 'cut.db: error: .*damaged or was cut off' -- \
    diffs old.db:1 cut.db
head -c 5000 run.json >cut.json
expect "JSON that was cut off" 3 'cut.json:[0-9]*:[0-9]*: error: ' -- \
    diffs old.db:1 cut.json
echo '{"heddle": "0.1.0", "list": []}' >other.json
expect "JSON of something else" 3 "other.json: .*it has no 'gpu'" -- \
    diffs old.db:1 other.json
expect "a choice of JSON" 2 'nothing to choose' -- diffs old.db:1 run.json:2
if sqlite3 new.db 'PRAGMA user_version = 99' 2>none; then
    expect "a newer version's file" 3 'new.db: error: a newer Heddle wrote it' \
        -- diffs old.db:1 new.db
else
    skip "a newer version" "no sqlite3"
fi
expect "a program that is none" 2 "'nothing' is no suite" -- \
    diffs old.db:1 nothing
expect "a page that cannot be written" 1 -- diffs old.db:1 old.db:3 \
    --html none/x.html -o told
finish
