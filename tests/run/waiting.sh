#!/bin/sh
# tests/run/waiting.sh - work-groups that wait for each other: what ends when it
# is timed ends with --functional, too, and computes the same.
. "$(dirname "$0")/../lib.sh"
need_heddle
cat >"$tmp/k.cl" <<'END_CL'
// Group `reader` waits for what group `writer` hands over.
kernel void hand_over(volatile global uint *flag, global uint *got,
                      uint reader, uint writer)
{
    uint g = get_group_id(0);

    if (get_local_id(0) == 0 && g == reader) {
        while (!flag[0])
            ;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        got[get_num_groups(0)] = flag[1];
    }
    if (get_local_id(0) == 0 && g == writer) {
        flag[1] = 1234;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        flag[0] = 1;
    }
    if (get_local_id(0) == get_local_size(0) - 1)
        got[g] = g;
}

// All groups wait for all at the end of each round. In a round each takes what
// its neighbour had and adds 1.
kernel void rounds(volatile global uint *arrived, volatile global uint *value,
                   uint count)
{
    uint g = get_group_id(0), n = get_num_groups(0);

    for (uint r = 0; r < count; r++) {
        if (get_local_id(0) == 0) {
            value[(r + 1 & 1) * n + g] = value[(r & 1) * n + (g + 1) % n] + 1;
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            atomic_inc(arrived);
            while (*arrived < (r + 1) * n)
                ;
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
END_CL
if ! "$root/tools/ptxcc" "$tmp/k.cl" -o "$tmp/k.ptx" >"$tmp/log" 2>&1; then
    skip waiting "no compiler of OpenCL C: $(tail -n 1 "$tmp/log")"
    finish
fi
run() { # GPU OPTION...
    r_gpu=$1
    shift
    "$heddle" run -q "$tmp/k.ptx" --gpu "$r_gpu" --max-cycles 50000000 "$@"
}
words() { od -An -v -tu4 -w4 "$1" | tr -d ' '; }

# ---- one waits for another ----

hand_over() { # GPU GROUPS READER WRITER OPTION...
    h_gpu=$1 h_groups=$2 h_reader=$3 h_writer=$4
    shift 4
    rm -f "$tmp/got"
    run "$h_gpu" --kernel hand_over --grid "$h_groups" --block 64 \
        --arg 'buf:u32[2]=zero' --arg "buf:u32[$((h_groups + 1))]=zero" \
        --arg "$h_reader" --arg "$h_writer" --dump "1=$tmp/got" "$@" &&
        { seq 0 $((h_groups - 1)) && echo 1234; } >"$tmp/want" &&
        words "$tmp/got" | cmp - "$tmp/want"
}
for gpu in gtx480 k20 v100; do
    for how in '' --functional; do
        # shellcheck disable=SC2086  # none is no option
        expect "0 waits for 1 on $gpu $how" 0 -- hand_over $gpu 2 0 1 $how
        # shellcheck disable=SC2086
        expect "1 waits for 0 on $gpu $how" 0 -- hand_over $gpu 2 1 0 $how
        # shellcheck disable=SC2086
        expect "the first for the last on $gpu $how" 0 -- \
            hand_over $gpu 3000 0 2999 $how
    done
done
expect "nobody writes" 6 'stopped after [0-9]* warp instructions' -- \
    hand_over v100 2 0 2 --functional --max-cycles 1000000

# Two SMs with one CTA each: what the second is to write has no room while the
# first two wait.
cat >"$tmp/chain.cl" <<'END_CL'
// Each group but the last waits for the one behind it.
kernel void chain(volatile global uint *done)
{
    uint g = get_group_id(0);

    if (g + 1 < get_num_groups(0))
        while (!done[g + 1])
            ;
    done[g] = g + 1;
}
END_CL
expect "a chain, compiled" 0 -- \
    "$root/tools/ptxcc" "$tmp/chain.cl" -o "$tmp/chain.ptx"
chain() { # GROUPS OPTION...
    c_groups=$1
    shift
    "$heddle" run -q "$tmp/chain.ptx" --gpu v100 -s gpu.sms=2 -s sm.ctas=1 \
        --grid "$c_groups" --block 1 --arg "buf:u32[$c_groups]=zero" \
        --max-cycles 3000000 --dump "0=$tmp/got" "$@" &&
        seq 1 "$c_groups" >"$tmp/want" && words "$tmp/got" | cmp - "$tmp/want"
}
for how in '' --functional; do
    # shellcheck disable=SC2086
    expect "as many wait as the GPU holds $how" 0 -- chain 2 $how
    # shellcheck disable=SC2086
    expect "more do $how" 6 'was stopped after 3000\|its warps spin' -- \
        chain 3 $how
done

# ---- all wait for all ----

rounds() { # GPU GROUPS ROUNDS OPTION...
    a_gpu=$1 a_groups=$2 a_count=$3
    shift 3
    run "$a_gpu" --kernel rounds --grid "$a_groups" --block 96 \
        --arg 'buf:u32[1]=zero' --arg "buf:u32[$((2 * a_groups))]=zero" \
        --arg "$a_count" --dump "0=$tmp/arrived" --dump "1=$tmp/value" "$@" &&
        [ "$(words "$tmp/arrived")" = $((a_groups * a_count)) ] &&
        [ "$(words "$tmp/value" | sort -n | uniq -c | tr -s ' ')" = \
            "$(printf ' %s %s\n' "$a_groups" $((a_count - 1)) \
                "$a_groups" "$a_count")" ]
}
for how in '' --functional; do
    # shellcheck disable=SC2086
    expect "a barrier of all groups $how" 0 -- rounds v100 300 5 $how
    # shellcheck disable=SC2086
    expect "it on a k20 $how" 0 -- rounds k20 100 4 $how
done
twice() {
    for t in 1 2; do
        rounds v100 200 3 --functional -f json | jq '.. | .warp_insts? //
            empty' >"$tmp/insts$t"
    done
    [ -s "$tmp/insts1" ] && cmp "$tmp/insts1" "$tmp/insts2"
}
expect "always in the same order" 0 -- twice

# ---- launches wait for launches ----

cat >"$tmp/turns.cl" <<'END_CL'
kernel void turns(volatile global uint *ball, uint me, uint turns)
{
    for (uint t = me; t < turns; t += 2) {
        while (*ball != t)
            ;
        *ball = t + 1;
    }
}
kernel void after(global uint *ball) { ball[0] += 1000; }
END_CL
expect "turns, compiled" 0 -- \
    "$root/tools/ptxcc" "$tmp/turns.cl" -o "$tmp/turns.ptx"
cat >"$tmp/turns.yaml" <<'END'
program: turns.ptx
gpu: k20
buffers:
  ball: {type: u32, count: 1, init: zero}
launches:
  - {kernel: turns, grid: 1, block: 1, args: [ball, 0, 20], stream: left}
  - {kernel: turns, grid: 1, block: 1, args: [ball, 1, 20], stream: right}
  - {kernel: after, grid: 1, block: 1, args: [ball], stream: right}
dump: {ball: ball.bin}
END
# The first launch comes second.
sed '/ball, 0, 20/{h;d}; /ball, 1, 20/{p;x}' "$tmp/turns.yaml" \
    >"$tmp/snrut.yaml"
turns() { # FILE OPTION...
    rm -f "$tmp/ball.bin"
    t_file=$tmp/$1
    shift
    "$heddle" run -q -l "$t_file" --max-cycles 20000000 "$@" &&
        [ "$(words "$tmp/ball.bin")" = 1020 ]
}
for how in '' --functional; do
    # shellcheck disable=SC2086
    expect "streams take turns $how" 0 'turns  *left ' 'turns  *right ' -- \
        turns turns.yaml $how
    # shellcheck disable=SC2086
    expect "in the other order $how" 0 'turns  *left ' 'turns  *right ' -- \
        turns snrut.yaml $how
    # shellcheck disable=SC2086
    expect "not if one may be in flight $how" 6 'was stopped after\|hangs' -- turns \
        turns.yaml $how --max-cycles 2000000 -s gpu.concurrent=1
done
sed '/stream: right/{/ball, 1/d}' "$tmp/turns.yaml" >"$tmp/alone.yaml"
expect "nobody takes the second turn" 6 'was stopped after' \
    'CTAs  *1$' -- turns alone.yaml --functional --max-cycles 2000000

program=$(dirname "$heddle")/heddle-handover
if [ ! -x "$program" ] || [ ! -e "$(dirname "$heddle")/libheddle-opencl.so" ]; then
    skip "OpenCL programs" "no OpenCL headers when it was built"
    finish
fi
export XDG_CACHE_HOME="$tmp/cache"
program_turns() { "$heddle" exec -q --max-cycles 20000000 "$@"; }
for mode in queues reversed unordered write; do
    for how in '' --functional; do
        # shellcheck disable=SC2086
        expect "a program, $mode $how" 0 '^right$' -- \
            program_turns $how -- "$program" $mode
    done
done
expect "two launches, both without timing" 0 '2 launches .* 2 functional' -- \
    program_turns --functional -- "$program" queues
finish
