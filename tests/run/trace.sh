#!/bin/sh
# tests/run/trace.sh - traces of `heddle run`: read by checkers that know only
# the formats, compared with counters, the same for any number of threads.
. "$(dirname "$0")/../lib.sh"
need_heddle
here=$(cd "$(dirname "$0")" && pwd)
python=$(command -v python3) || { skip trace "no python3"; finish; }
cat >"$tmp/k.ptx" <<'END'
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
{
.reg .b64 %d<9>;
.reg .b32 %r<20>;
.reg .pred %p<4>;
.shared .align 4 .b8 tile[4096];
ld.param.u64 %d1, [p];
ld.param.u32 %r9, [n];
mov.u32 %r1, %tid.x;
mov.u32 %r2, %ctaid.x;
mad.lo.u32 %r3, %r2, 64, %r1;
mul.wide.u32 %d3, %r3, 4;
add.u64 %d4, %d1, %d3;
mul.wide.u32 %d5, %r1, 128;
add.u64 %d6, %d1, %d5;
mov.u32 %r4, 0;
shl.b32 %r6, %r1, 4;
mov.u32 %r7, tile;
add.u32 %r6, %r6, %r7;
LOOP: ld.global.u32 %r5, [%d6];
st.shared.u32 [%r6], %r5;
bar.sync 0;
ld.shared.u32 %r8, [%r6];
atom.global.add.u32 %r10, [%d1], 1;
add.u32 %r4, %r4, 1;
setp.lt.u32 %p1, %r4, %r9;
@%p1 bra LOOP;
st.global.u32 [%d4], %r8;
ret;
}
END

run() { # ARGUMENT...
    "$heddle" run "$tmp/k.ptx" --grid 40 --block 64 -s gpu.sms=4 \
        -s gpu.launch_latency=0 -s gpu.cta.latency=0 \
        --arg 'a=buf:u32[65536]=iota' --quiet "$@"
}
value() { # FILE NAME
    awk -v name="$2" '$1 == name { print $2 }' "$1"
}

expect "a trace in both forms" 0 'cycles' -- \
    run --arg u32:3 --konata "$tmp/k.log" --perfetto "$tmp/k.pftrace" \
    --trace-sm all --hash --energy-series 500 --occupancy
hash=$(sed -n 's/^hash: //p' "$out")
insts=$(sed -n 's/.*warp instructions *\([0-9,]*\) .*/\1/p' "$out" | tr -d ,)
expect "the same without one" 0 "hash: $hash" -- run --arg u32:3 --hash \
    --energy-series 500
expect "Kanata by its grammar" 0 'arrows' -- \
    "$python" "$here/kanata_check.py" "$tmp/k.log"
cp "$out" "$tmp/kanata.sums"
expect "every issue is in it" 0 "^retired $insts\$" -- cat "$tmp/kanata.sums"
expect "Perfetto by its encoding" 0 "^issued $insts\$" -- \
    "$python" "$here/perfetto_check.py" "$tmp/k.pftrace"
cp "$out" "$tmp/perfetto.sums"
for why in barrier raw_mem branch; do
    expect "$why in both" 0 "wait.$why $(value "$tmp/kanata.sums" stall.$why)" \
        -- cat "$tmp/perfetto.sums"
done
if command -v protoc >/dev/null; then
    expect "protoc reads it" 0 -- \
        sh -c "protoc --decode_raw <'$tmp/k.pftrace' >'$tmp/decoded'"
    expect "all of its packets" 0 \
        "^packets $(grep -c '^1 {' "$tmp/decoded")\$" -- \
        cat "$tmp/perfetto.sums"
else
    skip "protoc" "not installed"
fi

for how in "--threads 3" --no-skip "--shuffle 5"; do
    # shellcheck disable=SC2086  # several words
    expect "$how" 0 'cycles' -- run --arg u32:3 $how --konata "$tmp/2.log" \
        --perfetto "$tmp/2.pftrace" --trace-sm all --energy-series 500 \
        --occupancy
    expect "Kanata, $how" 0 -- cmp "$tmp/k.log" "$tmp/2.log"
    expect "Perfetto, $how" 0 -- cmp "$tmp/k.pftrace" "$tmp/2.pftrace"
done

# With queues in front of the L1: what they hold, and why arrivals wait.
queues() { # ARGUMENT...
    run --arg u32:3 -g gtx480 -s l1.queue=reod -s l1.reod.depth=1 "$@"
}
expect "request queues" 0 '' -- queues --konata "$tmp/q.log" \
    --perfetto "$tmp/q.pftrace" --trace-sm all --hash
hash=$(sed -n 's/^hash: //p' "$out")
expect "the same untraced" 0 "hash: $hash" -- queues --hash
expect "Kanata has refusals by queues" 0 'request queue full' -- \
    cat "$tmp/q.log"
expect "Kanata is valid" 0 'arrows' -- \
    "$python" "$here/kanata_check.py" "$tmp/q.log"
expect "Perfetto has their track" 0 'L1 request queues' -- \
    sh -c "strings '$tmp/q.pftrace'"
expect "Perfetto is valid" 0 '^issued [1-9]' -- \
    "$python" "$here/perfetto_check.py" "$tmp/q.pftrace"
expect "one thread and three" 0 '' -- queues --threads 3 --no-skip \
    --konata "$tmp/2.log" --perfetto "$tmp/2.pftrace" --trace-sm all
expect "the same Kanata" 0 -- cmp "$tmp/q.log" "$tmp/2.log"
expect "the same Perfetto" 0 -- cmp "$tmp/q.pftrace" "$tmp/2.pftrace"

# Stages of clusters, as counters have them.
shared() { # ARGUMENT...
    run --arg u32:3 -g gtx480 -s gpu.cluster.size=2 -s gpu.cluster.slip=1 \
        -s gpu.cluster.slip_window=64 -s gpu.cluster.reform=row "$@"
}
expect "shared front ends" 0 '' -- shared --konata "$tmp/c.log" \
    --perfetto "$tmp/c.pftrace" --trace-sm all -f json
cp "$out" "$tmp/c.json"
expect "Perfetto is valid" 0 '^issued [1-9]' -- \
    "$python" "$here/perfetto_check.py" "$tmp/c.pftrace"
cp "$out" "$tmp/perfetto.sums"
for stage in forming shared dissolving; do
    cycles=$(sed -n "s/.*\"sm\[\*\]\.${stage}_cycles\": \([0-9]*\).*/\1/p" \
        "$tmp/c.json")
    expect "cycles $stage" 0 "^cluster.$stage $cycles\$" -- \
        cat "$tmp/perfetto.sums"
    expect "are some" 0 "^cluster.$stage [1-9]" -- cat "$tmp/perfetto.sums"
done
expect "Kanata is valid, too" 0 'arrows' -- \
    "$python" "$here/kanata_check.py" "$tmp/c.log"
expect "three threads" 0 '' -- shared --threads 3 --no-skip \
    --perfetto "$tmp/2.pftrace" --trace-sm all
expect "have the same stages" 0 -- cmp "$tmp/c.pftrace" "$tmp/2.pftrace"

# A part of it.
expect "some warps and cycles" 0 'cycles' -- run --arg u32:3 --konata \
    "$tmp/p.log" --perfetto "$tmp/p.pftrace" --trace-sm 1-2 --trace-warp 0-3 \
    --trace-cycles 600-999
expect "is valid" 0 '^retired [1-9]' -- \
    "$python" "$here/kanata_check.py" "$tmp/p.log"
cp "$out" "$tmp/part.sums"
expect "has these cycles" 0 '^cycles [34]..$' -- cat "$tmp/part.sums"
expect "is valid for Perfetto" 0 '^issued [1-9]' -- \
    "$python" "$here/perfetto_check.py" "$tmp/p.pftrace"
expect "the limit" 0 'the trace ends in cycle [0-9]* of launch 1, after 5000' \
    -- run --arg u32:3 --konata "$tmp/l.log" --perfetto "$tmp/l.pftrace" \
    --trace-limit 5000
expect "keeps it valid" 0 '^insts' -- \
    "$python" "$here/kanata_check.py" "$tmp/l.log"
expect "keeps it valid for Perfetto" 0 '^packets' -- \
    "$python" "$here/perfetto_check.py" "$tmp/l.pftrace"
expect "a launch that is stopped" 6 'max-cycles' -- run --arg u32:3 \
    --max-cycles 1000 --konata "$tmp/s.log" --perfetto "$tmp/s.pftrace"
expect "is valid, too" 0 '^flushed [1-9]' -- \
    "$python" "$here/kanata_check.py" "$tmp/s.log"
expect "is valid, too, for Perfetto" 0 '^packets' -- \
    "$python" "$here/perfetto_check.py" "$tmp/s.pftrace"
expect "launches that are not there" 0 'nothing was traced' -- \
    run --arg u32:1 --konata "$tmp/n.log" --trace-launch 2
expect "an SM that is not there" 0 'the trace is empty' -- \
    run --arg u32:1 --konata "$tmp/n.log" --trace-sm 9
expect "a disk that is full" 1 'is not complete: No space' -- \
    run --arg u32:3 --konata /dev/full
expect "the window of a report" 0 'cycles' -- run --arg u32:1 --waterfall \
    --store "$tmp/r.db"
expect "is JSON" 0 '^warps [1-9]' -- "$python" -c '
import json, sqlite3, sys
text, = sqlite3.connect(sys.argv[1]).execute(
    "SELECT content FROM artifact WHERE kind = ?", ("waterfall",)).fetchone()
w = json.loads(text)
for warp in w["warps"]:
    at = None
    for start, cycles, why, code in warp["waits"]:
        assert at is None or start == at, (start, at)
        at = start + cycles
        assert why < len(w["why"]) and code < len(w["code"])
    assert all(i[0] < len(w["code"]) for i in warp["insts"])
print("warps", len(w["warps"]))' "$tmp/r.db"

# Of a program, whose events come from its driver.
program=$(dirname "$heddle")/heddle-behave
if [ -x "$program" ] && [ -e "$(dirname "$heddle")/libheddle-opencl.so" ]; then
    export XDG_CACHE_HOME="$tmp/cache"
    exec_traced() { # PROGRAM'S ARGUMENT...
        # shellcheck disable=SC2086  # several words
        "$heddle" exec -s gpu.sms=4 -q --trace-sm all --trace-launch 2-3 \
            --max-cycles 9000 --konata "$tmp/e.log" \
            --perfetto "$tmp/e.pftrace" -f json $limit -- "$program" "$@"
    }
    limit=
    expect "two launches of a program" 0 '"kernel": "twice"' -- \
        exec_traced set twice:3 finish
    insts=$("$python" -c '
import json, sys
text = open(sys.argv[1]).read()
report = json.loads(text[text.index("{"):])
print(sum(l["warp_insts"] for l in report["processes"][0]["launches"][1:3]))
' "$out")
    expect "all of their issues" 0 "^retired $insts\$" -- \
        "$python" "$here/kanata_check.py" "$tmp/e.log"
    expect "in both forms" 0 "^issued $insts\$" -- \
        "$python" "$here/perfetto_check.py" "$tmp/e.pftrace"
    expect "a launch that does not end" 9 'max-cycles' -- \
        exec_traced set endless finish
    expect "is valid" 0 '^flushed [1-9]' -- \
        "$python" "$here/kanata_check.py" "$tmp/e.log"
    limit='--trace-limit 3000'
    expect "the limit of a program's trace" 0 'after 3000 events' -- \
        exec_traced set twice finish
else
    skip "traces of programs" "no OpenCL headers when it was built"
fi

for bad in "--trace-sm 3" "--trace-limit 5" "--konata $tmp/x --functional" \
    "--konata $tmp/x --perfetto $tmp/x" "--konata $tmp/x --trace-sm 7-2" \
    "--konata $tmp/x --trace-cycles 9-5" "--konata $tmp/x --trace-launch 0" \
    "--konata $tmp/x --trace-warp 64" "--waterfall"; do
    # shellcheck disable=SC2086  # several words
    expect "refuses $bad" 2 "Try 'heddle help" -- run --arg u32:1 $bad
done
finish
