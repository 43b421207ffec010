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
# until_points DIR N: waits until N points are finished, a minute at most.
until_points() {
    for _ in $(seq 600); do
        [ "$(find "$1/points" -name '*.db' 2>/dev/null | wc -l)" -ge "$2" ] &&
            return 0
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

echo "a node goes down in the middle"
plan "$tmp/many.yaml" 500000 20
"$heddle" sweep --slurm "$tmp/many.yaml" -o "$tmp/down" --array 4 --no-cache \
    >"$tmp/down.out" 2>&1 &
pid=$!
until_points "$tmp/down" 4
scontrol update nodename=n2 state=down reason=test
date +'%T n2 is down'
expect "all points finish" 0 -- wait $pid
date +'%T all points are there'
cat "$tmp/down.out"
scontrol update nodename=n2 state=resume
expect "it was told" 0 'node failed, requeued on n2' -- cat "$tmp/down.out"
expect "the same, here" 0 -- \
    "$heddle" sweep "$tmp/many.yaml" -o "$tmp/many" -j 2 --no-cache
expect "the same results" 0 -- same "$tmp/down" "$tmp/many" 20
expect "no point to its end twice" 0 '^20$' -- began "$tmp/down"
finish
