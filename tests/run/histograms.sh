#!/bin/sh
# tests/run/histograms.sh - what histograms count is what counters count.
. "$(dirname "$0")/../lib.sh"
need_heddle

cp "$root/workloads/vecadd/ptx/clang14-cuda.ptx" "$tmp/k.ptx"
cat >"$tmp/add.yaml" <<S
program: k.ptx
buffers:
  a: {type: f32, count: 20000, init: uniform, seed: 1}
  b: {type: f32, count: 20000, init: uniform, seed: 2}
  c: {type: f32, count: 20000}
launches:
  - {grid: [79], block: [256], args: [a, b, c, 20000]}
S

for gpu in gtx480 k20 v100; do
    "$heddle" run --gpu $gpu --launch "$tmp/add.yaml" -f json >"$tmp/json"
    expect "every instruction and request is in a bin, $gpu" 0 '^true$' -- jq '
        .launches[0] | .counters as $c |
        def n($name): .histograms[$name].counts | add;
        n("sm[*].lanes") == $c["sm[*].warp_insts"] and
        n("sm[*].transactions") == $c["sm[*].tx_insts"] and
        n("sm[*].load_latency") == 2 * 20000 / 32 and
        n("dram[*].reads_queued") ==
            $c["dram[*].reads"] - $c["dram[*].forwarded"]' "$tmp/json"
    # Two loads of a warp of 128 bytes, a store: one line each.
    expect "one transaction each, $gpu" 0 '^\[0,1875,0,' -- jq -c \
        '.launches[0].histograms["sm[*].transactions"].counts' "$tmp/json"
    # Warps are whole, or all of their lanes have nothing to do.
    expect "lanes, $gpu" 0 '^\[[0-9]*,0,0,0,0,' -- jq -c \
        '.launches[0].histograms["sm[*].lanes"].counts' "$tmp/json"
done

"$heddle" run --gpu v100 --launch "$tmp/add.yaml" -f json --per-block \
    >"$tmp/blocks"
expect "of every block, too" 0 '^true$' -- jq '.launches[0] |
    ([.counters | to_entries[] |
      select(.key | test("^sm.[0-9]+..load_latency_")) | .value] | add) ==
    (.histograms["sm[*].load_latency"].counts | add)' "$tmp/blocks"
expect "as text" 0 '^  histograms  *10 %' '^    sm.load_latency  *cycle ' -- \
    "$heddle" run --gpu v100 --launch "$tmp/add.yaml"
expect "in the list of counters" 0 \
    '^sm\[\*\].load_latency_96  *inst .*: from 96$' -- "$heddle" list stats
finish
