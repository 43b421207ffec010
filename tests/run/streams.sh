#!/bin/sh
# tests/run/streams.sh - launch files with several streams: results, what is
# reported of launches in flight together, the same bits however simulated.
. "$(dirname "$0")/../lib.sh"
need_heddle
cat >"$tmp/k.sass" <<'END'
.arch volta
.kernel add
.param pointer p
.param int loops
    S2R R0, SR_TID.X;
    S2R R1, SR_CTAID.X;
    MOV R5, 0x40;
    IMAD R0, R1, R5, R0;
    MOV R2, c[0x0][p];
    MOV R3, c[0x0][p+4];
    IMAD.WIDE R2, R0, 4, R2;
    LDG.E R4, [R2.64];
    MOV R6, c[0x0][loops];
again:
    IADD3 R4, R4, 1, RZ;
    IADD3 R6, R6, -1, RZ;
    ISETP.GT.AND P0, PT, R6, RZ, PT;
@P0 BRA again;
    STG.E [R2.64], R4;
    EXIT;
.end
.kernel far
.param pointer p
    MOV R2, 0x100;
    MOV R3, RZ;
    LDG.E R4, [R2.64];
    EXIT;
.end
END
cat >"$tmp/l.yaml" <<'END'
program: k.sass
gpu: v100
buffers:
  a: {type: u32, count: 1024, init: zero}
  b: {type: u32, count: 1024, init: zero}
launches:
  - {kernel: add, grid: 16, block: 64, args: [a, 400], stream: left}
  - {kernel: add, grid: 16, block: 64, args: [b, 3], stream: right, repeat: 2}
  - {kernel: add, grid: 16, block: 64, args: [b, 1], stream: right}
dump: {a: a.npy, b: b.npy}
END
run() { "$heddle" run -q -l "$tmp/l.yaml" "$@"; }

expect "two streams" 0 'add x4 on Tesla V100' 'in flight together' \
    'add  *left  *0 ' 'add  *right  *0 ' 'CTAs  *64$' -- run
expect "what they compute" 0 -- sh -c "od -An -v -tu4 -j128 '$tmp/a.npy' |
    tr -s ' ' '\n' | sort -u | grep -vx -e 400 -e '' && exit 1
    od -An -v -tu4 -j128 '$tmp/b.npy' | tr -s ' ' '\n' | sort -u |
    grep -vx -e 7 -e '' && exit 1
    true"
expect "one after the other" 0 'total: 4 launches' -- \
    run --set gpu.concurrent=1
grep -q together "$out" && expect "none is in flight with another" 1 -- true
expect "without timing" 0 'total: 4 launches' -- run --functional
expect "JSON" 0 '"parts": *\[' '"stream": "left"' '"start_cycle"' -- \
    run -f json
expect "CSV" 0 '^0,add x4,ok' -- run -f csv
expect "a profile of each" 0 'add, stream left' 'add, stream right' \
    -- run --by-instruction

# ---- traces ----

sed 's/^\.kernel far/.kernel near/
    s/ MOV R2, 0x100;/ MOV R2, c[0x0][p];/
    s/^    MOV R3, RZ;/    MOV R3, c[0x0][p+4];/' "$tmp/k.sass" >"$tmp/two.sass"
sed 's/k\.sass/two.sass/; /^dump:/d
    s/{kernel: add, grid: 16, block: 64, args: \[b, 1\]/{kernel: near, grid: 2, block: 64, args: [b]/' \
    "$tmp/l.yaml" >"$tmp/two.yaml"
trace() { # FILE OPTION...
    t_to=$1
    shift
    "$heddle" run -q -l "$tmp/two.yaml" -s gpu.sms=2 --trace-sm all \
        --konata "$tmp/$t_to" --hash "$@" | sed -n 's/^hash:* *//p'
}
plain=$("$heddle" run -q -l "$tmp/two.yaml" -s gpu.sms=2 --hash |
    sed -n 's/^hash:* *//p')
traced=$(trace one --perfetto "$tmp/one.perfetto")
expect "a trace changes nothing" 0 -- [ -n "$plain" -a "$plain" = "$traced" ]
expect "instructions are those of their kernels" 0 'w[0-9]* add 0x0000 S2R' \
    'w[0-9]* near 0x0000 MOV R2' 'w[0-9]* near 0x0020 LDG' -- \
    grep -m4000 -e 'near 0x' -e 'add 0x0000' "$tmp/one"
if command -v python3 >/dev/null; then
    expect "the trace is whole" 0 -- \
        python3 "$root/tests/run/kanata_check.py" "$tmp/one"
    expect "so is the other" 0 -- \
        python3 "$root/tests/run/perfetto_check.py" "$tmp/one.perfetto"
fi
trace three --threads 3 >/dev/null
expect "it is the same on three threads" 0 -- cmp "$tmp/one" "$tmp/three"
trace late --trace-cycles 3000- >/dev/null
expect "and begins in the middle" 0 'near 0x0020 LDG' 'add 0x0' -- \
    cat "$tmp/late"

want=$(run --hash | sed -n 's/^hash:* *//p')
same() { [ -n "$want" ] && [ "$(run --hash "$@" |
    sed -n 's/^hash:* *//p')" = "$want" ]; }
for options in "--threads 3" --no-skip "--shuffle 4" \
    "--shuffle 5 --threads 2 --no-skip"; do
    # shellcheck disable=SC2086  # options are words
    expect "the same bits, $options" 0 -- same $options
done

cat >>"$tmp/l.yaml" <<'END'
expect: {b: b.npy}
END
expect "in a comparison" 0 'gpu.concurrent' -- \
    "$heddle" compare --gpu v100 --against gpu.concurrent=1 \
    --with gpu.concurrent=128 --by-kernel "$tmp/l.yaml"

sed -i 's/{kernel: add, grid: 16, block: 64, args: \[b, 3\]/{kernel: far, grid: 1, args: [b]/' "$tmp/l.yaml"
expect "a fault of one" 5 "kernel 'far'" 'in flight with it did not end' \
    '(did not end: fault)$' '(did not end: interrupted)$' -- run
finish
