#!/bin/sh
# tests/run/sweep_abuse.sh - sweeps under bad conditions: full and read-only
# disks, folders that are removed or damaged, processes that are killed, clocks
# that jump, large plans. What was finished stays, and the same command goes on.
. "$(dirname "$0")/../lib.sh"
need_heddle
export HEDDLE_CACHE=0

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
# id DIR N: of the Nth point from 1.
id() { sed -n 's/^\([0-9a-f]\{32\}\) [0-9].*/\1/p' "$1/points.txt" | sed -n "$2p"; }
# until_points DIR N: waits until N points are finished, half a minute at most.
until_points() {
    for _ in $(seq 300); do
        [ "$(find "$1/points" -name '*.db' 2>/dev/null | wc -l)" -ge "$2" ] &&
            return 0
        sleep 0.1
    done
    return 1
}
# write_limited KB COMMAND...: no file may become larger.
write_limited() {
    limit=$1
    shift
    (trap '' XFSZ && ulimit -f "$((limit * 2))" && "$@")
}
sweep() { "$heddle" sweep -q "$@"; }

plan "$tmp/few.yaml" 100 8
plan "$tmp/slow.yaml" 60000 6
expect "a sweep" 0 '8 done, 0 failed, 0 running, 0 left' -- \
    sweep "$tmp/few.yaml" -o "$tmp/few" -j 2

# Disks.
expect "a file limit that no point fits in" 1 'error: ' '0 done, 0 failed' -- \
    write_limited 60 sweep "$tmp/few.yaml" -o "$tmp/full"
expect "status of that" 0 '0 done, 0 failed, 0 running, 8 left' -- \
    sweep status "$tmp/full"
expect "a file limit that all together do not fit in" 1 'error: ' '8 done' -- \
    write_limited 180 sweep "$tmp/few.yaml" -o "$tmp/full" -j 2
expect "then without" 0 '8 done, 0 failed, 0 running, 0 left' -- \
    sweep "$tmp/few.yaml" -o "$tmp/full"
mkdir "$tmp/disk"
if mount -t tmpfs -o size=700k none "$tmp/disk" 2>/dev/null; then
    trap 'umount "$tmp/disk"; rm -rf "$tmp"' EXIT
    expect "a disk that gets full" 1 'the disk is full' '[1-7] done' -- \
        sweep "$tmp/few.yaml" -o "$tmp/disk/s" -j 2
    expect "points that were finished are" 0 '[1-7] done' -- \
        sweep status "$tmp/disk/s"
    mount -o remount,size=32m "$tmp/disk"
    expect "then with room" 0 '8 done, 0 failed, 0 running, 0 left' -- \
        sweep "$tmp/few.yaml" -o "$tmp/disk/s" -j 2
    mount -o remount,ro "$tmp/disk"
    expect "read-only: what there is" 0 '8 done' -- sweep status "$tmp/disk/s"
    expect "read-only: tables" 0 '8 passed' -- sweep table "$tmp/disk/s"
    expect "read-only: other points" 1 'Read-only file system' -- \
        sweep "$tmp/slow.yaml" -o "$tmp/disk/s"
    expect "read-only: a new folder" 1 'Read-only file system' -- \
        sweep "$tmp/slow.yaml" -o "$tmp/disk/t"
else
    skip "a disk that gets full" "no tmpfs"
fi

# Removed while it runs.
"$heddle" sweep -q "$tmp/slow.yaml" -o "$tmp/gone" >"$tmp/gone.out" 2>&1 &
pid=$!
until_points "$tmp/gone" 1
mv "$tmp/gone" "$tmp/away"
expect "a folder that is removed ends the sweep" 1 -- wait $pid
expect "and it says why" 0 'error: .*/gone.*\(No such file\|removed\)' -- \
    cat "$tmp/gone.out"
expect "moved, it goes on" 0 '6 done, 0 failed, 0 running, 0 left' -- \
    sweep "$tmp/slow.yaml" -o "$tmp/away" -j 2

# Two at once; one is killed, and the other takes its point, too.
"$heddle" sweep -q "$tmp/slow.yaml" -o "$tmp/two" >/dev/null 2>&1 &
first=$!
until_points "$tmp/two" 1
"$heddle" sweep -q "$tmp/slow.yaml" -o "$tmp/two" >"$tmp/two.out" 2>&1 &
second=$!
until_points "$tmp/two" 2
kill -9 $first
wait $first 2>/dev/null
expect "the second one finishes" 0 -- wait $second
expect "all points" 0 '6 done, 0 failed, 0 running, 0 left' -- \
    cat "$tmp/two.out"
expect "nothing is left of them" 0 -- sh -c "! ls '$tmp/two/points' | grep ."
expect "each once" 0 '6 points, 6 passed' -- sweep table "$tmp/two"

# Damage.
cp -r "$tmp/few" "$tmp/newer"
if command -v python3 >/dev/null; then
    python3 -c 'import sys; f = open(sys.argv[1], "r+b"); f.seek(60)
f.write((99).to_bytes(4, "big"))' "$tmp/newer/results.db"
    cp "$tmp/newer/results.db" "$tmp/before"
    for verb in status merge table; do
        expect "results of a newer version: $verb" 3 'newer Heddle wrote it' \
            -- sweep $verb "$tmp/newer"
    done
    expect "results of a newer version: run" 3 'newer Heddle wrote it' -- \
        sweep "$tmp/few.yaml" -o "$tmp/newer"
    expect "they are left alone" 0 -- cmp "$tmp/before" "$tmp/newer/results.db"
fi
rm "$tmp/newer/results.db"
expect "results that are lost" 0 '0 done, 0 failed, 0 running, 8 left' -- \
    sweep status "$tmp/newer"
echo rubbish >"$tmp/newer/points/$(id "$tmp/newer" 1).db"
head -c 3000 /dev/urandom >"$tmp/newer/points/$(id "$tmp/newer" 2).bad"
echo rubbish >"$tmp/newer/points/$(id "$tmp/newer" 3).tmp"
echo '4711 other-host' >"$tmp/newer/points/$(id "$tmp/newer" 4).lock"
echo rubbish >"$tmp/newer/points/rubbish.db"
: >"$tmp/newer/results.db"
expect "damaged points and locks of others" 0 \
    'warning: its point must run again' \
    '8 done, 0 failed, 0 running, 0 left' -- \
    sweep "$tmp/few.yaml" -o "$tmp/newer" -j 2
head -c 300 "$tmp/few/points.txt" >"$tmp/newer/points.txt"
expect "a list of points that was cut" 3 'points.txt.*cut off' -- \
    sweep status "$tmp/newer"
expect "is written again" 0 '8 done, 0 failed, 0 running, 0 left' -- \
    sweep "$tmp/few.yaml" -o "$tmp/newer"

# Clocks: files from the future and from long ago.
rm "$tmp/newer/results.db"
touch -d 2090-01-01 "$tmp/newer" "$tmp/newer/points" "$tmp/newer/points.txt"
touch -d 1975-01-01 "$tmp/newer/lock" "$tmp/newer/plan.yaml"
expect "dates of files do not matter" 0 '8 done, 0 failed' -- \
    sweep "$tmp/few.yaml" -o "$tmp/newer" -j 2
touch -d 2090-01-01 "$tmp/newer/results.db"
expect "nor that of the results" 0 '8 done, 0 failed' -- \
    sweep "$tmp/few.yaml" -o "$tmp/newer"

# 10,000 points: planned and looked at.
cat >"$tmp/big.yaml" <<P
name: big
gpus: [gtx480]
axes:
  l1.ways: {from: 1, to: 100}
  l2.latency: {from: 100, to: 199}
workloads:
  - {name: w, run: $root/tests/run/kernels/spin.ptx, grid: 1, block: 32,
     args: ['out=buf:u32[32]=zero', '1']}
P
expect "10,000 points within 20 s" 0 ' 9999 .*l1.ways=100 l2.latency=199' -- \
    timeout 20 "$heddle" sweep list "$tmp/big.yaml"
"$heddle" sweep -q "$tmp/big.yaml" -o "$tmp/big" >/dev/null 2>&1 &
pid=$!
until_points "$tmp/big" 3
kill -9 $pid
wait $pid 2>/dev/null
expect "their states within 10 s" 0 \
    '10000 points: [1-9][0-9]* done, 0 failed' -- \
    timeout 10 "$heddle" sweep status "$tmp/big"
finish
