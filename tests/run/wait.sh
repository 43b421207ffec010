#!/bin/sh
# tests/run/wait.sh - programs that wait for what never comes: what their lanes
# spin on is told, and where nothing is left that could end it the run ends.
# Those that only look alike are left alone.
set -u
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
need_heddle

kernels=$root/tests/run/kernels

# wait_for KERNEL GPU OPTION...: looks early, so that a test is short.
wait_for() {
    kernel=$1 gpu=$2
    shift 2
    "$heddle" run "$kernels/wait.ptx" --kernel "$kernel" --gpu "$gpu" \
        --set gpu.sms=2 --set gpu.hang_cycles=20000 --quiet \
        --arg 'buf:u32[128]=zero' --max-cycles 3000000 "$@"
}

# quiet_about: the command before tells of no spinning.
quiet_about() {
    cp "$out" "$tmp/before"
    expect "$1: nobody spins" 1 -- grep spin "$tmp/before"
}

for gpu in v100 k20 gtx480; do
    expect "$gpu: a flag that nobody writes" 6 "kernel 'flag' hangs" \
        '2 warps of 2 spin, .*nothing can end that' \
        '64 lanes of 2 warps in 2 CTAs at flag (.*wait.ptx:14)' \
        "a load of 4 bytes at 0x700000010, byte 16 of allocation" \
        '(element 4)' 'finds 0x0 each time' \
        'nobody has written it since the launch began' -- \
        wait_for flag "$gpu" --grid 2 --block 32
    expect "$gpu: who counts his rounds waits all the same" 6 \
        "kernel 'counts' hangs" 'wait.ptx:30' -- \
        wait_for counts "$gpu" --grid 2 --block 32
    expect "$gpu: a loop that reads nothing" 6 "kernel 'nothing' hangs" \
        'reads nothing that could end it' -- \
        wait_for nothing "$gpu" --grid 2 --block 32
    expect "$gpu: two locks, each held by who waits for the other" 6 \
        "kernel 'locks' hangs" 'of 4 bytes at 0x700000000, byte 0 of' \
        'of 4 bytes at 0x700000040, byte 64 of' 'finds 0x1 each time' \
        'by CTA 0 warp 0 lane 0 at .*wait.ptx:95' \
        'by CTA 1 warp 0 lane 0 at .*wait.ptx:95' 'spins itself' -- \
        wait_for locks "$gpu" --grid 2 --block 1
    expect "$gpu: a lock that went with its owner" 6 "kernel 'kept' hangs" \
        '1 lane of 1 warp in 1 CTA at kept' \
        'last written in cycle .* at .*wait.ptx:120' 'it has ended since' -- \
        wait_for kept "$gpu" --grid 2 --block 1
    expect "$gpu: in shared memory, for a warp at a barrier" 6 \
        "kernel 'shared' hangs" 'at 0x8, in the shared memory of CTA 1' \
        'finds 0x5 each time' 'at .*wait.ptx:135' \
        '2 warps wait at a barrier of the CTA' -- \
        wait_for shared "$gpu" --grid 2 --block 64
    expect "$gpu: a barrier of more CTAs than fit" 6 "kernel 'grid' hangs" \
        '200 CTAs have not begun' 'an atomic\|a load' -- \
        wait_for grid "$gpu" --grid 200 --block 32
    expect "$gpu: who gives up after a time is told, not ended" 6 \
        'stopped after 100000 cycles' 'wait.ptx:48' 'it may give up' -- \
        wait_for patient "$gpu" --grid 2 --block 32 --arg u32:1000000 \
        --max-cycles 100000
    expect "$gpu: and ends as it would" 0 -- \
        wait_for patient "$gpu" --grid 2 --block 32 --arg u32:2000
    expect "$gpu: who looks at a clock is not ended" 0 -- \
        wait_for clock "$gpu" --grid 2 --block 32 --arg u32:200000
    expect "$gpu: who takes turns is not" 0 -- \
        wait_for turns "$gpu" --grid 2 --block 32 --arg u32:20
    expect "$gpu: who computes, and reads one word all the time" 6 \
        'stopped' -- wait_for busy "$gpu" --grid 2 --block 32 \
        --arg u32:1000000000 --max-cycles 200000
    quiet_about "$gpu, busy"
    expect "$gpu: who follows words around" 6 'stopped' -- \
        "$heddle" run "$kernels/wait.ptx" --kernel chase --gpu "$gpu" \
        --set gpu.sms=2 --set gpu.hang_cycles=20000 --quiet --grid 2 \
        --block 32 --arg 'buf:u32[128]=iota' --arg u32:1000000000 \
        --max-cycles 200000
    quiet_about "$gpu, chase"
done

# A scheduler that prefers the oldest leaves no slot to the last ones.
expect "warps that never have a turn" 6 'stopped after' \
    '[0-9] warps executed nothing meanwhile' '184 of 200 CTAs have not begun' \
    -- wait_for grid v100 --grid 200 --block 256 --max-cycles 100000

# Without timing. What is cut off is so by warp instructions.
untimed() { # KERNEL GPU OPTION...
    wait_for "$@" --functional --max-cycles 2000000
}
for gpu in v100 gtx480; do
    expect "$gpu, not timed: a flag that nobody writes" 6 "'flag' hangs" \
        '2 warps of 2 spin, .*warp instruction.*nothing can end that' \
        '64 lanes of 2 warps in 2 CTAs at flag (.*wait.ptx:14)' \
        'byte 16 of allocation .*(element 4)' -- \
        untimed flag "$gpu" --grid 2 --block 32
done
gpu=k20
expect "$gpu, not timed: a lock that went with its owner" 6 \
    "'kept' hangs" 'at .*wait.ptx:120' 'it has ended since' -- \
    untimed kept "$gpu" --grid 2 --block 1
expect "$gpu, not timed: in shared memory, for a warp at a barrier" 6 \
    "'shared' hangs" 'at 0x8, in the shared memory of CTA 1' \
    '2 warps wait at a barrier of the CTA' -- \
    untimed shared "$gpu" --grid 2 --block 64
expect "$gpu, not timed: a barrier of more CTAs than fit" 6 \
    "'grid' hangs" 'CTAs have not begun' -- \
    untimed grid "$gpu" --grid 200 --block 32
expect "$gpu, not timed: who gives up after a time is told" 6 \
    'stopped after' 'wait.ptx:48' 'it may give up' -- \
    untimed patient "$gpu" --grid 2 --block 32 --arg u32:100000000
expect "$gpu, not timed: and ends as it would" 0 -- \
    untimed patient "$gpu" --grid 2 --block 32 --arg u32:50000
expect "$gpu, not timed: who looks at a clock is not ended" 0 -- \
    untimed clock "$gpu" --grid 2 --block 32 --arg u32:500000
expect "$gpu, not timed: who takes turns is not" 0 -- \
    untimed turns "$gpu" --grid 2 --block 32 --arg u32:200
expect "$gpu, not timed: who computes, and reads one word" 6 'stopped' -- \
    untimed busy "$gpu" --grid 2 --block 32 --arg u32:1000000000
quiet_about "$gpu, not timed, busy"

# The same on every host, and by every way of simulating.
figures() { # OPTION...
    wait_for locks v100 --grid 2 --block 1 --format json "$@" 2>/dev/null |
        jq -cS '.launches[0] | {cycles, warp_insts, issue_slots, spins}'
}
figures >"$tmp/one"
for way in '--threads 3' --no-skip '--shuffle 7'; do
    # shellcheck disable=SC2086  # an option and its value
    figures $way >"$tmp/other"
    expect "the same with $way" 0 -- cmp "$tmp/one" "$tmp/other"
done
expect "JSON has it all" 0 '^true$' -- jq '.spins | .endless and
    .unit == "cycle" and .warps == 2 and .warps_resident == 2 and
    .since < .to and .ctas_not_begun == 0 and .warps_at_barriers == 0 and
    (.places | map(.address) | sort == [30064771072, 30064771136]) and
    (.places | all(.kernel == "locks" and .line == 104 and .lanes == 1 and
        .ctas == 1 and .value == 1 and .bytes == 4 and .atomic and
        (.shared | not) and (.may_give_up | not) and
        (.writer | contains("wait.ptx:95"))))' "$tmp/one"

# Ctrl-C, before anybody would have looked.
interrupt() {
    timeout --preserve-status -s INT 1 "$heddle" run "$kernels/wait.ptx" \
        --kernel patient --gpu k20 --grid 2 --block 32 --quiet \
        --arg 'buf:u32[128]=zero' --arg u32:2000000000 \
        --set gpu.hang_cycles=1000000000
}
expect "Ctrl-C: what ran, and what it waited for" 130 'cycles  *[1-9]' \
    'issued  ' 'raw_mem  ' '64 lanes of 2 warps in 2 CTAs at patient' \
    'status: interrupted; the figures are partial' -- interrupt

# A line now and then in a log, which is no terminal.
log() {
    HEDDLE_PROGRESS_SECONDS=0.02 "$heddle" run "$kernels/wait.ptx" \
        --kernel patient --gpu k20 --grid 2 --block 32 "$@" \
        --arg 'buf:u32[128]=zero' --arg u32:20000000 --max-cycles 60000000 2>&1
}
expect "a log has lines of progress" 6 \
    '^heddle: [0-9]* s: patient: 0 of 2 CTAs; .* cycles, .*; .* warp instr' -- \
    log
cp "$out" "$tmp/log"
expect "and nothing else" 1 -- grep "$(printf '\r')" "$tmp/log"
log --quiet >"$tmp/quiet" 2>&1
expect "with --quiet there are none" 1 -- grep '^heddle: ' "$tmp/quiet"
for wrong in soon -1 5x; do
    expect "a line every '$wrong' seconds is refused" 0 \
        "HEDDLE_PROGRESS_SECONDS is '$wrong', which is no number" -- \
        env HEDDLE_PROGRESS_SECONDS="$wrong" "$heddle" run \
        "$kernels/wait.ptx" --kernel turns --gpu k20 --grid 2 --block 32 \
        --arg 'buf:u32[128]=zero' --arg u32:3
done

# A program of one queue.
program=$(dirname "$heddle")/heddle-handover
if [ ! -x "$program" ] || [ ! -e "$(dirname "$heddle")/libheddle-opencl.so" ]; then
    skip "OpenCL programs" "no OpenCL headers when it was built"
    finish
fi
export XDG_CACHE_HOME="$tmp/cache"
expect "a program whose kernel waits in vain" 2 \
    "FAILED: hang" "kernel 'turns' hangs: its warps spin" \
    '1 lane of 1 warp in 1 CTA at turns (<source>:4)' \
    "a load of 4 bytes at 0x700000000, byte 0 of" 'finds 0x0 each time' \
    'nobody has written it since the launch began' -- \
    "$heddle" exec -q --set gpu.hang_cycles=20000 -- "$program" alone

# One of two queues that cannot have the GPU together, killed: what was known a
# second before is kept. By then it has spun for as long as shows it.
killed() {
    rm -f "$tmp/progress"
    HEDDLE_PROGRESS_SECONDS=0.2 "$heddle" exec --set gpu.concurrent=1 \
        --set gpu.sms=2 "$@" -- sh -c '"$1" reversed & p=$!
            until grep -q "; [0-9]*[3-9],[0-9]*,[0-9]* cycles" "$2/progress" ||
                ! kill -0 $p; do sleep 0.1; done
            sleep 2; kill -KILL $p; wait $p' _ "$program" "$tmp" \
        2>"$tmp/progress"
    killed_code=$?
    cat "$tmp/progress"
    return $killed_code
}
expect "a program that is killed: what ran, and what it waited for" 137 \
    "launch 1 of 'turns' DID NOT END" 'partial: until its program ended' \
    '  cycles  *[1-9]' '^    issued  ' 'raw_pred  ' \
    '1 lane of 1 warp in 1 CTA at turns (<source>:4)' -- killed
killed --format json -o "$tmp/killed.json" >/dev/null 2>&1
expect "in JSON, too" 0 '^true$' -- jq '.processes[0].launches[0] |
    .status == "unfinished" and .cycles > 0 and .issue_slots.issued > 0 and
    .counters != {} and (.spins.endless | not) and
    .spins.places[0].line == 4' "$tmp/killed.json"
finish
