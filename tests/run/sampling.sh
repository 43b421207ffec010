#!/bin/sh
# tests/run/sampling.sh - heddle exec --sample: programs of many launches, of
# which a few are timed, beside all of them timed.
. "$(dirname "$0")/../lib.sh"
need_heddle
build=$(dirname "$heddle")
if [ ! -x "$build/workloads/floyd" ] || [ ! -e "$build/libheddle-opencl.so" ]; then
    skip sampling "no OpenCL headers when it was built"
    finish
fi
export XDG_CACHE_HOME="$tmp/cache"
cd "$tmp" || exit 1
exec_it() { "$heddle" exec -q -g v100 "$@"; }

# The cycles that are told are those of all launches to 3 %, of at most $2 that
# are timed; what the program computes is right.
near() {
    name=$1 most=$2
    shift 2
    expect "$name, all timed" 0 ' PASS' '' -- exec_it -f json -o full.json "$@"
    expect "$name, sampled" 0 ' PASS' -- exec_it --sample -f json -o some.json "$@"
    expect "$name: a few are timed" 0 '^true$' -- \
        jq ".total.timed <= $most and .total.timed < .total.launches" some.json
    expect "$name: none is left out" 0 '^true$' -- \
        jq '.total.timed + .total.sampled.launches == .total.launches' some.json
    expect "$name: cycles" 0 '^true$' -- jq -n --slurpfile a full.json \
        --slurpfile b some.json \
        '$b[0].total.sampled.cycles / $a[0].total.cycles | . > 0.97 and . < 1.03'
    expect "$name: the sum of launches" 0 '^true$' -- jq '
        ([.processes[].launches[] |
          (.cycles // 0) + (.estimated_cycles // 0)] | add) as $sum
        | .total.sampled.cycles / $sum | . > 0.9999 and . < 1.0001' some.json
}
near floyd 40 -- "$build/workloads/floyd" --size small
near launches 40 -- "$build/workloads/launches" --size medium

# Long launches, of which parts are timed, on a small machine. What was left out
# has been computed: the program checks it.
# shellcheck disable=SC2086  # the GPU, and options
parts() {
    name=$1 gpu=$2
    shift 2
    expect "$name, all timed" 0 ' PASS' '' -- \
        "$heddle" exec -q -g $gpu -f json -o full.json "$@"
    expect "$name, in parts" 0 ' PASS' -- \
        "$heddle" exec -q -g $gpu --sample -f json -o some.json "$@"
    expect "$name: parts are timed" 0 '^true$' -- jq \
        '.total.sampled.in_parts == 1 and .total.timed == .total.launches' some.json
    expect "$name: far from all of it" 0 '^true$' -- jq -n \
        --slurpfile a full.json --slurpfile b some.json \
        '$b[0].total.cycles < 0.8 * $a[0].total.cycles'
    expect "$name: cycles of all of it" 0 '^true$' -- jq -n \
        --slurpfile a full.json --slurpfile b some.json \
        '$b[0].total.sampled.cycles / $a[0].total.cycles | . > 0.92 and . < 1.08'
    expect "$name: instructions of all of it" 0 '^true$' -- jq -n \
        --slurpfile a full.json --slurpfile b some.json \
        '$b[0].total.warp_insts == $a[0].total.warp_insts and
         $b[0].total.thread_insts == $a[0].total.thread_insts and
         $b[0].processes[0].launches[0].ctas == $a[0].processes[0].launches[0].ctas'
}
parts vecadd k20-single -- "$build/workloads/vecadd" --size 1000000
parts blackscholes k20-single -- "$build/workloads/blackscholes" --size 500000
# Few CTAs, whose warps are forwarded.
parts sgemm 'v100 --set gpu.sms=8' -- "$build/workloads/sgemm" --size 256
expect "the text says so" 0 '^sampled: 1 launch timed in parts;' \
    '^  all: ~.* (95 %), ~' -- "$heddle" exec -q -g k20-single --sample -- \
    "$build/workloads/vecadd" --size 1000000
expect "the same by any number of threads, in parts" 0 -- sh -c "
    for n in 1 2; do
        '$heddle' exec -q -g k20 --sample --threads \$n -f csv -o \$n.csv -- \
            '$build/workloads/vecadd' --size 1000000 >/dev/null || exit 1
        sed 's/,[^,]*$//; s/^[0-9]*,//' \$n.csv >\$n.txt
    done
    cmp 1.txt 2.txt && grep -q vecadd 1.txt"
expect "the same by any number of threads, forwarded" 0 -- sh -c "
    for n in 1 2; do
        '$heddle' exec -q -g v100 --set gpu.sms=8 --sample --threads \$n -f csv \
            -o \$n.csv -- '$build/workloads/sgemm' --size 256 >/dev/null || exit 1
        sed 's/,[^,]*\$//; s/^[0-9]*,//' \$n.csv >\$n.txt
    done
    cmp 1.txt 2.txt && grep -q sgemm 1.txt"
expect "each access is looked at: nothing is forwarded" 0 ' PASS' -- \
    "$heddle" exec -q -g v100 --set gpu.sms=8 --sample --check-async -f json \
    -o looked.json -- "$build/workloads/sgemm" --size 256
expect "so all of it is timed" 0 '^true$' -- sh -c \
    "'$heddle' exec -q -g v100 --set gpu.sms=8 -f json -o all.json -- \
    '$build/workloads/sgemm' --size 256 >/dev/null && \
    jq -n --slurpfile a looked.json --slurpfile b all.json \
    '\$a[0].total | .sampled == null and .cycles == \$b[0].total.cycles'"
expect "CTAs that take a lock are all timed" 0 '^true$' -- sh -c \
    "'$heddle' exec -q -g k20-single --sample -f json -o lock.json -- \
    '$build/workloads/ticketlock' --size small >/dev/null && \
    jq '.total.sampled == null' lock.json"

expect "the text marks what is charged" 0 '^  step_once .* ~[0-9]' \
    '^sampled: [0-9,]* launches not timed' '^  all: ~.* (95 %), ~' -- \
    exec_it --sample -- "$build/workloads/launches" --size medium
expect "all timed: nothing is marked" 0 -- sh -c \
    "'$heddle' exec -q -g v100 -- '$build/workloads/launches' --size small | \
    grep -c '~\|sampled' | grep -x 0"
expect "launches of several queues are timed" 0 '^true$' -- sh -c \
    "'$heddle' exec -q -g v100 --sample -f json -o beside.json -- \
    '$build/workloads/concurrent' --size small >/dev/null && \
    jq '.total.timed == .total.launches' beside.json"
expect "the same by any number of threads" 0 -- sh -c "
    for n in 1 2; do
        '$heddle' exec -q -g v100 --sample --threads \$n -f csv -o \$n.csv -- \
            '$build/workloads/floyd' --size small >/dev/null || exit 1
        sed 's/,[^,]*$//; s/^[0-9]*,//' \$n.csv >\$n.txt
    done
    cmp 1.txt 2.txt"
# Both ways, in one table: what it says has to agree with runs of its own.
expect "both ways in a table" 0 '^kernel .* less$' \
    '^step_once .* +-[0-9.]* % .*%' '^all .* +-[0-9.]* % .*%' \
    '^error of kernels: [0-9.]* % on average, .* within' -- \
    exec_it --validate-sampling -- "$build/workloads/launches" --size small
expect "both ways, as JSON" 0 -- exec_it --validate-sampling -f json -o both.json -- \
    "$build/workloads/floyd" --size small
exec_it -f json -o floyd.json "$build/workloads/floyd" --size small >/dev/null
exec_it --sample -f json -o some.json "$build/workloads/floyd" --size small >/dev/null
expect "both are those of runs of their own" 0 '^true$' -- jq -n \
    --slurpfile a floyd.json --slurpfile b some.json --slurpfile both both.json \
    '$both[0].total as $t | $t.launches == $a[0].total.launches and
     $t.cycles == $a[0].total.cycles and
     $t.estimated_cycles == $b[0].total.sampled.cycles and
     $t.half_interval_95 == $b[0].total.sampled.half_interval_95'
expect "both ways: sums" 0 '^true$' -- jq '
    .total.cycles == ([.kernels[].cycles] | add) and
    .total.simulated_cycles < 0.5 * .total.cycles and
    (.total.error | . > -0.03 and . < 0.03) and
    ((.total.estimated_cycles / .total.cycles - 1 - .total.error) |
     . > -1e-9 and . < 1e-9) and
    .mean_error <= .max_error and .mean_error < 0.03' both.json
expect "a program that fails is not validated" 3 'nothing to compare' -- \
    exec_it --validate-sampling -- sh -c 'exit 3'
expect "it is one table" 2 'it does not go with --store' -- \
    exec_it --validate-sampling --store v.db -- "$build/workloads/floyd"
for option in '--launches all' --by-line --per-block --hash '--energy-series 100'; do
    # shellcheck disable=SC2086  # words
    expect "without $option" 2 'it does not go with' -- exec_it \
        --validate-sampling $option -- "$build/workloads/floyd"
done

# Results files say what is charged, and nothing takes it for simulated.
expect "kept" 0 -- exec_it --sample --store r.db -f json -o kept.json -- \
    "$build/workloads/floyd" --size small
sql() { "$heddle" results sql r.db -f csv "$1"; }
expect "a run says that it is sampled" 0 '^1$' -- sql "SELECT
    r.sampled > 0 AND r.estimated_cycles > 2 * r.cycles AND
    r.half_interval_95 > 0 AND r.sampled + r.timed = r.launches FROM run r"
expect "so do its kernels and launches" 0 '^1$' -- sql "SELECT
    (SELECT sum(estimated_cycles) FROM kernel) = (SELECT estimated_cycles FROM run)
    AND (SELECT sum(estimated_cycles > 0) FROM launch) = (SELECT sampled FROM run)"
expect "the same as JSON says" 0 -- sh -c "
    jq .total.sampled.cycles kept.json >want
    '$heddle' results sql r.db -f csv 'SELECT CAST(estimated_cycles AS INTEGER)
        FROM run' | tail -n 1 >got && cmp want got"
expect "lists show it" 0 'half_interval_95' -- "$heddle" results list r.db
expect "tables tell it" 0 '1 run is sampled' -- "$heddle" results table r.db \
    --rows workload --value cycles
expect "tables have it" 0 '^floyd .*[0-9]' -- "$heddle" results table r.db \
    --rows workload --value estimated_cycles,half_interval_95
expect "pages mark it" 0 -- sh -c \
    "'$heddle' report r.db -o r.html && grep -q 'floyd is sampled' r.html"
expect "a sampled run is not compared" 2 'is sampled' -- \
    "$heddle" diff r.db r.db
expect "nor its JSON" 2 'a sampled run' -- "$heddle" diff kept.json full.json
expect "what is timed whole has no mark" 0 '^1$' -- sh -c "
    '$heddle' exec -q -g v100 --store whole.db -o /dev/null -- \
        '$build/workloads/launches' --size small >/dev/null &&
    '$heddle' results sql whole.db -f csv 'SELECT sampled IS NULL AND
        estimated_cycles IS NULL AND half_interval_95 IS NULL FROM run'"
if /usr/bin/python3 -c 'import sqlite3' 2>/dev/null; then
    /usr/bin/python3 - <<'END'
import sqlite3
d = sqlite3.connect("whole.db")
for table in "run", "kernel":
    for column in "sampled", "estimated_cycles", "half_interval_95":
        d.execute("ALTER TABLE %s RENAME COLUMN %s TO no_%s" % (table, column, column))
for column in "estimated_cycles", "estimated_spread", "estimated_error":
    d.execute("ALTER TABLE launch DROP COLUMN %s" % column)
d.commit()
END
    expect "an older file is listed" 0 'launches' -- "$heddle" results list whole.db
    expect "and gets the columns" 0 '^1$' -- sh -c "
        '$heddle' exec -q -g v100 --sample --store whole.db -o /dev/null -- \
            '$build/workloads/floyd' --size small >/dev/null &&
        '$heddle' results sql whole.db -f csv 'SELECT count(*) = 2 AND
            sum(sampled > 0) = 1 FROM run'"
    expect "of launches, too" 0 '^1$' -- "$heddle" results sql whole.db -f csv \
        'SELECT sum(estimated_cycles) > 0 AND sum(estimated_error IS NULL) > 0
        FROM launch'
fi

# A launch of its own, and launch files.
cat >add.ptx <<'END'
.version 7.5
.target sm_35
.address_size 64
.visible .entry add(.param .u64 p)
{
    .reg .u32 %r<9>;
    .reg .u64 %rd<4>;
    .reg .pred %p1;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    mul.wide.u32 %rd2, %r4, 4;
    add.u64 %rd1, %rd1, %rd2;
    ld.global.u32 %r5, [%rd1];
    mov.u32 %r6, %r5;
    mov.u32 %r7, 0;
L:  mad.lo.u32 %r6, %r6, 5, %r4;
    add.u32 %r7, %r7, 1;
    setp.lt.u32 %p1, %r7, 64;
    @%p1 bra L;
    st.global.u32 [%rd1], %r6;
    ret;
}
END
run_add() {
    "$heddle" run -q -g k20-single add.ptx --grid 4000 --block 256 \
        --arg 'p=buf:u32[1024000]=iota' "$@"
}
expect "one launch" 0 -- sh -c "
    '$heddle' run -q -g k20-single add.ptx --grid 4000 --block 256 \
        --arg p=buf:u32[1024000]=iota --dump p=whole.bin -f json >whole.json"
expect "in parts" 0 -- run_add --sample --dump p=parts.bin --store parts.db
expect "it computes the same" 0 -- cmp whole.bin parts.bin
run_add --sample -f json >parts.json
expect "a launch: its cycles" 0 '^true$' -- jq -n --slurpfile a whole.json \
    --slurpfile b parts.json '$a[0].launches[0] as $w | $b[0].launches[0] as $p |
    $p.cycles < 0.8 * $w.cycles and
    ($p.sampled.cycles / $w.cycles | . > 0.92 and . < 1.08) and
    $p.sampled.cycles == $p.cycles + $p.estimated_cycles and
    $b[0].sampled.cycles == $p.sampled.cycles and
    $p.warp_insts == $w.warp_insts and $a[0].sampled == null'
expect "a launch: text" 0 'sampled: timed in parts; all of it: ~.* (95 %)' -- \
    run_add --sample
expect "a launch: kept" 0 '^1$' -- "$heddle" results sql parts.db -f csv \
    'SELECT sampled = 1 AND estimated_cycles > cycles FROM run'
cat >add.yaml <<'END'
program: add.ptx
buffers:
  p: {type: u32, count: 1024000, init: iota}
launches:
  - {kernel: add, grid: 4000, block: 256, args: [p], repeat: 2}
END
expect "launch files" 0 '^sampled: 2 launches timed in parts; all: ~' -- \
    "$heddle" run -q -g k20-single --launch add.yaml --sample
expect "computed only is not sampled" 2 'leave out --sample' -- \
    run_add --sample --functional

expect "sampled cycles are not compared" 2 'only heddle exec and run tell' -- "$heddle" \
    compare --sample --with l1.ways=8 -g v100 -- "$build/workloads/floyd"
expect "nor added up by a suite" 2 'only heddle exec and run tell' -- "$heddle" \
    suite run --sample -g v100 "$root/workloads"
expect "without timing there is no sample" 2 'leave out --sample' -- \
    exec_it --sample --functional -- "$build/workloads/launches"
finish
