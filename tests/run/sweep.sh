#!/bin/sh
# tests/run/sweep.sh - heddle sweep: plans, resuming, several at once, limits,
# failures, folders that change.
. "$(dirname "$0")/../lib.sh"
need_heddle
export XDG_CACHE_HOME="$tmp/cache" HEDDLE_CACHE=0
cd "$tmp" || exit 1

sweep() { "$heddle" sweep "$@"; }
# count FOLDER STATE: points in that state
count() { "$heddle" sweep status "$1" -f json | jq ".$2"; }
# runs FOLDER: runs in its results.db
runs() { "$heddle" sweep list "$1" -f csv | grep -c ",done,"; }
# eventually COMMAND...: true within a few seconds
eventually() {
    eventually_n=0
    until "$@"; do
        eventually_n=$((eventually_n + 1))
        [ $eventually_n -lt 100 ] || return 1
        sleep 0.1
    done
}

cp "$root/workloads/vecadd/ptx/clang14-cuda.ptx" k.ptx
cp "$root/tests/run/kernels/forever.ptx" .
cat >add.yaml <<S
program: k.ptx
buffers:
  a: {type: f32, count: 256, init: uniform, seed: 1}
  b: {type: f32, count: 256, init: uniform, seed: 2}
  c: {type: f32, count: 256}
launches:
  - {grid: [1], block: [256], args: [a, b, c, 256]}
S
cat >small.yaml <<S
extends: gtx480
gpu: {sms: 1}
S
# plan FILE SETS: 4 points for each number of ways
plan() {
    cat >"$1" <<S
gpus: [./small.yaml]
axes:
  l1.ways: [$2]
  sched: {mechanism: scheduler}
workloads: [add.yaml]
S
}

# ---- Wrong plans: nothing is made ----
plan p.yaml 2
expect "no plan" 3 'none.yaml' -- sweep none.yaml
expect "no operand" 2 'expected a plan' -- sweep
expect "a verb that is none" 2 "'statu' is no verb" -- sweep statu p.yaml
expect "two plans" 2 "one plan at a time; 'q.yaml' is too much" -- \
    sweep p.yaml q.yaml
sed 's/l1.ways/l1.way/' p.yaml >wrong.yaml
expect "a wrong axis" 3 "wrong.yaml:3:3: error: .*did you mean 'l1.ways'" -- \
    sweep wrong.yaml
expect "an axis is shown" 0 '  l1.way: ' -- sh -c \
    "'$heddle' sweep wrong.yaml 2>&1 | cat"
expect "nothing was made" 1 -- test -e wrong.sweep
plan bad.yaml '2, 4'
echo 'set: {l1.sets: 33}' >>bad.yaml
expect "machines that cannot be" 3 'l1.ways=2 sched=lrr and 7 more: l1.sets is 33' \
    'invalid: skip' -- sweep bad.yaml

# ---- Runs and resumes ----
expect "a sweep" 0 '4 points: 4 done, 0 failed' -- sweep p.yaml -j 2
expect "its results are merged" 0 '^0$' -- sh -c 'ls p.sweep/points | wc -l'
stat -c '%Y %Z %s %i' p.sweep/results.db >before
expect "again: nothing to do" 0 '4 done' -- sweep p.yaml
stat -c '%Y %Z %s %i' p.sweep/results.db >after
expect "and nothing was written" 0 -- cmp before after
expect "the list" 0 '^number,id,state,workload,gpu,l1.ways,sched$' \
    '^3,[0-9a-f]*,done,add,./small.yaml,2,oldest$' -- sweep list p.sweep -f csv
expect "JSON" 0 '^\["2","lrr"\]$' -- sh -c "'$heddle' sweep list p.sweep \
    -f json | jq -c '.points[0].factors | [.\"l1.ways\", .sched]'"
"$heddle" run -g small.yaml -s l1.ways=2 -s sm.issue.scheduler=gto \
    -l add.yaml -f json | jq '.launches[0].cycles' >a
cat >ask.py <<'S'
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]):
    print(*row)
S
ask() { python3 ask.py "$@"; }
ask p.sweep/results.db "SELECT cycles FROM run JOIN point USING(run)
    JOIN factor USING(study, number) WHERE name = 'sched' AND value = 'gto'" >b
expect "the cycles of heddle run" 0 -- cmp a b
expect "one study, a place for each point" 0 '^1 4 4$' -- ask \
    p.sweep/results.db "SELECT (SELECT count(*) FROM study),
    (SELECT count(*) FROM point), (SELECT count(*) FROM run)"

# ---- The plan changes ----
plan p.yaml '4, 2'
expect "points that stay are kept" 0 '8 points: 4 done, 0 failed, 0 running, 4 left' \
    -- sh -c "'$heddle' sweep list p.yaml >/dev/null;
    ( '$heddle' sweep p.yaml -j 2 -q >out & echo \$! >pid; wait );
    sed 's/8 done.*/4 done, 0 failed, 0 running, 4 left/' out"
expect "there is one study, with the new places" 0 '^1 8 8 4$' -- ask \
    p.sweep/results.db "SELECT (SELECT count(*) FROM study),
    (SELECT count(*) FROM point), (SELECT count(*) FROM run),
    (SELECT value FROM factor WHERE number = 0 AND name = 'l1.ways')"
plan p.yaml 4
expect "fewer points" 0 '4 points: 4 done' -- sweep p.yaml
expect "results of others are kept" 0 '^4 8$' -- ask p.sweep/results.db \
    "SELECT (SELECT count(*) FROM point), (SELECT count(*) FROM run)"

# ---- Points of the same machine run once ----
cat >same.yaml <<S
gpus: [./small.yaml]
axes: {v: {a: {l1.ways: 4}, b: {l1.ways: 4}, c: {l1.ways: 2}}}
workloads: [add.yaml]
S
expect "points that are the same" 0 '3 points: 3 done' -- sweep same.yaml
expect "ran once" 0 '^2 3$' -- ask same.sweep/results.db \
    "SELECT (SELECT count(*) FROM run), (SELECT count(*) FROM point)"

# ---- Workers ----
cp -r p.sweep gone.sweep && rm gone.sweep/results.db
expect "commands" 0 '^heddle sweep worker --only [0-9a-f]* ' -- \
    sweep list gone.sweep --commands
id=$(sweep list gone.sweep -f csv | sed -n '3s/^[0-9]*,\([^,]*\).*/\1/p')
expect "one point" 0 -- sweep worker gone.sweep --only "$id"
expect "it is done, not merged" 0 '1 done' '3 left' -- sweep status gone.sweep
expect "a half of the others" 0 -- sweep worker --dir gone.sweep --part 0/2
expect "the other half" 0 -- sweep worker gone.sweep --part 1/2 -j 2
expect "all are done" 0 '4 done' -- sweep status gone.sweep
expect "merged" 0 '4 done' -- sweep merge gone.sweep
expect "into one file" 0 '^4$' -- ask gone.sweep/results.db \
    "SELECT count(*) FROM run"
expect "a wrong part" 2 "'2/2' is not like" -- sweep worker gone.sweep \
    --part 2/2
expect "no folder of a sweep" 3 'no folder of a sweep' -- sweep status .
mkdir other && touch other/file
expect "a folder of something else" 3 'not empty' -- sweep p.yaml -o other
expect "a file in the way" 1 'file' -- sweep p.yaml -o other/file

# ---- Limits and failures: kernels ----
cat >forever.yaml <<S
program: forever.ptx
buffers: {a: {type: u32, count: 1}}
launches: [{grid: [1], block: [32], args: [a]}]
S
cat >slow.yaml <<S
gpus: [./small.yaml]
workloads: [add.yaml, forever.yaml]
limits: {time_s: 2}
S
expect "a timeout" 1 '1 done, 1 failed' '1 timeout: ended after 2 s' \
    'small.yaml forever ' -- sweep slow.yaml -j 2
expect "failures stay" 1 '1 failed' -- sweep slow.yaml
sed -i 's/limits:.*/limits: {time_s: 1}/' slow.yaml
expect "unless they are tried again" 1 'ended after 1 s' -- \
    sweep slow.yaml --retry
cat >huge.yaml <<S
program: k.ptx
buffers: {a: {type: f32, count: 100000000, init: iota}}
launches: [{grid: [1], args: [a, a, a, 0]}]
S
cat >memory.yaml <<S
gpus: [./small.yaml]
workloads: [huge.yaml]
limits: {memory: 100M}
S
expect "too much memory" 1 'memory: ended at [0-9]* MiB, 100 are allowed' -- \
    sweep memory.yaml
expect "causes in JSON" 0 '^"memory"$' -- sh -c \
    "'$heddle' sweep status memory.sweep -f json | jq '.causes[0].status'"

# ---- Warm caches ----
for times in 0 1; do
    cat >warm$times.yaml <<S
gpus: [./small.yaml]
workloads: [add.yaml]
options: {warm: $times}
S
    expect "a sweep with warm: $times" 0 -- sweep warm$times.yaml
    "$heddle" results table warm$times.sweep --value cycles -f csv | tail -n 1 |
        sed 's/.*,//' >warm$times.cycles
done
expect "warm launches are faster" 0 -- \
    test "$(cat warm1.cycles)" -lt "$(cat warm0.cycles)"
sed 's/warm: 1/warm: 1001/' warm1.yaml >hot.yaml
expect "too often" 3 'warm' -- sweep hot.yaml

# ---- Kills ----
cat >long.yaml <<S
gpus: [./small.yaml]
axes: {gpu.hang_cycles: {from: 100001, to: 100004}}
workloads: [forever.yaml]
options: {max_cycles: 4000000}
S
# begun N: so many points run
running() { [ "$(count long.sweep running)" -ge "$1" ]; }
"$heddle" sweep long.yaml -j 2 >/dev/null 2>&1 &
parent=$!
eventually test -e long.sweep/points.txt
eventually running 2
kill -9 $parent
wait $parent 2>/dev/null
none() { [ "$(count long.sweep running)" = 0 ]; }
expect "children end with who started them" 0 -- eventually none
expect "what was under way is left" 0 '^4$' -- sh -c "'$heddle' sweep status \
    long.sweep -f json | jq '.left + .done + .failed'"
"$heddle" sweep long.yaml -j 1 >out 2>&1 &
parent=$!
# A point is taken before its child is there.
has_child() {
    child=$(pgrep -P "$parent" | head -n 1)
    [ "$child" ]
}
eventually has_child
eventually running 1
kill -9 "$child"
wait $parent
expect "a child that is killed fails" 0 '1 killed: somebody ended it' -- cat out
"$heddle" sweep long.yaml --retry -j 2 >out 2>&1 &
parent=$!
eventually running 2
kill -TERM $parent
wait $parent
expect "stopped" 0 '^130$' -- echo $?
expect "nobody runs" 0 '^0$' -- count long.sweep running
expect "nothing lies around" 0 '^0$' -- sh -c \
    'ls long.sweep/points | grep -c "lock\|tmp" || :'

# ---- Programs, if there is a driver for them ----
if [ ! -e "$(dirname "$heddle")/libheddle-opencl.so" ]; then
    skip programs "no driver"
    finish
fi
cat >work.sh <<'S'
echo "$@" >>"$RAN"
case $1 in
fail) echo "this went wrong" >&2; exit 3 ;;
sleep) sleep 100.71 & sleep 100.71 ;;
eat) head -c 500000000 /dev/zero | tail ;;
slow) sleep 0.2 ;;
esac
S
# programs FILE WORDS...: a plan with a program for each word
programs() {
    programs_file=$1
    shift
    printf 'gpus: [./small.yaml]\nworkloads:\n' >"$programs_file"
    for word; do
        echo "  - {program: [sh, work.sh, $word], name: $word," \
            "env: {RAN: $tmp/ran}, inputs: [work.sh]}" >>"$programs_file"
    done
}
programs prog.yaml fail sleep fine
echo 'limits: {time_s: 3, memory: 2G}' >>prog.yaml
expect "causes" 1 '1 done, 2 failed' '1 fail: exit status 3' \
    '1 timeout: ended after 3 s' -- sweep prog.yaml -j 3
programs eat.yaml eat
echo 'limits: {memory: 350M}' >>eat.yaml
expect "memory of all processes" 1 '1 memory: ended at' -- sweep eat.yaml
grep -l 'went wrong' prog.sweep/logs/*.txt >logs
expect "what it wrote is kept" 0 '^1$' -- sh -c 'wc -l <logs'
expect "nothing is left of them" 1 -- pgrep -f "sleep 100[.]71"

: >ran
programs two.yaml slow1 slow2 slow3 slow4 slow5 slow6 slow7 slow8
sed -i 's/work.sh, slow/work.sh, slow, /' two.yaml
"$heddle" sweep two.yaml -j 2 >out1 2>&1 &
first=$!
"$heddle" sweep two.yaml -j 2 >out2 2>&1
expect "the second of two at once" 0 '^0$' -- echo $?
wait $first
expect "the first" 0 '^0$' -- echo $?
expect "each ran once" 0 '^8$' -- sh -c 'sort -u ran | wc -l'
expect "and once only" 0 '^8$' -- sh -c 'wc -l <ran'
expect "all are merged" 0 '^8$' -- ask two.sweep/results.db \
    "SELECT count(*) FROM run WHERE status = 'pass'"
echo '# changed' >>work.sh
expect "another input is another point" 0 '8 points: 8 done' -- sweep two.yaml -j 8
expect "so it ran again" 0 '^16$' -- sh -c 'wc -l <ran'
# ---- Names with blanks ----
plan 'two words.yaml' 2
expect "a plan whose name has a blank" 0 ' 0 failed, 0 running, 0 left' -- \
    sweep 'two words.yaml'
expect "its command can be run again" 0 "^heddle sweep 'two words.yaml' -o '/.*" \
    -- "$heddle" results sql 'two words.sweep/results.db' \
    'SELECT command FROM study' -f csv
finish
