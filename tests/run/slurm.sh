#!/bin/sh
# tests/run/slurm.sh - sweeps on a real Slurm, two nodes on this machine
# (tools/slurm-try). HEDDLE_SLURM_SLOW=1 adds what takes minutes: nodes that go
# down, tasks that are killed, limits.
. "$(dirname "$0")/../lib.sh"
need_heddle
if [ -z "${SLURM_TRY-}" ]; then
    "$root/tools/slurm-try" sh "$0" && exit 0
    rc=$?
    [ $rc = 77 ] || exit $rc
    skip slurm "no Slurm"
    finish
fi
export XDG_CACHE_HOME="$tmp/cache"

# plan FILE TURNS POINTS: that many points, each of that many turns and some.
plan() {
    cat >"$1" <<P
name: turns
gpus: [gtx480]
workloads:
P
    i=1
    while [ $i -le "$3" ]; do
        echo "  - {name: w$i, run: $root/tests/run/kernels/spin.ptx," \
            "grid: 1, block: 32," \
            "args: ['out=buf:u32[32]=zero', '$(($2 + i))']}" >>"$1"
        i=$((i + 1))
    done
}

# cycles DIR: of all points, in the order of their numbers.
cycles() {
    python3 - "$1/results.db" <<'P'
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(
        "SELECT p.number, r.workload, r.status, r.cycles, r.warp_insts,"
        " r.memory_hash FROM point p JOIN run r USING(run) ORDER BY 1"):
    print(*row)
P
}
# same A B: two folders have the same results; POINTS of them.
same() {
    cycles "$1" >"$tmp/a" && cycles "$2" >"$tmp/b" && cmp "$tmp/a" "$tmp/b" &&
        [ "$(wc -l <"$tmp/a")" = "$3" ]
}
# began DIR: points that tasks ran to their end.
began() {
    cat "$1"/slurm/logs/array-*.txt | grep -c ': pass after'
}
# until_points DIR N: waits until N points were finished, a minute at most.
until_points() {
    for _ in $(seq 600); do
        [ "$(began "$1" 2>/dev/null)" -ge "$2" ] && return 0
        sleep 0.1
    done
    return 1
}

plan "$tmp/few.yaml" 20000 12
expect "a sweep on two nodes" 0 -- \
    "$heddle" sweep --slurm "$tmp/few.yaml" -o "$tmp/few" --array 4 --no-cache
expect "the same, here" 0 -- \
    "$heddle" sweep "$tmp/few.yaml" -o "$tmp/here" -j 2 --no-cache
expect "the same results" 0 -- same "$tmp/few" "$tmp/here" 12
expect "each point once" 0 '^12$' -- began "$tmp/few"
expect "on both nodes" 0 'on n1' 'on n2' -- sh -c \
    "cat '$tmp/few'/slurm/logs/array-1-*.txt"
expect "nothing left to submit" 0 -- \
    "$heddle" sweep --slurm "$tmp/few.yaml" -o "$tmp/few" --no-wait
expect "no second array" 0 -- [ ! -e "$tmp/few/slurm/array-2.sh" ]
expect "what was simulated before needs no task" 0 \
    '12 points are from the cache' '12 done' -- sh -c \
    "'$heddle' sweep '$tmp/few.yaml' -o '$tmp/filled' -j 2 >/dev/null &&
    '$heddle' sweep --slurm '$tmp/few.yaml' -o '$tmp/cached' &&
    ! ls '$tmp/cached/slurm' | grep array"
expect "what sbatch refuses, in its words" 3 \
    'sbatch failed: .*[Ii]nvalid partition' -- \
    "$heddle" sweep --slurm "$tmp/few.yaml" -o "$tmp/refused" \
    --slurm-partition none --no-cache
expect "no Slurm here" 1 'cannot run sbatch.*needs Slurm' -- env \
    PATH=/nowhere "$heddle" sweep --slurm "$tmp/few.yaml" -o "$tmp/refused" \
    --no-cache
expect "scripts only" 0 'array-1.sh$' -- \
    "$heddle" sweep --slurm-write "$tmp/few.yaml" -o "$tmp/write" \
    --slurm-option=--qos=low --no-cache
expect "an option of sbatch" 0 '^#SBATCH --qos=low$' -- \
    cat "$tmp/write/slurm/array-1.sh"

[ -n "${HEDDLE_SLURM_SLOW-}" ] || finish
plan "$tmp/many.yaml" 500000 20
plan "$tmp/some.yaml" 500000 8
expect "many, here" 0 -- \
    "$heddle" sweep "$tmp/many.yaml" -o "$tmp/many" -j 2 --no-cache
expect "some, here" 0 -- \
    "$heddle" sweep "$tmp/some.yaml" -o "$tmp/some" -j 2 --no-cache

# begin NAME PLAN OPTION...: a sweep in the background, $pid, until a point is
# finished.
begin() {
    name=$1 file=$2
    shift 2
    echo "$(date +%T) $name"
    "$heddle" sweep --slurm "$tmp/$file.yaml" -o "$tmp/$name" --no-cache "$@" \
        >"$tmp/$name.out" 2>&1 &
    pid=$!
    until_points "$tmp/$name" 1
}
# end NAME PLAN POINTS: it finishes, as here.
end() {
    expect "$1: all points finish" 0 -- wait $pid
    echo "$(date +%T) $1: finished"
    grep -v '^$' "$tmp/$1.out" | grep 'heddle sweep:'
    expect "$1: the same results" 0 -- same "$tmp/$1" "$tmp/$2" "$3"
    expect "$1: no point to its end twice" 0 "^$3\$" -- began "$tmp/$1"
}
# pids DIR WORD: of our processes with the word, in that sweep.
pids() { pgrep -f "heddle sweep $2 .*$1"; }

begin down many --array 4
until_points "$tmp/down" 4
scontrol update nodename=n2 state=down reason=test
echo "$(date +%T) n2 is down"
end down many 20
expect "down: it was told" 0 'node failed, requeued on n2' -- \
    cat "$tmp/down.out"
scontrol update nodename=n2 state=resume

begin task some --array 2
kill -9 "$(pids "$tmp/task" worker | head -n 1)"
end task some 8
expect "task: it was told" 0 'job [0-9]*: 1 task: failed' -- \
    cat "$tmp/task.out"

begin point some --array 2
kill -9 "$(pids "$tmp/point" point | head -n 1)"
end point some 8
expect "point: not a failure of its own" 0 'SIGKILL' -- \
    sh -c "cat '$tmp/point'/slurm/logs/*.txt"

begin watcher some --array 2
kill -9 $pid
wait $pid 2>/dev/null
begin watcher some --array 2
end watcher some 8
expect "watcher: its jobs were found" 0 -- \
    [ ! -e "$tmp/watcher/slurm/array-2.sh" ]

begin stopped some --array 2
expect "stopped: another who watches is told" 3 'another command watches' -- \
    "$heddle" sweep --slurm "$tmp/some.yaml" -o "$tmp/stopped" --no-cache
kill -TERM $pid
expect "stopped: by a signal" 130 -- wait $pid
expect "stopped: how to go on" 0 'sweep status' 'scancel [0-9]' -- \
    cat "$tmp/stopped.out"
begin stopped some
end stopped some 8

begin nobody some --no-wait
expect "nobody: submitted" 0 -- wait $pid
for _ in $(seq 120); do
    [ "$(squeue -h | wc -l)" = 0 ] && break
    sleep 1
done
expect "nobody: merged by a job" 0 -- same "$tmp/nobody" "$tmp/some" 8

begin elsewhere some --array 8
echo other >"$tmp/elsewhere/slurm/token"
expect "elsewhere: a folder that is not shared" 1 -- wait $pid
expect "elsewhere: it was told" 0 'does not see .*elsewhere.*share' -- \
    cat "$tmp/elsewhere.out"
sleep 3
expect "elsewhere: its jobs are cancelled" 0 -- sh -c '[ -z "$(squeue -h)" ]'

# Three points of half a minute and more, in tasks of a minute.
plan "$tmp/long.yaml" 8000000 6
begin time long --array 2 --slurm-time 1
expect "time: all points finish" 0 -- wait $pid
echo "$(date +%T) time: finished"
grep 'heddle sweep:' "$tmp/time.out"
expect "time: the limit was told" 0 'time limit' -- cat "$tmp/time.out"
finish
