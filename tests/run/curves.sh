#!/bin/sh
# tests/run/curves.sh - programs that measure a GPU, of a simulated one: points of
# curves that are known otherwise, and tests/hardware/measure_device.sh as a whole.
. "$(dirname "$0")/../lib.sh"
need_heddle
build=$(dirname "$heddle")
curves=$build/hardware_curves
measure=$root/tests/hardware/measure_device.sh
if sanitized || [ ! -x "$curves" ] || ! command -v cc >/dev/null; then
    skip curves "no hardware_curves for programs without sanitizers, or no C compiler"
    finish
fi
cd "$tmp" || exit 1
expect "lists" 0 '^chase  *cycle .*working set' -- "$curves" --list
expect "no such curve" 2 "no curve 'chess'; --list" -- "$curves" --curve chess
expect "no such number" 2 "repeat is 1 to 99, not '0'" -- "$curves" --repeat 0
expect "no such part" 2 "forms, curves or kernels, not 'all'" -- sh "$measure" --only all
expect "no such compiler" 2 "no C compiler 'xcc'" -- sh "$measure" --cc xcc

# ---- A driver that has no device, and one that is too old ----

names=$(sed -n 's/.*"\(cu[A-Z][A-Za-z0-9_]*\)"},$/\1/p' "$root/tests/hardware/cu.c")
mkdir none old
for name in $names; do
    [ "$name" != cuEventRecord ] || continue
    case $name in
    cuGetErrorName)
        echo "int $name(int e, const char **s) { *s = \"MADE_UP\"; return e != 100; }" ;;
    *) echo "int $name(void) { return 100; }" ;;
    esac
done >old.c
{ cat old.c && echo 'int cuEventRecord(void) { return 100; }'; } >none.c
for driver in none old; do
    expect "a made-up driver" 0 -- cc -shared -fPIC $driver.c -o $driver/libcuda.so.1
done
for program in "$curves" "sh $measure -o kept"; do
    # shellcheck disable=SC2086  # words
    expect "no device" 77 'no CUDA device: the driver says MADE_UP' -- \
        env LD_LIBRARY_PATH="$tmp/none" $program
    # shellcheck disable=SC2086
    expect "an old driver" 77 'the CUDA driver here has no cuEventRecord' -- \
        env LD_LIBRARY_PATH="$tmp/old" $program
done
expect "keeps nothing" 1 -- test -e kept

# ---- Points ----

# points CURVE OPTION...: into $tmp/CURVE.csv, of a simulated GPU
points() {
    points_of=$1
    shift
    expect "$points_of" 0 -- sh -c "'$heddle' exec -q -o report $* -- '$curves' \
        --curve $points_of --quick >$points_of.csv"
}
# near CURVE LINE X VALUE PERCENT
near() {
    expect "$1 $2 $3 is $4" 0 -- awk -F, -v line="$2" -v x="$3" -v v="$4" -v p="$5" '
        $2 == line && $3 == x { found = 1; print
            if ($4 < v * (1 - p / 100) || $4 > v * (1 + p / 100)) bad = 1 }
        END { exit !found || bad }' "$1.csv"
}

points clock --gpu v100 --set gpu.clock_khz=1000000
near clock '' 1 1000 0.1
points latency --gpu v100
near latency fma.f32 1 4 3      # [GIL:Volta]
near latency fma.f64 1 8 3      # [GIL:Volta]
near latency ld.global.u64 1 28 1 # [GPUB:latency]
near latency ld.shared.u32 1 24 1 # [MT4G:V100]
points latency --gpu v100 --set l1.latency=30
near latency ld.global.u64 1 38 1
near latency ld.shared.u32 1 24 1
points throughput --gpu v100
near throughput fma.f32 1 64 3 # [CG:throughput], as the next three
near throughput fma.f64 1 32 3
near throughput popc.b32 1 16 3
near throughput shfl.bfly 1 32 3
# A pass for each word that a bank has to give; 128 bits in four, so that no
# more than eight lanes meet.
points shared --gpu v100
for ways in 1 2 4 8 16; do
    near shared '32 bits' $ways $ways 15
    near shared '64 bits' $ways $((2 * ways)) 15
done
for ways in 1 2 4 8; do
    near shared '128 bits' $ways $((4 * ways)) 10
done
for lanes in 2 4 8 16 32; do
    near shared '32 bits one address' $lanes 1 15
done
points stream --gpu v100
expect "no more than the memory has" 0 -- awk -F, '
    /^stream/ { n++; if ($4 >= 898) bad = 1; if ($3 == 100 && $4 < 500) bad = 1 }
    END { exit bad || n != 4 }' stream.csv
# 64 lanes of each SM do two operations a cycle at 1 GHz: below 256, as two additions,
# loads and code of 16 kB take their part, but not far.
echo 'roofline,GFLOP/s,128.25,' >asked.csv
expect roofline 0 -- sh -c "'$heddle' exec -q -o report --gpu v100 \
    --set gpu.clock_khz=1000000 --set gpu.sms=2 -- '$curves' --curve roofline \
    --points asked.csv >roofline.csv"
near roofline GFLOP/s 128.25 247 3.6
points roofline --gpu v100
expect "reads no more than the memory has" 0 -- awk -F, '
    $2 == "GB/s" { n++; if ($4 >= 898) bad = 1; if ($3 == 0.25 && $4 < 700) bad = 1
        gb[$3] = $4 }
    $2 == "GFLOP/s" { r = $4 / (gb[$3] * $3); if (r < 0.999 || r > 1.001) bad = 1 }
    END { exit bad || n != 2 }' roofline.csv
points chase --gpu v100 --set l1.latency=30
near chase '' 20.2 38 1

# ---- All of it ----

expect "kernels" 0 '^device: Tesla V100$' '^vecadd  *vecadd  *1 ' -- \
    "$heddle" exec -q -o report --gpu v100 -- sh "$measure" --quick --size small \
    --repeat 2 --only kernels -o kept
expect "all but images" 0 '^23$' -- sh -c 'grep -c "^[a-z].*,[0-9]*$" kept/*/kernels.csv'
# Measured twice, and on the same machine: nothing differs.
expect "programs" 0 -- sh "$measure" --build programs
expect "is the truth of itself" 0 'all rows  *23  *0.0 %  *0.0 %  *1.0000' -- \
    sh -c "'$heddle' validate kept/*/truth.yaml --programs programs -j 2"
finish
